"""Transactions that are not signed yet: gas, fees and nonce."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tictactoe import errors
from tictactoe.fees import current_fees, usual_price
from tictactoe.gas import check_gas
from tictactoe.node import Node

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI
    from ape.api.transactions import TransactionAPI
    from eth_typing import ChecksumAddress
    from web3.types import TxParams


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
    foreign_pending: bool  # the pool has a transaction of the account that this program did not send
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
    contract: str = "",
    max_price: int | None = None,
    own_nonces: Collection[int] = (),
) -> Prepared:
    """
    The transaction with gas, fees and nonce. Raises if the contract would revert, so nothing is paid.

    `contract`: if `to` is the factory, the address of the contract that the call creates. `own_nonces`: the nonces of
    the transactions that this program has sent from the account.
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
    # Use the mined nonce, not the pending one, so this replaces a stuck transaction instead of queueing behind it.
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
        contract=contract if to is not None else node.ecosystem.get_deployment_address(address, nonce),
    )


def _estimate(node: Node, call: TxParams, balance: int) -> int:
    try:
        return node.estimate_gas(call)
    except errors.NodeError as error:
        if balance > 0 or isinstance(error, errors.NodeUnreachable):
            raise
        # Some nodes refuse to estimate gas for an account without funds.
        raise errors.InsufficientFunds(str(call["from"]), balance, node) from error
