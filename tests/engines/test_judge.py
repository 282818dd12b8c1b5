"""The judge fails an engine that makes a single mistake, of any kind."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.rules.model import Refused
from tests.rules.positions import Outcome, Position, everything, judge, position_of, reachable
from tests.support.revm import DEPLOYER

GAMES = reachable()[:20]
TABLE = int(DEPLOYER, 16)


def is_refusal(outcome: Outcome) -> bool:
    return isinstance(outcome.reply, Refused)


def is_acceptance(outcome: Outcome) -> bool:
    return bool(outcome.reply) and not is_refusal(outcome)


Choice = Callable[[Outcome], bool]
Mistake = Callable[[Any], Outcome]

MISTAKES: dict[str, tuple[Choice, Mistake]] = {
    "another reason": (is_refusal, lambda right: right._replace(reply=Refused("out of turn"))),
    "no reason": (is_refusal, lambda right: right._replace(reply=Refused(""))),
    "a refusal that changes a slot": (is_refusal, lambda right: right._replace(slots=(right.slots[0], 1))),
    "an acceptance instead of a refusal": (is_refusal, lambda right: right._replace(reply=[], game_state=b"")),
    "a refusal instead of an acceptance": (is_acceptance, lambda right: Outcome(Refused("not your turn"), right.slots)),
    "a missing event": (is_acceptance, lambda right: right._replace(reply=right.reply[1:])),
    "an event too many": (is_acceptance, lambda right: right._replace(reply=right.reply * 2)),
    "another topic": (is_acceptance, lambda right: right._replace(reply=[((b"",), right.reply[0][1])])),
    "another first slot": (is_acceptance, lambda right: right._replace(slots=(right.slots[0] + 1, right.slots[1]))),
    "another second slot": (is_acceptance, lambda right: right._replace(slots=(right.slots[0], right.slots[1] + 1))),
    "another gameState": (is_acceptance, lambda right: right._replace(game_state=right.game_state[:-1] + b"\1")),
}


class Mistaken:
    """An engine that follows the rules, with one mistake in the last position."""

    address = DEPLOYER

    def __init__(self, chosen: Choice = lambda _: True, mistake: Mistake = lambda right: right) -> None:
        self.chosen, self.mistake = chosen, mistake

    def explore(self, position: Position) -> Iterable[Outcome]:
        outcomes = list(position.expected)
        if position.slots == position_of(GAMES[-1], []).slots:
            at = next(i for i, outcome in enumerate(outcomes) if self.chosen(outcome))
            outcomes[at] = self.mistake(outcomes[at])
        return outcomes


@pytest.mark.parametrize("name", MISTAKES)
def test_judge_of_an_engine_with_one_mistake__fails(name: str) -> None:
    with pytest.raises(AssertionError, match=r"moves .* sends .* is .*, not "):
        judge(Mistaken(*MISTAKES[name]), GAMES)


@pytest.mark.parametrize("outcomes", [slice(1, None), slice(0, -1)], ids=["the first", "the last"])
def test_judge_without_an_outcome__fails(outcomes: slice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Mistaken, "explore", lambda _, position: position.expected[outcomes])
    with pytest.raises((AssertionError, ValueError)):
        judge(Mistaken(), GAMES)


def test_judge_without_mistakes__counts_every_message() -> None:
    tally = judge(Mistaken(), GAMES)
    assert tally.total() == 355 * len(GAMES)
    assert tally["refusals left out"] == 0


@pytest.mark.parametrize("one_in", [2, 5, 13])
def test_one_in_over_as_many_games__sends_each_refusal_once(one_in: int) -> None:
    def position(index: int = 0, one_in: int = 1) -> Position:
        return position_of(GAMES[5], everything(GAMES[5], TABLE), index, one_in)

    def refusals(*positions: Position) -> list[Any]:
        pairs = [pair for each in positions for pair in zip(each.messages, each.expected, strict=True)]
        return sorted(message for message, expected in pairs if is_refusal(expected))

    parts = [position(index, one_in) for index in range(one_in)]
    assert refusals(*parts) == refusals(position())
    for part in parts:
        assert len(part.messages) + part.left_out == len(position().messages)
        assert [pair for pair in part.expected if not is_refusal(pair)] == [
            pair for pair in position().expected if not is_refusal(pair)
        ]
