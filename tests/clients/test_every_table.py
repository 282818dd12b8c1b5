"""The listing that follows every table of a chain: what it reports, what it ignores, and what a reorg does to it."""

from collections.abc import Callable, Iterator

import pytest
from web3 import Web3

from docs.snippets import every_table
from docs.snippets.every_table import EveryTable
from tests.rules.games import WON_BY_X
from tests.rules.layout import word
from tests.support.anvil import Anvil
from tests.support.commands import keys_for
from tests.support.compiler import compiled
from tests.support.local_table import LocalTable
from tests.support.roles import Role

Deploy = Callable[[], LocalTable]
WON = keys_for(WON_BY_X)

# Emits one event with the four topics that it is called with.
EMITTER = "60603560403560203560003560006000a4"


@pytest.fixture
def anvil() -> Iterator[Anvil]:
    with Anvil() as anvil:
        yield anvil


@pytest.fixture
def follower(anvil: Anvil, contract_source: str) -> EveryTable:
    outputs = compiled(contract_source)
    return EveryTable(anvil.url, outputs["abi"], Web3.keccak(hexstr=outputs["bytecode_runtime"]))


@pytest.fixture
def deploy(anvil: Anvil, creation_code: bytes) -> Deploy:
    return lambda: LocalTable(anvil, creation_code)


def news(follower: EveryTable) -> list[tuple[str, str, int, bool]]:
    """Where, what, in which game, and whether it was removed."""
    return [(event["address"], event["event"], event["args"]["gameId"], removed) for event, removed in follower.news()]


def test_two_tables__are_followed_at_once(follower: EveryTable, deploy: Deploy) -> None:
    one, two = deploy(), deploy()
    assert news(follower) == []
    one.new_game()
    two.new_game()
    one.play(WON)
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
    anvil: Anvil, follower: EveryTable, deploy: Deploy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(every_table, "RANGE", 3)
    table = deploy()
    table.new_game()
    anvil.rpc("anvil_mine", hex(70))
    table.play("1")
    assert news(follower) == [(table.address, "GameCreated", 1, False), (table.address, "MoveMade", 1, False)]
    # As after a long sleep: the last block that was read is an old one now.
    table.play("2")
    anvil.rpc("anvil_mine", hex(70))
    table.play("3")
    assert news(follower) == [(table.address, "MoveMade", 1, False)] * 2


def test_other_contracts_with_the_same_topics__are_ignored(anvil: Anvil, follower: EveryTable) -> None:
    stranger = Web3.to_checksum_address("0x" + "e0" * 20)
    anvil.rpc("anvil_setCode", stranger, "0x" + EMITTER)
    for topic in follower.events:
        anvil.send(Role.PLAYER_X.address, bytes.fromhex(topic[2:]) + bytes(96), stranger)
    assert len(anvil.rpc("eth_getLogs", {"fromBlock": "0x0", "address": stranger})) == 3
    assert news(follower) == []


def test_constructor_that_emits_events__is_ignored(anvil: Anvil, follower: EveryTable, deploy: Deploy) -> None:
    """It returns the right code. The game that comes later is a real one."""
    genuine = bytes.fromhex(anvil.rpc("eth_getCode", deploy().address, "latest")[2:])
    player = word(int(Role.PLAYER_X.address, 16))
    topics = [bytes.fromhex(follower.new_game[2:]), word(7), player, player]
    emit = b"".join(b"\x7f" + topic for topic in reversed(topics)) + bytes.fromhex("60006000a4")
    size = len(genuine).to_bytes(2)
    length = len(emit) + 15
    give = b"\x61" + size + b"\x61" + length.to_bytes(2) + bytes.fromhex("600039") + b"\x61" + size
    forged = LocalTable(anvil, emit + give + bytes.fromhex("6000f3") + genuine)
    assert anvil.rpc("eth_getCode", forged.address, "latest") == f"0x{genuine.hex()}"
    assert len(forged.logs()) == 1
    assert news(follower) == []
    forged.new_game()
    assert news(follower) == [(forged.address, "GameCreated", 1, False)]


def test_reorg__removes_the_newest_events_first(anvil: Anvil, follower: EveryTable, deploy: Deploy) -> None:
    table = deploy()
    table.new_game()
    table.play(WON)
    assert len(news(follower)) == 7
    anvil.rpc("anvil_reorg", 2, [])
    assert news(follower) == [
        (table.address, "GameEnded", 1, True),
        (table.address, "MoveMade", 1, True),
        (table.address, "MoveMade", 1, True),
    ]
    table.play(WON[3:4])
    assert news(follower) == [(table.address, "MoveMade", 1, False)]
    # Without its game, the table must prove again that it is one.
    anvil.rpc("anvil_reorg", 7, [])
    assert news(follower) == [*[(table.address, "MoveMade", 1, True)] * 4, (table.address, "GameCreated", 1, True)]
    assert follower.tables == {}
    table.new_game()
    assert news(follower) == [(table.address, "GameCreated", 1, False)]


def test_reorg_while_it_reads__is_reported_by_the_next_call(
    anvil: Anvil, follower: EveryTable, deploy: Deploy, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = deploy()
    table.new_game()
    table.play(WON[:1])
    assert len(news(follower)) == 2
    removed = follower._removed

    def reorg_after_removed() -> Iterator[every_table.News]:
        yield from removed()
        anvil.rpc("anvil_reorg", 1, [])
        table.play(WON[:1])

    monkeypatch.setattr(follower, "_removed", reorg_after_removed)
    assert news(follower) == []
    monkeypatch.undo()
    assert news(follower) == [(table.address, "MoveMade", 1, True), (table.address, "MoveMade", 1, False)]


def test_reorg_deeper_than_expected__raises(
    anvil: Anvil, follower: EveryTable, deploy: Deploy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(every_table, "DEPTH", 2)
    deploy().new_game()
    anvil.rpc("anvil_mine", hex(5))
    news(follower)
    anvil.rpc("anvil_reorg", 5, [])
    with pytest.raises(RuntimeError, match="begin again"):
        news(follower)
