"""
What today's front ends call to send. The next ones call `tictactoe.transactions` themselves, and this file goes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from tictactoe import errors
from tictactoe.node import Node
from tictactoe.terminal.signals import check_signals
from tictactoe.transactions import NO_LIMITS, PATIENCE, Limits, Transaction, agreed, send


@dataclass
class Sender:
    """Sends one transaction after another, and shows how far each has come."""

    node: Node
    # Called at every poll, with the seconds since the transaction was signed.
    show: Callable[[Transaction, float], None] = lambda _sent, _waited: None
    patience: float = PATIENCE
    # Called before each signature; returns whether to sign. If None, what needs consent is an error.
    agree: Callable[[Transaction], bool] | None = None
    limits: Limits = NO_LIMITS
    confirmations: int = 0

    @property
    def sent(self) -> list[Transaction]:
        return self.node.sent

    def send(self, prepared: Transaction) -> Transaction:
        if prepared.refusal is not None:
            raise prepared.refusal
        if self.agree is None:
            agreed(prepared)
        elif not self.agree(prepared):
            raise errors.AccountError(f"You declined to sign {prepared.label}. Nothing was sent.")
        # Ask about the chain only once.
        self.limits = replace(self.limits, chain_id=self.node.chain_id)
        self.show(prepared, 0)
        try:
            return send(prepared, showing(self.show), confirmations=self.confirmations, patience=self.patience)
        finally:
            if prepared.block is not None:
                self.show(prepared, 0)


def showing(show: Callable[[Transaction, float], None]) -> Callable[[Transaction], None]:
    """What `send` calls while it waits: shows the transaction with the seconds since now, and looks for signals."""
    start = time.monotonic()

    def poll(each: Transaction) -> None:
        check_signals()
        show(each, time.monotonic() - start)

    return poll


def overtaken(error: errors.TicTacToeError) -> bool:
    """Whether another transaction came first, so that nothing was changed."""
    return error.stage == "failed" or (isinstance(error, errors.Reverted) and error.reason == "not the current game")
