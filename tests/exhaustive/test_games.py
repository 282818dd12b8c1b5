"""Every game, played from its first move to its end."""

from collections import Counter

from tests.rules import layout
from tests.rules.layout import call
from tests.rules.model import Model, Status
from tests.rules.positions import MOVE, NEW_GAME, ON_GRID, PLAYER_O, PLAYER_X, continuations

MOVES = [call(MOVE, row, col) for row, col in ON_GRID]


def play_on(table, game, ends):
    """Every way to play on from a position. Returns the number of moves in all."""
    moves = 0
    for after in continuations(game):
        checkpoint = table.evm.snapshot()
        assert table.send(game.mover, MOVES[after.moves[-1]]) == layout.logs(game, after)
        assert table.storage() == layout.storage(after)
        moves += 1
        if after.status == Status.IN_PROGRESS:
            moves += play_on(table, after, ends)
        else:
            assert table.game_state() == layout.game_state(after)
            ends[after.status] += 1
        table.evm.revert(checkpoint)
    return moves


def test_every_game__follows_the_rules(new_table):
    table, game = new_table(), Model().new_game(PLAYER_X, PLAYER_O)
    table.send(PLAYER_X, call(NEW_GAME, PLAYER_X, PLAYER_O))
    ends = Counter()

    moves = play_on(table, game, ends)

    # Known of tic-tac-toe: 255,168 games, in 549,945 moves if moves that games have in common are played once.
    assert ends == {Status.X_WON: 131_184, Status.O_WON: 77_904, Status.DRAW: 46_080}
    assert moves == 549_945
