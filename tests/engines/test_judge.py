"""The judge fails an engine that makes a single mistake, of any kind."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.rules.model import Refused
from tests.rules.positions import Message, Outcome, Position, everything, judge, position_of, reachable
from tests.support.revm import DEPLOYER

GAMES = reachable()[:20]

Mistake = Callable[[list[Outcome]], list[Outcome]]


def is_refusal(outcome: Outcome) -> bool:
    return isinstance(outcome.reply, Refused)


def another(field: str, *, refusal: bool) -> Mistake:
    """The first refusal or acceptance has another value in this field."""
    value: dict[str, Any] = {field: "another"}

    def mistake(right: list[Outcome]) -> list[Outcome]:
        at = next(at for at, outcome in enumerate(right) if is_refusal(outcome) == refusal)
        return [*right[:at], right[at]._replace(**value), *right[at + 1 :]]

    return mistake


class Mistaken:
    """An engine that follows the rules, except for the last position."""

    address = DEPLOYER

    def __init__(self, mistake: Mistake = lambda right: right) -> None:
        self.mistake = mistake

    def explore(self, position: Position) -> list[Outcome]:
        is_last = position.slots == position_of(GAMES[-1], []).slots
        return self.mistake(position.expected) if is_last else position.expected


@pytest.mark.parametrize("refusal", [True, False])
@pytest.mark.parametrize("field", Outcome._fields)
def test_judge_of_an_engine_with_one_mistake__fails(field: str, refusal: bool) -> None:
    with pytest.raises(AssertionError, match=r"moves .* sends .* is 'another', not "):
        judge(Mistaken(another(field, refusal=refusal)), GAMES)


@pytest.mark.parametrize("outcomes", [slice(1, None), slice(0, -1)], ids=["the first", "the last"])
def test_judge_without_an_outcome__fails(outcomes: slice) -> None:
    with pytest.raises((AssertionError, ValueError)):
        judge(Mistaken(lambda right: right[outcomes]), GAMES)


def test_judge_without_mistakes__counts_every_message() -> None:
    tally = judge(Mistaken(), GAMES)
    assert tally.total() == 355 * len(GAMES)
    assert tally["refusals left out"] == 0


@pytest.mark.parametrize("one_in", [2, 5, 13])
def test_one_in_over_as_many_games__sends_each_refusal_once(one_in: int) -> None:
    def sent(index: int = 0, one_in: int = 1) -> tuple[list[Message], list[Message]]:
        """The refusals and the other messages."""
        position = position_of(GAMES[5], everything(GAMES[5], int(DEPLOYER, 16)), index, one_in)
        assert len(position.messages) + position.left_out == 355
        pairs = list(zip(position.messages, map(is_refusal, position.expected), strict=True))
        return [message for message, refused in pairs if refused], [
            message for message, refused in pairs if not refused
        ]

    refusals, others = sent()
    parts = [sent(index, one_in) for index in range(one_in)]
    assert sorted(message for part, _ in parts for message in part) == sorted(refusals)
    assert [rest for _, rest in parts] == [others] * one_in
