"""`play --move`: one move, for bots. `play` without it is the game itself."""

from __future__ import annotations

import json
from contextlib import suppress

import click

from tictactoe import errors
from tictactoe.events import TableLogs
from tictactoe.game import Game
from tictactoe.table import Table
from tictactoe.terminal.lines import Lines
from tictactoe.terminal.live import LiveTable
from tictactoe.terminal.view import View
from tictactoe.transactions import Transaction


def one_move(live: LiveTable, cell: int, lines: Lines, as_json: bool) -> None:
    """Make one move with the account whose turn it is, wait until it is confirmed, and print what happened."""
    live.look()
    game, sent = live.game, live.table.node.sent
    try:
        live.move(cell)
    finally:
        lines.end_line()
        if as_json and sent and (sent[0].under_way or sent[0].stage == "failed"):
            click.echo(json.dumps(_facts(live.table, game, cell, sent[0])))
    if not as_json:
        lines.show(View(live.table.state(), tuple(live.accounts)))


def _facts(table: Table, game: Game, cell: int, sent: Transaction) -> dict[str, object]:
    """The fields in docs/playing.md. Also of a move that is not mined or failed: it may have been paid for."""
    node, (row, col) = table.node, divmod(cell, 3)
    facts: dict[str, object] = {
        "network": node.name,
        "chainId": node.chain_id,
        "table": table.address,
        "gameId": game.number,
        "player": sent.address,
        "mark": game.turn,
        "sequenceNumber": len(game.moves) + 1,
        "row": row,
        "col": col,
        "transaction": sent.hash,
        "stage": sent.stage,
        **receipt_fields(sent),
        "status": None,
        "winner": None,
    }
    if sent.block is not None:
        # What the contract reported in this transaction; nothing if the node cannot be asked now.
        with suppress(errors.NodeError):
            for log in TableLogs(table).logs(sent.block, sent.block):
                if log.transaction == sent.hash:
                    facts |= {"status": "in_progress"} | dict(log.fields)
    return facts


def receipt_fields(sent: Transaction) -> dict[str, object]:
    """Null until it is mined."""
    return {"block": sent.block, "gas": sent.gas_used, "cost": None if sent.paid is None else str(sent.paid)}
