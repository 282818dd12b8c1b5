"""Two players and a spectator on a network like Sepolia: its chain ID, a block a second, keyfiles, a process each."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.rules.games import WON_BY_X
from tests.support.anvil import SEPOLIA, Anvil
from tests.support.commands import Running, ape_run, keys_for, lines
from tests.support.keyfiles import ANNA, BEN, PASSPHRASE
from tests.support.terminal import Terminal
from tictactoe import Game, Table
from tictactoe.node import Node
from tictactoe.terminal.output_text import passphrase_of


@pytest.fixture
def sepolia(keyfiles: None) -> Iterator[Anvil]:  # noqa: ARG001
    with Anvil(chain_id=SEPOLIA, block_time=1) as node:
        for keyfile in (ANNA, BEN):
            node.rpc("anvil_setBalance", keyfile.address, hex(10**18))
        yield node


def rebuilt(output: str) -> Game:
    """The newest game, from the lines of `watch --json`."""
    game = Game()
    for line in map(json.loads, output.splitlines()):
        if line["event"] == "GameCreated":
            game = Game(line["gameId"], line["playerX"], line["playerO"], (), "in_progress")
        elif line["event"] == "MoveMade":
            game = replace(game, moves=(*game.moves, line["row"] * 3 + line["col"]))
        elif line["event"] == "GameEnded":
            game = replace(game, status=line["status"])
    return game


def test_two_players_and_a_spectator__see_the_same_game(sepolia: Anvil, connect: Callable[[str], Node]) -> None:
    network = ("--network", sepolia.url)
    chain = ("--expected-chain-id", str(SEPOLIA))
    unasked = (*chain, "--yes", "--confirmations", "1", "--json")
    deployed = ape_run("deploy", *network, "--account", ANNA.alias, *unasked, env=ANNA.unlocked)
    assert deployed.code == 0, deployed.err
    report: dict[str, Any] = json.loads(deployed.out)
    assert report["deployer"] == ANNA.address
    assert report["chainId"] == SEPOLIA
    assert report["proved"] is True
    assert int(report["cost"]) > 0

    # No command names the table: ape remembers it. Anna's passphrase comes from the environment, Ben types his.
    x_keys, o_keys = keys_for(WON_BY_X[::2]), keys_for(WON_BY_X[1::2])
    opening = (*chain, "--account", ANNA.alias, "--against", BEN.address)
    with (
        Running("watch", *network, "--json") as watch,
        Running("play", *network, *opening, env=ANNA.unlocked) as anna,
    ):
        anna.press(lines(x_keys))
        watch.wait_for('"GameCreated"')
        with Terminal("play", *network, *chain, "--account", BEN.alias) as ben:
            ben.wait_for(passphrase_of(BEN.alias))
            ben.press(f"{PASSPHRASE}\n")
            for number, key in enumerate(o_keys, start=1):
                ben.wait_for("Your turn", f"X{x_keys[number - 1]}")
                ben.press(key)
            ben.wait_for("You lost")
            ben.press("q")
            assert ben.end() == 0
        anna.wait_for("Game 1: X wins.")
        anna.press("q\n")
        assert anna.end() == 0
        watch.wait_for('"GameEnded"')
        watch.interrupt()
        assert watch.end() == 0

    assert PASSPHRASE not in ben.raw
    assert "\a" in ben.raw, "no bell when the turn came"
    for words in ("signing", "sent 0x", "mined in block", "https://sepolia.etherscan.io/tx/0x"):
        assert words in anna.text
    game = Table(report["address"], connect(sepolia.url)).state()
    assert game == Game(1, ANNA.address, BEN.address, WON_BY_X, "x_won")
    assert rebuilt(watch.text) == game
