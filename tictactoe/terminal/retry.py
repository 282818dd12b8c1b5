"""Waits for a node that is unreachable."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tictactoe import errors
from tictactoe.events import LONGEST_PAUSE
from tictactoe.sending import Sender
from tictactoe.terminal import output_text

T = TypeVar("T")


class Patience:
    """Repeats a question until the node answers it, for at most the sender's patience."""

    def __init__(self, sender: Sender, say: Callable[[str, str], None]) -> None:
        self.sender = sender
        self.say = say

    def retry(self, question: Callable[[], T], trouble: type[errors.NodeError] = errors.NodeError) -> T:
        """The answer. Errors other than `trouble` are raised at once."""
        try:
            return question()
        except trouble as error:
            self.say(output_text.trying_again(error.message), "yellow")
        answer = self._retry_until_answered(question, trouble)
        self.say(output_text.NODE_IS_BACK, "yellow")
        return answer

    def _retry_until_answered(self, question: Callable[[], T], trouble: type[errors.NodeError]) -> T:
        start, pause = time.monotonic(), self.sender.node.pace or 0.1
        while True:
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
            try:
                return question()
            except trouble as error:
                away = time.monotonic() - start
                if away > self.sender.patience:
                    raise errors.NodeLost(away, output_text.what_was_sent(self.sender.sent)) from error
