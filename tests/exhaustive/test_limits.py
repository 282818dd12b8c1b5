"""Game numbers and addresses at the limits of their fields: no field of the packed word changes its neighbour."""

from collections.abc import Callable

import pytest

from tests.rules import layout
from tests.rules.games import DRAWN, WON_BY_O, WON_BY_THE_NINTH, WON_BY_X
from tests.rules.layout import call
from tests.rules.model import Model, Refused, Status
from tests.rules.positions import FORFEIT, FORFEIT_IN, MOVE_IN, NEW_GAME, Message, outcome
from tests.support.revm import RevmTable

LAST = 2**52 - 1  # the highest game number that its field holds
NUMBERS = [1, 2, 2**32, 2**51 - 1, LAST - 1, LAST]

# All bits set, only the lowest, only the highest, every second one.
ADDRESSES = [2**160 - 1, 1, 2**159, 0xAAAA_AAAA_AAAA_AAAA_AAAA_AAAA_AAAA_AAAA_AAAA_AAAA]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("player_x", ADDRESSES, ids=hex)
@pytest.mark.parametrize("player_o", [ADDRESSES[0], ADDRESSES[-1]], ids=hex)
@pytest.mark.parametrize("cells", [WON_BY_X, WON_BY_O, DRAWN, WON_BY_THE_NINTH], ids=str)
def test_whole_game_at_the_limits__keeps_to_its_fields(
    new_table: Callable[[], RevmTable], number: int, player_x: int, player_o: int, cells: tuple[int, ...]
) -> None:
    table, game = new_table(), Model(number, player_x, player_o, (), Status.IN_PROGRESS)
    table.set_storage(layout.storage(game))
    for cell in cells:
        forfeits = Message(game.mover, call(FORFEIT)), Message(game.mover, call(FORFEIT_IN, number))
        for forfeit in forfeits:
            checkpoint = table.evm.snapshot()
            assert table.outcome(forfeit) == outcome(game, game.forfeit(game.mover))
            table.evm.revert(checkpoint)
        # A field that were a bit too wide or too narrow would take one of these for this game's number.
        for wrong in (number + 2**52, number ^ 2**51, number << 1, 2**256 - number):
            for data in (call(FORFEIT_IN, wrong), call(MOVE_IN, 1, 1, wrong)):
                refused = Refused("not the current game")
                assert table.outcome(Message(game.mover, data)) == outcome(game, refused)
        move = Message(game.mover, call(MOVE_IN, cell // 3, cell % 3, number))
        after = game.move(game.mover, cell // 3, cell % 3, number)
        assert table.outcome(move) == outcome(game, after)
        game = after
    assert game.status != Status.IN_PROGRESS


@pytest.mark.parametrize("number", NUMBERS[:-1])
@pytest.mark.parametrize("cells", [(), *(DRAWN[:n] for n in range(1, 10)), WON_BY_X, WON_BY_O], ids=str)
def test_new_game_at_the_limits__replaces_the_whole_word(
    new_table: Callable[[], RevmTable], number: int, cells: tuple[int, ...]
) -> None:
    table, game = new_table(), Model(number, ADDRESSES[0], ADDRESSES[-1], (), Status.IN_PROGRESS)
    for cell in cells:
        game = game.move(game.mover, cell // 3, cell % 3)
    table.set_storage(layout.storage(game))
    assert table.outcome(Message(1, call(NEW_GAME, 1, 2))) == outcome(game, game.new_game(1, 2))


@pytest.mark.parametrize("status", [Status.IN_PROGRESS, Status.DRAW, Status.O_FORFEITS])
def test_new_game_after_the_last_number__is_refused(new_table: Callable[[], RevmTable], status: Status) -> None:
    """At one game a second, that is in 140 million years. Still, it must not become game 0."""
    table, game = new_table(), Model(LAST, ADDRESSES[0], ADDRESSES[-1], (4,), status)
    table.set_storage(layout.storage(game))
    assert table.outcome(Message(1, call(NEW_GAME, 1, 2))) == outcome(game, Refused(""))
