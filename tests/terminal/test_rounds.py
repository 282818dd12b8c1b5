"""`ape run play`, the next round: each new game names the one it replaces, so two requests give one game."""

from collections.abc import Iterator

import pytest

from tests.rules.games import WON_BY_X
from tests.rules.layout import GAME_CREATED, call
from tests.support.anvil import Anvil
from tests.support.commands import Running, ape_run, keys_for, lines
from tests.support.local_table import LocalTable
from tests.support.roles import Role
from tictactoe.errors import REASONS

OVERTAKEN = "another transaction came first"


@pytest.fixture
def finished(creation_code: bytes) -> Iterator[LocalTable]:
    """A table where game 1 is over."""
    with Anvil() as anvil:
        table = LocalTable(anvil, creation_code)
        table.new_game()
        table.play(keys_for(WON_BY_X))
        yield table


def playing(table: LocalTable, role: Role) -> Running:
    where = ("--network", table.anvil.url, "--table", table.address)
    return Running("play", *where, "--account", role.alias, terminal=True)


def ask_for_the_next_round(player: Running) -> None:
    """Up to the last question, whether to swap the seats."""
    player.wait_for("n for a new game")
    player.press("n\n")
    player.wait_for("Swap seats?")


def test_next_round__asked_for_by_both_in_one_block__is_one_game(finished: LocalTable) -> None:
    finished.anvil.rpc("evm_setAutomine", False)
    with playing(finished, Role.PLAYER_X) as x, playing(finished, Role.PLAYER_O) as o:
        for player in (x, o):
            ask_for_the_next_round(player)
            player.press("n\n")
            player.wait_for("waiting for a block")
        finished.anvil.rpc("evm_mine")
        for player in (x, o):
            player.wait_for("Game 2")
        x.wait_for("X, your move")
        x.press("q\n")
        o.interrupt()
        x.end()
        o.end()
    assert [OVERTAKEN in player.text for player in (x, o)].count(True) == 1
    assert created(finished) == [1, 2]


def test_next_round__asked_for_too_late__changes_nothing_and_shows_the_new_game(finished: LocalTable) -> None:
    with playing(finished, Role.PLAYER_X) as x:
        ask_for_the_next_round(x)
        finished.new_game()
        height = finished.anvil.height
        x.press("n\n")
        x.wait_for("Game 2")
        x.wait_for("Somebody started game 2.")
        x.wait_for(REASONS["not the current game"].split(" (")[0])
        x.wait_for("X, your move")
        x.press("q\n")
        assert x.end() == 0
    assert finished.anvil.height == height


def test_new_game__carries_the_number_of_the_game_it_replaces(creation_code: bytes) -> None:
    with Anvil() as anvil:
        table = LocalTable(anvil, creation_code)
        where = ("--network", anvil.url, "--table", table.address)
        keys = lines("fyn") + "n\n"
        done = ape_run("play", *where, "--x", Role.PLAYER_X.alias, "--o", Role.PLAYER_O.alias, keys=keys)
        assert done.code == 0, done.err
        blocks = [anvil.rpc("eth_getBlockByNumber", hex(number), True) for number in (2, 4)]
    players = (int(table.x, 16), int(table.o, 16))
    signature = "newGame(address,address,uint256)"
    # Before the first game there is no number to give: 0 names no game.
    expected = [call(signature, *players, replaced) for replaced in (0, 1)]
    assert [block["transactions"][0]["input"] for block in blocks] == [f"0x{data.hex()}" for data in expected]


def created(table: LocalTable) -> list[int]:
    """The numbers of the games that were started."""
    topic = f"0x{GAME_CREATED.hex()}"
    found = table.anvil.rpc("eth_getLogs", {"address": table.address, "fromBlock": "0x0", "topics": [topic]})
    return [int(log["topics"][1], 16) for log in found]
