"""Events that follow from a game, and every one that does not."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.support.fake_chain import OTHER, O, X
from tictactoe.game import LAST_NUMBER, STATUSES, ZERO_ADDRESS, Game
from tictactoe.logs import GameCreated, GameEnded, Log, MoveMade
from tictactoe.replay import apply

PLACE: dict[str, Any] = {"block": 5, "block_hash": "", "transaction": "", "index": 0}


def created(number: int = 1, x: str = X, o: str = O) -> GameCreated:
    return GameCreated(number=number, player_x=x, player_o=o, **PLACE)


def moved(move: int, cell: int, player: str = "", number: int = 1) -> MoveMade:
    return MoveMade(number=number, player=player or (X if move % 2 else O), move=move, cell=cell, **PLACE)


def ended(winner: str, status: str, number: int = 1) -> GameEnded:
    return GameEnded(number=number, winner=winner, status=status, **PLACE)


def story(cells: tuple[int, ...], *end: GameEnded) -> list[Log]:
    return [created(), *(moved(move, cell) for move, cell in enumerate(cells, start=1)), *end]


STORIES = [
    story(WON_BY_X, ended(X, "x_won")),
    story(WON_BY_O, ended(O, "o_won")),
    story(DRAWN, ended(ZERO_ADDRESS, "draw")),
    story((), ended(O, "x_forfeits")),
    story((4,), ended(X, "o_forfeits")),
    story((4, 0, 8)),
]


def games(logs: list[Log]) -> Iterator[tuple[Game, Log, Game]]:
    """Before, log, after: written out once more."""
    game = Game()
    for log in logs:
        before = game
        if isinstance(log, GameCreated):
            game = Game(log.number, log.player_x, log.player_o, (), "in_progress")
        elif isinstance(log, MoveMade):
            game = replace(game, moves=(*game.moves, log.cell))
        elif isinstance(log, GameEnded):
            game = replace(game, status=log.status)
        yield before, log, game


@pytest.mark.parametrize("logs", STORIES)
def test_true_story__is_applied(logs: list[Log]) -> None:
    for before, log, after in games(logs):
        assert apply(before, log) == after


def lies(log: Log) -> Iterator[Log]:
    """The log with another value in one of its fields."""
    yield replace(log, number=log.number - 1)
    yield replace(log, number=log.number + 1)
    match log:
        case GameCreated():
            yield replace(log, player_x=ZERO_ADDRESS)
            yield replace(log, player_o=ZERO_ADDRESS)
        case MoveMade():
            yield replace(log, move=log.move - 1)
            yield replace(log, move=log.move + 1)
            yield from (replace(log, player=player) for player in {X, O, OTHER} - {log.player})
        case GameEnded():
            yield from (replace(log, winner=winner) for winner in {X, O, OTHER, ZERO_ADDRESS} - {log.winner})
            yield from (replace(log, status=status) for status in {*STATUSES} - {log.status})


@pytest.mark.parametrize("logs", STORIES)
def test_every_lie_in_a_true_story__is_refused(logs: list[Log]) -> None:
    """Also each log twice, and each where another belongs."""
    before_each = list(games(logs))
    for before, log, after in before_each:
        assert [lie for lie in lies(log) if apply(before, lie) is not None] == []
        if not isinstance(log, GameCreated):
            assert apply(after, log) is None
    for before, _, _ in before_each:
        for other, log, _ in before_each:
            if before != other and not (before.in_progress and isinstance(log, GameEnded)):
                assert apply(before, log) is None


def test_taken_cell__is_refused() -> None:
    game = Game(1, X, O, (4, 0), "in_progress")
    assert [cell for cell in range(9) if apply(game, moved(3, cell)) is None] == [0, 4]


def test_move_or_new_game_after_a_line__is_refused() -> None:
    line = Game(1, X, O, WON_BY_X, "in_progress")
    assert apply(line, moved(6, 8)) is None
    assert apply(line, created(2)) is None
    assert apply(line, ended(X, "x_won")) == replace(line, status="x_won")


@pytest.mark.parametrize("status", ["in_progress", "o_forfeits"])
def test_new_game__may_follow_any_game(status: str) -> None:
    game = Game(1, X, O, (4,), status)
    assert apply(game, created(2, O, O)) == Game(2, O, O, (), "in_progress")


def test_any_number__is_for_the_first_game_seen() -> None:
    assert apply(Game(), created(7)) is None
    assert apply(Game(), created(7), any_number=True) == Game(7, X, O, (), "in_progress")
    assert apply(Game(), created(LAST_NUMBER + 1), any_number=True) is None
    assert apply(Game(), moved(1, 4, number=7), any_number=True) is None
