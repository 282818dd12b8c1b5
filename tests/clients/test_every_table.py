"""The listing that follows every table of a chain: what it reports, what it ignores, and what a reorg does to it."""

from collections.abc import Iterator
from typing import Any

import pytest
from web3 import Web3

from docs.snippets import every_table
from docs.snippets.every_table import EveryTable
from tests.rules.games import WON_BY_X
from tests.support.anvil import Anvil
from tests.support.commands import keys_for
from tests.support.compiler import compiled
from tests.support.local_table import LocalTable
from tests.support.roles import Role

# Emits one event with the four topics that it is called with.
EMITTER = "60603560403560203560003560006000a4"
CONTRACT = "0x" + "e0" * 20
X_WINS = keys_for(WON_BY_X)


@pytest.fixture
def anvil() -> Iterator[Anvil]:
    with Anvil() as anvil:
        yield anvil


@pytest.fixture
def follower(anvil: Anvil, abi: list[dict[str, Any]], contract_source: str) -> EveryTable:
    code = bytes.fromhex(compiled(contract_source)["bytecode_runtime"][2:])
    return EveryTable(anvil.url, abi, Web3.keccak(code))


@pytest.fixture
def table(anvil: Anvil, creation_code: bytes) -> LocalTable:
    return LocalTable(anvil, creation_code)


def news(follower: EveryTable) -> list[tuple[str, str, int, bool]]:
    """Where, what, in which game, and whether it was removed."""
    return [(event["address"], event["event"], event["args"]["gameId"], removed) for event, removed in follower.news()]


def test_two_tables__are_followed_at_once(anvil: Anvil, follower: EveryTable, creation_code: bytes) -> None:
    one, two = LocalTable(anvil, creation_code), LocalTable(anvil, creation_code)
    assert news(follower) == []
    one.new_game()
    two.new_game()
    one.play(X_WINS)
    assert news(follower) == [
        (one.address, "GameCreated", 1, False),
        (two.address, "GameCreated", 1, False),
        *[(one.address, "MoveMade", 1, False)] * 5,
        (one.address, "GameEnded", 1, False),
    ]
    one.new_game()
    assert news(follower) == [(one.address, "GameCreated", 2, False)]
    assert news(follower) == []


def test_old_blocks__are_read_in_ranges(
    table: LocalTable, follower: EveryTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(every_table, "RANGE", 3)
    table.new_game()
    table.anvil.rpc("anvil_mine", hex(70))
    table.play("1")
    assert news(follower) == [(table.address, "GameCreated", 1, False), (table.address, "MoveMade", 1, False)]
    # As after a long sleep: the last block that was read is an old one now.
    table.play("2")
    table.anvil.rpc("anvil_mine", hex(70))
    table.play("3")
    assert news(follower) == [(table.address, "MoveMade", 1, False)] * 2


def test_other_contracts__with_the_same_topics__are_ignored(anvil: Anvil, follower: EveryTable) -> None:
    anvil.rpc("anvil_setCode", CONTRACT, "0x" + EMITTER)
    for topic in follower.events:
        anvil.send(Role.STRANGER.address, bytes.fromhex(topic[2:]) + bytes(96), CONTRACT)
    assert len(anvil.rpc("eth_getLogs", {"fromBlock": "0x0", "address": CONTRACT})) == 3
    assert news(follower) == []


def test_constructor__that_emits_events_of_its_own__is_not_believed(table: LocalTable, follower: EveryTable) -> None:
    """It returns the right code. The game that comes later is a real one."""
    genuine = bytes.fromhex(table.anvil.rpc("eth_getCode", table.address, "latest")[2:])
    player = bytes(12) + bytes.fromhex(table.x[2:])
    topics = [bytes.fromhex(follower.new_game[2:]), bytes(31) + b"\x07", player, player]
    emit = b"".join(b"\x7f" + topic for topic in reversed(topics)) + bytes.fromhex("60006000a4")
    size = len(genuine).to_bytes(2)
    length = len(emit) + 15
    give = b"\x61" + size + b"\x61" + length.to_bytes(2) + bytes.fromhex("600039") + b"\x61" + size
    forged = LocalTable(table.anvil, emit + give + bytes.fromhex("6000f3") + genuine)
    assert bytes.fromhex(table.anvil.rpc("eth_getCode", forged.address, "latest")[2:]) == genuine
    assert len(forged.logs()) == 1
    assert news(follower) == []
    forged.new_game()
    assert news(follower) == [(forged.address, "GameCreated", 1, False)]


def test_reorg__removes_events__newest_first(table: LocalTable, follower: EveryTable) -> None:
    move, game = (table.address, "MoveMade", 1), (table.address, "GameCreated", 1)
    table.new_game()
    table.play(X_WINS)
    assert len(news(follower)) == 7
    table.anvil.rpc("anvil_reorg", 2, [])
    assert news(follower) == [(table.address, "GameEnded", 1, True), (*move, True), (*move, True)]
    table.play(X_WINS[3])
    assert news(follower) == [(*move, False)]
    # Without its game, the table must prove again that it is one.
    table.anvil.rpc("anvil_reorg", 7, [])
    assert news(follower) == [*[(*move, True)] * 4, (*game, True)]
    assert follower.tables == {}
    table.new_game()
    assert news(follower) == [(*game, False)]


def test_reorg__while_it_reads__is_reported_by_the_next_call(
    table: LocalTable, follower: EveryTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.new_game()
    table.play("1")
    assert len(news(follower)) == 2
    removed = follower._removed

    def reorg_after_removed() -> Iterator[every_table.News]:
        yield from removed()
        table.anvil.rpc("anvil_reorg", 1, [])
        table.play("1")

    monkeypatch.setattr(follower, "_removed", reorg_after_removed)
    assert news(follower) == []
    monkeypatch.undo()
    assert news(follower) == [(table.address, "MoveMade", 1, True), (table.address, "MoveMade", 1, False)]


def test_reorg__deeper_than_expected__raises(
    table: LocalTable, follower: EveryTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(every_table, "DEPTH", 2)
    table.new_game()
    table.anvil.rpc("anvil_mine", hex(5))
    news(follower)
    table.anvil.rpc("anvil_reorg", 5, [])
    with pytest.raises(RuntimeError, match="begin again"):
        news(follower)
