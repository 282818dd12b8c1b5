"""Each shared game ends as its name states."""

import pytest

from tests.rules import games
from tests.rules.games import Moves
from tests.rules.model import LINES, Model, Status


def played(moves: Moves) -> Model:
    """The game after these moves. The rules refuse every move after its end."""
    game = Model().new_game(1, 2)
    for cell in moves:
        game = game.move(game.mover, cell // 3, cell % 3)
    return game


@pytest.mark.parametrize(
    ("moves", "length", "status"),
    [
        pytest.param(games.DRAWN, 9, Status.DRAW, id="drawn"),
        pytest.param(games.WON_BY_X, 5, Status.X_WON, id="won by X"),
        pytest.param(games.WON_BY_O, 6, Status.O_WON, id="won by O"),
        pytest.param(games.WON_BY_THE_NINTH, 9, Status.X_WON, id="won by the ninth"),
    ],
)
def test_shared_game__matches_its_name(moves: Moves, length: int, status: Status) -> None:
    assert (len(moves), played(moves).status) == (length, status)


@pytest.mark.parametrize(
    ("filling", "length", "status"), [(games.X_FILLS, 5, Status.X_WON), (games.O_FILLS, 6, Status.O_WON)]
)
def test_fillings_fill_every_line__and_no_other(filling: dict[Moves, Moves], length: int, status: Status) -> None:
    assert tuple(filling) == LINES
    for line, moves in filling.items():
        game = played(moves)
        own = {cell for cell, mark in enumerate(game.board) if mark == game.current_player}
        assert (len(moves), game.status) == (length, status)
        assert [other for other in LINES if own.issuperset(other)] == [line]
