"""Transactions on a real node: refused before they are sent, or lost, replaced and overtaken after it."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.rules.layout import call
from tests.support.anvil import Anvil
from tests.support.local_table import FIRST_TABLE, LocalTable
from tests.support.revm import forwarder
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


def test_refused_transaction_through_a_contract__is_not_sent(local: LocalTable, table: Table, sender: Sender) -> None:
    """A smart account passes its owner's transactions on like this."""
    local.new_game()
    code = forwarder(int(local.address, 16))
    # Copies what follows it, from byte 11 on, and returns it as the code.
    creation = bytes.fromhex(f"60{len(code):02x}80600b5f395ff30000") + code
    middle = local.anvil.create(Role.PLAYER_X.address, creation)
    with pytest.raises(errors.Reverted) as caught:
        sender.send(Role.PLAYER_X.account, "move", first_move(table), middle)
    assert caught.value.reason == "caller is a contract"
    assert sender.sent == []


def test_refused_transaction_before_the_first_game__is_not_sent(table: Table, sender: Sender) -> None:
    with pytest.raises(errors.Reverted) as caught:
        sender.send(Role.PLAYER_X.account, "forfeit", table.calldata("forfeit", 1), table.address)
    assert caught.value.reason == "no game in progress"


# -- sent, and not mined --------------------------------------------------------------------


@pytest.fixture
def slow(local: LocalTable) -> Anvil:
    """A node that mines only when it is asked to, with a game in progress and X to move."""
    local.new_game()
    local.anvil.rpc("evm_setAutomine", False)
    return local.anvil


def sending(table: Table, patience: float, on_sent: Callable[[Sent], object] = lambda _sent: None) -> Sender:
    """A sender that lets the test act once the transaction is in the pool."""
    done: list[Sent] = []

    def show(sent: Sent, _waited: float) -> None:
        if sent.stage is Stage.SENT and not done:
            done.append(sent)
            on_sent(sent)

    return Sender(table.node, show, patience=patience)


def send_first_move(table: Table, sender: Sender) -> Sent:
    return sender.send(Role.PLAYER_X.account, "move 1", first_move(table), table.address)


def test_dropped_transaction__is_reported(slow: Anvil, table: Table) -> None:
    sender = sending(table, 4, lambda sent: slow.rpc("anvil_dropTransaction", sent.hash))
    with pytest.raises(errors.Dropped) as caught:
        send_first_move(table, sender)
    assert sender.sent[0].hash in caught.value.message


def test_replaced_transaction__is_reported(slow: Anvil, table: Table) -> None:
    def replace(sent: Sent) -> None:
        nonce = slow.rpc("eth_getTransactionByHash", sent.hash)["nonce"]
        player = Role.PLAYER_X.address
        fees = {"maxFeePerGas": hex(10**12), "maxPriorityFeePerGas": hex(10**11), "gas": hex(21_000)}
        slow.rpc("eth_sendTransaction", {"from": player, "to": player, "nonce": nonce} | fees)
        slow.rpc("evm_mine")

    with pytest.raises(errors.Replaced):
        send_first_move(table, sending(table, 4, replace))


def test_game_replaced_while_the_move_waits__move_changes_nothing(slow: Anvil, local: LocalTable, table: Table) -> None:
    """The move names its game, so the contract refuses it in the next one."""

    def start_another(_sent: Sent) -> None:
        data = call("newGame(address,address)", int(local.x, 16), int(Role.OTHER.address, 16))
        fees = {"maxFeePerGas": hex(10**12), "maxPriorityFeePerGas": hex(10**11), "gas": hex(200_000)}
        transaction = {"from": Role.OTHER.address, "to": local.address, "data": f"0x{data.hex()}"}
        slow.rpc("eth_sendTransaction", transaction | fees)
        slow.rpc("evm_mine")

    sender = sending(table, 30, start_another)
    with pytest.raises(errors.MinedButReverted):
        send_first_move(table, sender)
    assert (table.state().number, table.state().moves) == (2, ())
    assert sender.sent[0].stage is Stage.FAILED
    assert sender.sent[0].cost > 0


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
