"""`newGame`: who may start one and for whom, and what remains of the game before."""

import ape
import pytest

from tests.rules.model import EMPTY, Status, X


def assert_fresh(state, number, player_x, player_o):
    """The game has just begun: an empty board, and X to move."""
    assert (state.gameId, state.playerX, state.playerO) == (number, player_x, player_o)
    assert state.board == [[EMPTY, EMPTY, EMPTY]] * 3
    assert (state.currentPlayer, state.status, state.moveHistory) == (X, Status.IN_PROGRESS, [])


def test_new_game__may_be_started_by_anyone(table, player_x, player_o, stranger):
    tx = table.newGame(player_x, player_o, sender=stranger)
    assert tx.events == [table.GameCreated(gameId=1, playerX=player_x, playerO=player_o)]
    assert_fresh(table.gameState(), 1, player_x, player_o)


def test_new_game_with_one_person_in_both_seats__is_played_alone(table, player_x):
    table.newGame(player_x, player_x, sender=player_x)
    for row, col in [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)]:
        table.makeMove(row, col, sender=player_x)
    assert table.gameState().status == Status.X_WON


@pytest.mark.parametrize(
    "cells",
    [[(1, 1), (0, 0), (2, 2)], [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)]],
    ids=["in progress", "won"],
)
def test_new_game_over_another__keeps_only_the_count(game, play, player_x, player_o, other, cells):
    play(game, *cells)
    tx = game.newGame(player_o, other, sender=player_x)
    assert tx.events == [game.GameCreated(gameId=2, playerX=player_o, playerO=other)]
    assert_fresh(game.gameState(), 2, player_o, other)


def test_new_game_from_both_players_at_once__starts_one_game(game, player_x, player_o):
    """Each names the game that it replaces, so the second one comes too late."""
    game.newGame(player_o, player_x, 1, sender=player_x)
    with ape.reverts("not the current game"):
        game.newGame(player_o, player_x, 1, sender=player_o)
    assert_fresh(game.gameState(), 2, player_o, player_x)
