"""`ape run play`: a game between two people, at one keyboard or on two machines."""

from __future__ import annotations

from typing import Any

import click
from ape.cli import account_option, network_option

from tictactoe.table import player_address
from tictactoe.terminal.command import TableCommand
from tictactoe.terminal.options import CheckedType, paying_options, table_option
from tictactoe.terminal.play import PlayOptions, play

PLAYER = CheckedType("player", player_address)


@click.command(cls=TableCommand)
@network_option()
@account_option("--account", "account", prompt=None)
@account_option("--x", "x", prompt=None)
@account_option("--o", "o", prompt=None)
@table_option
@click.option(
    "--against", type=PLAYER, metavar="ADDRESS|ALIAS", help="Play against this player: start a game, or resume it."
)
@click.option("--invite", is_flag=True, help="Print a line for a friend to paste, and wait until it starts a game.")
@click.option("--plain", is_flag=True, help="Line by line, for example for a screen reader.")
@click.option("--ask", is_flag=True, help="Ask before every signature.")
@click.option("--move", type=click.IntRange(1, 9), metavar="CELL", help="Make this one move, 1 to 9, and stop.")
@click.option("--json", "as_json", is_flag=True, help="With --move: print one JSON object.")
@paying_options(patience=180.0)
def cli(**options: Any) -> None:
    """
    Play tic-tac-toe.

    Without options two test accounts share this keyboard, on a chain inside this program. On a real network take one
    seat (--account, or --x or --o to choose which), and let the other player run the same command elsewhere.
    """
    play(PlayOptions(**options))
