"""A front end that a test writes: the keys of a person who sees everything at once."""

from __future__ import annotations

from collections.abc import Callable

from tictactoe.terminal.view import View
from tictactoe.transactions import Transaction


class Script:
    """
    Its keys come one at a time. A function is called before the key that follows it, so that key comes late. None is a
    moment without a key, in which the session looks at the table.
    """

    interactive = True

    def __init__(self, *keys: str | Callable[[], object] | None, answer: bool = True) -> None:
        self.keys = list(keys)
        self.answer = answer
        self.views: list[View] = []
        self.said: list[str] = []
        self.asked: list[str] = []
        self.pages: list[list[str]] = []

    @property
    def ended(self) -> bool:
        return not self.keys

    def key(self, timeout: float | None) -> str | None:  # noqa: ARG002
        while self.keys:
            key = self.keys.pop(0)
            if not callable(key):
                return key
            key()
        return None

    def ask(self, question: str) -> bool:
        self.asked.append(question)
        return self.answer

    def show(self, view: View) -> None:
        self.views.append(view)

    def say(self, sentence: str, style: str = "") -> None:  # noqa: ARG002
        self.said.append(sentence)

    def page(self, lines: list[str]) -> None:
        self.pages.append(lines)

    def progress(self, sent: Transaction, waited: float) -> None:
        """Tests of the lines and of the screen look at it."""
