"""What `watch` prints: a line for each past game, the present game, and the score."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter

import click
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from tictactoe import errors
from tictactoe.events import Event, events
from tictactoe.game import Game
from tictactoe.node import Block, Node
from tictactoe.table import Table, find_table
from tictactoe.terminal import output_text
from tictactoe.terminal.board import position
from tictactoe.terminal.lines import Lines
from tictactoe.terminal.signals import Stopped, check_signals, defer_signals
from tictactoe.terminal.view import View

# How many winners the score lists.
MOST_WINNERS = 20
# Seconds without an answer after which `--once` gives up.
PATIENCE = 60.0


def watch(where: str | None, from_block: int | None, once: bool, as_json: bool) -> None:
    """Print every event of a table until Ctrl-C; with `once`, only those there are."""
    node = Node()
    table = find_table(where, node)
    story = Story(Lines(node, stderr=as_json), once, as_json)
    if not as_json:
        story.lines.say(output_text.TABLE.format(table=table))
    stopped: KeyboardInterrupt | None = None
    try:
        _follow(table, from_block, once, story)
    except KeyboardInterrupt as stop:
        stopped = stop
    finally:
        story.close()
    story.print_score()
    # Ctrl-C is the usual way to leave.
    if isinstance(stopped, Stopped) and stopped.number != signal.SIGINT:
        raise stopped


def _follow(table: Table, from_block: int | None, once: bool, story: Story) -> None:
    for event in events(
        table,
        from_block=from_block,
        follow=not once,
        trouble=story.trouble,
        progress=story.progress,
        seen=story.see,
        patience=PATIENCE if once else None,
    ):
        if event.kind == "CaughtUp" and from_block is not None and from_block > event.block:
            story.lines.say(output_text.NOT_MINED_YET.format(block=from_block, head=event.block), "yellow")
            if not story.as_json:
                continue
        story.tell(event)


class Story:
    """
    A table's events, for a person: a line for each past game, and the present one as a board.

    On a terminal, the board stays where it is, and a line below it shows that the program is alive. Elsewhere, a line
    for each new event follows it. For a script, one object for each event.
    """

    def __init__(self, lines: Lines, once: bool = False, as_json: bool = False) -> None:
        self.lines = lines
        self.as_json = as_json
        self.score = Score()
        self._game = Game()
        self._head: Block | None = None
        self._caught_up = self._in_trouble = False
        redrawn = lines.live and not once and not as_json
        self._live = Live(console=lines.console, get_renderable=self._frame, refresh_per_second=2) if redrawn else None

    # -- what `events` reports beside the events -----------------------------------------

    def see(self, head: Block) -> None:
        """Note the newest block of the chain."""
        check_signals()
        self._head = head

    def trouble(self, error: errors.TicTacToeError) -> None:
        self.lines.say(output_text.TRYING_AGAIN.format(trouble=error.message), "yellow")
        self._in_trouble = True

    def progress(self, done: int, blocks: int) -> None:
        """While old blocks are read for the first time. Rich has one live line, and redirects the output meanwhile."""
        if not self.as_json and not (self._live and self._live.is_started):
            self.lines.spin(output_text.READING.format(done=done, blocks=blocks))

    # -- events --------------------------------------------------------------------------

    def tell(self, event: Event) -> None:
        if self._in_trouble:
            self._in_trouble = False
            self.lines.say(output_text.NODE_IS_BACK, "yellow")
        self.score.count(event)
        shown, self._game = self._game, event.game
        if self.as_json:
            click.echo(json.dumps(event.as_json()))
        elif event.kind in ("CaughtUp", "Restarted"):
            self._notice(event)
        elif event.taken_back:
            self.lines.say(output_text.TAKEN_BACK.format(event=output_text.event_line(event)), "yellow")
        elif self._caught_up and self._live is None:
            self.lines.say(output_text.event_line(event, self.score.wins))
        elif event.kind == "GameCreated" and shown.number:
            # Not of a game that ended before `from_block`.
            self.lines.say(output_text.past_game(event.before))

    def _notice(self, notice: Event) -> None:
        self._caught_up = notice.kind == "CaughtUp"
        if not self._caught_up:
            self.score = Score()
            self.lines.say(output_text.RESTARTED, "bold yellow")
        elif self._live is None:
            self.lines.show(View(self._game))
            self.lines.say(output_text.CAUGHT_UP.format(block=notice.block), "dim")
        elif not self._live.is_started:
            self.lines.end_line()
            with defer_signals():
                self._live.start()

    def _frame(self) -> RenderableType:
        alive = ""
        if self._head and self._caught_up:
            alive = output_text.ALIVE.format(clock=output_text.clock(self._head, time.time()))
        return Group(position(View(self._game), self.lines.console), Text(alive, "dim"))

    def close(self) -> None:
        """Leave the last board on the screen."""
        self._caught_up = False
        self.lines.end_line()
        if self._live is not None:
            with defer_signals():
                self._live.stop()

    def print_score(self) -> None:
        if self.as_json:
            return
        score = self.score
        totals = output_text.totals(score.events["GameCreated"], score.events["MoveMade"], score.draws)
        self.lines.say(totals, "bold")
        for player, number in score.wins.most_common(MOST_WINNERS):
            if number:
                self.lines.say(output_text.won_by(player, number))


class Score:
    """Games won by each player, over all games. What a reorg takes back no longer counts."""

    def __init__(self) -> None:
        self.wins: Counter[str] = Counter()
        self.draws = 0
        self.events: Counter[str] = Counter()

    def count(self, event: Event) -> None:
        step = -1 if event.taken_back else 1
        self.events[event.kind] += step
        if event.kind == "GameEnded":
            if winner := event.fields["winner"]:
                self.wins[winner] += step
            else:
                self.draws += step
