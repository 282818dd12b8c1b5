"""`ape run play`: a game between two people, at one keyboard or on two machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from ape.cli import account_option, network_option

from tictactoe import errors
from tictactoe.spending import Limits
from tictactoe.terminal.accounts import own_account
from tictactoe.terminal.command import PLAYER, TableCommand
from tictactoe.terminal.one_move import one_move
from tictactoe.terminal.options import (
    confirmations_option,
    expected_chain_option,
    max_cost_option,
    max_fee_option,
    patience_option,
    table_option,
)
from tictactoe.terminal.play import PlayOptions, play

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI


@click.command(cls=TableCommand)
@network_option()
@account_option("--account", "account", prompt=None)
@account_option("--x", "x", prompt=None)
@account_option("--o", "o", prompt=None)
@table_option
@click.option(
    "--against", type=PLAYER, metavar="ADDRESS|ALIAS", help="Play against this player: start a game, or resume it."
)
@expected_chain_option
@max_fee_option
@max_cost_option
@click.option("--invite", is_flag=True, help="Print a line for a friend to paste, and wait until it starts a game.")
@click.option("--plain", is_flag=True, help="Line by line, for example for a screen reader.")
@click.option("--ask", is_flag=True, help="Ask before every signature.")
@click.option("--move", type=click.IntRange(1, 9), metavar="CELL", help="Make this one move, 1 to 9, and stop.")
@click.option("--json", "as_json", is_flag=True, help="With --move: print one JSON object.")
@patience_option(180.0)
@confirmations_option
def cli(
    account: AccountAPI | None,
    x: AccountAPI | None,
    o: AccountAPI | None,
    table: str | None,
    against: str | None,
    expected_chain_id: int | None,
    max_fee: int | None,
    max_cost: int | None,
    invite: bool,
    plain: bool,
    ask: bool,
    move: int | None,
    as_json: bool,
    patience: float,
    confirmations: int | None,
) -> None:
    """
    Play tic-tac-toe.

    Without options two test accounts share this keyboard, on a chain inside this program. On a real network take one
    seat (--account, or --x or --o to choose which), and let the other player run the same command elsewhere.
    """
    limits = Limits(max_fee, max_cost, expected_chain_id)
    options = PlayOptions(table, invite, limits, plain, ask, patience, confirmations)
    if move is not None:
        one_move([each for each in (account, x, o) if each is not None], move - 1, options, as_json)
        return
    if as_json:
        raise errors.WrongOptions(errors.JSON_WITHOUT_MOVE)
    if (against or invite) and not (account or x or o):
        account = own_account()
    play(account, x, o, against, options)
