"""Values as text for people: untrusted text made safe for a terminal, amounts, short addresses."""

import re
import unicodedata

# Terminal escape sequences: CSI ... letter, OSC ... BEL or ST, and two-character ones.
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.", re.DOTALL)


def clean(text: object, limit: int = 300) -> str:
    """Text from outside on one line, without escape sequences, control or direction characters, cut at the limit."""
    plain = _ESCAPES.sub("", str(text))
    plain = "".join(" " if c in "\r\n\t" else c for c in plain if c in "\r\n\t" or unicodedata.category(c)[0] != "C")
    plain = " ".join(plain.split())
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"


def short(address: str) -> str:
    return address[:6] + "…" + address[-4:]


def ether(wei: int, symbol: str) -> str:
    """An amount with up to nine decimals and no trailing zeros."""
    amount = f"{wei / 10**18:.9f}".rstrip("0").rstrip(".")
    return f"{amount} {symbol}"


def ether_above(wei: int, symbol: str) -> str:
    """The same, rounded up: an amount that is enough."""
    return ether(-(-wei // 10**9) * 10**9, symbol)


def gwei(wei: int) -> str:
    """The price of one gas, with up to nine decimals."""
    amount = f"{wei / 10**9:,.9f}".rstrip("0").rstrip(".")
    return f"{amount} gwei"
