"""`makeMove`: whose turn it is, where a mark may go, and which moves end the game."""

from typing import Any

import pytest
from ape.utils import ZERO_ADDRESS

from tests.rules.games import DRAWN, O_FILLS, WON_BY_O, WON_BY_THE_NINTH, WON_BY_X, X_FILLS
from tests.rules.model import LINES, O, X
from tests.support.embedded import Play, Refuses


@pytest.mark.parametrize("cell", range(9))
def test_move_in_any_empty_cell__passes_the_turn(game: Any, player_x: Any, player_o: Any, cell: int) -> None:
    tx = game.makeMove(cell // 3, cell % 3, sender=player_x)
    event = game.MoveMade(gameId=1, player=player_x, sequenceNumber=1, row=cell // 3, col=cell % 3)
    assert tx.events == [event]

    state = game.gameState()
    marks = [mark for row in state.board for mark in row]
    assert marks == [X if i == cell else 0 for i in range(9)]
    assert (state.currentPlayer, state.status, len(state.moveHistory)) == (O, 1, 1)

    row, col = divmod((cell + 1) % 9, 3)
    tx = game.makeMove(row, col, sender=player_o)
    assert tx.events == [game.MoveMade(gameId=1, player=player_o, sequenceNumber=2, row=row, col=col)]
    assert (game.gameState().currentPlayer, game.gameState().status) == (X, 1)


@pytest.mark.parametrize("line", LINES, ids=str)
def test_move_that_fills_a_line__wins_for_x(game: Any, play: Play, player_x: Any, line: tuple[int, ...]) -> None:
    tx = play(game, *X_FILLS[line])
    last = {"sequenceNumber": 5, "row": line[2] // 3, "col": line[2] % 3}
    assert tx.events == [
        game.MoveMade(gameId=1, player=player_x, **last),
        game.GameEnded(gameId=1, winner=player_x, status=2),
    ]
    assert (game.gameState().status, game.gameState().currentPlayer) == (2, X)


@pytest.mark.parametrize("line", LINES, ids=str)
def test_move_that_fills_a_line__wins_for_o(game: Any, play: Play, player_o: Any, line: tuple[int, ...]) -> None:
    tx = play(game, *O_FILLS[line])
    last = {"sequenceNumber": 6, "row": line[2] // 3, "col": line[2] % 3}
    assert tx.events == [
        game.MoveMade(gameId=1, player=player_o, **last),
        game.GameEnded(gameId=1, winner=player_o, status=3),
    ]
    assert (game.gameState().status, game.gameState().currentPlayer) == (3, O)


def test_move_that_completes_a_mixed_line__is_no_win(game: Any, play: Play) -> None:
    play(game, 0, 2, 1, 8, 3)
    assert game.gameState().status == 1


def test_ninth_move_without_a_line__is_a_draw(game: Any, play: Play, player_x: Any) -> None:
    tx = play(game, *DRAWN)
    assert tx.events == [
        game.MoveMade(gameId=1, player=player_x, sequenceNumber=9, row=2, col=2),
        game.GameEnded(gameId=1, winner=ZERO_ADDRESS, status=4),
    ]
    assert (game.gameState().status, game.gameState().currentPlayer) == (4, X)


def test_ninth_move_that_fills_a_line__wins(game: Any, play: Play, player_x: Any) -> None:
    tx = play(game, *WON_BY_THE_NINTH)
    assert tx.events == [
        game.MoveMade(gameId=1, player=player_x, sequenceNumber=9, row=2, col=2),
        game.GameEnded(gameId=1, winner=player_x, status=2),
    ]


@pytest.mark.parametrize("number", [(), (0,), (1,)], ids=["left out", "zero", "current"])
def test_move_with_the_current_number_or_none__is_made(game: Any, player_x: Any, number: tuple[int, ...]) -> None:
    tx = game.makeMove(1, 1, *number, sender=player_x)
    assert tx.events == [game.MoveMade(gameId=1, player=player_x, sequenceNumber=1, row=1, col=1)]


@pytest.mark.parametrize("number", [1, 3, 2**52 + 2, 2**256 - 1])
def test_move_with_another_number__is_refused(
    game: Any, player_x: Any, player_o: Any, refuses: Refuses, number: int
) -> None:
    game.newGame(player_x, player_o, sender=player_o)
    with refuses(game, "not the current game"):
        game.makeMove(0, 0, number, sender=player_x)


def test_move_before_the_first_game__is_refused(table: Any, player_x: Any, refuses: Refuses) -> None:
    with refuses(table, "no game in progress"):
        table.makeMove(0, 0, sender=player_x)


@pytest.mark.parametrize("cells", [WON_BY_X, WON_BY_O, DRAWN], ids=["x won", "o won", "draw"])
def test_move_after_the_end__is_refused(
    game: Any, play: Play, player_x: Any, player_o: Any, refuses: Refuses, cells: tuple[int, ...]
) -> None:
    play(game, *cells)
    for caller in (player_x, player_o):
        with refuses(game, "no game in progress"):
            game.makeMove(2, 0, sender=caller)


@pytest.mark.parametrize("cells", [(), (4,)], ids=["x forfeits", "o forfeits"])
def test_move_after_a_forfeit__is_refused(
    game: Any, play: Play, player_x: Any, player_o: Any, refuses: Refuses, cells: tuple[int, ...]
) -> None:
    play(game, *cells)
    game.forfeit(sender=player_o if cells else player_x)
    for caller in (player_x, player_o):
        with refuses(game, "no game in progress"):
            game.makeMove(0, 0, sender=caller)


def test_move_out_of_turn__is_refused(
    game: Any, play: Play, player_x: Any, player_o: Any, stranger: Any, refuses: Refuses
) -> None:
    for caller in (player_o, stranger):
        with refuses(game, "not your turn"):
            game.makeMove(0, 0, sender=caller)
    play(game, 4)
    for caller in (player_x, stranger):
        with refuses(game, "not your turn"):
            game.makeMove(0, 0, sender=caller)


@pytest.mark.parametrize("off", [3, 4, 7, 8, 85, 128, 254, 255])
@pytest.mark.parametrize("other", [0, 2, 255])
def test_move_off_the_grid__is_refused(game: Any, player_x: Any, refuses: Refuses, off: int, other: int) -> None:
    for row, col in ((off, other), (other, off)):
        with refuses(game, "off the grid"):
            game.makeMove(row, col, sender=player_x)


def test_move_in_a_taken_cell__is_refused(
    game: Any, play: Play, player_x: Any, player_o: Any, refuses: Refuses
) -> None:
    play(game, 4)
    with refuses(game, "cell is taken"):
        game.makeMove(1, 1, sender=player_o)
    game.makeMove(0, 0, sender=player_o)
    for row, col in ((1, 1), (0, 0)):
        with refuses(game, "cell is taken"):
            game.makeMove(row, col, sender=player_x)


def test_move_with_several_mistakes__gets_the_first_reason(
    game: Any, play: Play, player_x: Any, stranger: Any, refuses: Refuses
) -> None:
    play(game, 4, 0)
    with refuses(game, "not the current game"):
        game.makeMove(9, 9, 7, sender=stranger)
    with refuses(game, "not your turn"):
        game.makeMove(9, 9, 1, sender=stranger)
    with refuses(game, "off the grid"):
        game.makeMove(1, 4, sender=player_x)  # 1 * 3 + 4 would be a cell
    game.forfeit(sender=player_x)
    with refuses(game, "no game in progress"):
        game.makeMove(9, 9, 7, sender=stranger)
