"""`newGame`: who may start one and for whom, and what remains of the game before."""

from typing import Any

import pytest
from ape.utils import ZERO_ADDRESS

from tests.rules.games import DRAWN, WON_BY_X
from tests.rules.model import X
from tests.support.embedded import Play, Refuses

EMPTY_BOARD = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]


def is_fresh(state: Any, number: int, player_x: Any, player_o: Any) -> bool:
    fields = (state.gameId, state.playerX, state.playerO, state.board, state.currentPlayer, state.status)
    return fields == (number, player_x, player_o, EMPTY_BOARD, X, 1) and state.moveHistory == []


def test_new_game_by_a_player__starts_game_one(table: Any, player_x: Any, player_o: Any) -> None:
    tx = table.newGame(player_x, player_o, sender=player_x)
    assert tx.events == [table.GameCreated(gameId=1, playerX=player_x, playerO=player_o)]
    assert is_fresh(table.gameState(), 1, player_x, player_o)


def test_new_game_by_a_stranger__starts_game_one(table: Any, player_x: Any, player_o: Any, stranger: Any) -> None:
    tx = table.newGame(player_x, player_o, sender=stranger)
    assert tx.events == [table.GameCreated(gameId=1, playerX=player_x, playerO=player_o)]
    assert is_fresh(table.gameState(), 1, player_x, player_o)


def test_new_game_with_one_person_in_both_seats__is_played_alone(table: Any, player_x: Any) -> None:
    table.newGame(player_x, player_x, sender=player_x)
    assert is_fresh(table.gameState(), 1, player_x, player_x)
    for cell in WON_BY_X:
        table.makeMove(cell // 3, cell % 3, sender=player_x)
    assert table.gameState().status == 2


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param((), id="just begun"),
        pytest.param((4, 0, 8), id="in progress"),
        pytest.param(WON_BY_X, id="won"),
        pytest.param(DRAWN, id="drawn"),
    ],
)
def test_new_game_over_another__keeps_only_the_count(
    game: Any, play: Play, player_x: Any, player_o: Any, other: Any, cells: tuple[int, ...]
) -> None:
    play(game, *cells)
    tx = game.newGame(player_o, other, sender=player_x)
    assert tx.events == [game.GameCreated(gameId=2, playerX=player_o, playerO=other)]
    assert is_fresh(game.gameState(), 2, player_o, other)


def test_new_game_over_a_forfeited_one__keeps_only_the_count(game: Any, player_x: Any, player_o: Any) -> None:
    game.forfeit(sender=player_x)
    game.newGame(player_o, player_x, sender=player_o)
    assert is_fresh(game.gameState(), 2, player_o, player_x)


@pytest.mark.parametrize("number", [0, 1], ids=["zero", "current"])
def test_new_game_with_the_current_number_or_zero__replaces_the_game(
    game: Any, play: Play, player_x: Any, player_o: Any, number: int
) -> None:
    play(game, 4, 0)
    tx = game.newGame(player_o, player_x, number, sender=player_o)
    assert tx.events == [game.GameCreated(gameId=2, playerX=player_o, playerO=player_x)]
    assert is_fresh(game.gameState(), 2, player_o, player_x)


def test_new_game_from_both_players_at_once__starts_one_game(
    game: Any, play: Play, player_x: Any, player_o: Any, refuses: Refuses
) -> None:
    play(game, *WON_BY_X)
    game.newGame(player_o, player_x, 1, sender=player_x)
    with refuses(game, "not the current game"):
        game.newGame(player_o, player_x, 1, sender=player_o)


@pytest.mark.parametrize("number", [1, 3, 4, 2 + 2**52, 2**256 - 1])
def test_new_game_with_another_number__is_refused(
    game: Any, player_x: Any, player_o: Any, refuses: Refuses, number: int
) -> None:
    game.newGame(player_x, player_o, sender=player_x)
    with refuses(game, "not the current game"):
        game.newGame(player_o, player_x, number, sender=player_x)


@pytest.mark.parametrize("number", [1, 2**52, 2**256 - 1])
def test_first_new_game_with_a_number__is_refused(
    table: Any, player_x: Any, player_o: Any, refuses: Refuses, number: int
) -> None:
    with refuses(table, "not the current game"):
        table.newGame(player_x, player_o, number, sender=player_x)


def test_new_game_with_several_mistakes__gets_the_first_reason(game: Any, player_x: Any, refuses: Refuses) -> None:
    with refuses(game, "not the current game"):
        game.newGame(ZERO_ADDRESS, game.address, 2, sender=player_x)


@pytest.mark.parametrize("seat", ["X", "O", "both"])
def test_new_game_with_the_zero_address__is_refused(game: Any, player_x: Any, refuses: Refuses, seat: str) -> None:
    players = [ZERO_ADDRESS if seat in (mark, "both") else player_x for mark in "XO"]
    with refuses(game, "player is the zero address"):
        game.newGame(*players, sender=player_x)


@pytest.mark.parametrize("seat", ["X", "O", "both"])
def test_new_game_with_a_contract__is_refused(game: Any, player_x: Any, refuses: Refuses, seat: str) -> None:
    players = [game.address if seat in (mark, "both") else player_x for mark in "XO"]
    with refuses(game, "player is a contract"):
        game.newGame(*players, sender=player_x)


@pytest.mark.parametrize("seat", ["X", "O"])
def test_new_game_with_the_zero_address_and_a_contract__is_refused(
    game: Any, player_x: Any, refuses: Refuses, seat: str
) -> None:
    players = [ZERO_ADDRESS if seat == mark else game.address for mark in "XO"]
    with refuses(game, "player is the zero address"):
        game.newGame(*players, sender=player_x)
