"""What `watch` does: read old blocks with a progress bar, then follow the table."""

from __future__ import annotations

import json

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TimeRemainingColumn

from tictactoe import errors
from tictactoe.events import events
from tictactoe.node import Node
from tictactoe.table import Table, find_table
from tictactoe.terminal import text
from tictactoe.terminal.console import console
from tictactoe.terminal.signals import defer_signals
from tictactoe.terminal.story import Story


def watch(address: str | None, from_block: int | None, once: bool, as_json: bool, patience: float | None) -> None:
    """Print every event of a table until Ctrl-C; with `once`, only those there are."""
    node = Node()
    table = find_table(address, node)
    screen = console(stderr=as_json)
    story = None if as_json else Story(screen)
    if story is not None:
        screen.print(text.table_line(table.address, node), soft_wrap=True)
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
                backfill.screen.print(text.not_mined_yet(from_block, event.log.block), style="yellow", soft_wrap=True)
        if story is None:
            click.echo(json.dumps(event.as_json()))
        else:
            story.print(event)


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
        if self._bar is None:
            columns = (text.BLOCKS, BarColumn(bar_width=20), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=self.screen, transient=True)
            with defer_signals():
                self._bar.start()
            self._task = self._bar.add_task(text.BLOCKS, total=blocks)
        self._bar.update(self._task, completed=done, total=blocks)

    def trouble(self, error: errors.TicTacToeError) -> None:
        self.screen.print(text.trying_again(error.message), style="yellow", soft_wrap=True)
        self._in_trouble = True

    def calm(self) -> None:
        if self._in_trouble:
            self._in_trouble = False
            self.screen.print(text.NODE_IS_BACK, style="yellow")

    def close(self) -> None:
        if self._bar is not None:
            with defer_signals():
                self._bar.stop()
                self._bar = None
