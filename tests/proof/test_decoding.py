"""`gameState()` of every history there is: which move took which cell, also in ways that no game can reach."""

from collections.abc import Callable
from itertools import permutations

from tests.conftest import Progress
from tests.rules import layout
from tests.rules.model import Model, Status
from tests.support.revm import RevmTable

# 9! / (9 - n)! ways to take n cells in turn, for n from 0 to 9.
ALL_HISTORIES = 986_410

STATUS_AT = {0: Status.X_FORFEITS, 1: Status.O_FORFEITS}


def test_decoding__of_any_history__is_what_was_encoded(
    new_table: Callable[[], RevmTable],
    progress_of: Callable[[str, int], Progress],
    evidence: Callable[[int, str], None],
) -> None:
    table = new_table()
    progress = progress_of("histories", ALL_HISTORIES)
    number = 0
    for moves in range(10):
        for history in permutations(range(9), moves):
            number += 1
            # Some number, some players and one of the statuses that this many moves can have, all different each time.
            status = (Status.IN_PROGRESS, STATUS_AT[moves % 2])[number % 2]
            player = number * 0x9E3779B97F4A7C15F39CC0605CEDC834 % 2**160
            game = Model(number % 2**52, player, player ^ (2**160 - 1), history, status)
            table.set_storage(layout.storage(game))
            assert table.game_state() == layout.game_state(game), game
            progress(number)
    assert number == ALL_HISTORIES
    evidence(number, "histories decoded")
