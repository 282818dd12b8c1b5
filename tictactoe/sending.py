"""Our own transactions, from signing to confirmed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ape.exceptions import ApeException

from tictactoe import errors
from tictactoe.node import Node, Receipt

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI
    from ape.api.transactions import TransactionAPI
    from eth_typing import ChecksumAddress
    from web3.types import TxParams


class Stage(StrEnum):
    """How far a transaction has come."""

    SIGNING = "signing"
    DECLINED = "declined"
    NOT_SIGNED = "not signed"
    NOT_SENT = "not sent"
    SENDING = "sending"
    SENT = "sent"
    WAITING = "waiting"
    REPLACED = "replaced"
    DROPPED = "dropped"
    MINED = "mined"
    FAILED = "failed"
    TAKEN_BACK = "taken back"
    CONFIRMED = "confirmed"


@dataclass
class Sent:
    """A transaction of ours, and how far it has come."""

    what: str
    hash: str = ""
    stage: Stage = Stage.SIGNING
    block: int = 0
    gas: int = 0
    fee: int = 0
    contract: str = ""

    @property
    def name(self) -> str:
        """For a sentence: what it is, and its hash."""
        return f"{self.what} ({self.hash})"

    def found(self, receipt: Receipt) -> None:
        self.block, self.gas, self.fee, self.contract = receipt.block, receipt.gas, receipt.fee, receipt.contract
        self.stage = Stage.MINED if receipt.succeeded else Stage.FAILED


@dataclass(frozen=True)
class Prepared:
    """A transaction that is not signed yet, and what it would cost."""

    what: str
    transaction: TransactionAPI
    gas: int  # as the node estimates it
    fee: int  # for one gas, in the block that is next
    most: int  # what it costs at the very worst

    @property
    def cost(self) -> int:
        return self.gas * self.fee


@dataclass
class Sender:
    """Sends an account's transactions, one after another, and remembers them all."""

    node: Node
    # Called at every step with the transaction and the seconds since it was sent.
    show: Callable[[Sent, float], None] = lambda _sent, _waited: None
    # Asked before each signature, if given.
    approve: Callable[[str], bool] | None = None
    patience: float = 180.0
    sent: list[Sent] = field(default_factory=list)

    def prepare(self, account: AccountAPI, what: str, data: bytes, to: str | None = None) -> Prepared:
        """The transaction with gas and fees filled in. The contract's refusals show here, before anything is paid."""
        node = self.node
        call: TxParams = {"from": account.address, "data": data}
        fields: dict[str, Any] = {"sender": account.address, "data": data, "chain_id": node.chain_id}
        if to is not None:
            call["to"] = fields["receiver"] = to
        head = node.block()
        if head.base_fee is None:
            fields |= {"type": 0, "gas_price": node.gas_price()}
            price = now = fields["gas_price"]
        else:
            tip = node.priority_fee()
            # Room for the base fee to double while the transaction waits, as wallets leave it.
            price, now = head.base_fee * 2 + tip, head.base_fee + tip
            fields |= {"type": 2, "max_fee": price, "max_priority_fee": tip}
        balance = node.balance(account.address)
        if balance == 0:
            raise errors.InsufficientFunds(account.address, balance, node)
        estimate = node.estimate_gas(call)
        # What is mined may differ a little from what was estimated, if the game moves on in between.
        fields["gas_limit"] = estimate * 6 // 5
        if balance < fields["gas_limit"] * price:
            raise errors.InsufficientFunds(account.address, balance, node, what, fields["gas_limit"] * price)
        # Not "pending": behind a stuck transaction of ours this one would wait, too. It may take that one's place.
        fields["nonce"] = node.nonce(account.address)
        transaction = node.ecosystem.create_transaction(**fields)
        return Prepared(what, transaction, estimate, now, fields["gas_limit"] * price)

    def send(self, account: AccountAPI, what: str, data: bytes, to: str | None = None) -> Sent:
        """Sign, send, and wait until it is mined. `what` is a word for the person, such as `move 3`."""
        return self.send_prepared(account, self.prepare(account, what, data, to))

    def send_prepared(self, account: AccountAPI, prepared: Prepared) -> Sent:
        """The same, with the very transaction that the person has seen the cost of."""
        what = prepared.what
        entry = Sent(what)
        self.sent.append(entry)
        self.show(entry, 0)
        if self.approve is not None and not self.approve(what):
            entry.stage = Stage.DECLINED
            raise errors.DeclinedToSign(what)
        signed = self._sign(account, what, prepared.transaction, entry)
        entry.hash = "0x" + bytes(signed.txn_hash).hex()
        self._hand_over(account, entry, bytes(signed.serialize_transaction()))
        return self._wait(entry, account.address, signed.nonce or 0)

    def _sign(self, account: AccountAPI, what: str, transaction: TransactionAPI, entry: Sent) -> TransactionAPI:
        try:
            signed = account.sign_transaction(transaction)
        except ApeException as err:
            entry.stage = Stage.NOT_SIGNED
            raise errors.NotSigned(what, err) from err
        if signed is None or signed.signature is None:
            entry.stage = Stage.DECLINED
            raise errors.DeclinedToSign(what)
        return signed

    def _hand_over(self, account: AccountAPI, entry: Sent, raw: bytes) -> None:
        entry.stage = Stage.SENDING
        try:
            self.node.send_raw(raw)
        except errors.NodeUnreachable:
            # It may have arrived all the same. Its hash is known, so the wait will tell.
            self.show(entry, 0)
        except errors.NodeError as err:
            if "already known" not in err.message:
                entry.stage = Stage.NOT_SENT
                raise self._not_taken(account, entry.what, err) from err
        entry.stage = Stage.SENT

    def _not_taken(self, account: AccountAPI, what: str, err: errors.NodeError) -> errors.TicTacToeError:
        said = err.message.lower()
        if "insufficient funds" in said:
            return errors.InsufficientFunds(account.address, self.node.balance(account.address), self.node)
        if "replacement transaction underpriced" in said:
            return errors.EarlierTransactionWaits(what)
        return errors.NotAccepted(what, err)

    def _wait(self, entry: Sent, sender: ChecksumAddress, nonce: int) -> Sent:
        node = self.node
        start = last_seen = time.monotonic()
        while True:
            now = time.monotonic()
            waited = now - start
            self.show(entry, waited)
            try:
                if (receipt := node.receipt(entry.hash)) is not None:
                    entry.found(receipt)
                    self.show(entry, 0)
                    self._check_success(entry)
                    return entry
                # One look shows little: the nodes behind a load balancer know more and less than each other.
                if node.knows(entry.hash):
                    last_seen = now
                elif now - last_seen > min(15.0, self.patience / 4):
                    raise self._vanished(entry, replaced=node.nonce(sender) > nonce)
            except errors.NodeError:
                # Gone while we wait: the transaction does not depend on our node, so wait on.
                if waited > self.patience:
                    raise errors.NodeLostWhileWaiting(entry.name) from None
            if waited > self.patience:
                entry.stage = Stage.WAITING
                raise errors.StillWaiting(entry.name, self.patience)
            time.sleep(node.pace)

    def _vanished(self, entry: Sent, replaced: bool) -> errors.TransactionError:
        if replaced:
            entry.stage = Stage.REPLACED
            return errors.Replaced(entry.name)
        entry.stage = Stage.DROPPED
        return errors.Dropped(entry.name)

    def _check_success(self, entry: Sent) -> None:
        if entry.stage is Stage.FAILED:
            raise errors.MinedButReverted(entry.name, entry.block, entry.fee, self.node.symbol)

    # -- confirmations -----------------------------------------------------------

    def confirm(self, entry: Sent, confirmations: int) -> None:
        """Wait until so many blocks stand on the transaction's. Patience begins anew with each of them."""
        start = progress = time.monotonic()
        deepest = 0
        while True:
            trouble = None
            now = time.monotonic()
            try:
                head = self.node.block().number
                self.look_again(entry, head, confirmations)
                if entry.stage is Stage.MINED and head - entry.block > deepest:
                    progress, deepest = now, head - entry.block
            except errors.NodeError as failure:
                trouble = failure
            self.show(entry, now - start)
            self._check_success(entry)
            if entry.stage is Stage.CONFIRMED:
                return
            if now - progress > self.patience:
                raise self._unconfirmed(entry, trouble) from trouble
            time.sleep(self.node.pace)

    def look_again(self, entry: Sent, head: int, confirmations: int) -> None:
        """Once deep enough, read its receipt anew: a reorganisation may have moved it or taken it back."""
        if entry.stage is Stage.MINED and head - entry.block < confirmations:
            return
        receipt = self.node.receipt(entry.hash)
        if receipt is None:
            entry.stage = Stage.TAKEN_BACK
            return
        entry.found(receipt)
        if entry.stage is Stage.MINED and head - entry.block >= confirmations:
            entry.stage = Stage.CONFIRMED

    def _unconfirmed(self, entry: Sent, trouble: errors.NodeError | None) -> errors.TicTacToeError:
        if trouble is not None:
            return errors.NodeLostWhileConfirming(entry.name, entry.block)
        if entry.stage is Stage.TAKEN_BACK:
            return errors.TakenBack(entry.name)
        return errors.Unconfirmed(entry.name, entry.block, self.patience)
