"""Who sits where, for each combination of options."""

import re
from dataclasses import dataclass
from typing import Any, cast

import pytest
from ape.api.accounts import AccountAPI

from tictactoe import errors
from tictactoe.terminal.seats import take_seats


@dataclass(frozen=True)
class Account:
    address: str


A, B, C = (cast(AccountAPI, Account(f"0x{name}")) for name in "abc")


@pytest.mark.parametrize(
    ("seats", "players"),
    [
        ({}, "ab"),
        ({"account": A}, "ab"),
        ({"account": B}, "ba"),
        ({"account": C}, "ca"),
        ({"x": B}, "ba"),
        ({"o": A}, "ba"),
        ({"o": B}, "ab"),
        ({"x": C, "o": B}, "cb"),
        ({"x": A, "o": A}, "aa"),
    ],
)
def test_one_keyboard__has_both_seats(seats: dict[str, Any], players: str) -> None:
    accounts, taken = take_seats(**seats, others=(A, B))
    assert taken == (f"0x{players[0]}", f"0x{players[1]}")
    assert set(accounts) == set(taken)


@pytest.mark.parametrize(
    ("seats", "against", "own", "players"),
    [
        ({}, None, "", None),
        ({"account": A}, None, "a", None),
        ({"x": A}, None, "a", None),
        ({"o": A}, None, "a", None),
        ({"account": A}, "0xd", "a", ("0xa", "0xd")),
        ({"x": A}, "0xd", "a", ("0xa", "0xd")),
        ({"o": A}, "0xd", "a", ("0xd", "0xa")),
        ({"x": A, "o": B}, None, "ab", ("0xa", "0xb")),
        ({"x": A, "o": A}, None, "a", ("0xa", "0xa")),
    ],
)
def test_online__has_the_seats_asked_for(
    seats: dict[str, Any], against: str | None, own: str, players: tuple[str, str] | None
) -> None:
    accounts, taken = take_seats(**seats, against=against)
    assert taken == players
    assert set(accounts) == {f"0x{name}" for name in own}


@pytest.mark.parametrize(
    ("seats", "against", "sentence"),
    [
        ({"account": A, "x": B}, None, "Give --account for one seat, or --x and --o, not both."),
        ({"account": A, "o": B}, None, "Give --account for one seat, or --x and --o, not both."),
        ({"x": A, "o": B}, "0xd", "--against names the other player: give it with one seat, not with two."),
        ({}, "0xd", "--against needs your own seat as well: give --account ALIAS."),
    ],
)
def test_options_that_contradict__are_refused(seats: dict[str, Any], against: str | None, sentence: str) -> None:
    with pytest.raises(errors.UsageError, match=re.escape(sentence)):
        take_seats(**seats, against=against)
