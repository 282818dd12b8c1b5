"""Shows how far a transaction has come."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.status import Status

from tictactoe.formatting import short
from tictactoe.node import Node
from tictactoe.sending import Sent, Stage
from tictactoe.terminal.explorer import explorer_link


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Defers SIGINT until the block ends: if rich's start() is interrupted, its stop() fails."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, _frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if pressed:
        signal.raise_signal(signal.SIGINT)


class Stages:
    """On a terminal, a live status line; in a pipe, one line per stage."""

    def __init__(self, screen: Console, node: Node) -> None:
        self.screen = screen
        self.node = node
        self.alive = screen.is_terminal
        self._status: Status | None = None
        self._shown: set[tuple[str, str, str]] = set()

    def show(self, sent: Sent, waited: float) -> None:
        hash_ = short(sent.hash) if self.alive and sent.hash else sent.hash
        where = f", at {sent.contract}" if sent.contract else ""
        text = {
            Stage.SIGNING: f"{sent.what}: signing…",
            Stage.SENDING: f"{sent.what}: sending {hash_}; the node does not answer, it may have arrived",
            Stage.SENT: f"{sent.what}: sent {hash_}",
            Stage.MINED: f"{sent.what}: mined in block {sent.block}, {sent.gas:,} gas{where}",
            Stage.FAILED: f"{sent.what}: failed in block {sent.block}",
            Stage.TAKEN_BACK: f"{sent.what}: no longer in the chain, it may be mined again",
        }.get(sent.stage, f"{sent.what}: {sent.stage}")
        passing = sent.stage in (Stage.SIGNING, Stage.SENT)
        if self.node.embedded and passing:
            return
        key = (sent.what, sent.hash, sent.stage)
        if self.alive and (passing or key in self._shown):
            self.spin(text + (f" · waiting for a block, {waited:.0f} s" if sent.stage is Stage.SENT else ""))
            return
        if key not in self._shown:
            self._shown.add(key)
            self.close()
            self.screen.print(text, style="dim", soft_wrap=True)
            link = explorer_link(self.node, "tx", sent.hash) if sent.hash else ""
            # In a pipe the link follows the first line that has a hash, on a terminal the last one.
            if link and sent.stage is (Stage.MINED if self.alive else Stage.SENT):
                self.screen.print(link, style="dim", soft_wrap=True)

    def spin(self, text: str) -> None:
        if self._status is None:
            with defer_interrupts():
                self._status = self.screen.status(text)
                self._status.start()
        else:
            self._status.update(text)

    def close(self) -> None:
        if self._status is not None:
            with defer_interrupts():
                self._status.stop()
                self._status = None
