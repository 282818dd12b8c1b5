"""`ape run watch`: every event of a table, from its first game on."""

from __future__ import annotations

import click
from ape.cli import network_option

from tictactoe.terminal.command import TableCommand
from tictactoe.terminal.options import table_option
from tictactoe.terminal.watch import watch


@click.command(cls=TableCommand)
@network_option()
@table_option
@click.option("--from-block", type=click.IntRange(0), metavar="N", help="Skip the events before this block.")
@click.option("--once", is_flag=True, help="Print the events there are and stop, instead of waiting for more.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def cli(table: str | None, from_block: int | None, once: bool, as_json: bool) -> None:
    """Follow a table: the players, each move, each result, and the score."""
    watch(table, from_block, once, as_json)
