"""`ape run play`: a game between two people, at one keyboard or on two machines."""

from __future__ import annotations

import click
from ape.api.accounts import AccountAPI
from ape.cli import network_option

from tictactoe import deploy, errors, find_table
from tictactoe.node import Limits
from tictactoe.terminal import command
from tictactoe.terminal.play import Session


@click.command(cls=command.TableCommand)
@network_option()
@command.account_option
@command.table_option
@command.against_option
@click.option("--plain", is_flag=True, help="Line by line, for example for a screen reader.")
@click.option("--move", type=click.IntRange(1, 9), metavar="CELL", help="Make this one move, 1 to 9, and stop.")
@click.option("--json", "as_json", is_flag=True, help="With --move: print one JSON object.")
@command.limits_options
def cli(
    account: AccountAPI | None,
    table: str | None,
    against: str | None,
    plain: bool,
    move: int | None,
    as_json: bool,
    limits: Limits,
) -> None:
    """
    Play tic-tac-toe.

    Without options two test accounts share this keyboard, on a chain inside this program. On a real network, --account
    is yours; the other player runs the line that is printed.
    """
    if as_json and move is None:
        problem = "--json prints what one move did: give --move as well."
        raise errors.UsageError(problem, "`ape run watch --json` follows a whole game.")
    node = command.connect(limits)
    accounts, opponent = command.who_plays(node, account, against)
    if move is not None and not accounts:
        raise errors.AccountError(command.WHO_PAYS, command.YOUR_ACCOUNTS)
    # The chain inside the program started with it, and has no table yet.
    found = deploy(accounts[0], node) if node.embedded and table is None else find_table(table, node)
    for each in accounts:
        command.unlock(each)
    line_by_line = plain or move is not None or any(map(command.asks_by_itself, accounts))
    session = Session(found, accounts, opponent, line_by_line, stderr=as_json)
    if move is not None:
        session.move_once(move - 1, as_json)
        return
    if not node.embedded:
        session.screen.say(f"Table {found.address} on {node.name}, chain {node.chain_id}.")
    session.run()
