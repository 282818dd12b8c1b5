"""The one place that asks before a signature."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import click

from tictactoe import errors
from tictactoe.node import Node
from tictactoe.preparing import Prepared
from tictactoe.terminal import output_text


def is_yes(answer: str) -> bool:
    return answer.strip().lower() in ("y", "yes")


def answer(question: str, *, err: bool = False) -> bool | None:
    """Ask for a line: yes or no, or None at the end of the input."""
    discard_typed()
    click.echo(output_text.yes_or_no(question), nl=False, err=err)
    if line := sys.stdin.readline():
        return is_yes(line)
    # What follows begins on a line of its own.
    click.echo(err=err)
    return None


def discard_typed() -> None:
    """Drop what was typed before a question was on the screen: it does not answer it."""
    if sys.stdin.isatty():
        from prompt_toolkit.input import create_input

        keyboard = create_input(sys.stdin)
        with keyboard.raw_mode():
            while keyboard.read_keys():
                pass


@dataclass(frozen=True)
class Consent:
    """A sender's `agree`: shows what needs consent, and asks. Without a person to ask, it refuses."""

    node: Node
    say: Callable[[str], None]
    ask: Callable[[str], bool]
    person: bool  # someone at a terminal, who can read the figures
    always: bool  # also ask when nothing needs consent

    def __call__(self, prepared: Prepared, concerns: Sequence[errors.NeedsConsent]) -> bool:
        if concerns and not self.person:
            raise concerns[0]
        for concern in concerns:
            self.say(concern.facts)
        return not (concerns or self.always) or self.ask(output_text.sign(prepared, self.node))
