"""The judge notices an engine that slips, in whatever it slips."""

from collections.abc import Callable
from copy import deepcopy

import pytest

from tests.engines.judge import CHUNK, Position, Seen, all_games, judge, position, revert_data
from tests.support.revm import DEPLOYER

GAMES = all_games()[: 3 * CHUNK]


def nothing(_: Seen) -> None: ...


def another_reason(seen: Seen) -> None:
    seen.refused[0] = revert_data("not your turn")


def acceptance(seen: Seen) -> None:
    seen.refused[0] = []


def no_reply(seen: Seen) -> None:
    seen.refused.pop()


def refusals_that_change_the_storage(seen: Seen) -> None:
    (game, player_o), state = seen.standing
    seen.standing = ((game, player_o + 1), state)


def another_state(seen: Seen) -> None:
    slots, state = seen.standing
    seen.standing = (slots, state[:-1] + b"\1")


def a_log_missing(seen: Seen) -> None:
    logs, slots, state = seen.legal[0]
    seen.legal[0] = (logs[1:], slots, state)


def a_transaction_that_changes_nothing(seen: Seen) -> None:
    seen.legal[0] = (seen.legal[0][0], *seen.standing)


class Slipping:
    """An engine that does as the rules say but for one position, the last."""

    address = DEPLOYER

    def __init__(self, slip: Callable[[Seen], None]) -> None:
        self.slip = slip

    def explore(self, positions: list[Position]) -> list[Seen]:
        seen = [deepcopy(position.expected) for position in positions]
        if positions[-1].game == GAMES[-1]:
            self.slip(seen[-1])
        return seen


SLIPS = [
    another_reason,
    acceptance,
    no_reply,
    refusals_that_change_the_storage,
    another_state,
    a_log_missing,
    a_transaction_that_changes_nothing,
]


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.__name__)
def test_judge__an_engine_slips_once__is_noticed(slip: Callable[[Seen], None]) -> None:
    with pytest.raises((AssertionError, ValueError)):
        judge([Slipping(slip)] * 2, GAMES, nothing_said)


def test_judge__engines_that_do_as_the_rules_say__counts_what_it_asked() -> None:
    tally = judge([Slipping(nothing)] * 2, GAMES, nothing_said)
    # 26 through a contract, and 81 without, from each of three people.
    assert tally.total() == (26 + 81) * 3 * len(GAMES)


def test_position__asked_one_in_five__gives_each_refusal_its_turn_and_leaves_no_acceptance_out() -> None:
    engine = Slipping(nothing)
    whole, *parts = (position(GAMES[5], engine, i, one_in) for i, one_in in ((0, 1), *((i, 5) for i in range(5))))
    assert sorted(message for part in parts for message in part.refused) == sorted(whole.refused)
    assert all(part.legal == whole.legal for part in parts)


def nothing_said(_: int) -> None: ...
