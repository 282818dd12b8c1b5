"""Values as text for people: untrusted text made safe for a terminal, amounts, accounts."""

import re
import unicodedata
from contextlib import suppress
from functools import cache
from urllib.parse import unquote, urlsplit

import ape

# Terminal escape sequences: CSI ... letter, OSC ... BEL or ST, and two-character ones.
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.", re.DOTALL)


def clean(text: object, limit: int = 300) -> str:
    """Text from outside on one line, without escape sequences, control or direction characters, cut at the limit."""
    plain = "".join(c for c in _ESCAPES.sub("", str(text)) if c.isspace() or unicodedata.category(c)[0] != "C")
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
    found = {}
    for account in ape.accounts:
        # A broken keyfile is no reason to fail: its account is shown without a name.
        with suppress(Exception):
            found[str(account.address)] = str(account.alias)
    return found


def coins(wei: int) -> str:
    """An amount of a chain's coin with up to nine decimals, rounded up: it is enough."""
    whole, rest = divmod(-(-wei // 10**9), 10**9)
    return f"{whole}.{rest:09}".rstrip("0").rstrip(".")


def gwei(wei: int) -> str:
    """The price of one gas, with up to nine decimals."""
    return f"{wei / 10**9:,.9f}".rstrip("0").rstrip(".") + " gwei"


def possible_keys(url: str) -> set[str]:
    """The parts of a node's URL that may be keys, as they are written there and decoded."""
    parsed = urlsplit(url)
    parts = re.split(r"[/?&=#]", f"{parsed.path}?{parsed.query}#{parsed.fragment}")
    parts += [parsed.username or "", parsed.password or ""]
    keys = {part for text in parts for part in (text, unquote(text)) if len(part) >= 8}
    # In the name of the host, only a much longer part may be one.
    return keys | {part for part in re.split(r"[.-]", parsed.hostname or "") if len(part) >= 24}
