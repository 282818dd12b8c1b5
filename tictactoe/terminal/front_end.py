"""What the session needs from the screen and from lines, and the one place that asks before a signature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tictactoe.terminal import output_text
from tictactoe.terminal.view import View
from tictactoe.transactions import Transaction


class FrontEnd(Protocol):
    @property
    def interactive(self) -> bool:
        """Whether someone reads it and can answer."""

    @property
    def ended(self) -> bool:
        """Whether the input has ended."""

    def show(self, view: View) -> None: ...
    def say(self, sentence: str, style: str = "") -> None: ...
    def page(self, lines: list[str]) -> None: ...
    def progress(self, sent: Transaction, waited: float) -> None: ...
    def key(self, timeout: float | None) -> str | None: ...
    def ask(self, question: str) -> bool | None: ...


def say_concerns(front: FrontEnd, prepared: Transaction) -> None:
    """Show what needs consent. Without a person who reads it, refuse."""
    if prepared.concerns and not front.interactive:
        raise prepared.concerns[0]
    for concern in prepared.concerns:
        front.say(concern.sentence, "yellow")


def consent(front: FrontEnd, always: bool) -> Callable[[Transaction], bool]:
    """A sender's `agree`: asks if something needs consent, or `always`."""

    def agree(prepared: Transaction) -> bool:
        say_concerns(front, prepared)
        return not (prepared.concerns or always) or bool(front.ask(output_text.sign(prepared)))

    return agree
