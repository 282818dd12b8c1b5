"""What a player pastes: the next command, and what brings a friend to the same game."""

from __future__ import annotations

import shlex
from urllib.parse import urlencode, urlsplit

from tictactoe.formatting import possible_keys
from tictactoe.node import Node


def play_command(network: str, table: str, **options: str) -> str:
    """
    A `play` at the table with this address, quoted for a shell. `against="0x…"` becomes `--against 0x…`, for a friend:
    it joins or starts the game against this opponent.
    """
    words = [word for name, value in options.items() for word in (f"--{name}", value) if word]
    return shlex.join(["uv", "run", "ape", "run", "play", "--network", network, "--table", table, *words])


def page_query(node: Node, table: str, opponent: str) -> str:
    """What follows the page's address in a link that invites. `dapp/src/link.ts` reads it."""
    return "?" + urlencode({"chain": node.chain_id, "table": table, "with": opponent})


def network_option(node: Node) -> str:
    """What a friend passes as `--network` to be on the same chain. Never a URL that may contain a key."""
    network = node.network
    if url := _open_url(node):
        return url if network.is_adhoc else f"{network.choice}:{url}"
    if node.chosen_by_name:
        return network.choice
    if network.is_local and not node.provider.provider_settings:
        return f"{network.choice}:{node.provider.name}"
    return node.public_choice or f"NODE-OF-CHAIN-{node.chain_id}"


def _open_url(node: Node) -> str:
    """The URL in `--network`, if anybody may see it: no credentials, no query, and no part that may be a key."""
    url = str(node.provider.provider_settings.get("uri") or "")
    parsed = urlsplit(url)
    return "" if "@" in parsed.netloc or parsed.query or parsed.fragment or possible_keys(url) else url
