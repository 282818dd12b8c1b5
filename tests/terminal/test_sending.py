"""Transactions that the contract refuses are not sent, and one sentence says what was sent."""

from typing import Any

import pytest

from tests.support.local_table import FIRST_TABLE, LocalTable
from tests.support.roles import Role
from tictactoe import Table, errors
from tictactoe.game import ZERO_ADDRESS
from tictactoe.sending import Sender
from tictactoe.terminal.output_text import what_was_sent
from tictactoe.tracking import Sent, Stage

STRANGER = "0x" + "12" * 20


@pytest.fixture
def sender(table: Table) -> Sender:
    return Sender(table.node, patience=3)


def first_move(table: Table) -> bytes:
    return table.calldata("makeMove", 0, 0, 1)


# -- refused by the contract -------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "who", "method", "values"),
    [
        ("player is the zero address", Role.PLAYER_X, "newGame", (STRANGER, ZERO_ADDRESS)),
        ("player is a contract", Role.PLAYER_X, "newGame", (STRANGER, FIRST_TABLE)),
        ("not the current game", Role.PLAYER_X, "makeMove", (0, 0, 7)),
        ("off the grid", Role.PLAYER_X, "makeMove", (3, 0, 1)),
        ("cell is taken", Role.PLAYER_X, "makeMove", (1, 1, 1)),
        ("not your turn", Role.PLAYER_O, "forfeit", (1,)),
    ],
)
def test_refused_transaction__is_not_sent(
    local: LocalTable, table: Table, sender: Sender, reason: str, who: Role, method: str, values: tuple[Any, ...]
) -> None:
    local.new_game()
    local.play("51")
    with pytest.raises(errors.Reverted) as caught:
        sender.send(who.account, "move", table.calldata(method, *values), table.address)
    assert caught.value.reason == reason
    assert sender.sent == []


# -- what Ctrl-C reports --------------------------------------------------------------------


@pytest.mark.parametrize("stage", Stage)
def test_what_was_sent_at_every_stage__names_the_transaction_once(stage: Stage) -> None:
    signed = stage not in (Stage.SIGNING, Stage.DECLINED, Stage.NOT_SIGNED)
    report = what_was_sent([Sent("move 1", "0x12" if signed else "", stage)])
    assert report.count("move 1") == 1
    assert "Nothing was sent" not in report
    assert ("Not sent" in report) == (not signed or stage is Stage.NOT_SENT)
    assert ("paid for" in report) == (stage is Stage.FAILED)


def test_what_was_sent_without_a_transaction__is_nothing() -> None:
    assert what_was_sent([]) == errors.Interrupted.outcome
