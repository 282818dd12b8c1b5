"""`play --move`: one move, for bots. `play` without it is the game itself."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from tictactoe import errors
from tictactoe.game import Game
from tictactoe.logs import LogReader
from tictactoe.node import Node
from tictactoe.sending import Sender
from tictactoe.table import Table, find_table
from tictactoe.terminal import output_text
from tictactoe.terminal.accounts import unlock
from tictactoe.terminal.consent import Consent, answer
from tictactoe.terminal.console import console
from tictactoe.terminal.position import position
from tictactoe.terminal.signals import accounting
from tictactoe.terminal.status import status_for
from tictactoe.terminal.view import View
from tictactoe.tracking import Sent, Stage

if TYPE_CHECKING:
    from collections.abc import Collection

    from ape.api.accounts import AccountAPI

    from tictactoe.terminal.play import PlayOptions


def one_move(accounts: Collection[AccountAPI], cell: int, options: PlayOptions, as_json: bool) -> None:
    """Make one move with the account whose turn it is, wait until it is confirmed, and print what happened."""
    node = Node()
    options.limits.check_chain(node)
    if not accounts:
        raise errors.AccountMissing()
    table = find_table(options.table, node)
    game = table.state()
    own: dict[str, AccountAPI] = {account.address: account for account in accounts}
    if reason := game.refusal(own, cell):
        raise errors.Reverted(reason)
    account = own[game.player(game.turn)]
    screen = console(stderr=as_json)
    status = status_for(screen, node)
    sender = Sender(node, status.show, options.patience, limits=options.limits)
    sender.agree = Consent(
        node,
        lambda line: screen.print(line, style="yellow", soft_wrap=True),
        lambda question: bool(answer(question, err=as_json)),
        person=sys.stdin.isatty() and screen.is_terminal,
        always=options.confirm_each,
    )
    unlock(account)
    data = table.calldata("makeMove", cell // 3, cell % 3, game.number)
    confirmations = node.confirmations(options.confirmations)
    with accounting(sender):
        try:
            mined = sender.send(account, output_text.move_name(game), data, table.address)
            if confirmations:
                sender.confirm(mined, confirmations)
        finally:
            status.close()
            sent = sender.sent[-1] if sender.sent else None
            if as_json and sent is not None and (sent.under_way or sent.stage is Stage.FAILED):
                click.echo(json.dumps(_facts(table, game, cell, sent)))
        if not as_json:
            screen.print(position(View(table.state()), screen))


def _facts(table: Table, game: Game, cell: int, sent: Sent) -> dict[str, object]:
    """The fields in docs/playing.md. Also of a move that is not mined or failed: it may have been paid for."""
    node, (row, col) = table.node, divmod(cell, 3)
    facts: dict[str, object] = {
        "network": node.name,
        "chainId": node.chain_id,
        "table": table.address,
        "gameId": game.number,
        "player": sent.account,
        "mark": game.turn,
        "sequenceNumber": len(game.moves) + 1,
        "row": row,
        "col": col,
        "transaction": sent.hash,
        "stage": str(sent.stage),
        **dict.fromkeys(("block", "gas", "cost", "status", "winner")),
    }
    if sent.block:
        facts |= {"block": sent.block, "gas": sent.gas, "cost": str(sent.cost)}
        facts |= _result(table, sent)
    return facts


def _result(table: Table, sent: Sent) -> dict[str, object]:
    """What the contract reported in this transaction; nothing if the node cannot be asked now."""
    result: dict[str, object] = {}
    with suppress(errors.NodeError):
        for log in LogReader(table).in_block(table.node.block(sent.block)):
            if log.transaction == sent.hash:
                result |= {"status": "in_progress"} | log.json_fields
    return result
