"""`play` line by line: in a pipe, on a dumb terminal, and with --plain, for example for a screen reader."""

from __future__ import annotations

import queue
import sys
import threading
from typing import TextIO

from rich.console import Console

from tictactoe.node import Node
from tictactoe.terminal import output_text
from tictactoe.terminal.consent import is_yes
from tictactoe.terminal.position import position
from tictactoe.terminal.seats import State
from tictactoe.terminal.status import StatusLog
from tictactoe.terminal.view import View
from tictactoe.tracking import Sent


class Reader:
    """Reads lines in a thread of its own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._next: list[str | None] = []  # taken from the queue, but not used yet
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            for line in self._stream:
                self._lines.put(line.strip())
        except (OSError, ValueError):
            # The terminal is gone, or the bytes are not text: treat both as the end.
            pass
        self._lines.put(None)

    @property
    def ended(self) -> bool:
        """Whether there will be no more lines."""
        return self._peek(0) is None and bool(self._next)

    def line(self, timeout: float | None) -> str | None:
        """The next line; None if there is none within the timeout, or if the input has ended."""
        line = self._peek(timeout)
        if line is not None:
            self._next.clear()
        return line

    def _peek(self, timeout: float | None) -> str | None:
        if not self._next:
            try:
                self._next.append(self._lines.get(timeout=timeout))
            except queue.Empty:
                return None
        return self._next[0]


class Lines:
    """Prints what has changed, and reads keys that end with Enter. The session calls it as it calls the screen."""

    def __init__(self, console: Console, node: Node) -> None:
        self.console = console
        self.node = node
        # A person at a terminal, not a pipe.
        self.interactive = sys.stdin.isatty() and console.is_terminal
        self._reader = Reader(sys.stdin)
        self._log = StatusLog(console, node)
        self._shown: View | None = None
        self._at_prompt = False  # the cursor is behind a prompt

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_line()

    @property
    def ended(self) -> bool:
        return self._reader.ended

    def show(self, view: View) -> None:
        old, self._shown = self._shown, view
        if old is None or old.game != view.game:
            self._end_line()
            self.console.print(position(view, self.console), soft_wrap=True)
            if view.game.over:
                self.console.print(output_text.result_line(view.game), style="bold")
            if view.state is State.WAITING:
                self.say(output_text.waiting_for(view.game), "dim")
        if view.progress and (old is None or old.progress != view.progress):
            self.say(view.progress, "dim")

    def say(self, sentence: str, style: str = "") -> None:
        self._end_line()
        # A line may be longer than the terminal is wide: an address must not be broken.
        self.console.print(sentence, style=style, soft_wrap=True)

    def page(self, lines: list[str]) -> None:
        for line in lines:
            self.say(line)

    def progress(self, sent: Sent, waited: float) -> None:
        if not self.node.embedded:
            self._end_line()
            self._log.show(sent, waited)

    def key(self, timeout: float | None) -> str | None:
        """The next line; None if there is none within the timeout, or if the input has ended."""
        if self.interactive and not self._at_prompt and self._shown is not None:
            self._prompt(output_text.prompt(self._shown.state, self._shown.game))
        line = self._line(timeout)
        return line and line.lower()

    def ask(self, question: str) -> bool:
        """Yes or no. The end of the input is no. What was typed before the question does not answer it."""
        while self.interactive and self._line(0) is not None:
            pass
        self._end_line()
        self._prompt(output_text.yes_or_no(question))
        return is_yes(self._line(None) or "")

    def _line(self, timeout: float | None) -> str | None:
        line = self._reader.line(timeout)
        if line is not None:
            # Enter has ended the prompt's line.
            self._at_prompt = False
        return line

    def _prompt(self, prompt: str) -> None:
        self.console.print(prompt, end="" if self.interactive else "\n", soft_wrap=True)
        self._at_prompt = self.interactive and bool(prompt)

    def _end_line(self) -> None:
        if self._at_prompt:
            self.console.print()
            self._at_prompt = False
