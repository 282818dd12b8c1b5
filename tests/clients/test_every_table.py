"""The listing that follows every table of a chain: what it reports, what it ignores, and what a reorg does to it."""

from collections.abc import Iterator
from typing import Any

import pytest
from eth_typing import ChecksumAddress
from web3 import Web3

from docs.snippets import every_table
from docs.snippets.every_table import EveryTable
from tests.rules.games import WON_BY_X
from tests.support.anvil import Anvil
from tests.support.compiler import compiled

# Emits one event with the four topics that it is called with.
EMITTER = "60603560403560203560003560006000a4"


class Chain:
    """Transactions on anvil, each in a block of its own. Two people play."""

    def __init__(self, anvil: Anvil, abi: list[dict[str, Any]]) -> None:
        self.anvil = anvil
        self.abi = abi
        self.eth = Web3(Web3.HTTPProvider(anvil.url)).eth
        self.x, self.o, self.deployer = list(self.eth.accounts)[:3]

    def deploy(self, creation_code: bytes) -> ChecksumAddress:
        sent = self.eth.send_transaction({"from": self.deployer, "data": creation_code})
        table = self.eth.wait_for_transaction_receipt(sent)["contractAddress"]
        assert table is not None
        return table

    def new_game(self, table: ChecksumAddress) -> None:
        self.at(table).newGame(self.x, self.o).transact({"from": self.x})

    def play(self, table: ChecksumAddress, cells: tuple[int, ...]) -> None:
        """The next cells of the game, in turn."""
        for cell in cells:
            mark = self.at(table).gameState().call()[4]
            self.at(table).makeMove(cell // 3, cell % 3).transact({"from": {1: self.x, 2: self.o}[mark]})

    def at(self, table: ChecksumAddress) -> Any:
        return self.eth.contract(table, abi=self.abi).functions


@pytest.fixture
def chain(abi: list[dict[str, Any]]) -> Iterator[Chain]:
    with Anvil() as anvil:
        yield Chain(anvil, abi)


@pytest.fixture
def follower(chain: Chain, contract_source: str) -> EveryTable:
    code = bytes.fromhex(compiled(contract_source)["bytecode_runtime"][2:])
    return EveryTable(chain.anvil.url, chain.abi, Web3.keccak(code))


def news(follower: EveryTable) -> list[tuple[str, str, int, bool]]:
    """Where, what, in which game, and whether it was removed."""
    return [(event["address"], event["event"], event["args"]["gameId"], removed) for event, removed in follower.news()]


def test_two_tables__are_followed_at_once(chain: Chain, follower: EveryTable, creation_code: bytes) -> None:
    one, two = chain.deploy(creation_code), chain.deploy(creation_code)
    assert news(follower) == []
    chain.new_game(one)
    chain.new_game(two)
    chain.play(one, WON_BY_X)
    assert news(follower) == [
        (one, "GameCreated", 1, False),
        (two, "GameCreated", 1, False),
        *[(one, "MoveMade", 1, False)] * 5,
        (one, "GameEnded", 1, False),
    ]
    chain.new_game(one)
    assert news(follower) == [(one, "GameCreated", 2, False)]
    assert news(follower) == []


def test_old_blocks__are_read_in_ranges(
    chain: Chain, follower: EveryTable, creation_code: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(every_table, "RANGE", 3)
    table = chain.deploy(creation_code)
    chain.new_game(table)
    chain.anvil.rpc("anvil_mine", hex(70))
    chain.play(table, (0,))
    assert news(follower) == [(table, "GameCreated", 1, False), (table, "MoveMade", 1, False)]
    # As after a long sleep: the last block that was read is an old one now.
    chain.play(table, (1,))
    chain.anvil.rpc("anvil_mine", hex(70))
    chain.play(table, (2,))
    assert news(follower) == [(table, "MoveMade", 1, False)] * 2


def test_other_contracts__with_the_same_topics__are_ignored(chain: Chain, follower: EveryTable) -> None:
    stranger = Web3.to_checksum_address("0x" + "e0" * 20)
    chain.anvil.rpc("anvil_setCode", stranger, "0x" + EMITTER)
    for topic in follower.events:
        chain.eth.send_transaction({"from": chain.x, "to": stranger, "data": topic + "00" * 96})
    assert len(chain.eth.get_logs({"fromBlock": 0, "address": stranger})) == 3
    assert news(follower) == []


def test_constructor__that_emits_events_of_its_own__is_not_believed(
    chain: Chain, follower: EveryTable, creation_code: bytes
) -> None:
    """It returns the right code. The game that comes later is a real one."""
    genuine = chain.eth.get_code(chain.deploy(creation_code))
    topics = [bytes.fromhex(follower.new_game[2:]), bytes(31) + b"\x07", *[bytes(12) + bytes.fromhex(chain.x[2:])] * 2]
    emit = b"".join(b"\x7f" + topic for topic in reversed(topics)) + bytes.fromhex("60006000a4")
    size = len(genuine).to_bytes(2)
    length = len(emit) + 15
    give = b"\x61" + size + b"\x61" + length.to_bytes(2) + bytes.fromhex("600039") + b"\x61" + size
    forged = chain.deploy(emit + give + bytes.fromhex("6000f3") + genuine)
    assert chain.eth.get_code(forged) == genuine
    assert len(chain.eth.get_logs({"fromBlock": 0, "address": forged})) == 1
    assert news(follower) == []
    chain.new_game(forged)
    assert news(follower) == [(forged, "GameCreated", 1, False)]


def test_reorg__removes_events__newest_first(chain: Chain, follower: EveryTable, creation_code: bytes) -> None:
    table = chain.deploy(creation_code)
    chain.new_game(table)
    chain.play(table, WON_BY_X)
    assert len(news(follower)) == 7
    chain.anvil.rpc("anvil_reorg", 2, [])
    assert news(follower) == [(table, "GameEnded", 1, True), (table, "MoveMade", 1, True), (table, "MoveMade", 1, True)]
    chain.play(table, WON_BY_X[3:4])
    assert news(follower) == [(table, "MoveMade", 1, False)]
    # Without its game, the table must prove again that it is one.
    chain.anvil.rpc("anvil_reorg", 7, [])
    assert news(follower) == [*[(table, "MoveMade", 1, True)] * 4, (table, "GameCreated", 1, True)]
    assert follower.tables == {}
    chain.new_game(table)
    assert news(follower) == [(table, "GameCreated", 1, False)]


def test_reorg__while_it_reads__is_reported_by_the_next_call(
    chain: Chain, follower: EveryTable, creation_code: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = chain.deploy(creation_code)
    chain.new_game(table)
    chain.play(table, WON_BY_X[:1])
    assert len(news(follower)) == 2
    removed = follower._removed

    def reorg_after_removed() -> Iterator[every_table.News]:
        yield from removed()
        chain.anvil.rpc("anvil_reorg", 1, [])
        chain.play(table, WON_BY_X[:1])

    monkeypatch.setattr(follower, "_removed", reorg_after_removed)
    assert news(follower) == []
    monkeypatch.undo()
    assert news(follower) == [(table, "MoveMade", 1, True), (table, "MoveMade", 1, False)]


def test_reorg__deeper_than_expected__raises(
    chain: Chain, follower: EveryTable, creation_code: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(every_table, "DEPTH", 2)
    chain.new_game(chain.deploy(creation_code))
    chain.anvil.rpc("anvil_mine", hex(5))
    news(follower)
    chain.anvil.rpc("anvil_reorg", 5, [])
    with pytest.raises(RuntimeError, match="begin again"):
        news(follower)
