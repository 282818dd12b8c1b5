"""Every position on pyrevm, and everything that can be sent to it, against the rules in plain Python.

The judge writes each position into storage. That skips no step: the storage after every accepted message is compared
too, so each position is also the outcome of a move in the one before. `test_games.py` plays them all from the start.
"""

from collections import Counter
from collections.abc import Callable

import pytest

from tests.rules.games import DRAWN
from tests.rules.layout import call
from tests.rules.model import Model, Status, attempt
from tests.rules.positions import (
    MOVE,
    NEW_GAME,
    NUMBER,
    PLAYER_O,
    PLAYER_X,
    REASONS,
    Cases,
    Message,
    forfeited,
    judge,
    moves_and_forfeits,
    outcome,
    reachable,
)
from tests.support.progress import Printer
from tests.support.revm import RevmTable


def test_every_position__follows_the_rules(new_table: Callable[[], RevmTable], printer: Printer) -> None:
    games = reachable()
    # Known of tic-tac-toe: 5,478 positions, of which 626 end with X's line, 316 with O's, and 16 are drawn.
    assert Counter(game.status for game in games) == {
        Status.IN_PROGRESS: 4_520,
        Status.X_WON: 626,
        Status.O_WON: 316,
        Status.DRAW: 16,
    }
    tally = judge(new_table(), games, printer.progress("positions", 5_478))
    printer.counts("positions on pyrevm", tally)
    assert tally.total() == 5_478 * 355
    # No outcome is rare.
    assert min(tally[kind] for kind in ("accepted", *REASONS)) > 10_000


def test_forfeited_positions__refuse_moves_and_forfeits(new_table: Callable[[], RevmTable]) -> None:
    tally = judge(new_table(), forfeited(reachable()), send=moves_and_forfeits)
    assert tally == Counter({"no game in progress": 4_520 * 36})


def test_sample_of_forfeited_positions__follows_the_rules(new_table: Callable[[], RevmTable], printer: Printer) -> None:
    sample = forfeited(reachable())[::113]
    printer.counts(f"{len(sample)} of 4,520 forfeited positions on pyrevm", judge(new_table(), sample))


def test_first_games__follow_the_rules(new_table: Callable[[], RevmTable]) -> None:
    """A new table, and the games that begin at it: the third is where every position comes from."""
    table, game = new_table(), Model()
    for _ in range(NUMBER):
        judge(table, [game])
        begun = game.new_game(PLAYER_X, PLAYER_O)
        assert table.outcome(Message(PLAYER_X, call(NEW_GAME, PLAYER_X, PLAYER_O))) == outcome(game, begun)
        game = begun
    assert game == reachable()[0]


@pytest.mark.parametrize("cells", [(), (4,), DRAWN[:8]], ids=str)
def test_every_row_and_col__follows_the_rules(new_table: Callable[[], RevmTable], cells: tuple[int, ...]) -> None:
    def every_row_and_col(game: Model, _table: int) -> Cases:
        for row in range(256):
            for col in range(256):
                yield Message(game.mover, call(MOVE, row, col)), attempt(game.move, game.mover, row, col)

    game = Model(NUMBER, PLAYER_X, PLAYER_O, cells, Status.IN_PROGRESS)
    tally = judge(new_table(), [game], send=every_row_and_col)
    counts = {"off the grid": 256 * 256 - 9, "accepted": 9 - len(cells), "cell is taken": len(cells)}
    assert tally == Counter(counts)
