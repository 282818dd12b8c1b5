"""What `play` does before the first board: seats, table, passphrases, and the invitation of a friend."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import ape
import click
from ape.api.accounts import AccountAPI

from tictactoe import errors
from tictactoe.node import Node
from tictactoe.table import Table, deploy, find_table
from tictactoe.terminal import output_text
from tictactoe.terminal.accounts import asks_by_itself, no_account, own_account, unlock
from tictactoe.terminal.adapter import Sender
from tictactoe.terminal.chains import CHAINS
from tictactoe.terminal.front_end import consent
from tictactoe.terminal.invitation import network_option, play_command
from tictactoe.terminal.lines import Lines
from tictactoe.terminal.live import LiveTable, Patience
from tictactoe.terminal.one_move import one_move
from tictactoe.terminal.seats import take_seats
from tictactoe.terminal.session import Session
from tictactoe.terminal.signals import check_signals, reporting_what_was_sent
from tictactoe.transactions import Limits

if TYPE_CHECKING:
    from tictactoe.terminal.screen import Screen

Accounts = dict[str, AccountAPI]  # by address


@dataclass(frozen=True)
class PlayOptions:
    account: AccountAPI | None
    x: AccountAPI | None
    o: AccountAPI | None
    against: str | None
    table: str | None
    invite: bool
    limits: Limits
    plain: bool
    ask: bool
    move: int | None  # the key of a cell, 1 to 9
    as_json: bool
    patience: float
    confirmations: int | None  # None: the network's own number


def play(options: PlayOptions) -> None:
    """Take the seats, find the table, and play until the player quits, or one move."""
    if options.as_json and options.move is None:
        problem = "--json prints what one move did: give --move as well."
        raise errors.UsageError(problem, "`ape run watch --json` follows a whole game.")
    node = Node()
    options.limits.check_chain(node)
    accounts, players = _take_seats(node, options)
    table = _find_table(node, accounts, options.table)
    for account in accounts.values():
        unlock(account)
    lines = Lines(node, options.plain, stderr=options.as_json)
    front = _front_end(lines, accounts, options)
    sender = Sender(node, front.progress, options.patience, limits=options.limits)
    sender.agree = consent(front, options.ask or (front.interactive and costs_money(node)))
    live = LiveTable(table, accounts, sender, Patience(sender, front.say))
    with reporting_what_was_sent(node):
        if options.move is not None:
            sender.confirmations = node.confirmations(options.confirmations)
            one_move(live, options.move - 1, lines, options.as_json)
            return
        if not node.embedded:
            click.echo(output_text.TABLE.format(table=table))
        if options.invite:
            wait_for_friend(live, lines)
        with front:
            Session(live, front).run(players)


def _take_seats(node: Node, options: PlayOptions) -> tuple[Accounts, tuple[str, str] | None]:
    account, x, o, against = options.account, options.x, options.o, options.against
    if (against or options.invite) and not (account or x or o):
        account = own_account()
    if node.embedded and against is not None:
        raise errors.UsageError("--against needs a network that the other player can reach: give --network.")
    accounts, players = take_seats(account, x, o, against, others=ape.accounts.test_accounts if node.embedded else ())
    if options.move is not None and not accounts:
        raise no_account()
    if options.invite and (len(accounts) != 1 or players is not None):
        problem = "--invite waits for a friend on a network: give --network and one seat, without --against."
        raise errors.UsageError(problem)
    return accounts, players


def _find_table(node: Node, accounts: Accounts, address: str | None) -> Table:
    if node.embedded and address is None:
        # The chain started with this process: it has no table yet.
        address = deploy(next(iter(accounts.values()))).address
    return find_table(address, node)


def _front_end(lines: Lines, accounts: Accounts, options: PlayOptions) -> Lines | Screen:
    """The screen needs a person and a terminal that can move its cursor. A wallet that asks by itself prints on it."""
    wallets = any(map(asks_by_itself, accounts.values()))
    if options.move is not None or wallets or not (lines.interactive and lines.live):
        return lines
    from tictactoe.terminal.screen import Screen

    return Screen(lines.node)


def costs_money(node: Node) -> bool:
    known = CHAINS.get(node.chain_id)
    return bool(node.public_choice) and not (known and known.free)


def wait_for_friend(live: LiveTable, lines: Lines) -> None:
    """Print the line for a friend, and wait until it has started a game. If one is in progress, return at once."""
    (me,) = live.accounts
    node, patience = lines.node, Patience(live.sender, lines.say)

    def playing() -> bool:
        game = live.table.state()
        return game.in_progress and bool(game.seats(me))

    if patience.retry(playing):
        return
    lines.say(output_text.INVITE)
    lines.say(play_command(network_option(node), live.table.address, against=me), "bold")
    while not patience.retry(playing):
        clock = output_text.clock(patience.retry(node.block), time.time())
        lines.spin(output_text.WAITING_FOR_FRIEND.format(clock=clock))
        time.sleep(node.pace)
        check_signals()
    lines.end_line()
    lines.console.bell()
