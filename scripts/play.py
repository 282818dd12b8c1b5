"""`ape run play`: a game between two people, at one keyboard or on two machines."""

from __future__ import annotations

from typing import Any

import click
from ape.cli import account_option, network_option

from scripts._command import TableCommand, unlock


@click.command(cls=TableCommand)
@network_option()
@account_option("--account", "account", prompt=None)
@account_option("--x", "x", prompt=None)
@account_option("--o", "o", prompt=None)
@click.option("--table", "table_address", metavar="ADDRESS", help="The table; else the last one deployed from here.")
@click.option("--against", metavar="ADDRESS", help="Start a game against this player.")
@click.option("--ask", is_flag=True, help="Ask before every signature.")
@click.option("--patience", type=click.FloatRange(1), default=180.0, show_default=True, help="Seconds to wait.")
@click.option("--confirmations", type=click.IntRange(0), help="Blocks until a move counts as confirmed.")
def cli(
    account: Any,
    x: Any,
    o: Any,
    table_address: str | None,
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
    # Imported here, so that `ape run` lists its commands without loading them all.
    from ape import accounts as ape_accounts
    from ape import networks

    from scripts._chain import Node, Table, checked_address, find_table
    from scripts._keyboard import Keyboard
    from scripts._session import Session
    from scripts._transactions import Sender
    from scripts._view import console
    from scripts.deploy import deployment_data

    if account is not None and (x is not None or o is not None):
        raise click.UsageError("Give --account for one seat, or --x and --o, not both.")
    if against is not None and x is not None and o is not None:
        raise click.UsageError("--against names the other player: give it with one seat, not with two.")
    screen = console()
    node = Node(networks.active_provider)
    other = checked_address(against) if against is not None else None

    if node.embedded:
        # Nobody else can reach the chain inside this program: both seats are at this keyboard.
        if other is not None:
            raise click.UsageError("--against needs a network where the other player can be, too: give --network.")
        first, second = ape_accounts.test_accounts[0], ape_accounts.test_accounts[1]
        x = x or account or (first if o is None or o.address != first.address else second)
        o = o or (second if x.address != second.address else first)
        account = None
    seats = {a.address: a for a in (account, x, o) if a is not None}

    if node.embedded and table_address is None:
        # This chain was born with this program: there is no table on it yet.
        sent = Sender(node, lambda _sent, _waited: None).send(next(iter(seats.values())), "table", deployment_data())
        table = Table(node, sent.contract)
    else:
        table = find_table(node, table_address)

    players = None
    if x is not None and o is not None:
        players = (x.address, o.address)
    elif other is not None:
        if not seats:
            raise click.UsageError("--against needs your own seat too: --account ALIAS.")
        (me,) = seats
        players = (other, me) if o is not None else (me, other)
    for seat in seats.values():
        unlock(seat)

    if confirmations is None:
        confirmations = 0 if node.embedded else int(node.provider.network.required_confirmations)
    session = Session(
        node,
        table,
        seats,
        screen,
        Keyboard(),
        patience=patience,
        confirmations=confirmations,
        ask_before_signing=ask,
    )
    if not node.embedded:
        where = f"Table {table.address} on {node.name}, chain {node.chain_id}."
        screen.print(where, soft_wrap=True)
        if not seats:
            screen.print("You watch. Take a seat with --account ALIAS.")
        else:
            state = table.state()
            if players is None and state.in_progress and not any(state.seats(seat) for seat in seats):
                screen.print("You are not a player of this game: you watch instead. --against ADDRESS starts your own.")
    session.run(players)
