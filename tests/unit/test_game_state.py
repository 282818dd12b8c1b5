"""`gameState`: everything about the game in one call: before, during and after it."""

from typing import Any

import pytest
from ape.utils import ZERO_ADDRESS

from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.rules.model import O, X
from tests.support.embedded import Play


def test_game_state_before_the_first_game__is_empty(table: Any) -> None:
    state = table.gameState()
    assert (state.gameId, state.playerX, state.playerO) == (0, ZERO_ADDRESS, ZERO_ADDRESS)
    assert state.board == [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert (state.currentPlayer, state.status, state.moveHistory) == (0, 0, [])


def test_game_state_during_a_game__has_the_moves_in_order(game: Any, play: Play, player_x: Any, player_o: Any) -> None:
    play(game, 4, 0, 8)
    state = game.gameState()
    assert (state.gameId, state.playerX, state.playerO) == (1, player_x, player_o)
    assert state.board == [[O, 0, 0], [0, X, 0], [0, 0, X]]
    assert (state.currentPlayer, state.status) == (O, 1)
    moves = [(move.row, move.col, move.player, move.sequenceNumber) for move in state.moveHistory]
    assert moves == [(1, 1, X, 1), (0, 0, O, 2), (2, 2, X, 3)]


@pytest.mark.parametrize(
    ("cells", "status", "last"),
    [
        pytest.param(WON_BY_X, 2, X, id="x won"),
        pytest.param(WON_BY_O, 3, O, id="o won"),
        pytest.param(DRAWN, 4, X, id="draw"),
    ],
)
def test_game_state_after_the_end__keeps_the_game(
    game: Any, play: Play, cells: tuple[int, ...], status: int, last: int
) -> None:
    play(game, *cells)
    state = game.gameState()
    assert (state.status, state.currentPlayer) == (status, last)
    history = [(move.row * 3 + move.col, move.player, move.sequenceNumber) for move in state.moveHistory]
    assert history == [(cell, X if i % 2 == 0 else O, i + 1) for i, cell in enumerate(cells)]
    marks = [mark for row in state.board for mark in row]
    assert marks == [next((mark for cell, mark, _ in history if cell == i), 0) for i in range(9)]
