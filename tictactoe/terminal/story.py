"""What `watch` prints: a line or a JSON object for each event, and the score."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TimeRemainingColumn
from rich.text import Text

from tictactoe.errors import TicTacToeError
from tictactoe.events import Event, events
from tictactoe.formatting import short
from tictactoe.game import mark_of
from tictactoe.node import Node
from tictactoe.table import find_table
from tictactoe.terminal.board import STYLES, position
from tictactoe.terminal.console import console
from tictactoe.terminal.status import defer_interrupts
from tictactoe.terminal.text import result


def watch(address: str | None, from_block: int | None, once: bool, as_json: bool, patience: float | None) -> None:
    """Print every event of a table until Ctrl-C; with `once`, only those there are."""
    node = Node()
    table = find_table(node, address)
    screen = console(stderr=as_json)
    if not as_json:
        screen.print(f"Table {table.address} on {node.name}, chain {node.chain_id}.", soft_wrap=True)
    score = Score()
    tell = _tell_json if as_json else _teller(screen, score)
    with Backfill(screen) as backfill:
        try:
            for event in events(
                table,
                from_block=from_block,
                follow=not once,
                trouble=backfill.trouble,
                progress=backfill.progress,
                patience=60.0 if once and patience is None else patience,
            ):
                backfill.calm()
                if event.kind == "Restarted":
                    # The chain is another: is there still a table?
                    table.check()
                if event.kind == "CaughtUp":
                    backfill.close()
                score.count(event)
                tell(event)
        except KeyboardInterrupt:
            # How a watcher leaves: nothing was sent, nothing is lost.
            backfill.close()
            if not as_json:
                screen.print()
    if not as_json:
        score.print(screen)


class Score:
    """Games won by each player, over all rounds told. What is taken back no longer counts."""

    def __init__(self) -> None:
        self.wins: Counter[str] = Counter()
        self.forget()

    def forget(self) -> None:
        self.wins.clear()
        self.games = self.draws = self.moves = 0

    def count(self, event: Event) -> None:
        step = -1 if event.taken_back else 1
        if event.kind == "Restarted":
            self.forget()
        elif event.kind == "GameCreated":
            self.games += step
        elif event.kind == "MoveMade":
            self.moves += step
        elif event.kind == "GameEnded":
            if event.status == "draw":
                self.draws += step
            else:
                self.wins[event.winner] += step

    def print(self, screen: Console) -> None:
        screen.print(f"{self.games} games, {self.moves} moves, {self.draws} draws", style="bold")
        ranked = [(player, wins) for player, wins in self.wins.most_common() if wins]
        for player, wins in ranked[:20]:
            screen.print(f"{wins:>6} won by {player}", soft_wrap=True)
        if len(ranked) > 20:
            screen.print(f"       and {len(ranked) - 20} more players who won fewer")


def _tell_json(event: Event) -> None:
    click.echo(json.dumps(event.as_json()))


def _teller(screen: Console, score: Score) -> Callable[[Event], None]:
    def tell(event: Event) -> None:
        number, game = event.game_id, event.game
        if event.kind == "CaughtUp":
            screen.print(f"All told up to block {event.block}.", style="dim")
            return
        if event.kind == "Restarted":
            sentence = "The chain was reorganised deeply: what was told is void, the story begins again."
            screen.print(sentence, style="bold yellow")
            return
        back = "Taken back by a reorganisation: " if event.taken_back else ""
        style = "yellow" if event.taken_back else ""
        if event.kind == "GameCreated":
            lost = f" over game {event.before.number}, unfinished" if event.before.in_progress else ""
            text = Text(f"Game {number} began{lost}" if back else f"\nGame {number} begins{lost}", "bold")
            screen.print(Text.assemble((back, style), text))
            for mark in "XO":
                screen.print(Text.assemble((f"  {mark} ", STYLES[mark]), game.player(mark)), soft_wrap=True)
        elif event.kind == "MoveMade":
            mark = mark_of(event.sequence_number)
            where = f"cell {event.cell + 1}, move {event.sequence_number} of game {number}, block {event.block}"
            line = Text.assemble((back, style), (mark, STYLES[mark]), f" {short(event.player)} takes ", where)
            screen.print(line, soft_wrap=True)
            if game.number and not event.taken_back:
                screen.print(position(game, screen))
        else:
            winner = f" {event.winner} wins." if event.status != "draw" else ""
            ending = result(game) if game.number else event.status.replace("_", " ")
            screen.print(Text.assemble((f"{back}Game {number}: {ending}.{winner}", style or "bold")), soft_wrap=True)
            if not event.taken_back and winner:
                screen.print(f"  {short(event.winner)} has won {score.wins[event.winner]}", style="dim")
        if event.taken_back:
            screen.print(f"  Now: game {event.before.number}, {result(event.before)}.", style="yellow")

    return tell


class Backfill:
    """The bar while there is old to read, and a line when the node is away. Both only for people."""

    def __init__(self, screen: Console) -> None:
        self.screen = screen
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._troubled = False

    def __enter__(self) -> Backfill:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def progress(self, done: int, blocks: int) -> None:
        if not self.screen.is_terminal:
            return
        if self._bar is None:
            columns = ("blocks", BarColumn(bar_width=20), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=self.screen, transient=True)
            with defer_interrupts():
                self._bar.start()
            self._task = self._bar.add_task("blocks", total=blocks)
        self._bar.update(self._task, completed=done, total=blocks)

    def trouble(self, failure: TicTacToeError, pause: float) -> None:
        self.screen.print(f"{failure.message} Next try in {pause:.0f} s.", style="yellow", soft_wrap=True)
        self._troubled = True

    def calm(self) -> None:
        if self._troubled:
            self._troubled = False
            self.screen.print("The node answers again.", style="yellow")

    def close(self) -> None:
        if self._bar is not None:
            with defer_interrupts():
                self._bar.stop()
                self._bar = None
