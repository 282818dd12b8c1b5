"""`gameState()` for every history: which move took which cell, including orders that no game can reach."""

from itertools import chain, permutations

from tests.rules import layout
from tests.rules.model import Model, Status

# 9! / (9 - n)! ways to take n cells in turn, for n from 0 to 9.
ALL_HISTORIES = 986_410

# Without `--whole`, every eleventh history. A prime, so that it takes orders of every kind.
EVERY = 11


def statuses(moves):
    """Those that a game of this many moves can have."""
    if moves == 9:
        return [Status.X_WON, Status.DRAW]
    if moves % 2:
        return [Status.IN_PROGRESS, Status.O_FORFEITS, Status.X_WON]
    return [Status.IN_PROGRESS, Status.X_FORFEITS, *([Status.O_WON] if moves else [])]


def test_every_history__is_decoded(new_table, whole, printer):
    table, read = new_table(), 0
    progress = printer.progress("histories", ALL_HISTORIES)
    histories = chain.from_iterable(permutations(range(9), moves) for moves in range(10))
    for number, history in enumerate(histories, 1):
        if whole or number % EVERY == 0:
            # A number, players and a status that differ from one history to the next.
            player = number * 0x9E3779B97F4A7C15F39CC0605CEDC834 % 2**160
            possible = statuses(len(history))
            game = Model(number, player, player ^ (2**160 - 1), history, possible[number % len(possible)])
            table.set_storage(layout.storage(game))
            assert table.game_state() == layout.game_state(game), game
            read += 1
            progress(number)
    assert number == ALL_HISTORIES
    printer.line(f"{read:,} of {ALL_HISTORIES:,} histories decoded")
