"""What happened between two looks at a table, without a chain."""

import pytest

from tictactoe.game import Game
from tictactoe.terminal.changes import (
    Change,
    GameAdvanced,
    GameReorged,
    GameReplaced,
    Move,
    MovesReorged,
    difference,
)


def game(*moves: int, number: int = 1, status: str = "in_progress", o: str = "0xb") -> Game:
    return Game(number, "0xa", o, moves, status)


WON = game(0, 3, 1, 4, 2, status="x_won")


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        pytest.param(game(4), game(4), None, id="nothing"),
        pytest.param(game(4), game(4, 0, 8), GameAdvanced([Move(2, 0), Move(3, 8)]), id="two-moves"),
        pytest.param(game(0, 3, 1, 4), WON, GameAdvanced([Move(5, 2)]), id="the-winning-move"),
        pytest.param(game(4), game(4, status="o_forfeits"), GameAdvanced([]), id="a-forfeit"),
        pytest.param(game(4, 0, 8), game(4), MovesReorged([Move(2, 0), Move(3, 8)]), id="two-moves-back"),
        pytest.param(game(4, 0), game(4, 8, 0), MovesReorged([Move(2, 0)]), id="another-move"),
        pytest.param(WON, game(0, 3, 1, 4), MovesReorged([Move(5, 2)]), id="the-winning-move-back"),
        pytest.param(game(4, status="o_forfeits"), game(4), MovesReorged([]), id="a-forfeit-back"),
        pytest.param(game(4, status="o_forfeits"), game(4, 0), MovesReorged([]), id="a-move-for-a-forfeit"),
        pytest.param(WON, game(number=2), GameReplaced(WON, game(number=2)), id="a-new-game"),
        pytest.param(game(number=2), WON, GameReorged(2), id="a-game-back"),
        pytest.param(game(), game(o="0xc"), GameReorged(1), id="other-players"),
        pytest.param(Game(), game(), GameReplaced(Game(), game()), id="the-first-game"),
    ],
)
def test_difference(old: Game, new: Game, change: Change | None) -> None:
    assert difference(old, new) == change


def test_mark_of_a_move__alternates() -> None:
    assert [Move(number, 0).mark for number in (1, 2, 3)] == ["X", "O", "X"]
