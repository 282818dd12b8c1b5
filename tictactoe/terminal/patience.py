"""Waits for a node that is unreachable."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tictactoe import errors
from tictactoe.events import LONGEST_PAUSE
from tictactoe.sending import Sender
from tictactoe.terminal import text
from tictactoe.terminal.display import Display

T = TypeVar("T")


class Patience:
    """Repeats a question until the node answers it, for at most the sender's patience."""

    def __init__(self, sender: Sender, display: Display) -> None:
        self.sender = sender
        self.display = display

    def ask(self, question: Callable[[], T], trouble: type[errors.NodeError] = errors.NodeError) -> T:
        """The answer. Errors other than `trouble` are raised at once."""
        try:
            return question()
        except trouble as error:
            self.display.say(text.trying_again(error.message), "yellow")
        answer = self._ask_again(question, trouble)
        self.display.note(text.NODE_IS_BACK)
        return answer

    def _ask_again(self, question: Callable[[], T], trouble: type[errors.NodeError]) -> T:
        start, pause = time.monotonic(), self.sender.node.pace or 0.1
        while True:
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
            try:
                return question()
            except trouble as error:
                away = time.monotonic() - start
                if away > self.sender.patience:
                    raise errors.NodeLost(away, text.what_was_sent(self.sender.sent)) from error
