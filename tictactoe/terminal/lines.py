"""Line by line: what `deploy`, `watch` and `play --move` print, and `play` in a pipe or with --plain."""

from __future__ import annotations

import queue
import sys
import threading
from contextlib import AbstractContextManager, suppress
from typing import TextIO

from rich.status import Status

from tictactoe.node import Node
from tictactoe.terminal import output_text
from tictactoe.terminal.board import position
from tictactoe.terminal.console import console
from tictactoe.terminal.signals import defer_signals
from tictactoe.terminal.view import View
from tictactoe.transactions import Transaction


class Reader:
    """Reads lines in another thread, each once it is asked for. The others stay in the terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reading = False
        self._next: str | None = None  # read, but not used yet

    def _read(self) -> None:
        line = ""
        # The terminal is gone, or the bytes are not text: treat both as the end.
        with suppress(OSError, ValueError):
            line = self._stream.readline()
        self._lines.put(line)

    def peek(self, timeout: float | None) -> str | None:
        """The next line with its end, which is empty at the end of the input; None if there is none in time."""
        if self._next is None:
            if not self._reading:
                threading.Thread(target=self._read, daemon=True).start()
            self._reading = True
            with suppress(queue.Empty):
                self._next = self._lines.get(timeout=timeout)
                self._reading = False
        return self._next

    def line(self, timeout: float | None) -> str | None:
        """The next line; None if there is none in time, or if the input has ended."""
        line = self.peek(timeout)
        if not line:
            return None
        self._next = None
        return line.strip()


def discard_typed() -> None:
    """Drop what was typed before a question was on the screen: it does not answer it."""
    from prompt_toolkit.input import create_input

    keyboard = create_input(sys.stdin)
    with keyboard.raw_mode():
        while keyboard.read_keys():
            pass


class Lines(AbstractContextManager["Lines"]):
    """
    Prints what has changed, and reads keys that end with Enter. The session calls it as it calls the screen.

    On a terminal, and unless it is `plain`, the last line may be a live one, which is redrawn.
    """

    def __init__(self, node: Node, plain: bool = False, stderr: bool = False) -> None:
        self.node = node
        self.console = console(stderr)
        # A person at a terminal, not a pipe.
        self.interactive = sys.stdin.isatty() and self.console.is_terminal
        self.live = not plain and self.console.is_terminal and not self.console.is_dumb_terminal
        self._status: Status | None = None  # the live line
        self._printed: set[tuple[str, str, str]] = set()
        self._reader = Reader(sys.stdin)
        self._shown: View | None = None
        self._at_prompt = False  # the cursor is behind a prompt

    def __exit__(self, *_: object) -> None:
        self.end_line()

    # -- what is printed ---------------------------------------------------------------

    def say(self, sentence: str, style: str = "") -> None:
        self.end_line()
        # A line may be longer than the terminal is wide: an address must not be broken.
        self.console.print(sentence, style=style, soft_wrap=True)

    def page(self, lines: list[str]) -> None:
        for line in lines:
            self.say(line)

    def show(self, view: View) -> None:
        old, self._shown = self._shown, view
        if old is None or old.game != view.game:
            self.end_line()
            self.console.print(position(view, self.console), soft_wrap=True)

    def progress(self, sent: Transaction, waited: float) -> None:
        """A live line for a stage that soon changes, a printed one for each that lasts."""
        # The embedded chain mines at once, and its gas costs nothing.
        if self.node.embedded:
            return
        stage = (sent.label, sent.hash, sent.stage)
        if self.live and (sent.stage in output_text.PASSING or stage in self._printed):
            self.spin(output_text.progress(sent, waited))
        elif stage not in self._printed:
            self._printed.add(stage)
            self.say(output_text.progress(sent), "dim")

    def spin(self, line: str) -> None:
        """Show or change the live line, where there may be one."""
        if not self.live:
            return
        with defer_signals():
            if self._status is None:
                self._status = self.console.status(line)
                self._status.start()
            self._status.update(line)

    def end_line(self) -> None:
        """Remove the live line, and end the line of a prompt."""
        if self._status is not None:
            with defer_signals():
                self._status.stop()
                self._status = None
        if self._at_prompt:
            self.console.print()
            self._at_prompt = False

    # -- what is typed -----------------------------------------------------------------

    @property
    def ended(self) -> bool:
        return self._reader.peek(0) == ""

    def key(self, timeout: float | None) -> str | None:
        """The next line; None if there is none within the timeout, or if the input has ended."""
        prompt = output_text.prompt(self._shown.state, self._shown.game) if self.interactive and self._shown else ""
        line = self._line(prompt, timeout)
        return line and line.lower()

    def ask(self, question: str) -> bool | None:
        """Yes or no; None at the end of the input. What was typed before the question does not answer it."""
        if self.interactive:
            discard_typed()
        self.end_line()
        answer = self._line(output_text.QUESTION.format(question=question), None)
        return None if answer is None else answer.lower() in ("y", "yes")

    def _line(self, prompt: str, timeout: float | None) -> str | None:
        if prompt and not self._at_prompt:
            self.console.print(prompt, end="" if self.interactive else "\n", soft_wrap=True)
            self._at_prompt = self.interactive
        line = self._reader.line(timeout)
        if line is not None:
            # Enter has ended the prompt's line.
            self._at_prompt = False
        return line
