"""The next round: a new game names the one it replaces, so two requests start one game."""

import pytest

from tests.rules.games import WON_BY_X
from tests.rules.layout import GAME_CREATED, call
from tests.support.commands import Running, ape_run, keys_for, lines
from tests.support.local_table import LocalTable
from tests.support.roles import Role
from tictactoe.errors import REASONS

OVERTAKEN = "another transaction came first"


@pytest.fixture
def finished(local: LocalTable) -> LocalTable:
    """Game 1 is over."""
    local.new_game()
    local.play(keys_for(WON_BY_X))
    return local


def asked_for_the_next_round(local: LocalTable, player: Role) -> Running:
    """A player who has pressed `n` and has yet to choose whether the seats are swapped."""
    play = Running("play", *local.options, "--account", player.alias, terminal=True)
    play.wait_for("n for a new game")
    play.press("n\n")
    play.wait_for("Swap seats?")
    return play


def test_next_round_by_both_in_one_block__is_one_game(finished: LocalTable) -> None:
    finished.anvil.rpc("evm_setAutomine", False)
    with (
        asked_for_the_next_round(finished, Role.PLAYER_X) as x,
        asked_for_the_next_round(finished, Role.PLAYER_O) as o,
    ):
        for player in (x, o):
            player.press("n\n")
            player.wait_for("waiting for a block")
        finished.anvil.rpc("evm_mine")
        for player in (x, o):
            player.wait_for("Game 2")
        x.wait_for("X, your move")
        x.press("q\n")
        x.end()
        o.interrupt()
        o.end()
    assert [OVERTAKEN in player.text for player in (x, o)].count(True) == 1
    assert created(finished) == [1, 2]


def test_next_round_asked_for_too_late__shows_the_new_game(finished: LocalTable) -> None:
    with asked_for_the_next_round(finished, Role.PLAYER_X) as x:
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


def test_new_game__carries_the_number_it_replaces(local: LocalTable) -> None:
    keys = lines("fyn") + "n\n"
    done = ape_run("play", *local.options, "--x", Role.PLAYER_X.alias, "--o", Role.PLAYER_O.alias, keys=keys)
    assert done.code == 0, done.err
    blocks = [local.anvil.rpc("eth_getBlockByNumber", hex(number), True) for number in (2, 4)]
    players = (int(local.x, 16), int(local.o, 16))
    # Before the first game there is no number to give: 0 names no game.
    expected = [call("newGame(address,address,uint256)", *players, replaced) for replaced in (0, 1)]
    assert [block["transactions"][0]["input"] for block in blocks] == [f"0x{data.hex()}" for data in expected]


def created(local: LocalTable) -> list[int]:
    """The numbers of the games that were started."""
    topic = f"0x{GAME_CREATED.hex()}"
    logs = local.anvil.rpc("eth_getLogs", {"address": local.address, "fromBlock": "0x0", "topics": [topic]})
    return [int(log["topics"][1], 16) for log in logs]
