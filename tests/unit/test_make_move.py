"""`makeMove`: whose turn it is, where a mark may go, and which moves end the game."""

import ape
import pytest
from ape.utils import ZERO_ADDRESS

from tests.rules.model import EMPTY, LINES, O, Status, X


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


@pytest.mark.parametrize("line", LINES, ids=str)
def test_third_mark_in_a_line__wins_for_x(game, play, player_x, line):
    first, second, (row, col) = (divmod(cell, 3) for cell in line)
    # O takes two cells that are not on the line.
    o_first, o_second = [divmod(cell, 3) for cell in range(9) if cell not in line][:2]
    tx = play(game, first, o_first, second, o_second, (row, col))
    assert tx.events == [
        game.MoveMade(gameId=1, player=player_x, sequenceNumber=5, row=row, col=col),
        game.GameEnded(gameId=1, winner=player_x, status=Status.X_WON),
    ]


def test_third_mark_in_a_line__wins_for_o(game, play, player_o):
    tx = play(game, (1, 0), (0, 0), (1, 1), (0, 1), (2, 0), (0, 2))
    assert tx.events == [
        game.MoveMade(gameId=1, player=player_o, sequenceNumber=6, row=0, col=2),
        game.GameEnded(gameId=1, winner=player_o, status=Status.O_WON),
    ]
    state = game.gameState()
    assert (state.currentPlayer, state.status) == (O, Status.O_WON)


def test_line_of_both_players_marks__is_no_win(game, play):
    play(game, (0, 0), (0, 2), (0, 1))
    assert game.gameState().status == Status.IN_PROGRESS


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


def test_ninth_move_that_completes_a_line__wins(game, play, player_x):
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


def test_move_before_the_first_game__is_refused(table, player_x):
    with ape.reverts("no game in progress"):
        table.makeMove(1, 1, sender=player_x)


def test_move_after_the_end__is_refused(game, play, player_x, player_o):
    play(game, (0, 0), (1, 0), (0, 1), (1, 1), (0, 2))
    for player in (player_x, player_o):
        with ape.reverts("no game in progress"):
            game.makeMove(2, 2, sender=player)


def test_move_out_of_turn__is_refused(game, player_x, player_o, stranger):
    for account in (player_o, stranger):
        with ape.reverts("not your turn"):
            game.makeMove(1, 1, sender=account)
    game.makeMove(1, 1, sender=player_x)
    for account in (player_x, stranger):
        with ape.reverts("not your turn"):
            game.makeMove(0, 0, sender=account)


@pytest.mark.parametrize(("row", "col"), [(3, 0), (0, 3), (1, 4), (255, 255)])
def test_move_off_the_grid__is_refused(game, player_x, row, col):
    with ape.reverts("off the grid"):
        game.makeMove(row, col, sender=player_x)


def test_move_to_a_taken_cell__is_refused(game, play, player_x, player_o):
    play(game, (1, 1))
    with ape.reverts("cell is taken"):
        game.makeMove(1, 1, sender=player_o)
    game.makeMove(0, 0, sender=player_o)
    with ape.reverts("cell is taken"):
        game.makeMove(0, 0, sender=player_x)


def test_move_with_several_mistakes__gets_the_first_reason(game, player_x, stranger):
    with ape.reverts("not the current game"):
        game.makeMove(9, 9, 7, sender=stranger)
    with ape.reverts("not your turn"):
        game.makeMove(9, 9, 1, sender=stranger)
    game.forfeit(sender=player_x)
    with ape.reverts("no game in progress"):
        game.makeMove(9, 9, 7, sender=stranger)
