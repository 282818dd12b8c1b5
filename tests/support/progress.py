"""What a long test prints while it runs: how much is done, and at the end what it has counted."""

import time
from collections import Counter
from collections.abc import Callable

import pytest

Progress = Callable[[int], None]


class Printer:
    """Prints lines from within a test, although pytest captures what a test prints."""

    def __init__(self, terminal: pytest.TerminalReporter, capsys: pytest.CaptureFixture[str]) -> None:
        self.terminal, self.capsys = terminal, capsys
        self.begun = False

    def progress(self, what: str, total: int) -> Progress:
        """A line with the number done: rewritten on a terminal, printed again from time to time in a log."""
        shown = time.monotonic()

        def progress(done: int) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown >= (0.5 if self.terminal.isatty else 15):
                shown = now
                self.line(f"{what}: {done:,} of {total:,} ", erased=bool(self.terminal.isatty))

        return progress

    def counts(self, what: str, counted: Counter[str]) -> None:
        self.line(f"{what}: " + ", ".join(f"{number:,} {name}" for name, number in counted.most_common()))

    def line(self, text: str, *, erased: bool = False) -> None:
        with self.capsys.disabled():
            if not self.begun:
                self.terminal.write_line("")  # ends pytest's line of dots
                self.begun = True
            if erased:
                self.terminal.rewrite(text, erase=True)
            else:
                self.terminal.write_line(text)
