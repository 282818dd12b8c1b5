"""Shows how far a transaction has come: a live line on a terminal, one line per stage in a pipe."""

from __future__ import annotations

from rich.console import Console
from rich.status import Status

from tictactoe.formatting import short
from tictactoe.node import Node
from tictactoe.terminal import output_text
from tictactoe.terminal.explorer import explorer_link
from tictactoe.terminal.signals import defer_signals
from tictactoe.tracking import Sent, Stage


class TransactionStatus:
    """Prints each stage once. The two subclasses are for a pipe and for a terminal."""

    # The stage whose line is followed by the explorer's link.
    link_after: Stage

    def __init__(self, console: Console, node: Node) -> None:
        self.console = console
        self.node = node
        self._printed: set[tuple[str, str, Stage]] = set()

    def show(self, sent: Sent, waited: float) -> None:
        """Called at every step of a transaction, with the seconds that the program has been waiting for it."""
        # The embedded chain mines at once, so the stages on the way are not shown.
        if not (self.node.embedded and is_passing(sent)):
            self._show(sent, waited)

    def spin(self, line: str) -> None:
        """Show a live line, where there is one."""

    def close(self) -> None:
        """Remove the live line."""

    def _show(self, sent: Sent, waited: float) -> None:
        raise NotImplementedError

    def _print(self, sent: Sent, shown_hash: str) -> None:
        if self._is_printed(sent):
            return
        self._printed.add((sent.label, sent.hash, sent.stage))
        self.close()
        self.console.print(output_text.stage(sent, shown_hash, self.node), style="dim", soft_wrap=True)
        # The report of a deployment has the link of the table.
        linked = sent.stage is self.link_after and not sent.contract
        if linked and (link := explorer_link(self.node, "tx", sent.hash)):
            self.console.print(link, style="dim", soft_wrap=True)

    def _is_printed(self, sent: Sent) -> bool:
        return (sent.label, sent.hash, sent.stage) in self._printed


class StatusLog(TransactionStatus):
    """For a pipe: one line per stage, with the whole hash."""

    link_after = Stage.SENT

    def _show(self, sent: Sent, waited: float) -> None:  # noqa: ARG002 - seconds are for a live line
        self._print(sent, sent.hash)


class StatusLine(TransactionStatus):
    """For a terminal: a live line for what is about to change, a printed line for what lasts."""

    link_after = Stage.MINED

    def __init__(self, console: Console, node: Node) -> None:
        super().__init__(console, node)
        self._status: Status | None = None

    def _show(self, sent: Sent, waited: float) -> None:
        shown_hash = short(sent.hash) if sent.hash else ""
        if sent.confirmations and (line := output_text.confirming(sent, sent.followed, sent.confirmations)):
            self.spin(line)
        elif is_passing(sent) or self._is_printed(sent):
            self.spin(output_text.stage(sent, shown_hash, self.node) + output_text.waited(sent, waited))
        else:
            self._print(sent, shown_hash)

    def spin(self, line: str) -> None:
        with defer_signals():
            if self._status is not None:
                self._status.update(line)
                return
            self._status = self.console.status(line)
            self._status.start()

    def close(self) -> None:
        if self._status is not None:
            with defer_signals():
                self._status.stop()
                self._status = None


def status_for(console: Console, node: Node) -> TransactionStatus:
    live = console.is_terminal and not console.is_dumb_terminal
    return StatusLine(console, node) if live else StatusLog(console, node)


def is_passing(sent: Sent) -> bool:
    """Whether the next stage usually follows soon."""
    return sent.stage in (Stage.SIGNING, Stage.SENT)
