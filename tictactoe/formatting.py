"""Values as text for people: untrusted text made safe for a terminal, amounts, short addresses."""

import re
import unicodedata
from contextlib import suppress
from functools import cache
from urllib.parse import unquote, urlsplit

# Terminal escape sequences: CSI ... letter, OSC ... BEL or ST, and two-character ones.
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.", re.DOTALL)

# Parts of a URL that are as long may be keys; in the name of the host, only much longer ones.
SHORTEST_KEY = 8
SHORTEST_KEY_IN_HOST = 24


def clean(text: object, limit: int = 300) -> str:
    """Text from outside on one line, without escape sequences, control or direction characters, cut at the limit."""
    plain = _ESCAPES.sub("", str(text))
    plain = "".join(" " if c in "\r\n\t" else c for c in plain if c in "\r\n\t" or unicodedata.category(c)[0] != "C")
    plain = " ".join(plain.split())
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"


def short(address: str) -> str:
    return address[:6] + "…" + address[-4:]


def person(address: str, whole: bool = False) -> str:
    """A player for a sentence: an account of the user's own with its alias, as in `anna (0x1234…abcd)`."""
    alias, shown = aliases().get(address), address if whole else short(address)
    return f"{clean(alias, 20)} ({shown})" if alias else shown


@cache
def aliases() -> dict[str, str]:
    """ape's aliases of the user's own accounts, by address."""
    import ape

    found = {}
    for account in ape.accounts:
        # A broken keyfile is no reason to fail: its account is shown without a name.
        with suppress(Exception):
            found[str(account.address)] = str(account.alias)
    return found


def ether(wei: int, symbol: str) -> str:
    return f"{coins(wei)} {symbol}"


def coins(wei: int) -> str:
    """An amount with up to nine decimals and no trailing zeros."""
    return f"{wei / 10**18:.9f}".rstrip("0").rstrip(".")


def ether_above(wei: int, symbol: str) -> str:
    """The same, rounded up: an amount that is enough."""
    return ether(-(-wei // 10**9) * 10**9, symbol)


def gwei(wei: int) -> str:
    """The price of one gas, with up to nine decimals."""
    amount = f"{wei / 10**9:,.9f}".rstrip("0").rstrip(".")
    return f"{amount} gwei"


def possible_keys(url: str) -> set[str]:
    """The parts of a node's URL that may be keys, as they are written there and decoded."""
    parsed = urlsplit(url)
    parts = re.split(r"[/?&=#]", f"{parsed.path}?{parsed.query}#{parsed.fragment}")
    parts += [parsed.username or "", parsed.password or ""]
    keys = {part for text in parts for part in (text, unquote(text)) if len(part) >= SHORTEST_KEY}
    return keys | {part for part in re.split(r"[.-]", parsed.hostname or "") if len(part) >= SHORTEST_KEY_IN_HOST}
