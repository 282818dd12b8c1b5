"""Signing and sending our own transactions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ape.exceptions import ApeException

from tictactoe import errors
from tictactoe.node import to_hex
from tictactoe.preparing import Prepared, prepare
from tictactoe.spending import NO_LIMITS, Limits
from tictactoe.tracking import Sent, Stage, Tracker

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI
    from ape.api.transactions import TransactionAPI
    from eth_typing import ChecksumAddress


@dataclass
class Sender(Tracker):
    """Sends transactions one after another, follows them, and remembers them all."""

    # Called before each signature with the concerns that need consent; returns whether to sign. If None, any concern is
    # an error.
    agree: Callable[[Prepared, list[errors.NeedsConsent]], bool] | None = None
    limits: Limits = NO_LIMITS
    sent: list[Sent] = field(default_factory=list)

    def send(self, account: AccountAPI, label: str, data: bytes, to: ChecksumAddress | None = None) -> Sent:
        """Sign, send, and wait until it is mined. `label` names the transaction in messages, for example `move 3`."""
        return self.send_prepared(self.prepare(account, label, data, to))

    def prepare(self, account: AccountAPI, label: str, data: bytes, to: ChecksumAddress | None = None) -> Prepared:
        """The transaction as `preparing.prepare` makes it, with what this sender knows."""
        own = {sent.nonce for sent in self.sent if sent.account == account.address}
        return prepare(self.node, account, label, data, to, max_price=self.limits.max_price, own_nonces=own)

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
