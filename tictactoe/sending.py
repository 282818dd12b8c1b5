"""Our own transactions, from signing to confirmed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from ape.exceptions import ApeException

from tictactoe import errors
from tictactoe.gas import check_gas
from tictactoe.node import Node, Receipt, to_hex
from tictactoe.spending import NO_LIMITS, Limits

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
    WAITING = "waiting"  # patience ended; may still be mined
    REPLACED = "replaced"
    DROPPED = "dropped"
    MINED = "mined"
    FAILED = "failed"
    TAKEN_BACK = "taken back"
    CONFIRMED = "confirmed"


@dataclass
class Sent:
    """A transaction of ours, and how far it has come."""

    label: str
    hash: str = ""
    stage: Stage = Stage.SIGNING
    block: int = 0
    gas: int = 0
    cost: int = 0
    contract: str = ""  # address of the contract it creates, computed from account and nonce; otherwise empty
    account: str = ""
    nonce: int = 0

    @property
    def label_with_hash(self) -> str:
        """For a sentence: what it is, and its hash."""
        return f"{self.label} ({self.hash})"

    def record(self, receipt: Receipt) -> None:
        self.block, self.gas, self.cost = receipt.block, receipt.gas, receipt.cost
        self.stage = Stage.MINED if receipt.succeeded else Stage.FAILED
        if receipt.contract and receipt.contract.lower() != self.contract.lower():
            raise errors.ReceiptContradicts(self.label_with_hash, receipt.contract)

    @property
    def under_way(self) -> bool:
        """Sent, and not known to have failed."""
        return self.stage not in (Stage.SIGNING, Stage.DECLINED, Stage.NOT_SIGNED, Stage.NOT_SENT, Stage.FAILED)


@dataclass(frozen=True)
class Prepared:
    """A transaction that is not signed yet, and what it would cost."""

    account: AccountAPI
    label: str
    transaction: TransactionAPI
    gas: int  # as the node estimates it
    price: int  # for one gas, in the next block
    max_cost: int  # the most that the transaction can cost
    usual_price: int | None  # for one gas, in recent blocks, if the node reports it
    balance: int
    nonce: int
    foreign_pending: bool  # the pool has a transaction of the account that this program did not send
    contract: str  # address of the contract it creates; otherwise empty

    @property
    def cost(self) -> int:
        return self.gas * self.price


@dataclass
class Sender:
    """Sends transactions one after another, and remembers them all."""

    node: Node
    # Called at every step, with the seconds that `wait` or `confirm` has been waiting.
    show: Callable[[Sent, float], None] = lambda _sent, _waited: None
    # Called before each signature with the concerns that need consent; returns whether to sign. If None, any concern is
    # an error.
    agree: Callable[[Prepared, list[errors.NeedsConsent]], bool] | None = None
    patience: float = 180.0
    limits: Limits = NO_LIMITS
    sent: list[Sent] = field(default_factory=list)

    def send(self, account: AccountAPI, label: str, data: bytes, to: ChecksumAddress | None = None) -> Sent:
        """Sign, send, and wait until it is mined. `label` names the transaction in messages, for example `move 3`."""
        return self.send_prepared(self.prepare(account, label, data, to))

    def prepare(
        self, account: AccountAPI, label: str, data: bytes, to: ChecksumAddress | None = None, contract: str = ""
    ) -> Prepared:
        """The transaction with gas, fees and nonce. Raises if the contract would revert, so nothing is paid."""
        node, address = self.node, account.address
        call: TxParams = {"from": address, "data": data}
        fields: dict[str, object] = {"sender": address, "data": data, "chain_id": node.chain_id}
        if to is not None:
            call["to"] = fields["receiver"] = to
        fees, usual, balance = node.fees(self.limits.max_price), node.usual_price(), node.balance(address)
        gas = self._estimate(call, balance)
        check_gas(node, label, data, gas)
        # Add 20%: the game may change before this is mined, and the gas of a move depends on the game.
        limit = gas * 6 // 5
        # Use the mined nonce, not the pending one, so this replaces a stuck transaction instead of queueing behind it.
        nonce = node.nonce(address)
        transaction = node.ecosystem.create_transaction(**fields, **fees.fields, gas_limit=limit, nonce=nonce)
        return Prepared(
            account=account,
            label=label,
            transaction=transaction,
            gas=gas,
            price=fees.price,
            max_cost=limit * fees.max_price,
            usual_price=usual,
            balance=balance,
            nonce=nonce,
            foreign_pending=self._has_foreign_pending(address, nonce),
            contract=contract if to is not None else node.ecosystem.get_deployment_address(address, nonce),
        )

    def _estimate(self, call: TxParams, balance: int) -> int:
        try:
            return self.node.estimate_gas(call)
        except errors.NodeError as error:
            if balance > 0 or isinstance(error, errors.NodeUnreachable):
                raise
            # Some nodes refuse to estimate gas for an account without funds.
            raise errors.InsufficientFunds(str(call["from"]), balance, self.node) from error

    def _has_foreign_pending(self, address: ChecksumAddress, nonce: int) -> bool:
        """Whether the pool has a transaction of the account that was not sent from here."""
        ours = {sent.nonce for sent in self.sent if sent.account == address}
        return any(pending not in ours for pending in range(nonce, self.node.nonce(address, "pending")))

    def send_prepared(self, prepared: Prepared) -> Sent:
        """Like `send`, with a transaction whose cost the player has already seen."""
        return self.wait(self.start(prepared))

    def start(self, prepared: Prepared) -> Sent:
        """Sign it, with the player's consent, and send it."""
        self.limits.check(self.node, prepared)
        self._ask_for_consent(prepared)
        sent = Sent(prepared.label)
        self.sent.append(sent)
        self.show(sent, 0)
        signed = self._sign(prepared, sent)
        sent.hash, sent.contract = to_hex(signed.txn_hash), prepared.contract
        sent.account, sent.nonce = prepared.account.address, prepared.nonce
        self._broadcast(prepared, bytes(signed.serialize_transaction()), sent)
        return sent

    def _ask_for_consent(self, prepared: Prepared) -> None:
        concerns = self.limits.concerns(self.node, prepared)
        if self.agree is None and concerns:
            raise concerns[0]
        if self.agree is not None and not self.agree(prepared, concerns):
            raise errors.DeclinedToSign(prepared.label)
        # Ask about the chain only once.
        self.limits = replace(self.limits, chain_id=self.node.chain_id)

    def _sign(self, prepared: Prepared, sent: Sent) -> TransactionAPI:
        try:
            signed = prepared.account.sign_transaction(prepared.transaction)
        except ApeException as err:
            sent.stage = Stage.NOT_SIGNED
            raise errors.NotSigned(prepared.label, err) from err
        if signed is None or signed.signature is None:
            sent.stage = Stage.DECLINED
            raise errors.DeclinedToSign(prepared.label)
        return signed

    def _broadcast(self, prepared: Prepared, raw: bytes, sent: Sent) -> None:
        sent.stage = Stage.SENDING
        try:
            self.node.send(raw)
        except errors.NodeUnreachable:
            # The node may have received it anyway. Its hash is known, so `wait` will find out.
            self.show(sent, 0)
        except errors.NodeError as error:
            if "already known" not in error.message:
                sent.stage = Stage.NOT_SENT
                raise self._not_accepted_error(prepared, error) from error
        sent.stage = Stage.SENT

    def _not_accepted_error(self, prepared: Prepared, error: errors.NodeError) -> errors.TicTacToeError:
        message = error.message.lower()
        if "insufficient funds" in message:
            address = prepared.account.address
            return errors.InsufficientFunds(address, self.node.balance(address), self.node)
        if "replacement transaction underpriced" in message:
            return errors.EarlierTransactionWaits(prepared.label)
        return errors.NotAccepted(prepared.label, error)

    def wait(self, sent: Sent) -> Sent:
        """Wait until it is mined."""
        node = self.node
        start = last_seen = time.monotonic()
        while True:
            now = time.monotonic()
            waited = now - start
            self.show(sent, waited)
            try:
                if (receipt := node.receipt(sent.hash)) is not None:
                    sent.record(receipt)
                    self.show(sent, 0)
                    self._check_success(sent)
                    return sent
                # Do not trust a single poll: the nodes behind a load balancer differ in what they know.
                if node.knows(sent.hash):
                    last_seen = now
                elif now - last_seen > min(15.0, self.patience / 4):
                    raise self._vanished_error(sent, replaced=node.nonce(sent.account) > sent.nonce)
            except errors.NodeError as error:
                # Our node's failure does not affect the transaction: keep waiting.
                if waited > self.patience:
                    raise errors.NodeLostWhileWaiting(sent.label_with_hash) from error
            if waited > self.patience:
                sent.stage = Stage.WAITING
                raise errors.StillWaiting(sent.label_with_hash, self.patience)
            time.sleep(node.pace)

    def _vanished_error(self, sent: Sent, replaced: bool) -> errors.TransactionError:
        sent.stage = Stage.REPLACED if replaced else Stage.DROPPED
        return errors.Replaced(sent.label_with_hash) if replaced else errors.Dropped(sent.label_with_hash)

    def _check_success(self, sent: Sent) -> None:
        if sent.stage is Stage.FAILED:
            raise errors.MinedButReverted(sent.label_with_hash, sent.block, sent.cost, self.node.symbol)

    # -- confirmations -----------------------------------------------------------

    def confirm(self, sent: Sent, confirmations: int) -> None:
        """Wait until this many blocks follow the transaction's block. Each new block restarts the timeout."""
        start = progress = time.monotonic()
        deepest = 0
        while True:
            trouble = None
            now = time.monotonic()
            try:
                head = self.node.block().number
                self.recheck_receipt(sent, head, confirmations)
                if sent.stage is Stage.MINED and head - sent.block > deepest:
                    progress, deepest = now, head - sent.block
            except errors.NodeError as error:
                trouble = error
            self.show(sent, now - start)
            self._check_success(sent)
            if sent.stage is Stage.CONFIRMED:
                return
            if now - progress > self.patience:
                raise self._unconfirmed_error(sent, trouble) from trouble
            time.sleep(self.node.pace)

    def recheck_receipt(self, sent: Sent, head: int, confirmations: int) -> None:
        """Once it is deep enough, read the receipt again: a reorg may have moved the transaction or taken it back."""
        if sent.stage is Stage.MINED and head - sent.block < confirmations:
            return
        receipt = self.node.receipt(sent.hash)
        if receipt is None:
            sent.stage = Stage.TAKEN_BACK
            return
        sent.record(receipt)
        if sent.stage is Stage.MINED and head - sent.block >= confirmations:
            sent.stage = Stage.CONFIRMED

    def _unconfirmed_error(self, sent: Sent, trouble: errors.NodeError | None) -> errors.TicTacToeError:
        if trouble is not None:
            return errors.NodeLostWhileConfirming(sent.label_with_hash, sent.block)
        if sent.stage is Stage.TAKEN_BACK:
            return errors.TransactionReorged(sent.label_with_hash)
        return errors.Unconfirmed(sent.label_with_hash, sent.block, self.patience)
