"""Game numbers and addresses at the limits of their fields: no field of the packed word changes its neighbour."""

from itertools import product

import pytest

from tests.rules import layout
from tests.rules.games import DRAWN, WON_BY_O, WON_BY_THE_NINTH, WON_BY_X
from tests.rules.model import Model, Refused, Status
from tests.rules.positions import NEW_GAME, Message, forfeit, judge, move, new_game, outcome

LAST = 2**52 - 1  # the highest game number that its field holds
NUMBERS = (1, 2**32, 2**51 - 1, LAST - 1, LAST)

# All bits set, only the lowest, only the highest, every second one.
ADDRESSES = (2**160 - 1, 1, 2**159, 0xAAAA_AAAA_AAAA_AAAA_AAAA_AAAA_AAAA_AAAA_AAAA_AAAA)
GAMES = (WON_BY_X, WON_BY_O, DRAWN, WON_BY_THE_NINTH)


@pytest.mark.parametrize("number", NUMBERS)
def test_games_at_the_limits__keep_to_their_fields(new_table, number):
    # A field that were a bit too wide or too narrow would take one of these for this game's number.
    wrong_numbers = number + 2**52, number ^ 2**51, number << 1, 2**256 - number

    def in_turn(game, table):
        for wrong in wrong_numbers:
            yield forfeit(game, game.mover, wrong)
            yield move(game, game.mover, 1, 1, wrong)
        yield forfeit(game, game.mover, number)
        # After the last number, the checked sum reverts without a reason: the next game is never game 0.
        message, after = new_game(game, 1, 1, 2)
        yield message, Refused("") if number == LAST else after
        # The players are checked before that.
        yield Message(1, layout.call(NEW_GAME, 1, table)), Refused("player is a contract")

    for player_x, player_o, cells in product(ADDRESSES, ADDRESSES[::3], GAMES):
        table, game = new_table(), Model(number, player_x, player_o, (), Status.IN_PROGRESS)
        table.set_storage(layout.storage(game))
        for cell in cells:
            judge(table, [game], send=in_turn)
            message, after = move(game, game.mover, *divmod(cell, 3), number)
            assert table.outcome(message) == outcome(game, after)
            game = after
        assert game.status != Status.IN_PROGRESS
        judge(table, [game], send=in_turn)
