"""Links to the network's explorer."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tictactoe.formatting import clean
from tictactoe.node import Node

if TYPE_CHECKING:
    from ape.api.explorers import ExplorerAPI
    from eth_typing import ChecksumAddress

# Known without a plugin, by chain id.
EXPLORERS = {
    1: "https://etherscan.io",
    11155111: "https://sepolia.etherscan.io",
    560048: "https://hoodi.etherscan.io",
    84532: "https://sepolia.basescan.org",
    11155420: "https://sepolia-optimism.etherscan.io",
    421614: "https://sepolia.arbiscan.io",
}


def find_explorer(node: Node) -> ExplorerAPI | None:
    """The network's explorer, if an ape plugin provides one."""
    try:
        return node.network.explorer
    except Exception:  # noqa: BLE001 - the plugin asks its own hosts; a failure there must not end a game
        return None


def explorer_link(node: Node, kind: str, what: str) -> str:
    """The page of a transaction (`tx`) or an `address`; empty if no explorer is known."""
    if base := EXPLORERS.get(node.chain_id):
        return f"{base}/{kind}/{what}"
    explorer = find_explorer(node)
    if explorer is None:
        return ""
    try:
        return clean(
            explorer.get_transaction_url(what)
            if kind == "tx"
            else explorer.get_address_url(cast("ChecksumAddress", what))
        )
    except Exception:  # noqa: BLE001 - as above
        return ""
