"""Every position on @ethereumjs/evm, an engine in TypeScript that shares no code with those in Rust.

Everything that the rules accept is sent, and each refusal in one position of thirteen.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Progress
from tests.engines.judge import (
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
from tests.rules.layout import word
from tests.rules.positions import REASONS
from tests.support.anvil import decoded
from tests.support.npm import npm_package
from tests.support.revm import address, forwarder

PROGRAM = Path(__file__).parent / "ethereumjs.mjs"
# It needs a third of a millisecond for each: the whole walk takes five minutes on two cores.
# A prime, so that a refusal's turn does not come with one number of moves only.
ONE_IN = 13


class EthereumJsEngine:
    """A process with the engine in it."""

    def __init__(self, node: "subprocess.Popen[bytes]", creation_code: bytes) -> None:
        self.process = node
        self.address = self.ask("deploy", asked(Message(DEPLOYING, creation_code)))
        middle = "0x" + forwarder(int(self.address, 16)).hex()
        self.ask("prepare", asked(READING), address(IN_THE_MIDDLE), middle)

    def explore(self, positions: list[Position]) -> list[Seen]:
        found = self.ask(
            "explore",
            [
                {
                    "slots": ["0x" + word(slot).hex() for slot in position.slots],
                    "refused": [asked(message) for message in position.refused],
                    "legal": [asked(message) for message in position.legal],
                }
                for position in positions
            ],
        )
        return [
            Seen(
                [reply(told) for told in seen["refused"]],
                standing(*seen["standing"]),
                [(reply(told), *standing(slots, state)) for told, slots, state in seen["legal"]],
            )
            for seen in found
        ]

    def ask(self, task: str, *what: Any) -> Any:
        """A line there, a line back."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps([task, *what]).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"{PROGRAM.name} ended with {self.process.wait(timeout=10)}"
        return json.loads(line)


@cache
def asked(message: Message) -> dict[str, Any]:
    return {"from": address(message.caller), "data": "0x" + message.data.hex(), "through": message.through_contract}


def reply(told: Any) -> Reply:
    return bytes.fromhex(told[2:]) if isinstance(told, str) else decoded(told)


def standing(slots: list[str], state: str) -> tuple[Slots, bytes]:
    game, player_o = (int(slot, 16) for slot in slots)
    return (game, player_o), bytes.fromhex(state[2:])


def node() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(["node", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


@pytest.fixture
def processes(creation_code: bytes) -> Iterator[list[EthereumJsEngine]]:
    npm_package()
    with ExitStack() as running:
        yield [EthereumJsEngine(running.enter_context(node()), creation_code) for _ in range(SIDE_BY_SIDE)]


def test_every_position__on_ethereumjs__as_the_rules_say(
    processes: list[EthereumJsEngine],
    progress_of: Callable[[str, int], Progress],
    evidence: Callable[[int, str], None],
) -> None:
    games = all_games()
    tally = judge(processes, games, progress_of("positions on @ethereumjs/evm", len(games)), one_in=ONE_IN)
    assert min(tally[outcome] for outcome in ("accepted", *REASONS)) > 1_000
    evidence(len(games), "positions on @ethereumjs/evm")
    evidence(tally.total(), "transactions on @ethereumjs/evm")
