"""Watching thousands of games: counts exact, memory flat, twice as long for twice as many."""

import json
import os
import subprocess
import time
import tracemalloc
import urllib.request
from collections import Counter
from collections.abc import Iterator
from typing import Any

import ape
import click
import pytest

from tests.support.anvil import Anvil
from tests.terminal.chain import LocalTable, calldata
from tests.terminal.terminal import APE, ROOT, environment
from tictactoe import Table, events
from tictactoe.table import creation_code

# Whole games, all nine cells or fewer: X wins in five, O wins in six, a draw, X wins in seven.
GAMES = ((0, 3, 1, 4, 2), (0, 3, 1, 4, 8, 5), (0, 1, 2, 4, 3, 5, 7, 6, 8), (0, 1, 3, 2, 4, 5, 6))


class Crowd:
    """Ten people who play against themselves, one game a block, so that one account's order is the game's order."""

    def __init__(self, anvil: Anvil) -> None:
        self.local = LocalTable(anvil, creation_code().hex())
        self.anvil = anvil
        anvil.rpc("evm_setAutomine", False)
        self.nonces = dict.fromkeys(self.local.people, 0)
        self.nonces[self.local.x] = 1  # it deployed
        self.games = self.events = self.draws = 0
        self.wins: Counter[str] = Counter()

    def play(self, games: int) -> None:
        for _ in range(games):
            # Answered in any order, but an account's transactions are mined in the order of their numbers.
            batch: list[tuple[str, list[Any]]] = []
            cells = GAMES[self.games % len(GAMES)]
            person = self.local.people[self.games % 10]
            data = [calldata("newGame(address,address)", person, person)]
            data += [calldata("makeMove(uint8,uint8)", *divmod(cell, 3)) for cell in cells]
            for one in data:
                fields = {"from": person, "to": self.local.address, "data": one, "gas": hex(120_000)}
                batch.append(("eth_sendTransaction", [fields | {"nonce": hex(self.nonces[person])}]))
                self.nonces[person] += 1
            self._send(batch)
            self.anvil.rpc("evm_mine")
            self.games += 1
            self.events += len(data) + 1
            if len(cells) == 9:
                self.draws += 1
            else:
                self.wins[person] += 1

    def _send(self, batch: list[tuple[str, list[Any]]]) -> None:
        calls = [{"jsonrpc": "2.0", "id": i, "method": m, "params": p} for i, (m, p) in enumerate(batch)]
        request = urllib.request.Request(  # noqa: S310
            self.anvil.url, json.dumps(calls).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            assert not any("error" in reply for reply in json.load(answer))


@pytest.fixture(scope="module")
def crowd() -> Iterator[Crowd]:
    with Anvil() as anvil:
        yield Crowd(anvil)


def follow(crowd: Crowd) -> tuple[int, float, float]:
    """The generator in this process: how many events, the seconds it computed, and the most memory it held (MiB)."""
    with ape.networks.parse_network_choice(crowd.anvil.url):
        table = Table(crowd.local.address)
        tracemalloc.start()
        start = time.process_time()
        count = sum(event.kind != "CaughtUp" for event in events(table, follow=False))
        computing = time.process_time() - start
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return count, computing, most / 2**20


def test_events__twice_as_many_games__same_memory_and_twice_the_time(
    crowd: Crowd, capsys: pytest.CaptureFixture[str]
) -> None:
    crowd.play(30)
    follow(crowd)  # what is loaded once is no part of the figures
    figures = []
    for games in (1_000, 2_000):
        crowd.play(games - crowd.games)
        count, computing, most = follow(crowd)
        assert count == crowd.events
        figures.append((games, count, computing, most))
    with capsys.disabled():
        click.echo()
        for games, count, computing, most in figures:
            click.echo(f"  events: {games:,} games, {count:,} events, {computing:.1f} s of computing, {most:.1f} MiB")
    (_, _, once, small), (_, _, twice, large) = figures
    assert large < small * 1.2, "memory grows with the games"
    assert 1.4 < twice / once < 2.8, "time does not grow with the games alone"


def test_watch__two_thousand_games__counts_are_exact(crowd: Crowd, capsys: pytest.CaptureFixture[str]) -> None:
    """As a process, which tells every line."""
    crowd.play(2_000 - crowd.games)
    args = ("run", "watch", "--network", crowd.anvil.url, "--table", crowd.local.address, "--once", "--json")
    start = time.monotonic()
    with subprocess.Popen([APE, *args], stdout=subprocess.PIPE, cwd=ROOT, env=environment()) as process:
        assert process.stdout is not None
        lines = [json.loads(line) for line in process.stdout]
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    with capsys.disabled():
        clock, computing = time.monotonic() - start, used.ru_utime + used.ru_stime
        click.echo(
            f"\n  watch --json: {crowd.games:,} games, {len(lines) - 1:,} events in {clock:.1f} s "
            f"({computing:.1f} s of computing, with the start)"
        )
    assert lines.pop()["event"] == "CaughtUp"
    told = Counter(line["event"] for line in lines)
    assert told["GameCreated"] == told["GameEnded"] == crowd.games
    assert len(lines) == crowd.events
    assert not any(line["takenBack"] for line in lines)
    places = [(line["block"], line["logIndex"]) for line in lines]
    assert places == sorted(set(places))
    ends = [line for line in lines if line["event"] == "GameEnded"]
    assert sum(line["status"] == "draw" for line in ends) == crowd.draws
    assert Counter(line["winner"].lower() for line in ends if line["winner"]) == crowd.wins
