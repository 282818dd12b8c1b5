"""Transactions of ours, with each of their stages: signing, sent, mined, confirmed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from scripts._chain import Node, Receipt, ether
from scripts._faults import AccountFailure, NodeFailure, NodeGone, NoFunds, TransactionFailure, clean


@dataclass
class Sent:
    """A transaction of ours, as far as it has come: signing, sent, mined, confirmed, or failed."""

    what: str
    hash: str = ""
    stage: str = "signing"
    block: int = 0
    block_hash: str = ""
    gas: int = 0
    fee: int = 0
    contract: str = ""


@dataclass(frozen=True)
class Prepared:
    """A transaction that nobody has signed yet, and what it would cost."""

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
        # Not "pending": a stuck transaction of ours is meant to be replaced by trying again.
        fields["nonce"] = node.nonce(account.address)
        return Prepared(node.ecosystem.create_transaction(**fields), estimate, now, fields["gas_limit"] * price)

    def _no_funds(self, account: Any, what: str, balance: int, cost: int | None) -> NoFunds:
        needs = f" and {what} may cost up to {ether(cost, self.node)}" if cost else ""
        return NoFunds(
            f"Not enough funds: {account.address} has {ether(balance, self.node)}{needs}. "
            "Nothing was sent. Fund the account (on a testnet from a faucet) and try again."
        )

    def send(self, account: Any, what: str, data: bytes, to: str | None = None) -> Sent:
        """Sign, send, and wait until it is mined. `what` is a word for the person, such as `move 3`."""
        prepared = self.prepare(account, what, data, to)
        entry = Sent(what)
        self.sent.append(entry)
        self.show(entry, 0)
        if self.approve is not None and not self.approve(what):
            entry.stage = "declined"
            raise AccountFailure(f"You declined to sign {what}. Nothing was sent.")
        signed = self._sign(account, what, prepared.transaction, entry)
        raw = bytes(signed.serialize_transaction())
        entry.hash = "0x" + bytes(signed.txn_hash).hex()
        entry.stage = "sending"
        try:
            self.node.hand_over(raw)
        except NodeGone:
            # It may have arrived all the same. Its hash is known, so the wait below will tell.
            self.show(entry, 0)
        except NodeFailure as err:
            if "already known" not in err.message:
                entry.stage = "not sent"
                if "insufficient funds" in err.message:
                    raise self._no_funds(account, what, self.node.balance(account.address), None) from err
                raise TransactionFailure(f"The node did not take {what}: {err.message} Nothing was sent.") from err
        entry.stage = "sent"
        return self._wait(entry, account.address, int(signed.nonce))

    def _sign(self, account: Any, what: str, transaction: Any, entry: Sent) -> Any:
        from ape.exceptions import ApeException

        try:
            signed = account.sign_transaction(transaction)
        except ApeException as err:
            entry.stage = "not signed"
            raise AccountFailure(
                f"The account did not sign {what}: {clean(err)}. Nothing was sent. Unlock the account and try again."
            ) from err
        if signed is None or signed.signature is None:
            entry.stage = "declined"
            raise AccountFailure(f"You declined to sign {what}. Nothing was sent.")
        return signed

    def confirm(self, entry: Sent, confirmations: int) -> None:
        """Wait until so many blocks stand on the transaction's, and it is still in the chain."""
        node, start = self.node, time.monotonic()
        while True:
            waited = time.monotonic() - start
            try:
                depth = node.block().number - entry.block
                if depth >= confirmations:
                    receipt = node.receipt(entry.hash)
                    if receipt is not None and receipt.block == entry.block:
                        entry.stage = "confirmed"
                        self.show(entry, waited)
                        return
                    if receipt is not None:
                        # A reorganisation moved it to another block: count from there.
                        entry.block = receipt.block
                    elif waited > self.patience:
                        raise TransactionFailure(
                            f"A reorganisation of the chain took {what_hash(entry)} back and it was not mined again. "
                            "Nothing was paid. Try again."
                        )
            except NodeFailure:
                if waited > self.patience:
                    raise
            self.show(entry, waited)
            time.sleep(node.pace)

    def _wait(self, entry: Sent, sender: str, nonce: int) -> Sent:
        node = self.node
        start = last_seen = time.monotonic()
        while True:
            waited = time.monotonic() - start
            self.show(entry, waited)
            try:
                used = node.nonce(sender)
                if (receipt := node.receipt(entry.hash)) is not None:
                    return self._mined(entry, receipt)
                if used > nonce:
                    entry.stage = "replaced"
                    raise TransactionFailure(
                        f"Another transaction of yours was mined in place of {what_hash(entry)} (it was replaced, "
                        "perhaps sped up or cancelled in a wallet). Look at the board before you try again."
                    )
                # A node behind a load balancer may not know it for a moment.
                if node.knows(entry.hash):
                    last_seen = time.monotonic()
                elif time.monotonic() - last_seen > min(15.0, self.patience / 4):
                    entry.stage = "dropped"
                    raise TransactionFailure(
                        f"The network dropped {what_hash(entry)}: it is in no block and no longer waiting. "
                        "Nothing was paid. Try again."
                    )
            except NodeFailure:
                # Gone while we wait: the transaction does not depend on our node, so wait on.
                if waited > self.patience:
                    raise NodeGone(
                        f"The node went away while {what_hash(entry)} was under way. It was sent and may still be "
                        "mined: run the same command again later, the board will show."
                    ) from None
            if waited > self.patience:
                entry.stage = "waiting"
                raise TransactionFailure(
                    f"After {self.patience:.0f} s {what_hash(entry)} still waits in the pool. It may yet be mined: run "
                    "the same command again later, or speed it up in a wallet."
                )
            time.sleep(node.pace)

    def _mined(self, entry: Sent, receipt: Receipt) -> Sent:
        entry.block, entry.block_hash = receipt.block, receipt.block_hash
        entry.gas, entry.fee, entry.contract = receipt.gas, receipt.fee, receipt.contract
        entry.stage = "mined" if receipt.succeeded else "failed"
        self.show(entry, 0)
        if entry.stage == "failed":
            raise TransactionFailure(
                f"{what_hash(entry)} was mined in block {entry.block} but refused: somebody was faster. "
                f"It cost {ether(entry.fee, self.node)}. Look at the board again."
            )
        return entry


def what_hash(entry: Sent) -> str:
    return f"{entry.what} ({entry.hash})"
