"""The screen of `play`: the board stays in its place, and one key is one action."""

from __future__ import annotations

import queue
import time

import click
from prompt_toolkit.input import Input
from prompt_toolkit.output import Output
from rich.text import Text

from tictactoe.node import Node
from tictactoe.terminal import output_text
from tictactoe.terminal.panel import Panel
from tictactoe.terminal.seats import State
from tictactoe.terminal.view import View
from tictactoe.tracking import Sent


class Screen:
    """
    The session calls it from the main thread. The panel's thread draws and reads keys meanwhile, so it never waits for
    a node. A key belongs to what was on the screen when it was pressed.
    """

    interactive = True

    def __init__(self, node: Node, keyboard: Input | None = None, terminal: Output | None = None) -> None:
        self.node = node
        self.ended = False
        self._panel = Panel(keyboard, terminal)
        self._fresh: list[Text] = []  # messages about the board that comes next
        self._questions = 0

    def __enter__(self) -> Screen:
        self._panel.start()
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        self._panel.stop()
        if failure is None:
            # The screen is gone, and with it the board.
            for line in output_text.history(self._panel.places.view.game):
                click.echo(line)

    def show(self, view: View) -> None:
        """The new board, with the messages that came since the last one."""
        old = self._panel.places
        moved = view.game != old.view.game
        self._panel.change(
            view=view,
            progress="",
            asked=0,
            messages=tuple(self._fresh) if moved else old.messages,
            cursor=old.cursor if view.state is State.MY_TURN else None,
        )
        self._fresh.clear()

    def say(self, sentence: str, style: str = "") -> None:
        self._fresh.append(Text(sentence, style))
        self._panel.change(messages=(*self._panel.places.messages, self._fresh[-1]))

    def page(self, lines: list[str]) -> None:
        """Show these lines in place of the board until a key is pressed."""
        self._panel.change(page=tuple(lines))

    def progress(self, sent: Sent, waited: float) -> None:
        if not self.node.embedded and sent.stage in output_text.PASSING:
            self._panel.change(progress=output_text.progress(sent, self.node, waited))

    def key(self, timeout: float | None) -> str | None:
        """The next key; None if there is none within the timeout, or if there will be none."""
        pressed = self._next(0, timeout)
        if pressed is not None:
            self._forget_messages()
        return pressed

    def ask(self, question: str) -> bool:
        """Only a key that is pressed while the question is on the screen answers it."""
        self._questions += 1
        chosen = self._panel.places.view.chosen
        yes = {"y"} if chosen is None else {"y", "enter", str(chosen + 1)}
        self._panel.change(question=output_text.yes_or_no(question), asked=self._questions)
        answer = self._next(self._questions, None)
        self._forget_messages()
        self._panel.change(question="", asked=0)
        return answer in yes

    def _forget_messages(self) -> None:
        self._fresh.clear()
        self._panel.change(messages=())

    def _next(self, asked: int, timeout: float | None) -> str | None:
        """The next key that was pressed while this question, or with 0 none, was on the screen."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self.ended:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                pressed = self._panel.keys.get(timeout=left)
            except queue.Empty:
                return None
            if pressed is None:
                self.ended = True
            elif pressed[1] == asked:
                return pressed[0]
        return None
