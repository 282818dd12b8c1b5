"""`ape run watch`: every event of a table, from its first game on."""

from __future__ import annotations

import click
from ape.cli import network_option

from tictactoe.terminal.command import Address, TableCommand
from tictactoe.terminal.watch import watch


@click.command(cls=TableCommand)
@network_option()
@click.option("--table", type=Address(), metavar="ADDRESS", help="The table; else the last one deployed from here.")
@click.option("--from-block", type=click.IntRange(0), metavar="N", help="Leave out what came before this block.")
@click.option("--once", is_flag=True, help="Print the events there are and stop, instead of waiting for more.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option(
    "--patience", type=click.FloatRange(1), help="Give up after the node has been away for this many seconds."
)
def cli(table: str | None, from_block: int | None, once: bool, as_json: bool, patience: float | None) -> None:
    """Follow a table: the players, each move, each result, and the score."""
    watch(table, from_block, once, as_json, patience)
