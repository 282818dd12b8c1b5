"""The screen of a session."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rich.console import Console

from tictactoe.game import Game
from tictactoe.terminal import output_text
from tictactoe.terminal.board import position
from tictactoe.terminal.status import TransactionStatus


class Display:
    """
    Draws the board, notes, prompts and the status line. Nothing else prints during a session, so this knows what is
    on the screen: which game is drawn, and whether a prompt is waiting at the cursor.
    """

    def __init__(self, console: Console, status: TransactionStatus, own: Collection[str] = ()) -> None:
        self.console = console
        self.status = status
        self.own = own  # the addresses at this keyboard
        self._notes: list[str] = []
        self._drawn: Game | None = None
        self._at_prompt = False

    def note(self, sentence: str) -> None:
        """Shown below the board when it is next drawn."""
        self._notes.append(sentence)

    def show(self, game: Game, results: Mapping[int, Game]) -> None:
        """Draw the board if the game has changed; otherwise print the new notes. `results` are for the score."""
        if self._drawn != game:
            self.draw(game, results)
        elif self._notes:
            self.clear_line()
            for note in self._notes:
                self.console.print(note, style="yellow", soft_wrap=True)
            self._notes.clear()

    def draw(self, game: Game, results: Mapping[int, Game]) -> None:
        self.clear_line()
        who: dict[str, str] = {}
        if len(self.own) == 1:
            (me,) = self.own
            who = dict.fromkeys(game.seats(me), output_text.YOU)
        score = output_text.score(game, results)
        self.console.print(position(game, self.console, who=who, score=score, notes=self._notes))
        self._notes.clear()
        if game.over and self._drawn != game:
            self.console.print(output_text.result_line(game), style="bold")
        self._drawn = game

    def say(self, sentence: str, style: str = "") -> None:
        self.status.close()
        self.console.print(sentence, style=style)

    def line(self, line: str) -> None:
        """A line that may be longer than the terminal is wide: an address must not be broken."""
        self.console.print(line, soft_wrap=True)

    def question(self, question: str, same_line: bool) -> None:
        """Ask for an answer, on a terminal on the same line."""
        self.status.close()
        self.console.print(question, end="" if same_line else "\n")

    def prompt(self, prompt: str) -> None:
        """Ask for a key, unless the prompt is already there."""
        if not self._at_prompt:
            self.question(prompt, same_line=True)
            self._at_prompt = True

    def wait(self, line: str) -> None:
        self.status.spin(line)

    def key_pressed(self) -> None:
        """The player's Enter has ended the prompt's line."""
        self.status.close()
        self._at_prompt = False

    def clear_line(self) -> None:
        """Stop the spinner and finish the prompt's line."""
        self.status.close()
        if self._at_prompt:
            self.console.print()
            self._at_prompt = False
