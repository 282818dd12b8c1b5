"""The events of a table from a real node: what a reader keeps is what the chain holds, through reorgs."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.support.commands import keys_for
from tests.support.local_table import LocalTable
from tests.support.proxy import Behaviour, Real, Request, error, result
from tests.support.roles import Role
from tictactoe import Event, Table, TicTacToeError
from tictactoe.errors import EventsDoNotFit
from tictactoe.follower import NEAR, WINDOW, Follower
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


def test_every_ending__has_the_specifications_word(local: LocalTable, reader: Reader) -> None:
    """The words are literal here, because consumers have written them down too."""
    endings = (
        (keys_for(WON_BY_X), False, "x_won", local.x),
        (keys_for(WON_BY_O), False, "o_won", local.o),
        (keys_for(DRAWN), False, "draw", None),
        ("", True, "x_forfeits", local.o),
        ("1", True, "o_forfeits", local.x),
    )
    state = reader.table.state
    assert state().status == "no_game"
    for keys, forfeits, word, winner in endings:
        local.new_game()
        assert state().status == "in_progress"
        local.play(keys)
        if forfeits:
            local.forfeit()
        (ended,) = [event.as_json() for event in reader.read() if event.kind == "GameEnded"]
        assert ended["status"] == state().status == word
        assert ended["winner"] == winner


def test_head_block__is_not_lost(local: LocalTable, reader: Reader) -> None:
    """With one poll after each block, and with several blocks between two polls."""
    local.new_game()
    reader.read()
    for key in "5193":
        local.play(key)
        assert keys_of(reader.read()) == key
        reader.check(local)
    local.play("762")
    reader.read()
    reader.check(local)


# -- reorgs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", range(1, 6))
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


@pytest.mark.parametrize("depth", range(1, 6))
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


def test_reorg_of_a_whole_game__restores_the_one_before(local: LocalTable, reader: Reader) -> None:
    local.new_game()
    local.play("5")
    reader.read()
    local.new_game(o=Role.OTHER.address)
    reader.read()
    assert reader.follower.game.number == 2
    local.anvil.rpc("anvil_reorg", 1, [])
    reader.read()
    assert (reader.follower.game.number, reader.follower.game.moves) == (1, (4,))
    reader.check(local)


def test_reorg_deeper_than_the_window__starts_again(local: LocalTable, reader: Reader) -> None:
    local.new_game()
    snapshot = local.anvil.rpc("evm_snapshot")
    local.play("5")
    for _ in range(4):  # polls in between, so that there is something old to forget
        local.anvil.rpc("anvil_mine", hex(WINDOW))
        reader.read()
    local.anvil.rpc("evm_revert", snapshot)
    local.anvil.rpc("evm_increaseTime", 60)
    local.play("7")
    news = [event for _ in range(4) for event in reader.read()]
    assert news[0].kind == "Restarted"
    reader.check(local)


# -- from a block on -------------------------------------------------------------------------


def test_from_block__starts_in_the_middle_of_a_game(local: LocalTable, table: Table) -> None:
    local.new_game()
    local.play("51")
    start = local.anvil.height + 1
    local.play("9")
    reader = Reader(table, start)
    assert kinds(reader.read()) == [("MoveMade", False), ("CaughtUp", False)]
    assert reader.follower.game == table.state()


@pytest.mark.parametrize("ahead", [1, 3])
def test_from_block__may_be_in_the_future(local: LocalTable, table: Table, ahead: int) -> None:
    local.new_game()
    local.play("5")
    reader = Reader(table, local.anvil.height + ahead)
    assert kinds(reader.read()) == [("CaughtUp", False)]
    for key in "1937":
        local.play(key)
        reader.read()
    assert [move.move for move in moves(reader.events)] == list(range(1 + ahead, 6))
    assert reader.follower.game == table.state()
    # An event that was read can be taken back, an earlier one cannot.
    local.anvil.rpc("anvil_reorg", 1, [])
    assert kinds(reader.read()) == [("MoveMade", True)]
    assert reader.follower.game == table.state()


# -- nodes that limit, forget or return nonsense ---------------------------------------------------------


def test_newest_blocks__are_read_by_their_hash(local: LocalTable, through: Callable[[Behaviour], Table]) -> None:
    """By number, an answer could belong to another branch than the one asked about."""
    asked: list[dict[str, Any]] = []

    def record(request: Request, real: Real) -> Any:
        if request["method"] == "eth_getLogs":
            asked.extend(request["params"])
        return real()

    local.new_game()
    local.anvil.rpc("anvil_mine", hex(NEAR * 3))
    Reader(through(record)).read()
    assert sum("blockHash" in where for where in asked) == NEAR
    assert all(int(where.get("toBlock", "0x0"), 16) <= local.anvil.height - NEAR for where in asked)


@pytest.mark.parametrize("widest", [1, 7, 100])
def test_node_that_limits_ranges__is_asked_for_less(
    local: LocalTable, through: Callable[[Behaviour], Table], widest: int
) -> None:
    """Some nodes limit the blocks in a query, others the logs in an answer."""
    refused = 0

    def limit(request: Request, real: Real) -> Any:
        nonlocal refused
        where = request["params"][0] if request["method"] == "eth_getLogs" else {}
        if "fromBlock" not in where:
            return real()
        if int(where["toBlock"], 16) - int(where["fromBlock"], 16) + 1 > widest:
            refused += 1
            return error(request, f"query exceeds max block range {widest}")
        reply = real()
        if len(reply["result"]) > 3:
            refused += 1
            return error(request, "query returned more than 3 results")
        return reply

    for _ in range(3):
        local.new_game()
        local.play(keys_for(WON_BY_X))
        local.anvil.rpc("anvil_mine", hex(20))
    reader = Reader(through(limit))
    while not reader.follower.caught_up:
        reader.read()
    reader.check(local)
    assert refused > 0


def test_node_that_leaves_a_log_out__is_noticed(local: LocalTable, through: Callable[[Behaviour], Table]) -> None:
    def forget(request: Request, real: Real) -> Any:
        reply = real()
        if request["method"] == "eth_getLogs":
            reply["result"] = [log for log in reply["result"] if log["transactionHash"] != missing]
        return reply

    local.new_game()
    local.play("51")
    missing = local.logs()[1][0]
    with pytest.raises(EventsDoNotFit, match="game 1 with 0 moves"):
        Reader(through(forget)).read()


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
