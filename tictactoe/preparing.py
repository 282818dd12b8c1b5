"""Transactions that are not signed yet: gas, fees and nonce."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from statistics import median_low
from typing import TYPE_CHECKING

from tictactoe import errors
from tictactoe.node import Node, to_number

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI
    from ape.api.transactions import TransactionAPI
    from eth_typing import ChecksumAddress
    from web3.types import TxParams

# Upper limits for gas, at least a fifth above what any transaction needs. The Amsterdam fork needs most, and
# docs/gas.md has its figures.
TABLE_GAS = 300_000
DEPLOYMENT_GAS = 5_400_000
# Arbitrum charges gas for the data that it posts to Ethereum, at a price that varies.
GAS_FACTORS = {42161: 10, 42170: 10, 421614: 10}


@dataclass(frozen=True)
class Prepared:
    """A transaction that is not signed yet, and what it would cost."""

    account: AccountAPI
    label: str
    transaction: TransactionAPI
    gas: int  # as the node estimates it
    price: int  # per unit of gas, in the next block
    max_cost: int  # the most that the transaction can cost
    usual_price: int | None  # per unit of gas, in recent blocks, if the node reports it
    balance: int
    nonce: int
    foreign_pending: bool  # another program sent a transaction from this account, and it waits in the pool
    contract: str  # address of the contract it creates; otherwise empty

    @property
    def cost(self) -> int:
        return self.gas * self.price


def prepare(
    node: Node,
    account: AccountAPI,
    label: str,
    data: bytes,
    to: ChecksumAddress | None = None,
    *,
    max_price: int | None = None,
    own_nonces: Collection[int] = (),
) -> Prepared:
    """
    The transaction with gas, fees and nonce. Raises if the contract would revert, so nothing is paid.

    Without `to`, the data creates a contract. `own_nonces`: those of the transactions that this program has sent from
    the account.
    """
    address = account.address
    call: TxParams = {"from": address, "data": data}
    fields: dict[str, object] = {"sender": address, "data": data, "chain_id": node.chain_id}
    if to is not None:
        call["to"] = fields["receiver"] = to
    fees, usual, balance = current_fees(node, max_price), usual_price(node), node.balance(address)
    gas = _estimate(node, call, balance)
    check_gas(node, label, data, gas)
    # Add 20%: the game may change before this is mined, and the gas of a move depends on the game.
    limit = gas * 6 // 5
    # Count only mined transactions for the nonce, so this replaces a stuck one instead of queueing behind it.
    nonce = node.nonce(address)
    waiting = range(nonce, node.nonce(address, "pending"))
    return Prepared(
        account=account,
        label=label,
        transaction=node.ecosystem.create_transaction(**fields, **fees.fields, gas_limit=limit, nonce=nonce),
        gas=gas,
        price=fees.price,
        max_cost=limit * fees.max_price,
        usual_price=usual,
        balance=balance,
        nonce=nonce,
        foreign_pending=any(each not in own_nonces for each in waiting),
        contract="" if to is not None else node.ecosystem.get_deployment_address(address, nonce),
    )


def _estimate(node: Node, call: TxParams, balance: int) -> int:
    try:
        return node.estimate_gas(call)
    except errors.NodeError as error:
        if balance > 0 or isinstance(error, errors.NodeUnreachable):
            raise
        # Some nodes refuse to estimate gas for an account without funds.
        raise errors.InsufficientFunds(str(call["from"]), balance, node) from error


# -- gas -----------------------------------------------------------------------------


def check_gas(node: Node, what: str, data: bytes, gas: int) -> None:
    """Raise if the node estimates more gas than the contract can need."""
    # Only a deployment carries code.
    most = (DEPLOYMENT_GAS if len(data) > 1_000 else TABLE_GAS) * GAS_FACTORS.get(node.chain_id, 1)
    if gas > most:
        raise errors.ImplausibleGas(what, gas, most)


# -- fees ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Fees:
    price: int  # per unit of gas, in the next block
    max_price: int  # per unit of gas, at most
    fields: dict[str, int]  # of the transaction, as ape names them


def current_fees(node: Node, limit: int | None = None) -> Fees:
    """The price of gas now, and the highest price to offer. `limit` caps the offer, but not below the price now."""
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
        # The last base fee is the next block's, which has no tips yet.
        both = zip(history["baseFeePerGas"], history["reward"], strict=False)
        return median_low(to_number(base_fee) + to_number(tips[0]) for base_fee, tips in both)

    try:
        return node.ask(read)
    except errors.NodeUnreachable:
        raise
    except errors.NodeError:
        return None
