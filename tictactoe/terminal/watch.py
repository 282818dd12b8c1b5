"""What `watch` prints: a progress bar for old blocks, a line for each past game, the present game, and the score."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TimeRemainingColumn
from rich.text import Text

from tictactoe import errors
from tictactoe.events import events
from tictactoe.follower import Event, Notice
from tictactoe.game import Game
from tictactoe.logs import GameCreated, GameEnded, MoveMade
from tictactoe.node import Block, Node
from tictactoe.table import Table, find_table
from tictactoe.terminal import output_text
from tictactoe.terminal.console import console
from tictactoe.terminal.position import position
from tictactoe.terminal.signals import Stopped, defer_signals
from tictactoe.terminal.view import View


def watch(address: str | None, from_block: int | None, once: bool, as_json: bool, patience: float | None) -> None:
    """Print every event of a table until Ctrl-C; with `once`, only those there are."""
    node = Node()
    table = find_table(address, node)
    screen = console(stderr=as_json)
    story = None if as_json else Story(screen, live=screen.is_terminal and not once)
    if story is not None:
        screen.print(output_text.table_line(table.address, node), soft_wrap=True)
    stopped: KeyboardInterrupt | None = None
    with Backfill(screen) as backfill:
        try:
            _follow(table, from_block, once, patience, backfill, story)
        except KeyboardInterrupt as stop:
            stopped = stop
            backfill.close()
        finally:
            if story is not None:
                story.close()
    if story is not None:
        story.print_score()
    # Ctrl-C is the usual way to leave.
    if isinstance(stopped, Stopped) and stopped.number != signal.SIGINT:
        raise stopped


def _follow(
    table: Table, from_block: int | None, once: bool, patience: float | None, backfill: Backfill, story: Story | None
) -> None:
    for event in events(
        table,
        from_block=from_block,
        follow=not once,
        trouble=backfill.trouble,
        progress=backfill.progress,
        seen=None if story is None else story.see,
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
            story.tell(event)


class Story:
    """
    A table's events for a person: a line for each past game, and the present one as a board.

    On a terminal, the board stays where it is, and a line below it shows that the program is alive. Elsewhere, a line
    for each new event follows it.
    """

    def __init__(self, screen: Console, live: bool) -> None:
        self.screen = screen
        self.score = Score()
        self._game = Game()
        self._head: Block | None = None
        self._caught_up = False
        self._live = Live(console=screen, get_renderable=self._frame, refresh_per_second=2) if live else None

    def see(self, head: Block) -> None:
        """Note the newest block of the chain."""
        self._head = head

    def tell(self, event: Event) -> None:
        self.score.count(event)
        self._game = event.game
        if isinstance(event.log, Notice):
            self._notice(event.log)
        elif event.taken_back:
            self._print(output_text.taken_back(event), "yellow")
        elif self._caught_up and self._live is None:
            self._print(output_text.event_line(event, self.score.wins))
        elif isinstance(event.log, GameCreated) and event.before.number:
            self._print(output_text.past_game(event.before))

    def _notice(self, notice: Notice) -> None:
        self._caught_up = notice.kind == "CaughtUp"
        if not self._caught_up:
            self._print(output_text.RESTARTED, "bold yellow")
        elif self._live is None:
            self.screen.print(position(View(self._game), self.screen))
            self._print(output_text.caught_up(notice.block), "dim")
        elif not self._live.is_started:
            with defer_signals():
                self._live.start()

    def _print(self, line: str, style: str = "") -> None:
        self.screen.print(line, style=style, soft_wrap=True)

    def _frame(self) -> RenderableType:
        alive = output_text.alive(self._head, time.time()) if self._head and self._caught_up else ""
        return Group(position(View(self._game), self.screen), Text(alive, "dim"))

    def close(self) -> None:
        """Leave the last board on the screen."""
        self._caught_up = False
        if self._live is not None:
            with defer_signals():
                self._live.stop()

    def print_score(self) -> None:
        score = self.score
        self._print(output_text.totals(score.games, score.moves, score.draws), "bold")
        ranked = [(player, wins) for player, wins in score.wins.most_common() if wins]
        for player, wins in ranked[:20]:
            self._print(output_text.won_by(player, wins))
        if len(ranked) > 20:
            self._print(output_text.more_winners(len(ranked) - 20))


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
    """A progress bar while old blocks are read for the first time, and a line when the node is unreachable."""

    def __init__(self, screen: Console) -> None:
        self.screen = screen
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._in_trouble = False
        self._closed = False

    def __enter__(self) -> Backfill:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def progress(self, done: int, blocks: int) -> None:
        # Later, the board may be live, and rich moves only one thing at a time.
        if not self.screen.is_terminal or self._closed:
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
        self._closed = True
        if self._bar is not None:
            with defer_signals():
                self._bar.stop()
                self._bar = None
