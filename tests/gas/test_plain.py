"""The plain contract follows the same rules, so its cost can be compared."""

from functools import cache

import pytest

from tests.exhaustive.test_codes import test_player__is_judged_by_the_code  # noqa: F401 - runs here with PlainTable
from tests.gas.measure import CONTRACT, PLAIN
from tests.rules import layout
from tests.rules.games import DRAWN
from tests.rules.layout import call
from tests.rules.model import Model, Status
from tests.rules.positions import (
    FORFEIT,
    MOVE,
    NEW_GAME,
    ON_GRID,
    REASONS,
    forfeited,
    judge,
    moves_and_forfeits,
    reachable,
)
from tests.support.compiler import compiled, creation_code
from tests.support.revm import RevmTable


@cache
def games():
    """Every position, by the slots of the other contract. The first is that of a new table."""
    return {layout.storage(game): game for game in (Model(), *reachable(), *forfeited(reachable()))}


class PlainTable(RevmTable):
    """Its storage is not packed, so no position can be written into it: each is reached by playing. Its two slots are
    what the other contract would hold, by what `gameState` returns."""

    def explore(self, slots, messages):
        new = self.evm.snapshot()
        yield from super().explore(slots, messages)
        self.evm.revert(new)

    def set_storage(self, slots):
        """The games before are drawn, so that this one begins on a full board."""
        game = games()[slots]
        for number in range(1, game.number + 1):
            self.send(game.player_x, call(NEW_GAME, game.player_x, game.player_o))
            for i, cell in enumerate(DRAWN if number < game.number else game.moves):
                self.send((game.player_x, game.player_o)[i % 2], call(MOVE, *ON_GRID[cell]))
        if game.status in (Status.X_FORFEITS, Status.O_FORFEITS):
            self.send(game.mover, call(FORFEIT))
        assert self.game_state() == layout.game_state(game)

    def storage(self):
        state = self.game_state()
        words = [int.from_bytes(state[at : at + 32], "big") for at in range(0, len(state), 32)]
        number, x, o, status, rows, cols = *words[1:4], words[14], words[17::4], words[18::4]
        moves = tuple(row * 3 + col for row, col in zip(rows, cols, strict=True))
        return layout.storage(Model(number, x, o, moves, Status(status)))


@pytest.fixture
def new_table():
    return lambda: PlainTable(creation_code(PLAIN))


def test_interface__is_the_contracts():
    plain, contract = (sorted(compiled(source)["abi"], key=str) for source in (PLAIN, CONTRACT))
    assert plain == contract


def test_every_position__follows_the_rules(new_table):
    """Every move on the grid and every forfeit; and to one position in 40, all that can be sent."""
    tally = judge(new_table(), reachable(), send=moves_and_forfeits)
    assert tally.total() == 5_478 * 36
    sample = judge(new_table(), list(games().values())[::40])
    assert sample.total() == 250 * 355
    assert min((tally + sample)[kind] for kind in ("accepted", *REASONS)) > 1_000
