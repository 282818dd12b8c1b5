"""Every position, and everything that can be sent to it.

The judge writes each position into storage. That skips no step: the storage after every accepted message is compared
too, so each position is also the outcome of a move in the one before. `test_games.py` plays them all from the start.
"""

from collections import Counter

import pytest

from tests.rules.games import DRAWN
from tests.rules.model import Model, Status
from tests.rules.positions import (
    NUMBER,
    PLAYER_O,
    PLAYER_X,
    REASONS,
    forfeited,
    judge,
    move,
    moves_and_forfeits,
    new_game,
    outcome,
    reachable,
)


def test_every_position__follows_the_rules(new_table, print_counts):
    games = reachable()
    # Known of tic-tac-toe: 5,478 positions, of which 626 end with X's line, 316 with O's, and 16 are drawn.
    assert Counter(game.status for game in games) == {
        Status.IN_PROGRESS: 4_520,
        Status.X_WON: 626,
        Status.O_WON: 316,
        Status.DRAW: 16,
    }
    tally = judge(new_table(), games)
    print_counts("positions on pyrevm", tally)
    assert tally.total() == 5_478 * 355
    # No outcome is rare.
    assert min(tally[kind] for kind in ("accepted", *REASONS)) > 10_000


def test_forfeited_positions__follow_the_rules(new_table):
    """Every move on the grid and every forfeit; and to a sample of them, everything."""
    games = forfeited(reachable())
    tally = judge(new_table(), games, send=moves_and_forfeits)
    assert tally == {"no game in progress": 4_520 * 36}
    assert judge(new_table(), games[::113]).total() == 40 * 355


def test_first_games__follow_the_rules(new_table):
    """A new table, and the games that begin at it: the third is where every position comes from."""
    table, game = new_table(), Model()
    for _ in range(NUMBER):
        judge(table, [game])
        message, begun = new_game(game, PLAYER_X, PLAYER_X, PLAYER_O)
        assert table.outcome(message) == outcome(game, begun)
        game = begun
    assert game == reachable()[0]


@pytest.mark.parametrize("cells", [(), (4,), DRAWN[:8]], ids=str)
def test_every_row_and_col__follows_the_rules(new_table, cells):
    def every_row_and_col(game, _table):
        return (move(game, game.mover, row, col) for row in range(256) for col in range(256))

    game = Model(NUMBER, PLAYER_X, PLAYER_O, cells, Status.IN_PROGRESS)
    tally = judge(new_table(), [game], send=every_row_and_col)
    # For a Counter, 0 of a kind is the same as none.
    assert tally == Counter({"off the grid": 256 * 256 - 9, "accepted": 9 - len(cells), "cell is taken": len(cells)})
