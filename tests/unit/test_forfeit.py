"""`forfeit`: only on one's own turn and while the game is in progress; the other player wins."""

from typing import Any

import pytest

from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.rules.model import O, X
from tests.support.embedded import Play, Refuses


@pytest.mark.parametrize("number", [(), (0,), (1,)], ids=["left out", "zero", "current"])
def test_forfeit_by_x__wins_for_o(game: Any, player_x: Any, player_o: Any, number: tuple[int, ...]) -> None:
    tx = game.forfeit(*number, sender=player_x)
    assert tx.events == [game.GameEnded(gameId=1, winner=player_o, status=5)]
    assert (game.gameState().status, game.gameState().currentPlayer) == (5, X)


@pytest.mark.parametrize("number", [(), (0,), (1,)], ids=["left out", "zero", "current"])
def test_forfeit_by_o__wins_for_x(game: Any, play: Play, player_x: Any, player_o: Any, number: tuple[int, ...]) -> None:
    play(game, 4)
    before = game.gameState()
    tx = game.forfeit(*number, sender=player_o)
    assert tx.events == [game.GameEnded(gameId=1, winner=player_x, status=6)]

    after = game.gameState()
    assert (after.status, after.currentPlayer) == (6, O)
    assert (after.board, after.moveHistory) == (before.board, before.moveHistory)


def test_forfeit_before_the_ninth_move__wins_for_o(game: Any, play: Play, player_x: Any, player_o: Any) -> None:
    play(game, *DRAWN[:8])
    tx = game.forfeit(sender=player_x)
    assert tx.events == [game.GameEnded(gameId=1, winner=player_o, status=5)]


def test_forfeit_out_of_turn__is_refused(
    game: Any, play: Play, player_x: Any, player_o: Any, stranger: Any, refuses: Refuses
) -> None:
    for caller in (player_o, stranger):
        with refuses(game, "not your turn"):
            game.forfeit(sender=caller)
    play(game, 4)
    for caller in (player_x, stranger):
        with refuses(game, "not your turn"):
            game.forfeit(1, sender=caller)


@pytest.mark.parametrize("number", [1, 3, 2**52 + 2, 2**256 - 1])
def test_forfeit_with_another_number__is_refused(
    game: Any, player_x: Any, player_o: Any, refuses: Refuses, number: int
) -> None:
    game.newGame(player_x, player_o, sender=player_o)
    with refuses(game, "not the current game"):
        game.forfeit(number, sender=player_x)


def test_forfeit_before_the_first_game__is_refused(table: Any, player_x: Any, refuses: Refuses) -> None:
    with refuses(table, "no game in progress"):
        table.forfeit(sender=player_x)


@pytest.mark.parametrize("cells", [WON_BY_X, WON_BY_O, DRAWN], ids=["x won", "o won", "draw"])
def test_forfeit_after_the_end__is_refused(
    game: Any, play: Play, player_x: Any, player_o: Any, refuses: Refuses, cells: tuple[int, ...]
) -> None:
    play(game, *cells)
    for caller in (player_x, player_o):
        with refuses(game, "no game in progress"):
            game.forfeit(sender=caller)


def test_forfeit_a_second_time__is_refused(game: Any, player_x: Any, player_o: Any, refuses: Refuses) -> None:
    game.forfeit(sender=player_x)
    for caller in (player_x, player_o):
        with refuses(game, "no game in progress"):
            game.forfeit(sender=caller)


def test_forfeit_with_several_mistakes__gets_the_first_reason(
    game: Any, player_x: Any, stranger: Any, refuses: Refuses
) -> None:
    with refuses(game, "not the current game"):
        game.forfeit(7, sender=stranger)
    game.forfeit(sender=player_x)
    with refuses(game, "no game in progress"):
        game.forfeit(7, sender=stranger)
