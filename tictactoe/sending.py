"""Our own transactions, from signing to confirmed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from ape.exceptions import ApeException

from tictactoe import errors
from tictactoe.limits import NO_LIMITS, Limits, check_gas
from tictactoe.node import Node, Receipt, to_hex

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
    contract: str = ""  # where it deploys, known before it is sent
    account: str = ""
    nonce: int = 0

    @property
    def name(self) -> str:
        """For a sentence: what it is, and its hash."""
        return f"{self.what} ({self.hash})"

    def found(self, receipt: Receipt) -> None:
        self.block, self.gas, self.fee = receipt.block, receipt.gas, receipt.fee
        self.stage = Stage.MINED if receipt.succeeded else Stage.FAILED
        if receipt.contract and receipt.contract.lower() != self.contract.lower():
            raise errors.ReceiptContradicts(self.name, receipt.contract)

    @property
    def under_way(self) -> bool:
        """Whether it was sent, so that it is paid for or may yet be."""
        return self.stage not in (Stage.SIGNING, Stage.DECLINED, Stage.NOT_SIGNED, Stage.NOT_SENT, Stage.FAILED)


@dataclass(frozen=True)
class Prepared:
    """A transaction that is not signed yet, and what it would cost."""

    account: AccountAPI
    what: str
    transaction: TransactionAPI
    gas: int  # as the node estimates it
    fee: int  # for one gas, in the next block
    most: int  # the most that the transaction can cost
    usual_fee: int | None  # for one gas, in recent blocks, if the node reports it
    balance: int
    nonce: int
    waiting: bool  # something waits in the pool that this program did not send
    contract: str  # the address that it deploys to, if it does

    @property
    def cost(self) -> int:
        return self.gas * self.fee


@dataclass
class Sender:
    """Sends transactions one after another, and remembers them all."""

    node: Node
    # Called at every step with the transaction and the seconds since it was sent.
    show: Callable[[Sent, float], None] = lambda _sent, _waited: None
    # Asked before each signature, with what needs consent. Without it, what needs consent is refused.
    agree: Callable[[Prepared, list[errors.NeedsConsent]], bool] | None = None
    patience: float = 180.0
    limits: Limits = NO_LIMITS
    sent: list[Sent] = field(default_factory=list)

    def send(self, account: AccountAPI, what: str, data: bytes, to: ChecksumAddress | None = None) -> Sent:
        """Sign, send, and wait until it is mined. `what` names the transaction in messages, for example `move 3`."""
        return self.send_prepared(self.prepare(account, what, data, to))

    def prepare(
        self, account: AccountAPI, what: str, data: bytes, to: ChecksumAddress | None = None, contract: str = ""
    ) -> Prepared:
        """The transaction with gas, fees and nonce. If the contract would refuse it, this raises: nothing is paid."""
        node, address = self.node, account.address
        call: TxParams = {"from": address, "data": data}
        fields: dict[str, object] = {"sender": address, "data": data, "chain_id": node.chain_id}
        if to is not None:
            call["to"] = fields["receiver"] = to
        fees, usual, balance = node.fees(self.limits.fee), node.usual_fee(), node.balance(address)
        gas = self._estimate(call, balance)
        check_gas(node, what, data, gas)
        # Leave some room: the game may move on before this is mined, and another move costs a little more or less.
        limit = gas * 6 // 5
        # Use the mined nonce, not the pending one, so this replaces a stuck transaction instead of queueing behind it.
        nonce = node.nonce(address)
        transaction = node.ecosystem.create_transaction(**fields, **fees.fields, gas_limit=limit, nonce=nonce)
        return Prepared(
            account=account,
            what=what,
            transaction=transaction,
            gas=gas,
            fee=fees.now,
            most=limit * fees.most,
            usual_fee=usual,
            balance=balance,
            nonce=nonce,
            waiting=self._others_wait(address, nonce),
            contract=contract if to is not None else node.ecosystem.get_deployment_address(address, nonce),
        )

    def _estimate(self, call: TxParams, balance: int) -> int:
        try:
            return self.node.estimate_gas(call)
        except errors.NodeError as error:
            if balance > 0 or isinstance(error, errors.NodeUnreachable):
                raise
            # Some nodes estimate nothing for an account without funds.
            raise errors.InsufficientFunds(str(call["from"]), balance, self.node) from error

    def _others_wait(self, address: ChecksumAddress, nonce: int) -> bool:
        """Whether the pool has a transaction of the account that was not sent from here."""
        ours = {sent.nonce for sent in self.sent if sent.account == address}
        return any(waiting not in ours for waiting in range(nonce, self.node.nonce(address, "pending")))

    def send_prepared(self, prepared: Prepared) -> Sent:
        """The same, with the very transaction whose cost the player has seen."""
        return self.wait(self.start(prepared))

    def start(self, prepared: Prepared) -> Sent:
        """Sign it, with the player's consent, and send it."""
        self.limits.check(self.node, prepared)
        self._ask_for_consent(prepared)
        sent = Sent(prepared.what)
        self.sent.append(sent)
        self.show(sent, 0)
        signed = self._sign(prepared, sent)
        sent.hash, sent.contract = to_hex(signed.txn_hash), prepared.contract
        sent.account, sent.nonce = prepared.account.address, prepared.nonce
        self._hand_over(prepared, bytes(signed.serialize_transaction()), sent)
        return sent

    def _ask_for_consent(self, prepared: Prepared) -> None:
        concerns = self.limits.concerns(self.node, prepared)
        if self.agree is None and concerns:
            raise concerns[0]
        if self.agree is not None and not self.agree(prepared, concerns):
            raise errors.DeclinedToSign(prepared.what)
        # The chain is asked about once.
        self.limits = replace(self.limits, chain_id=self.node.chain_id)

    def _sign(self, prepared: Prepared, sent: Sent) -> TransactionAPI:
        try:
            signed = prepared.account.sign_transaction(prepared.transaction)
        except ApeException as err:
            sent.stage = Stage.NOT_SIGNED
            raise errors.NotSigned(prepared.what, err) from err
        if signed is None or signed.signature is None:
            sent.stage = Stage.DECLINED
            raise errors.DeclinedToSign(prepared.what)
        return signed

    def _hand_over(self, prepared: Prepared, raw: bytes, sent: Sent) -> None:
        sent.stage = Stage.SENDING
        try:
            self.node.send(raw)
        except errors.NodeUnreachable:
            # It may have arrived all the same. Its hash is known, so waiting for it will show.
            self.show(sent, 0)
        except errors.NodeError as error:
            if "already known" not in error.message:
                sent.stage = Stage.NOT_SENT
                raise self._not_accepted(prepared, error) from error
        sent.stage = Stage.SENT

    def _not_accepted(self, prepared: Prepared, error: errors.NodeError) -> errors.TicTacToeError:
        message = error.message.lower()
        if "insufficient funds" in message:
            address = prepared.account.address
            return errors.InsufficientFunds(address, self.node.balance(address), self.node)
        if "replacement transaction underpriced" in message:
            return errors.EarlierTransactionWaits(prepared.what)
        return errors.NotAccepted(prepared.what, error)

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
                    sent.found(receipt)
                    self.show(sent, 0)
                    self._check_success(sent)
                    return sent
                # Do not trust a single poll: the nodes behind a load balancer differ in what they know.
                if node.knows(sent.hash):
                    last_seen = now
                elif now - last_seen > min(15.0, self.patience / 4):
                    raise self._vanished(sent, replaced=node.nonce(sent.account) > sent.nonce)
            except errors.NodeError as error:
                # The transaction does not depend on our node, so wait on.
                if waited > self.patience:
                    raise errors.NodeLostWhileWaiting(sent.name) from error
            if waited > self.patience:
                sent.stage = Stage.WAITING
                raise errors.StillWaiting(sent.name, self.patience)
            time.sleep(node.pace)

    def _vanished(self, sent: Sent, replaced: bool) -> errors.TransactionError:
        sent.stage = Stage.REPLACED if replaced else Stage.DROPPED
        return errors.Replaced(sent.name) if replaced else errors.Dropped(sent.name)

    def _check_success(self, sent: Sent) -> None:
        if sent.stage is Stage.FAILED:
            raise errors.MinedButReverted(sent.name, sent.block, sent.fee, self.node.symbol)

    # -- confirmations -----------------------------------------------------------

    def confirm(self, sent: Sent, confirmations: int) -> None:
        """Wait for this many blocks on top of the transaction's. Each of them starts the patience again."""
        start = progress = time.monotonic()
        deepest = 0
        while True:
            trouble = None
            now = time.monotonic()
            try:
                head = self.node.block().number
                self.look_again(sent, head, confirmations)
                if sent.stage is Stage.MINED and head - sent.block > deepest:
                    progress, deepest = now, head - sent.block
            except errors.NodeError as error:
                trouble = error
            self.show(sent, now - start)
            self._check_success(sent)
            if sent.stage is Stage.CONFIRMED:
                return
            if now - progress > self.patience:
                raise self._unconfirmed(sent, trouble) from trouble
            time.sleep(self.node.pace)

    def look_again(self, sent: Sent, head: int, confirmations: int) -> None:
        """Once it is deep enough, read the receipt again: a reorg may have moved the transaction or taken it back."""
        if sent.stage is Stage.MINED and head - sent.block < confirmations:
            return
        receipt = self.node.receipt(sent.hash)
        if receipt is None:
            sent.stage = Stage.TAKEN_BACK
            return
        sent.found(receipt)
        if sent.stage is Stage.MINED and head - sent.block >= confirmations:
            sent.stage = Stage.CONFIRMED

    def _unconfirmed(self, sent: Sent, trouble: errors.NodeError | None) -> errors.TicTacToeError:
        if trouble is not None:
            return errors.NodeLostWhileConfirming(sent.name, sent.block)
        if sent.stage is Stage.TAKEN_BACK:
            return errors.TransactionReorged(sent.name)
        return errors.Unconfirmed(sent.name, sent.block, self.patience)
