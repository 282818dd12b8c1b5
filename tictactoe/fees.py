"""The price of gas, as the node reports it."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median_low

from tictactoe import errors
from tictactoe.node import Node, to_number


@dataclass(frozen=True)
class Fees:
    price: int  # per unit of gas, in the next block
    max_price: int  # per unit of gas, at most
    fields: dict[str, int]  # of the transaction, as ape names them


def current_fees(node: Node, limit: int | None = None) -> Fees:
    """What gas costs now, and what to offer for it: not more than `limit`, unless the price now is above it."""
    base_fee = node.block().base_fee
    if base_fee is None:
        price = node.number(lambda: node.web3.eth.gas_price)
        return Fees(price, price, {"type": 0, "gas_price": price})
    tip = 0 if node.embedded else node.number(lambda: node.web3.eth.max_priority_fee)
    # Like wallets, leave room for the base fee to double while the transaction waits.
    price, max_price = base_fee + tip, base_fee * 2 + tip
    if limit is not None:
        max_price = max(price, min(max_price, limit))
    return Fees(price, max_price, {"type": 2, "max_fee": max_price, "max_priority_fee": tip})


def usual_price(node: Node) -> int | None:
    """The median of what one gas cost in recent blocks; None if the node does not report it."""
    if node.embedded:
        return None

    def read() -> int:
        history = node.web3.eth.fee_history(20, "latest", [50])
        # One base fee more than there are blocks: the next block's.
        both = zip(history["baseFeePerGas"], history["reward"], strict=False)
        return median_low(to_number(base_fee) + to_number(tips[0]) for base_fee, tips in both)

    try:
        return node.ask(read)
    except errors.NodeUnreachable:
        raise
    except errors.NodeError:
        return None
