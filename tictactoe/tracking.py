"""Our own transactions, from the pool to confirmed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, cast

from tictactoe import errors
from tictactoe.node import Node, to_hex, to_number

if TYPE_CHECKING:
    from eth_typing import HexStr


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


@dataclass(frozen=True)
class Receipt:
    block: int
    succeeded: bool
    gas: int
    cost: int
    contract: str  # the address of the contract it created, if any


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
    # While `confirm` waits: the blocks after its own, and how many there must be.
    followed: int = 0
    confirmations: int = 0

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


@dataclass
class Tracker:
    """Follows a transaction that was sent."""

    node: Node
    # Called at every step, with the seconds that `wait` or `confirm` has been waiting.
    show: Callable[[Sent, float], None] = lambda _sent, _waited: None
    patience: float = 180.0

    def wait(self, sent: Sent) -> Sent:
        """Wait until it is mined."""
        node = self.node
        start = last_seen = time.monotonic()
        while True:
            now = time.monotonic()
            waited = now - start
            self.show(sent, waited)
            try:
                if (receipt := find_receipt(node, sent.hash)) is not None:
                    sent.record(receipt)
                    self.show(sent, 0)
                    self._check_success(sent)
                    return sent
                # Do not trust a single poll: the nodes behind a load balancer differ in what they know.
                if is_known(node, sent.hash):
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
                sent.followed, sent.confirmations = head - sent.block, confirmations
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
        receipt = find_receipt(self.node, sent.hash)
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


# -- what the node knows -------------------------------------------------------------


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
