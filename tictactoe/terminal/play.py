"""What `play` does before the first board: seats, table, passphrases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import ape

from tictactoe import errors
from tictactoe.limits import Limits
from tictactoe.node import Node
from tictactoe.sending import Sender
from tictactoe.table import Table, deploy, find_table
from tictactoe.terminal import text
from tictactoe.terminal.accounts import unlock
from tictactoe.terminal.console import console
from tictactoe.terminal.display import Display
from tictactoe.terminal.keys import Keyboard
from tictactoe.terminal.live import LiveTable
from tictactoe.terminal.seats import Seats
from tictactoe.terminal.session import Session
from tictactoe.terminal.status import status_for

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI


@dataclass(frozen=True)
class PlayOptions:
    table: str | None
    limits: Limits
    ask: bool
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
    screen = console()
    display = Display(screen, status_for(screen, node), seats.accounts)
    confirmations = node.confirmations if options.confirmations is None else options.confirmations
    live = LiveTable(table, Sender(node, patience=options.patience, limits=options.limits), confirmations)
    session = Session(live, seats.accounts, display, Keyboard(), ask=options.ask)
    if not node.embedded:
        _introduce(display, table, seats)
    session.run(seats.players)


def _take_seats(
    node: Node, account: AccountAPI | None, x: AccountAPI | None, o: AccountAPI | None, against: str | None
) -> Seats:
    if not node.embedded:
        return Seats.online(account, x, o, against)
    if against is not None:
        raise errors.OpponentOutOfReach()
    return Seats.at_one_keyboard(ape.accounts.test_accounts, account, x, o)


def _find_table(node: Node, seats: Seats, address: str | None) -> Table:
    if node.embedded and address is None:
        # The chain started with this process: it has no table yet.
        return deploy(next(iter(seats.accounts.values())), Sender(node))
    return find_table(address, node)


def _introduce(display: Display, table: Table, seats: Seats) -> None:
    display.line(text.table_line(table.address, table.node))
    if not seats.accounts:
        display.line(text.SPECTATOR)
    elif seats.players is None:
        game = table.state()
        if game.in_progress and not any(game.seats(address) for address in seats.accounts):
            display.line(text.NOT_A_PLAYER)
