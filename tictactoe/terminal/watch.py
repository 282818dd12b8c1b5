"""What `watch` prints, and when: old blocks with a progress bar, then each event as it comes, and the score."""

from __future__ import annotations

import json
from collections import Counter

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TimeRemainingColumn
from rich.text import Text

from tictactoe import errors
from tictactoe.events import events
from tictactoe.follower import Event
from tictactoe.logs import GameCreated, GameEnded, MoveMade
from tictactoe.node import Node
from tictactoe.table import Table, find_table
from tictactoe.terminal import output_text
from tictactoe.terminal.board import STYLES
from tictactoe.terminal.console import console
from tictactoe.terminal.position import position
from tictactoe.terminal.signals import defer_signals
from tictactoe.terminal.view import View


def watch(address: str | None, from_block: int | None, once: bool, as_json: bool, patience: float | None) -> None:
    """Print every event of a table until Ctrl-C; with `once`, only those there are."""
    node = Node()
    table = find_table(address, node)
    screen = console(stderr=as_json)
    story = None if as_json else Story(screen)
    if story is not None:
        screen.print(output_text.table_line(table.address, node), soft_wrap=True)
    with Backfill(screen) as backfill:
        try:
            _follow(table, from_block, once, patience, backfill, story)
        except KeyboardInterrupt:
            # The usual way to leave.
            backfill.close()
            if story is not None:
                screen.print()
    if story is not None:
        story.print_score()


def _follow(
    table: Table, from_block: int | None, once: bool, patience: float | None, backfill: Backfill, story: Story | None
) -> None:
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
            # This may be another chain: is the table on it?
            table.check()
        if event.kind == "CaughtUp":
            backfill.close()
            if from_block is not None and from_block > event.log.block:
                backfill.screen.print(
                    output_text.not_mined_yet(from_block, event.log.block), style="yellow", soft_wrap=True
                )
        if story is None:
            click.echo(json.dumps(event.as_json()))
        else:
            story.print(event)


class Story:
    """A table's events for a person."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.score = Score()

    def print(self, event: Event) -> None:
        self.score.count(event)
        line = output_text.event_line(event)
        match event.log:
            case GameCreated() as log:
                self._print_game(event, log, line)
            case MoveMade() as log:
                self._print_move(event, log, line)
            case GameEnded() as log:
                self._print_end(event, log, line)
            case _:
                self.console.print(line, style="dim" if event.kind == "CaughtUp" else "bold yellow")
        if event.taken_back:
            self.console.print(output_text.now(event.game), style="yellow")

    def _print_game(self, event: Event, log: GameCreated, line: str) -> None:
        if not event.taken_back:
            self.console.print()
        self._line(event, Text(line, "bold"))
        for mark, player in (("X", log.player_x), ("O", log.player_o)):
            self.console.print(Text.assemble((f"  {mark} ", STYLES[mark]), player), soft_wrap=True)

    def _print_move(self, event: Event, log: MoveMade, line: str) -> None:
        self._line(event, Text.assemble((log.mark, STYLES[log.mark]), line))
        # The number is 0 while the game is not known.
        if event.after.number and not event.taken_back:
            self.console.print(position(View(event.after), self.console))

    def _print_end(self, event: Event, log: GameEnded, line: str) -> None:
        self._line(event, Text(line, "yellow" if event.taken_back else "bold"))
        if not event.taken_back and log.status != "draw":
            self.console.print(output_text.games_won(log.winner, self.score.wins[log.winner]), style="dim")

    def _line(self, event: Event, line: Text) -> None:
        self.console.print(Text.assemble((output_text.taken_back(event), "yellow"), line), soft_wrap=True)

    def print_score(self) -> None:
        score = self.score
        self.console.print(output_text.totals(score.games, score.moves, score.draws), style="bold")
        ranked = [(player, wins) for player, wins in score.wins.most_common() if wins]
        for player, wins in ranked[:20]:
            self.console.print(output_text.won_by(player, wins), soft_wrap=True)
        if len(ranked) > 20:
            self.console.print(output_text.more_winners(len(ranked) - 20))


class Score:
    """Games won by each player, over all games. What a reorg takes back no longer counts."""

    def __init__(self) -> None:
        self.wins: Counter[str] = Counter()
        self.reset()

    def reset(self) -> None:
        self.wins.clear()
        self.games = self.draws = self.moves = 0

    def count(self, event: Event) -> None:
        step = -1 if event.taken_back else 1
        match event.log:
            case GameCreated():
                self.games += step
            case MoveMade():
                self.moves += step
            case GameEnded() as log if log.status == "draw":
                self.draws += step
            case GameEnded() as log:
                self.wins[log.winner] += step
            case _ if event.kind == "Restarted":
                self.reset()


class Backfill:
    """A progress bar while old blocks are read, and a line when the node is unreachable."""

    def __init__(self, screen: Console) -> None:
        self.screen = screen
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._in_trouble = False

    def __enter__(self) -> Backfill:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def progress(self, done: int, blocks: int) -> None:
        if not self.screen.is_terminal:
            return
        with defer_signals():
            if self._bar is None:
                columns = (output_text.BLOCKS, BarColumn(bar_width=20), MofNCompleteColumn(), TimeRemainingColumn())
                self._bar = Progress(*columns, console=self.screen, transient=True)
                self._bar.start()
                self._task = self._bar.add_task(output_text.BLOCKS, total=blocks)
            self._bar.update(self._task, completed=done, total=blocks)

    def trouble(self, error: errors.TicTacToeError) -> None:
        self.screen.print(output_text.trying_again(error.message), style="yellow", soft_wrap=True)
        self._in_trouble = True

    def calm(self) -> None:
        if self._in_trouble:
            self._in_trouble = False
            self.screen.print(output_text.NODE_IS_BACK, style="yellow")

    def close(self) -> None:
        if self._bar is not None:
            with defer_signals():
                self._bar.stop()
                self._bar = None
