"""`ape run play` on a network: who sits where, what a key may do, and coming back with the same command."""

import pytest

from tests.rules.games import WON_BY_O
from tests.rules.layout import call
from tests.support.commands import Command, Running, ape_run, keys_for, lines
from tests.support.local_table import LocalTable
from tests.support.roles import Role
from tictactoe import errors
from tictactoe.errors import REASONS
from tictactoe.formatting import short
from tictactoe.game import ZERO_ADDRESS
from tictactoe.terminal import output_text

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


def test_stranger__watches(command: Command, local: LocalTable) -> None:
    local.new_game()
    local.play("5")
    done = command("play", *local.options, "--account", Role.STRANGER.alias)
    assert done.code == 0
    assert output_text.NOT_A_PLAYER in " ".join(done.out.split())
    assert "O to move" in done.out


@pytest.mark.parametrize(
    ("seat", "sentence"),
    [((), errors.SPECTATORS_CANNOT_START), (("--account", Role.STRANGER.alias), errors.OPPONENT_MISSING)],
)
def test_new_game_without_a_seat_or_an_opponent__names_the_option(
    command: Command, local: LocalTable, seat: tuple[str, ...], sentence: str
) -> None:
    local.new_game()
    height = local.anvil.height
    done = command("play", *local.options, *seat, keys="n\n")
    assert done.failed_with(errors.WrongOptions(sentence))
    assert local.anvil.height == height


def test_move_out_of_turn__is_not_sent(command: Command, local: LocalTable) -> None:
    local.new_game()
    height = local.anvil.height
    done = command("play", *local.options, "--account", Role.STRANGER.alias, keys="1\n")
    assert done.code == errors.Reverted.exit_code
    assert REASONS["not your turn"] in done.out
    assert local.anvil.height == height


def test_game_of_others__is_not_replaced_without_a_question(command: Command, local: LocalTable) -> None:
    local.new_game()
    seats = ("--account", Role.STRANGER.alias, "--against", Role.OTHER.address)
    done = command("play", *local.options, *seats, keys="n\n")
    assert f"Game 1 between {X} and {O} is not finished. Start a new game in its place?" in done.out
    assert done.failed_with(errors.DeclinedToReplace())
    done = command("play", *local.options, *seats, keys="y\n")
    assert "X to move" in done.out
    assert "Game 2" in done.out


@pytest.mark.parametrize("reason", ["player is a contract", "player is the zero address"])
def test_opponent_that_cannot_play__is_refused(command: Command, local: LocalTable, reason: str) -> None:
    against = local.address if reason == "player is a contract" else ZERO_ADDRESS
    done = command("play", *local.options, "--account", Role.PLAYER_X.alias, "--against", against)
    assert done.failed_with(errors.Reverted(reason))


@pytest.mark.parametrize(
    "seats",
    [
        ("--x", Role.PLAYER_X.alias, "--o", Role.PLAYER_O.alias),
        ("--account", Role.PLAYER_X.alias, "--against", Role.PLAYER_O.address),
    ],
)
def test_invitation__is_for_one_seat_without_an_opponent(
    command: Command, local: LocalTable, seats: tuple[str, ...]
) -> None:
    assert command("play", *local.options, *seats, "--invite").failed_with(
        errors.WrongOptions(errors.INVITE_NEEDS_ONE_SEAT)
    )
    assert command("play", "--account", Role.PLAYER_X.alias, "--invite").failed_with(
        errors.WrongOptions(errors.INVITE_NEEDS_ONE_SEAT)
    )


# -- coming back with the same command -------------------------------------------------------


def command_of(local: LocalTable, player: Role, against: Role) -> tuple[str, ...]:
    return "play", *local.options, "--account", player.alias, "--against", against.address


@pytest.mark.parametrize("player", [Role.PLAYER_X, Role.PLAYER_O])
def test_same_command_again__continues_in_the_seat_there_is(local: LocalTable, player: Role) -> None:
    """`--account` asks for X, and this player has O in the game in progress."""
    against = Role.PLAYER_O if player is Role.PLAYER_X else Role.PLAYER_X
    local.x, local.o = against.address, player.address
    local.new_game()
    local.play("5")
    height = local.anvil.height
    done = ape_run(*command_of(local, player, against))
    assert done.code == 0, done.err
    assert "Game 1 goes on: you play O." in done.out
    assert "Your turn" in done.out
    assert local.anvil.height == height


def test_both_seats_swapped__continues_and_names_the_seats(local: LocalTable) -> None:
    local.new_game(local.o, local.x)
    height = local.anvil.height
    done = ape_run("play", *local.options, "--x", Role.PLAYER_X.alias, "--o", Role.PLAYER_O.alias)
    assert done.code == 0, done.err
    assert f"Game 1 goes on: {O} plays X, {X} plays O." in done.out
    assert local.anvil.height == height


@pytest.fixture
def ended(local: LocalTable) -> LocalTable:
    """Game 1 is over: O has won."""
    local.new_game()
    local.play(keys_for(WON_BY_O))
    return local


def test_game_over_on_return__is_shown_until_a_key_starts_the_next(ended: LocalTable) -> None:
    height = ended.anvil.height
    with Running(*command_of(ended, Role.PLAYER_X, Role.PLAYER_O), "--plain", terminal=True) as play:
        play.wait_for("You lost")
        play.wait_for("n for the next game")
        assert ended.anvil.height == height
        play.press("s\n")
        play.wait_for("X, your move")
        assert ended.anvil.height == height + 1
        play.press("q\n")
        assert play.end() == 0


def test_game_over_on_return__without_a_terminal_starts_the_next(ended: LocalTable) -> None:
    done = ape_run(*command_of(ended, Role.PLAYER_X, Role.PLAYER_O))
    assert done.code == 0, done.err
    assert done.out.index("Game 1: O wins.") < done.out.index("new game: mined")
    assert "Start the next one?" not in done.out
    assert "Game 2" in done.out
