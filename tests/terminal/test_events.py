"""The events of a table from a real node, and through its reorgs. tests/library has the rest."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.rules.games import WON_BY_X
from tests.support.commands import keys_for
from tests.support.local_table import LocalTable
from tests.support.proxy import Behaviour, Real, Request, result
from tictactoe import Event, Table, TicTacToeError
from tictactoe.follower import Follower
from tictactoe.logs import Log, MoveMade
from tictactoe.node import Node
from tictactoe.trail import POLLS


class Reader:
    """Keeps the events that are not taken back, as a consumer of the generator does."""

    def __init__(self, table: Table, from_block: int | None = None) -> None:
        self.table = table
        self.follower = Follower(table, from_block)
        self.events: list[Event] = []

    def read(self) -> list[Event]:
        """What is new since the last time."""
        news = list(self.follower.new_events())
        for event in news:
            if event.kind == "Restarted":
                self.events.clear()
            elif event.taken_back:
                newest = self.events.pop()
                assert replace(event, taken_back=False) == newest, "the newest is taken back first"
            elif event.kind != "CaughtUp":
                self.events.append(event)
        return news

    def check(self, local: LocalTable) -> None:
        logs = [event.log for event in self.events if isinstance(event.log, Log)]
        assert [(log.transaction, log.index) for log in logs] == local.logs()
        state = self.table.state()
        assert self.follower.game == state
        assert not self.events or self.events[-1].after == state


@pytest.fixture
def reader(table: Table) -> Reader:
    return Reader(table)


def kinds(events: list[Event]) -> list[tuple[str, bool]]:
    return [(event.kind, event.taken_back) for event in events]


def moves(events: list[Event]) -> list[MoveMade]:
    return [event.log for event in events if isinstance(event.log, MoveMade)]


def keys_of(events: list[Event]) -> str:
    return keys_for(move.cell for move in moves(events))


def test_game__is_read_in_order(local: LocalTable, reader: Reader) -> None:
    local.new_game()
    local.play(keys_for(WON_BY_X))
    assert [kind for kind, _ in kinds(reader.read())] == ["GameCreated", *["MoveMade"] * 5, "GameEnded", "CaughtUp"]
    reader.check(local)
    assert reader.events[-1].game.status == "x_won"
    assert reader.read() == []


# -- reorgs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 4])
def test_reorg_at_equal_height__takes_events_back(local: LocalTable, reader: Reader, depth: int) -> None:
    local.new_game()
    local.play("51932")
    reader.read()
    height = local.anvil.height

    local.anvil.rpc("anvil_reorg", depth, [])
    assert local.anvil.height == height
    news = reader.read()
    # Each move is in its own block.
    assert kinds(news) == [("MoveMade", True)] * depth
    assert [move.move for move in moves(news)] == list(range(5, 5 - depth, -1))
    reader.check(local)

    local.play("8")
    reader.read()
    reader.check(local)


@pytest.mark.parametrize("depth", [1, 4])
def test_reorg_to_other_moves__replaces_events(local: LocalTable, reader: Reader, depth: int) -> None:
    """The new branch is lower than the old one at first, then as high, then higher."""
    old, new = "51932", "874621"
    local.new_game()
    local.play(old[: 5 - depth])
    snapshot = local.anvil.rpc("evm_snapshot")
    local.play(old[5 - depth :])
    reader.read()
    old_height = local.anvil.height

    local.anvil.rpc("evm_revert", snapshot)
    # Another timestamp, so that even an equal move gives another block.
    local.anvil.rpc("evm_increaseTime", 60)
    for height in (-1, 0, 1):
        local.play(new[: depth - 1] if height == -1 else new[depth + height - 1])
        assert local.anvil.height - old_height == height
        for _ in range(POLLS):
            reader.read()
        reader.check(local)
        assert keys_of(reader.events) == old[: 5 - depth] + new[: depth + height]


# -- nonsense ------------------------------------------------------------------------------


NONSENSE = {
    "null": None,
    "a string": "hello",
    "a number": 7,
    "a list": [1, {"a": None}],
    "an object": {"number": "0xzz", "hash": 5},
    "endless text": "0x" + "f" * 5000,
    "escape codes": "\x1b[2J\x1b]0;owned\x07\u202egnp.exe",
}


@pytest.mark.parametrize("method", ["eth_getLogs", "eth_getBlockByNumber", "eth_call", "eth_getCode"])
def test_node_that_returns_nonsense__is_an_error_of_its_own(
    local: LocalTable, through: Callable[[Behaviour], Table], method: str
) -> None:
    value: Any = None
    wrong = False

    def nonsense(request: Request, real: Real) -> Any:
        return result(request, value) if wrong and request["method"] == method else real()

    local.new_game()
    table = through(nonsense)
    wrong = True

    def use() -> None:
        seen = Table(local.address, Node(table.node.provider))
        seen.check()
        seen.state()
        Reader(seen, 0).read()

    for name, value in NONSENSE.items():  # noqa: B007 - the proxy reads `value`
        with pytest.raises(TicTacToeError) as caught:
            use()
        assert type(caught.value) is not TicTacToeError, name
        assert "\x1b" not in caught.value.message
        assert "\u202e" not in caught.value.message
        assert 20 < len(caught.value.message) <= 1000
