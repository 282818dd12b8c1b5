"""`gameState`: everything about the game in one call."""

from ape.utils import ZERO_ADDRESS

from tests.rules.model import EMPTY, O, Status, X


def test_game_state_before_the_first_game__is_empty(table):
    state = table.gameState()
    assert (state.gameId, state.playerX, state.playerO) == (0, ZERO_ADDRESS, ZERO_ADDRESS)
    assert state.board == [[EMPTY, EMPTY, EMPTY]] * 3
    assert (state.currentPlayer, state.status, state.moveHistory) == (EMPTY, Status.NO_GAME, [])


def test_game_state__has_the_moves_in_order_and_stays_after_the_end(game, play, player_x, player_o):
    play(game, (0, 1), (1, 0), (0, 0), (1, 1), (0, 2))
    state = game.gameState()
    assert (state.gameId, state.playerX, state.playerO) == (1, player_x, player_o)
    assert state.board == [[X, X, X], [O, O, EMPTY], [EMPTY, EMPTY, EMPTY]]
    assert (state.currentPlayer, state.status) == (X, Status.X_WON)
    moves = [(move.row, move.col, move.player, move.sequenceNumber) for move in state.moveHistory]
    assert moves == [(0, 1, X, 1), (1, 0, O, 2), (0, 0, X, 3), (1, 1, O, 4), (0, 2, X, 5)]
