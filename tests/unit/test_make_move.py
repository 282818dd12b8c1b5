"""`makeMove`: what a move changes, and which moves end the game. `test_refusals.py` has those that are refused."""

import ape
from ape.utils import ZERO_ADDRESS

from tests.rules.model import EMPTY, O, Status, X


def test_move__places_the_mark_and_passes_the_turn(game, player_x, player_o):
    tx = game.makeMove(1, 2, sender=player_x)
    assert tx.events == [game.MoveMade(gameId=1, player=player_x, sequenceNumber=1, row=1, col=2)]
    state = game.gameState()
    assert state.board == [[EMPTY, EMPTY, EMPTY], [EMPTY, EMPTY, X], [EMPTY, EMPTY, EMPTY]]
    assert (state.currentPlayer, state.status) == (O, Status.IN_PROGRESS)

    tx = game.makeMove(0, 0, sender=player_o)
    assert tx.events == [game.MoveMade(gameId=1, player=player_o, sequenceNumber=2, row=0, col=0)]
    state = game.gameState()
    assert state.board == [[O, EMPTY, EMPTY], [EMPTY, EMPTY, X], [EMPTY, EMPTY, EMPTY]]
    assert (state.currentPlayer, state.status) == (X, Status.IN_PROGRESS)


def test_three_in_a_row__wins_for_x(game, play, player_x):
    tx = play(game, (0, 0), (1, 0), (0, 1), (1, 1), (0, 2))
    assert tx.events == [
        game.MoveMade(gameId=1, player=player_x, sequenceNumber=5, row=0, col=2),
        game.GameEnded(gameId=1, winner=player_x, status=Status.X_WON),
    ]
    state = game.gameState()
    assert (state.currentPlayer, state.status) == (X, Status.X_WON)


def test_three_in_a_column__wins_for_o(game, play, player_o):
    tx = play(game, (0, 0), (0, 2), (0, 1), (1, 2), (1, 0), (2, 2))
    assert tx.events == [
        game.MoveMade(gameId=1, player=player_o, sequenceNumber=6, row=2, col=2),
        game.GameEnded(gameId=1, winner=player_o, status=Status.O_WON),
    ]
    state = game.gameState()
    assert (state.currentPlayer, state.status) == (O, Status.O_WON)


def test_ninth_move_without_a_line__is_a_draw(game, play, player_x):
    #  X X O
    #  O O X
    #  X O X
    tx = play(game, (0, 0), (0, 2), (0, 1), (1, 0), (1, 2), (1, 1), (2, 0), (2, 1), (2, 2))
    assert tx.events == [
        game.MoveMade(gameId=1, player=player_x, sequenceNumber=9, row=2, col=2),
        game.GameEnded(gameId=1, winner=ZERO_ADDRESS, status=Status.DRAW),
    ]
    state = game.gameState()
    assert (state.currentPlayer, state.status) == (X, Status.DRAW)


def test_ninth_move_that_completes_a_diagonal__wins(game, play, player_x):
    #  X O X
    #  O X O
    #  O X X   the last mark is at the bottom right
    tx = play(game, (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 1), (2, 0), (2, 2))
    assert tx.events == [
        game.MoveMade(gameId=1, player=player_x, sequenceNumber=9, row=2, col=2),
        game.GameEnded(gameId=1, winner=player_x, status=Status.X_WON),
    ]


def test_move_that_names_its_game__is_made_in_no_other(game, player_x, player_o):
    tx = game.makeMove(1, 1, 1, sender=player_x)
    assert tx.events == [game.MoveMade(gameId=1, player=player_x, sequenceNumber=1, row=1, col=1)]
    game.newGame(player_x, player_o, sender=player_o)
    with ape.reverts("not the current game"):
        game.makeMove(1, 1, 1, sender=player_x)
