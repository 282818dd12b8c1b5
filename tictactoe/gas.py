"""Bounds for the gas that a node estimates: our transactions cannot need more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tictactoe import errors

if TYPE_CHECKING:
    from tictactoe.node import Node

# The most gas that a transaction needs, and a fifth or more of room. tests/gas/*.md has the measured figures; Amsterdam
# has the higher ones: 241,605 for a table's first newGame and 4,305,582 for a deployment.
TABLE_GAS = 300_000
DEPLOYMENT_GAS = 5_400_000
# Arbitrum counts the data that it posts to Ethereum as gas, at a price that varies.
GAS_FACTORS = {42161: 10, 42170: 10, 421614: 10}


def check_gas(node: Node, what: str, data: bytes, gas: int) -> None:
    """Raise if the node estimates more gas than the contract can need."""
    # Only a deployment carries code.
    most = (DEPLOYMENT_GAS if len(data) > 1_000 else TABLE_GAS) * GAS_FACTORS.get(node.chain_id, 1)
    if gas > most:
        raise errors.ImplausibleGas(what, gas, most)
