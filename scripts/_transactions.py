"""Transactions of ours, with each of their stages: signing, sent, mined, confirmed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from scripts._chain import EMBEDDED, Node, Receipt, ether
from scripts._faults import AccountFailure, Failure, NodeFailure, NodeGone, NoFunds, TransactionFailure, clean


class Stage(StrEnum):
    """How far a transaction has come. What each means to whoever leaves now is said in `_view.OUTCOMES`."""

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
    """A transaction of ours, as far as it has come."""

    what: str
    hash: str = ""
    stage: Stage = Stage.SIGNING
    block: int = 0
    gas: int = 0
    fee: int = 0
    contract: str = ""

    def found(self, receipt: Receipt) -> None:
        self.block, self.gas, self.fee, self.contract = receipt.block, receipt.gas, receipt.fee, receipt.contract
        self.stage = Stage.MINED if receipt.succeeded else Stage.FAILED


@dataclass(frozen=True)
class Prepared:
    """A transaction that nobody has signed yet, and what it would cost."""

    what: str
    transaction: Any
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
    # Told of every step, for the screen: the transaction, and seconds since it was sent.
    show: Callable[[Sent, float], None]
    # Asked before each signature, when the person wishes to be.
    approve: Callable[[str], bool] | None = None
    patience: float = 180.0
    sent: list[Sent] = field(default_factory=list)

    def prepare(self, account: Any, what: str, data: bytes, to: str | None = None) -> Prepared:
        """The transaction with gas and fees filled in. The contract's refusals show here, before anything is paid."""
        node = self.node
        call: dict[str, Any] = {"from": account.address, "data": data}
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
            raise self._no_funds(account, what, balance, None)
        estimate = node.estimate_gas(call)
        # What is mined may differ a little from what was estimated, if the game moves on in between.
        fields["gas_limit"] = estimate * 6 // 5
        if balance < fields["gas_limit"] * price:
            raise self._no_funds(account, what, balance, fields["gas_limit"] * price)
        # Not "pending": behind a stuck transaction of ours this one would wait, too. It may take that one's place.
        fields["nonce"] = node.nonce(account.address)
        transaction = node.ecosystem.create_transaction(**fields)
        return Prepared(what, transaction, estimate, now, fields["gas_limit"] * price)

    def _no_funds(self, account: Any, what: str, balance: int, cost: int | None) -> NoFunds:
        needs = f" and {what} may cost up to {ether(cost, self.node)}" if cost else ""
        way_out = EMBEDDED if self.node.embedded else "Fund the account (on a testnet from a faucet) and try again."
        return NoFunds(
            f"Not enough funds: {account.address} has {ether(balance, self.node)}{needs}. Nothing was sent. {way_out}"
        )

    def send(self, account: Any, what: str, data: bytes, to: str | None = None) -> Sent:
        """Sign, send, and wait until it is mined. `what` is a word for the person, such as `move 3`."""
        return self.send_prepared(account, self.prepare(account, what, data, to))

    def send_prepared(self, account: Any, prepared: Prepared) -> Sent:
        """The same, with the very transaction that the person has seen the cost of."""
        what = prepared.what
        entry = Sent(what)
        self.sent.append(entry)
        self.show(entry, 0)
        if self.approve is not None and not self.approve(what):
            entry.stage = Stage.DECLINED
            raise AccountFailure(f"You declined to sign {what}. Nothing was sent.")
        signed = self._sign(account, what, prepared.transaction, entry)
        entry.hash = "0x" + bytes(signed.txn_hash).hex()
        self._hand_over(account, entry, bytes(signed.serialize_transaction()))
        return self._wait(entry, account.address, int(signed.nonce))

    def _sign(self, account: Any, what: str, transaction: Any, entry: Sent) -> Any:
        from ape.exceptions import ApeException

        try:
            signed = account.sign_transaction(transaction)
        except ApeException as err:
            entry.stage = Stage.NOT_SIGNED
            raise AccountFailure(
                f"The account did not sign {what}: {clean(err)}. Nothing was sent. Unlock the account and try again."
            ) from err
        if signed is None or signed.signature is None:
            entry.stage = Stage.DECLINED
            raise AccountFailure(f"You declined to sign {what}. Nothing was sent.")
        return signed

    def _hand_over(self, account: Any, entry: Sent, raw: bytes) -> None:
        entry.stage = Stage.SENDING
        try:
            self.node.hand_over(raw)
        except NodeGone:
            # It may have arrived all the same. Its hash is known, so the wait will tell.
            self.show(entry, 0)
        except NodeFailure as err:
            if "already known" not in err.message:
                entry.stage = Stage.NOT_SENT
                raise self._not_taken(account, entry.what, err) from err
        entry.stage = Stage.SENT

    def _not_taken(self, account: Any, what: str, err: NodeFailure) -> Failure:
        said = err.message.lower()
        if "insufficient funds" in said:
            return self._no_funds(account, what, self.node.balance(account.address), None)
        if "replacement transaction underpriced" in said:
            return TransactionFailure(
                f"An earlier transaction of yours still waits in the pool, and {what} does not pay enough more to take "
                "its place. Nothing was sent. Wait until it is mined, or speed it up or cancel it in a wallet."
            )
        return TransactionFailure(f"The node did not take {what}: {err.message} Nothing was sent.")

    def _wait(self, entry: Sent, sender: str, nonce: int) -> Sent:
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
            except NodeFailure:
                # Gone while we wait: the transaction does not depend on our node, so wait on.
                if waited > self.patience:
                    raise NodeGone(
                        f"The node went away while {what_hash(entry)} was under way. It was sent and may still be "
                        "mined: look again later, before you send another."
                    ) from None
            if waited > self.patience:
                entry.stage = Stage.WAITING
                raise TransactionFailure(
                    f"After {self.patience:.0f} s {what_hash(entry)} still waits in the pool. It may yet be mined: "
                    "look again later, or speed it up in a wallet."
                )
            time.sleep(node.pace)

    def _vanished(self, entry: Sent, replaced: bool) -> TransactionFailure:
        if replaced:
            entry.stage = Stage.REPLACED
            return TransactionFailure(
                f"Another transaction of yours was mined in place of {what_hash(entry)} (it was replaced, "
                "perhaps sped up or cancelled in a wallet). Look at the board before you try again."
            )
        entry.stage = Stage.DROPPED
        return TransactionFailure(
            f"The network dropped {what_hash(entry)}: it is in no block and no longer waiting. "
            "Nothing was paid. Try again."
        )

    def _check_success(self, entry: Sent) -> None:
        if entry.stage is Stage.FAILED:
            raise TransactionFailure(
                f"{what_hash(entry)} was mined in block {entry.block} but refused: somebody was faster. "
                f"It cost {ether(entry.fee, self.node)}. Look at the board again."
            )

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
            except NodeFailure as failure:
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

    def _unconfirmed(self, entry: Sent, trouble: NodeFailure | None) -> Failure:
        if trouble is not None:
            return NodeGone(
                f"{what_hash(entry)} was mined in block {entry.block}, but the node went away before it was confirmed."
            )
        if entry.stage is Stage.TAKEN_BACK:
            return TransactionFailure(
                f"A reorganisation of the chain took {what_hash(entry)} back and it was not mined again so far."
            )
        return TransactionFailure(
            f"{what_hash(entry)} was mined in block {entry.block}, but for {self.patience:.0f} s no block came to "
            "confirm it."
        )


def what_hash(entry: Sent) -> str:
    return f"{entry.what} ({entry.hash})"
