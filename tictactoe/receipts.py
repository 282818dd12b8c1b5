"""What a node knows about a transaction: whether it waits in the pool, and the receipt once it is mined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tictactoe import errors
from tictactoe.node import Node, to_hex, to_number

if TYPE_CHECKING:
    from eth_typing import HexStr


@dataclass(frozen=True)
class Receipt:
    block: int
    succeeded: bool
    gas: int
    cost: int
    contract: str  # the address of the contract it created, if any


def is_known(node: Node, transaction: str) -> bool:
    """Whether it is mined or waits in the node's pool."""
    try:
        found = node.ask(lambda: to_hex(node.web3.eth.get_transaction(cast("HexStr", transaction))["hash"]))
    except errors.TransactionUnknown:
        return False
    if found != transaction:
        raise errors.ContradictoryAnswer(f"the transaction {found} when asked for {transaction}")
    return True


def find_receipt(node: Node, transaction: str) -> Receipt | None:
    """None while it is in no block that this node has seen."""

    def read() -> Receipt:
        raw = node.web3.eth.get_transaction_receipt(cast("HexStr", transaction))
        if (found := to_hex(raw["transactionHash"])) != transaction:
            raise errors.ContradictoryAnswer(f"the receipt of {found} when asked for that of {transaction}")
        gas, succeeded = to_number(raw["gasUsed"]), raw["status"] == 1
        return Receipt(
            to_number(raw["blockNumber"]),
            succeeded,
            gas,
            gas * to_number(raw.get("effectiveGasPrice") or 0),
            # Some nodes also name an address when the creation failed.
            str(raw.get("contractAddress") or "") if succeeded else "",
        )

    try:
        return node.ask(read)
    except errors.TransactionUnknown:
        return None
