"""The whole walk on anvil, a real node: what the rules accept is mined, and the rest is tried in simulated blocks."""

import http.client
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import cache
from itertools import islice
from typing import Any

import pytest

from tests.conftest import Progress
from tests.engines.judge import (
    CHUNK,
    DEPLOYING,
    IN_THE_MIDDLE,
    READING,
    SIDE_BY_SIDE,
    Message,
    Position,
    Reply,
    Seen,
    Slots,
    all_games,
    judge,
)
from tests.rules.positions import REASONS
from tests.support.anvil import Anvil, decoded
from tests.support.revm import address, forwarder

TABLES = CHUNK * 31  # 31: what the empty board accepts, and no position more
MIDDLE = address(IN_THE_MIDDLE)

# Code that returns the first two slots. In place of the table's own it reads what a simulated block has left there.
READ_SLOTS = "0x5f545f5260015460205260405ff3"

Request = tuple[str, list[Any]]  # a method and its parameters


class AnvilEngine:
    """A node with many tables.

    What is refused is asked of the first table, in simulated blocks (`eth_simulateV1`): they begin at any storage, and
    tell with what a transaction reverted, which a receipt does not. What is accepted is sent and mined, in blocks that
    have a table for each transaction, so that each finds its position there.
    """

    def __init__(self, anvil: Anvil, creation_code: bytes) -> None:
        self.anvil = anvil
        self.connection = http.client.HTTPConnection("127.0.0.1", self.anvil.port, timeout=120)
        self.nonces: defaultdict[int, int] = defaultdict(int)
        self.anvil.rpc("anvil_autoImpersonateAccount", True)
        self.mine((None, Message(DEPLOYING, creation_code)) for _ in range(TABLES))
        receipts = self.anvil.rpc("eth_getBlockReceipts", "latest")
        self.tables: list[str] = [receipt["contractAddress"] for receipt in receipts]
        self.address = self.tables[0]
        self.anvil.rpc("anvil_setCode", MIDDLE, "0x" + forwarder(int(self.address, 16)).hex())

    def explore(self, positions: list[Position]) -> list[Seen]:
        refused = self.ask([self.refused(position) for position in positions])
        legal = self.legal([(position.slots, message) for position in positions for message in position.legal])
        return [
            Seen(
                [reply(call) for call in tried["calls"][:-1]],
                (both_slots(slots["calls"][0]["returnData"]), raw(tried["calls"][-1]["returnData"])),
                list(islice(legal, len(position.legal))),
            )
            for position, (tried, slots) in zip(positions, refused, strict=True)
        ]

    def refused(self, position: Position) -> Request:
        """One block with everything, and a second that reads what the first has left."""
        first = {word(slot): word(value) for slot, value in enumerate(position.slots)}
        calls = [transaction(MIDDLE if to.through_contract else self.address, to) for to in position.refused]
        read = transaction(self.address, READING)
        return simulation(
            {"stateOverrides": {self.address: {"stateDiff": first}}, "calls": [*calls, read]},
            {"stateOverrides": {self.address: {"code": READ_SLOTS}}, "calls": [read]},
        )

    def legal(self, sent: list[tuple[Slots, Message]]) -> Iterator[tuple[Reply, Slots, bytes]]:
        """One real block with everything; then what it has left at each table."""
        tables = self.tables[: len(sent)]
        self.ask(
            ("anvil_setStorageAt", [table, word(slot), word(value)])
            for table, (slots, _) in zip(tables, sent, strict=True)
            for slot, value in enumerate(slots)
        )
        self.mine(zip(tables, (message for _, message in sent), strict=True))
        logs, states, *slots = self.ask(
            [
                ("eth_getLogs", [{"fromBlock": "latest", "toBlock": "latest"}]),
                simulation({"calls": [transaction(table, READING) for table in tables]}),
                *[("eth_getStorageAt", [table, word(slot), "latest"]) for table in tables for slot in (0, 1)],
            ]
        )
        for i, table in enumerate(tables):
            left = int(slots[2 * i], 16), int(slots[2 * i + 1], 16)
            replies = decoded([log for log in logs if log["address"] == table])
            yield replies, left, raw(states[0]["calls"][i]["returnData"])

    def mine(self, messages: Iterable[tuple[str | None, Message]]) -> None:
        """One block of them all."""
        requests: list[Request] = []
        for to, message in messages:
            order = {"nonce": hex(self.nonces[message.caller]), "gas": hex(1_000_000), "gasPrice": "0x0"}
            self.nonces[message.caller] += 1
            requests.append(("eth_sendTransaction", [transaction(to, message) | order]))
        self.ask(requests)
        self.anvil.rpc("evm_mine")

    def ask(self, requests: Iterable[Request]) -> list[Any]:
        """Many requests in one, on a connection that stays."""
        batch = [
            {"jsonrpc": "2.0", "id": i, "method": method, "params": params}
            for i, (method, params) in enumerate(requests)
        ]
        self.connection.request("POST", "/", json.dumps(batch), {"content-type": "application/json"})
        answers = json.load(self.connection.getresponse())
        assert not [answer["error"] for answer in answers if "error" in answer]
        return [answer["result"] for answer in sorted(answers, key=lambda answer: int(answer["id"]))]


@cache
def transaction(to: str | None, message: Message) -> dict[str, str]:
    fields = {"from": address(message.caller), "data": "0x" + message.data.hex()}
    return fields if to is None else fields | {"to": to}


def simulation(*blocks: dict[str, Any]) -> Request:
    return "eth_simulateV1", [{"blockStateCalls": blocks}, "latest"]


def reply(call: dict[str, Any]) -> Reply:
    return decoded(call["logs"]) if call["status"] == "0x1" else raw(call["returnData"])


def word(value: int) -> str:
    return f"0x{value:064x}"


def raw(data: str) -> bytes:
    return bytes.fromhex(data[2:])


def both_slots(data: str) -> Slots:
    return int(data[2:66], 16), int(data[66:], 16)


@pytest.fixture
def nodes(creation_code: bytes) -> Iterator[list[AnvilEngine]]:
    # Blocks when they are asked for, as large as they come, and nothing kept of earlier ones.
    options: dict[str, Any] = {"no_mining": True, "order": "fifo", "gas_limit": 10**12, "prune_history": True}
    with ExitStack() as running:
        anvils = [running.enter_context(Anvil(gas_price=0, base_fee=0, **options)) for _ in range(SIDE_BY_SIDE)]
        yield [AnvilEngine(anvil, creation_code) for anvil in anvils]


def test_every_position__on_anvil__as_the_rules_say(
    nodes: list[AnvilEngine],
    progress_of: Callable[[str, int], Progress],
    evidence: Callable[[int, str], None],
) -> None:
    games = all_games()
    tally = judge(nodes, games, progress_of("positions on anvil", len(games)))
    assert min(tally[outcome] for outcome in ("accepted", *REASONS)) > 10_000
    evidence(len(games), "positions on anvil")
    evidence(tally.total(), "transactions on anvil")
