"""What `play` does before the first board: seats, table, passphrases."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import ape
import click

from tictactoe import errors
from tictactoe.node import Node
from tictactoe.sending import Sender
from tictactoe.spending import Limits
from tictactoe.table import Table, deploy, find_table
from tictactoe.terminal import output_text
from tictactoe.terminal.accounts import asks_by_itself, unlock
from tictactoe.terminal.console import console
from tictactoe.terminal.invitation import invitation, network_option
from tictactoe.terminal.lines import Lines
from tictactoe.terminal.live import LiveTable
from tictactoe.terminal.retry import Patience
from tictactoe.terminal.seats import Seats
from tictactoe.terminal.session import Session
from tictactoe.terminal.signals import accounting
from tictactoe.terminal.status import status_for

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI

    from tictactoe.terminal.screen import Screen

# Their coins have no price: Sepolia, Hoodi, and the Sepolias of Base, OP and Arbitrum.
TESTNETS = (11155111, 560048, 84532, 11155420, 421614)


@dataclass(frozen=True)
class PlayOptions:
    table: str | None
    invite: bool
    limits: Limits
    plain: bool
    confirm_each: bool
    patience: float
    confirmations: int | None  # None: the network's own number


def play(
    account: AccountAPI | None, x: AccountAPI | None, o: AccountAPI | None, against: str | None, options: PlayOptions
) -> None:
    """Take the seats, find the table, and play until the player quits."""
    node = Node()
    options.limits.check_chain(node)
    seats = _take_seats(node, account, x, o, against)
    table = _find_table(node, seats, options.table)
    for each in seats.accounts.values():
        unlock(each)
    sender = Sender(node, patience=options.patience, limits=options.limits)
    if not node.embedded:
        click.echo(output_text.table_line(table.address, node))
    if options.invite:
        wait_for_friend(table, seats, sender, options.table)
    elif not node.embedded:
        _introduce_spectator(table, seats)
    live = LiveTable(table, sender, node.confirmations(options.confirmations))
    front = _front_end(node, options.plain or any(map(asks_by_itself, seats.accounts.values())))
    twice = options.confirm_each or (front.interactive and costs_money(node))
    with front:
        Session(live, seats.accounts, output_text.names(seats.accounts), front, confirm_each=twice).run(seats.players)


def _front_end(node: Node, plain: bool) -> Lines | Screen:
    """The screen needs a person and a terminal that can move its cursor."""
    lines = console()
    if plain or lines.is_dumb_terminal or not (sys.stdin.isatty() and lines.is_terminal):
        return Lines(lines, node)
    from tictactoe.terminal.screen import Screen

    return Screen(node)


def costs_money(node: Node) -> bool:
    return node.public and node.chain_id not in TESTNETS


def _take_seats(
    node: Node, account: AccountAPI | None, x: AccountAPI | None, o: AccountAPI | None, against: str | None
) -> Seats:
    if not node.embedded:
        return Seats.online(account, x, o, against)
    if against is not None:
        raise errors.WrongOptions(errors.OPPONENT_OUT_OF_REACH)
    return Seats.at_one_keyboard(ape.accounts.test_accounts, account, x, o)


def _find_table(node: Node, seats: Seats, address: str | None) -> Table:
    if node.embedded and address is None:
        # The chain started with this process: it has no table yet.
        return deploy(next(iter(seats.accounts.values())), Sender(node))
    return find_table(address, node)


def wait_for_friend(table: Table, seats: Seats, sender: Sender, name: str | None) -> None:
    """Print the line for a friend, and wait until it has started a game. If one is in progress, return at once."""
    if len(seats.accounts) != 1 or seats.players is not None:
        raise errors.WrongOptions(errors.INVITE_NEEDS_ONE_SEAT)
    (me,) = seats.accounts
    node, screen = table.node, console()
    status = status_for(screen, node)

    def say(sentence: str, style: str) -> None:
        status.close()
        screen.print(sentence, style=style, soft_wrap=True)

    def playing() -> bool:
        game = table.state()
        return game.in_progress and bool(game.seats(me))

    patience = Patience(sender, say)
    with accounting(sender):
        if patience.retry(playing):
            return
        say(output_text.INVITE, "")
        say(invitation(network_option(node), name or table.address, me), "bold")
        try:
            while not patience.retry(playing):
                status.spin(output_text.waiting_for_friend(patience.retry(node.block), time.time()))
                time.sleep(node.pace)
        finally:
            status.close()
        screen.bell()


def _introduce_spectator(table: Table, seats: Seats) -> None:
    if not seats.accounts:
        click.echo(output_text.SPECTATOR)
    elif seats.players is None:
        game = table.state()
        if game.in_progress and not any(game.seats(address) for address in seats.accounts):
            click.echo(output_text.NOT_A_PLAYER)
