"""Commands to paste: the line that brings a friend to the same game."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tictactoe.formatting import possible_keys

if TYPE_CHECKING:
    from tictactoe.node import Node


def invitation(network: str, table: str, opponent: str) -> str:
    """The line for a friend: it joins or starts the game against `opponent`. Table: an address or a name."""
    return play_command(network, table, against=opponent)


def play_command(network: str, table: str, **options: str) -> str:
    """A `play` at this table, quoted for a shell; `against="0x…"` becomes `--against 0x…`."""
    words = [word for name, value in options.items() for word in (f"--{name}", value) if word]
    return shlex.join(["uv", "run", "ape", "run", "play", "--network", network, "--table", table, *words])


def network_option(node: Node) -> str:
    """What a friend passes as `--network` to be on the same chain. Never a URL that may contain a key."""
    network = node.network
    url = str(node.provider.provider_settings.get("uri") or "")
    if url and is_open(url):
        return url if network.is_adhoc else f"{network.choice}:{url}"
    if node.chosen_by_name:
        return network.choice
    if network.is_local and not url:
        return f"{network.choice}:{node.provider.name}"
    return node.public_choice or f"NODE-OF-CHAIN-{node.chain_id}"


def is_open(url: str) -> bool:
    """Whether anybody may see this URL: it has no credentials, no query and no part that may be a key."""
    parsed = urlsplit(url)
    return "@" not in parsed.netloc and not parsed.query and not parsed.fragment and not possible_keys(url)
