"""`ape run play`: a game between two people, at one keyboard or on two machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from ape.cli import account_option, network_option

from tictactoe.terminal.command import Address, TableCommand
from tictactoe.terminal.play import Options, play

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI


@click.command(cls=TableCommand)
@network_option()
@account_option("--account", "account", prompt=None)
@account_option("--x", "x", prompt=None)
@account_option("--o", "o", prompt=None)
@click.option("--table", type=Address(), metavar="ADDRESS", help="The table; else the last one deployed from here.")
@click.option("--against", type=Address(), metavar="ADDRESS", help="Start a game against this player.")
@click.option("--ask", is_flag=True, help="Ask before every signature.")
@click.option("--patience", type=click.FloatRange(1), default=180.0, show_default=True, help="Seconds to wait.")
@click.option("--confirmations", type=click.IntRange(0), help="Blocks until a move counts as confirmed.")
def cli(
    account: AccountAPI | None,
    x: AccountAPI | None,
    o: AccountAPI | None,
    table: str | None,
    against: str | None,
    ask: bool,
    patience: float,
    confirmations: int | None,
) -> None:
    """
    Play tic-tac-toe.

    Without options two test accounts share this keyboard, on a chain inside this program. On a real network take one
    seat (--account, or --x or --o to choose which), and let the other player run the same command elsewhere.
    """
    play(account, x, o, against, Options(table, ask, patience, confirmations))
