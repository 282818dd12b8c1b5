"""What the session needs from the screen and from lines, and the one place that asks before a signature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from tictactoe import errors
from tictactoe.node import Node
from tictactoe.preparing import Prepared
from tictactoe.terminal import output_text
from tictactoe.terminal.view import View
from tictactoe.tracking import Sent


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
    def progress(self, sent: Sent, waited: float) -> None: ...
    def key(self, timeout: float | None) -> str | None: ...
    def ask(self, question: str) -> bool | None: ...


def say_concerns(front: FrontEnd, concerns: Sequence[errors.NeedsConsent]) -> None:
    """Show what needs consent. Without a person who reads it, refuse."""
    if concerns and not front.interactive:
        raise concerns[0]
    for concern in concerns:
        front.say(concern.facts, "yellow")


def consent(front: FrontEnd, node: Node, always: bool) -> Callable[[Prepared, Sequence[errors.NeedsConsent]], bool]:
    """A sender's `agree`: asks if something needs consent, or `always`."""

    def agree(prepared: Prepared, concerns: Sequence[errors.NeedsConsent]) -> bool:
        say_concerns(front, concerns)
        return not (concerns or always) or bool(front.ask(output_text.sign(prepared, node)))

    return agree
