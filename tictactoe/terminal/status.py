"""Shows how far a transaction has come: a live line on a terminal, one line per stage in a pipe."""

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
from tictactoe.terminal import text
from tictactoe.terminal.explorer import explorer_link


class StatusLog:
    """For a pipe: one line per stage, with the whole hash. It has no live line."""

    # The stage whose line is followed by the explorer's link: the first one with a hash.
    link_after = Stage.SENT

    def __init__(self, console: Console, node: Node) -> None:
        self.console = console
        self.node = node
        self._printed: set[tuple[str, str, Stage]] = set()

    def show(self, sent: Sent, waited: float) -> None:  # noqa: ARG002 - seconds pass only in a live line
        if not (self.node.embedded and is_passing(sent)):
            self.print_once(sent, sent.hash)

    def print_once(self, sent: Sent, shown_hash: str) -> None:
        if self.is_printed(sent):
            return
        self._printed.add((sent.what, sent.hash, sent.stage))
        self.close()
        self.console.print(text.stage(sent, shown_hash), style="dim", soft_wrap=True)
        if sent.stage is self.link_after and (link := explorer_link(self.node, "tx", sent.hash)):
            self.console.print(link, style="dim", soft_wrap=True)

    def is_printed(self, sent: Sent) -> bool:
        return (sent.what, sent.hash, sent.stage) in self._printed

    def spin(self, line: str) -> None:
        """Show the live line."""

    def close(self) -> None:
        """Remove the live line."""


class StatusLine(StatusLog):
    """For a terminal: what is about to change is a live line with a spinner; what lasts is printed."""

    link_after = Stage.MINED

    def __init__(self, console: Console, node: Node) -> None:
        super().__init__(console, node)
        self._status: Status | None = None

    def show(self, sent: Sent, waited: float) -> None:
        shown_hash = short(sent.hash) if sent.hash else ""
        if self.node.embedded and is_passing(sent):
            return
        if is_passing(sent) or self.is_printed(sent):
            self.spin(text.stage(sent, shown_hash) + text.waited(sent, waited))
        else:
            self.print_once(sent, shown_hash)

    def spin(self, line: str) -> None:
        if self._status is not None:
            self._status.update(line)
            return
        with defer_interrupts():
            self._status = self.console.status(line)
            self._status.start()

    def close(self) -> None:
        if self._status is not None:
            with defer_interrupts():
                self._status.stop()
                self._status = None


def status_for(console: Console, node: Node) -> StatusLog:
    return StatusLine(console, node) if console.is_terminal else StatusLog(console, node)


def is_passing(sent: Sent) -> bool:
    """Whether the next stage usually follows at once; the embedded chain mines so fast that these are not shown."""
    return sent.stage in (Stage.SIGNING, Stage.SENT)


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
