"""`ape run play` on a network: who sits where, what a key may do, and coming back with the same command."""

import re

import pytest

from tests.rules.games import WON_BY_O
from tests.rules.layout import call
from tests.support.commands import Command, keys_for, lines
from tests.support.local_table import LocalTable
from tests.support.roles import Role
from tictactoe.errors import AccountError
from tictactoe.formatting import short

X, O = short(Role.PLAYER_X.address), short(Role.PLAYER_O.address)


# -- seats -----------------------------------------------------------------------------------


def test_moves__carry_their_games_number(command: Command, local: LocalTable) -> None:
    """So that a move signed for one game lands in no other."""
    local.new_game()
    local.new_game()
    seats = ("--x", Role.PLAYER_X.alias, "--o", Role.PLAYER_O.alias)
    assert command("play", *local.options, *seats, keys=lines("5fy")).code == 0
    blocks = [local.anvil.rpc("eth_getBlockByNumber", hex(number), True) for number in (4, 5)]
    sent = [block["transactions"][0]["input"] for block in blocks]
    assert sent == [
        f"0x{data.hex()}" for data in (call("makeMove(uint8,uint8,uint256)", 1, 1, 2), call("forfeit(uint256)", 2))
    ]


def test_game_of_others__is_not_replaced_without_a_question(command: Command, local: LocalTable) -> None:
    local.new_game()
    seats = ("--account", Role.STRANGER.alias, "--against", Role.OTHER.address)
    done = command("play", *local.options, *seats, keys="n\n")
    assert f"Game 1 between {X} and {O} is not finished. Start a new game in its place?" in done.out
    assert done.failed_with(
        AccountError("Nothing was sent, and the game goes on.", "For a table of your own, use `ape run deploy`.")
    )
    done = command("play", *local.options, *seats, keys="y\n")
    assert "X to move" in done.out
    assert "Game 2" in done.out


# -- coming back with the same command -------------------------------------------------------


def command_of(local: LocalTable, player: Role, against: Role) -> tuple[str, ...]:
    return "play", *local.options, "--account", player.alias, "--against", against.address


@pytest.mark.parametrize(("player", "against"), [(Role.PLAYER_X, Role.PLAYER_O), (Role.PLAYER_O, Role.PLAYER_X)])
def test_same_command_again__continues_in_the_seat_there_is(
    command: Command, local: LocalTable, player: Role, against: Role
) -> None:
    """`--account` asks for X, and this player has O in the game in progress."""
    local.x, local.o = against.address, player.address
    local.new_game()
    local.play("5")
    height = local.anvil.height
    done = command(*command_of(local, player, against))
    assert done.code == 0, done.err
    assert re.search(rf"O +{player.address}  you", done.out)
    assert "Your turn" in done.out
    assert local.anvil.height == height


@pytest.fixture
def ended(local: LocalTable) -> LocalTable:
    """Game 1 is over: O has won."""
    local.new_game()
    local.play(keys_for(WON_BY_O))
    return local


@pytest.mark.parametrize("keys", ["q", "sq"])
def test_game_over_on_return__is_shown_until_a_key_starts_the_next(
    command: Command, ended: LocalTable, keys: str
) -> None:
    height = ended.anvil.height
    again = command_of(ended, Role.PLAYER_X, Role.PLAYER_O)
    done = command(*again, "--plain", answers=[f"{key}\n" for key in keys])
    assert done.code == 0, done.err
    assert "You lost" in done.out
    assert ended.anvil.height == height + (keys == "sq")
    assert ("Your turn" in done.out) == (keys == "sq")


def test_game_over_on_return__without_a_terminal_starts_the_next(command: Command, ended: LocalTable) -> None:
    done = command(*command_of(ended, Role.PLAYER_X, Role.PLAYER_O))
    assert done.code == 0, done.err
    assert done.out.index("You lost") < done.out.index("new game: mined") < done.out.index("Game 2")
