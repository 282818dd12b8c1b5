"""The packed word with its fields at their limits: none of them ever bleeds into its neighbour."""

from collections.abc import Callable

import pytest

from tests.rules import layout
from tests.rules.games import DRAWN, WON_BY_O, WON_BY_THE_NINTH, WON_BY_X
from tests.rules.layout import call
from tests.rules.model import Model, Status
from tests.support.revm import Refused, RevmTable

LAST = 2**52 - 1  # the highest game number that its field holds
NUMBERS = [1, 2, 2**32, 2**51 - 1, LAST - 1, LAST]

# Addresses whose bits are all ones beside the cells, all zeros there, and alternating.
ADDRESSES = [2**160 - 1, 1, 2**159, 0xAAAA_AAAA_AAAA_AAAA_AAAA_AAAA_AAAA_AAAA_AAAA_AAAA]


def check(table: RevmTable, caller: int, data: bytes, before: Model, after: Model) -> None:
    assert table.send(caller, data) == layout.logs(before, after)
    assert table.storage() == layout.storage(after)
    assert table.game_state() == layout.game_state(after)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("player_x", ADDRESSES, ids=hex)
@pytest.mark.parametrize("player_o", [ADDRESSES[0], ADDRESSES[-1]], ids=hex)
@pytest.mark.parametrize("cells", [WON_BY_X, WON_BY_O, DRAWN, WON_BY_THE_NINTH], ids=str)
def test_whole_game__with_fields_at_their_limits__stays_in_its_fields(
    new_table: Callable[[], RevmTable], number: int, player_x: int, player_o: int, cells: tuple[int, ...]
) -> None:
    table = new_table()
    game = Model(number, player_x, player_o, (), Status.IN_PROGRESS)
    table.set_storage(layout.storage(game))
    for i, cell in enumerate(cells):
        mover = (player_x, player_o)[i % 2]
        for name, forfeited in (("forfeit()", game.forfeit(mover)), ("forfeit(uint256)", game.forfeit(mover, number))):
            checkpoint = table.evm.snapshot()
            check(table, mover, call(name, *([number] if "uint" in name else [])), game, forfeited)
            table.evm.revert(checkpoint)
        # Numbers that would be this game's if its field were cut a bit too wide or too narrow.
        for wrong in (number + 2**52, number ^ 2**51, number << 1, 2**256 - number):
            for data in (call("forfeit(uint256)", wrong), call("makeMove(uint8,uint8,uint256)", 1, 1, wrong)):
                assert table.send(mover, data) == Refused("not the current game")
        after = game.move(mover, cell // 3, cell % 3, number)
        check(table, mover, call("makeMove(uint8,uint8,uint256)", cell // 3, cell % 3, number), game, after)
        game = after
    assert game.status != Status.IN_PROGRESS


@pytest.mark.parametrize("number", NUMBERS[:-1])
@pytest.mark.parametrize("cells", [(), *(DRAWN[:n] for n in range(1, 10)), WON_BY_X, WON_BY_O], ids=str)
def test_new_game__over_any_game_near_the_limit__counts_on_and_clears_the_rest(
    new_table: Callable[[], RevmTable], number: int, cells: tuple[int, ...]
) -> None:
    table = new_table()
    player_x, player_o = ADDRESSES[0], ADDRESSES[3]
    game = Model(number, player_x, player_o, (), Status.IN_PROGRESS)
    for i, cell in enumerate(cells):
        game = game.move((player_x, player_o)[i % 2], cell // 3, cell % 3)
    table.set_storage(layout.storage(game))
    check(table, 1, call("newGame(address,address)", 1, 2), game, game.new_game(1, 2))


@pytest.mark.parametrize("status", [Status.IN_PROGRESS, Status.DRAW, Status.O_FORFEITS])
def test_new_game__after_the_last_number__is_refused(new_table: Callable[[], RevmTable], status: Status) -> None:
    """At one game a second that is 140 million years away; all the same it must not become game 0."""
    table = new_table()
    slots = layout.storage(Model(LAST, ADDRESSES[0], ADDRESSES[3], (4,), status))
    table.set_storage(slots)
    assert table.send(1, call("newGame(address,address)", 1, 2)) == Refused("")
    assert table.storage() == slots
