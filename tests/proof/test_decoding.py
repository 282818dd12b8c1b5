"""`gameState()` for every history: which move took which cell, including orders that no game can reach."""

from collections.abc import Callable
from itertools import permutations

from tests.rules import layout
from tests.rules.model import Model, Status
from tests.support.progress import Printer
from tests.support.revm import RevmTable

# 9! / (9 - n)! ways to take n cells in turn, for n from 0 to 9.
ALL_HISTORIES = 986_410


def statuses(moves: int) -> list[Status]:
    """Those that a game of so many moves can have."""
    if moves == 9:
        return [Status.X_WON, Status.DRAW]
    if moves % 2:
        return [Status.IN_PROGRESS, Status.O_FORFEITS, Status.X_WON]
    return [Status.IN_PROGRESS, Status.X_FORFEITS, *([Status.O_WON] if moves else [])]


# In a run that is not whole, one history in so many is read. A prime, so that it takes orders of every kind.
EVERY = 11


def test_every_history__is_decoded(new_table: Callable[[], RevmTable], whole: bool, printer: Printer) -> None:
    table = new_table()
    progress = printer.progress("histories", ALL_HISTORIES)
    number = 0
    for moves in range(10):
        possible = statuses(moves)
        for history in permutations(range(9), moves):
            number += 1
            if number % EVERY and not whole:
                continue
            # A number, players and a status that differ from one history to the next.
            player = number * 0x9E3779B97F4A7C15F39CC0605CEDC834 % 2**160
            status = possible[number % len(possible)]
            game = Model(number % 2**52, player, player ^ (2**160 - 1), history, status)
            table.set_storage(layout.storage(game))
            assert table.game_state() == layout.game_state(game), game
            progress(number)
    assert number == ALL_HISTORIES
    printer.line(f"{ALL_HISTORIES if whole else ALL_HISTORIES // EVERY:,} of {ALL_HISTORIES:,} histories decoded")
