"""Logs as a node returns them: every value, and every kind of log that does not belong in an answer."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.rules.layout import GAME_CREATED, GAME_ENDED, MOVE_MADE
from tests.support.fake_chain import OTHER, FakeChain, Json, O, X, forfeit, move, new_game
from tictactoe import Table, errors
from tictactoe.game import ZERO_ADDRESS
from tictactoe.logs import GameCreated, GameEnded, LogReader, MoveMade


@pytest.fixture
def reader(chain: FakeChain, table: Table) -> LogReader:
    """Block 2 starts a game, block 3 is empty, block 4 has a move and then a forfeit."""
    chain.mine([new_game()], [], [move(5), forfeit])
    return LogReader(table)


def place(log: Json) -> dict[str, Any]:
    return {
        "block": int(log["blockNumber"], 16),
        "block_hash": log["blockHash"],
        "transaction": log["transactionHash"],
        "index": int(log["logIndex"], 16),
    }


def test_every_kind__has_every_value(chain: FakeChain, reader: LogReader) -> None:
    one, two, three = map(place, chain.logs)
    logs = [
        GameCreated(number=1, player_x=X, player_o=O, **one),
        MoveMade(number=1, player=X, move=1, cell=5, **two),
        GameEnded(number=1, winner=X, status="o_forfeits", **three),
    ]
    assert reader.in_range(0, 9) == logs
    assert [log.kind for log in logs] == ["GameCreated", "MoveMade", "GameEnded"]
    assert [log.json_fields for log in logs] == [
        {"playerX": X, "playerO": O},
        {"player": X, "mark": "X", "sequenceNumber": 1, "row": 1, "col": 2},
        {"winner": X, "status": "o_forfeits"},
    ]
    assert GameEnded(number=1, winner=ZERO_ADDRESS, status="draw", **three).json_fields["winner"] is None
    assert MoveMade(number=1, player=O, move=2, cell=5, **two).mark == "O"


@pytest.mark.parametrize(("first", "last", "found"), [(2, 4, 3), (3, 4, 2), (2, 3, 1), (3, 3, 0), (4, 4, 2)])
def test_range__has_its_first_and_its_last_block(reader: LogReader, first: int, last: int, found: int) -> None:
    assert len(reader.in_range(first, last)) == found


def test_block__is_asked_for_by_its_hash(chain: FakeChain, reader: LogReader) -> None:
    block = reader.node.block(4)
    assert [log.kind for log in reader.in_block(block)] == ["MoveMade", "GameEnded"]
    (where,) = chain.asked[-1][1]
    assert (where["blockHash"], "fromBlock" in where) == (block.hash, False)


def test_block_of_the_embedded_chain__is_asked_for_by_its_number(chain: FakeChain, table: Table) -> None:
    """It has no query by hash."""
    chain.mine([new_game()])
    table.node.embedded = True
    reader = LogReader(table)
    assert len(reader.in_block(reader.node.block(2))) == 1
    (where,) = chain.asked[-1][1]
    assert (where["fromBlock"], where["toBlock"], "blockHash" in where) == ("0x2", "0x2", False)


def words(*values: int) -> str:
    return "0x" + "".join(f"{value:064x}" for value in values)


def topics(kind: bytes, *values: int) -> list[str]:
    return ["0x" + kind.hex(), *(words(value) for value in values)]


ANOTHER = "an event of another block than asked for"
INVALID = "an invalid answer"
UNKNOWN = "(ValueError: an event that this contract does not have)"
NO_MOVE = "(ValueError: a move that no board has)"
NO_END = "(ValueError: an end that no game has)"
WRONG_DATA = "(ValueError: an event with missing or additional data)"
ME = int(X, 16)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda log: [log, log], "the same event of block 4 twice"),
        (lambda log: [log | {"removed": True}], "an event of block 4 that it marks as removed by a reorg"),
        (lambda log: [log | {"blockNumber": "0x3"}], f"{ANOTHER}, 3"),
        (lambda log: [log | {"blockNumber": "0x5"}], f"{ANOTHER}, 5"),
        (lambda log: [log | {"address": OTHER}], f"an event of another contract, {OTHER}"),
        (lambda log: [log | {"topics": ["0x" + "99" * 32]}], UNKNOWN),
        (lambda log: [log | {"topics": []}], INVALID),
        (lambda log: [log | {"topics": ["0x99"]}], "a hash that is not 32 bytes long"),
        (lambda log: [log | {"data": words(0, 0, 0)}], NO_MOVE),
        (lambda log: [log | {"data": words(10, 0, 0)}], NO_MOVE),
        (lambda log: [log | {"data": words(1, 3, 0)}], NO_MOVE),
        (lambda log: [log | {"data": words(1, 0, 3)}], NO_MOVE),
        (lambda log: [log | {"data": words(1, 0)}], WRONG_DATA),
        (lambda log: [log | {"data": words(1, 0, 0, 0)}], WRONG_DATA),
        (lambda log: [log | {"topics": topics(GAME_ENDED, 1, ME), "data": words(1)}], NO_END),
        (lambda log: [log | {"topics": topics(GAME_ENDED, 1, ME), "data": words(7)}], NO_END),
        (lambda log: [log | {"topics": topics(MOVE_MADE, 1)}], INVALID),
        (lambda log: [log | {"topics": topics(GAME_CREATED, 1, ME)}], INVALID),
        (lambda log: [log | {"logIndex": hex(2**256)}], INVALID),
        (lambda log: [log | {"blockHash": "0x12"}], "a hash that is not 32 bytes long"),
        (lambda log: [log | {"transactionHash": None}], INVALID),
        (lambda _log: [{}], INVALID),
        (lambda _log: ["hello"], INVALID),
        (lambda _log: None, INVALID),
    ],
)
def test_log_that_does_not_belong_here__is_refused(
    chain: FakeChain, reader: LogReader, change: Callable[[Json], Any], sentence: str
) -> None:
    chain.lies["eth_getLogs"] = lambda _params, logs: change(logs[0])
    with pytest.raises(errors.NodeError) as caught:
        reader.in_range(4, 4)
    assert sentence in caught.value.message
    assert caught.value.message.startswith("The node returned ")


def test_log_of_another_branch__is_refused(chain: FakeChain, reader: LogReader) -> None:
    """It has the number of the block that was asked for, but not its hash."""
    other = "0x" + "66" * 32
    chain.lies["eth_getLogs"] = lambda _params, logs: [logs[0] | {"blockHash": other}]
    with pytest.raises(errors.ContradictoryAnswer, match=f"{ANOTHER}, 4"):
        reader.in_block(reader.node.block(4))


@pytest.mark.parametrize("status", range(2, 7))
def test_last_values__are_read(chain: FakeChain, reader: LogReader, status: int) -> None:
    """The largest that a log can have."""
    end = {"topics": topics(GAME_ENDED, 1, ME), "data": words(status)}
    chain.lies["eth_getLogs"] = lambda _params, logs: [
        logs[0] | {"data": words(9, 2, 2)},
        logs[0] | {"logIndex": "0x1", "data": words(1, 0, 0)},
        logs[0] | {"logIndex": "0x2"} | end,
    ]
    nine, one, ended = reader.in_range(4, 4)
    assert isinstance(nine, MoveMade)
    assert isinstance(one, MoveMade)
    assert isinstance(ended, GameEnded)
    assert [(each.move, each.cell) for each in (nine, one)] == [(9, 8), (1, 0)]
    assert ended.status == ["x_won", "o_won", "draw", "x_forfeits", "o_forfeits"][status - 2]
