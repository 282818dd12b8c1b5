"""The plain contract follows the same rules, so its cost can be compared."""

import pytest

from tests.exhaustive.test_codes import test_player__is_judged_by_the_code  # noqa: F401 - runs here with PlainTable
from tests.gas.measure import CONTRACT, PLAIN
from tests.rules import layout
from tests.rules.model import Model, Status
from tests.rules.positions import REASONS, forfeited, judge, moves_and_forfeits, reachable
from tests.support.compiler import compiled, creation_code
from tests.support.revm import RevmTable


def words(state):
    """What `gameState()` returns, without the two words that say where a part of it begins."""
    numbers = [int.from_bytes(state[at : at + 32], "big") for at in range(0, len(state), 32)]
    return numbers[1:15] + numbers[16:]


class PlainTable(RevmTable):
    """It stores what `gameState()` returns, a number in each slot. The judge uses the other contract's slots."""

    def set_storage(self, slots):
        contract = RevmTable(creation_code(CONTRACT))
        contract.set_storage(slots)
        state = words(contract.game_state())
        # After the history come moves of earlier games, which nothing reads.
        super().set_storage(state + [1] * (51 - len(state)))

    def storage(self):
        state = words(self.game_state())
        number, x, o, *_, status, _length = state[:15]
        moves = tuple(row * 3 + col for row, col in zip(state[15::4], state[16::4], strict=True))
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
    sample = judge(new_table(), [Model(), *reachable(), *forfeited(reachable())][::40])
    assert sample.total() == 250 * 355
    assert min((tally + sample)[kind] for kind in ("accepted", *REASONS)) > 1_000
