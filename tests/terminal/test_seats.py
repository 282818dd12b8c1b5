"""Who sits where, for each combination of options."""

import re
from dataclasses import dataclass
from typing import cast

import pytest
from ape.api.accounts import AccountAPI

from tictactoe import errors
from tictactoe.terminal.seats import Seats


@dataclass(frozen=True)
class Account:
    address: str


A, B, C = (cast(AccountAPI, Account(f"0x{name}")) for name in "abc")
EVERYONE = (A, B)


@pytest.mark.parametrize(
    ("account", "x", "o", "players"),
    [
        (None, None, None, ("0xa", "0xb")),
        (A, None, None, ("0xa", "0xb")),
        (B, None, None, ("0xb", "0xa")),
        (C, None, None, ("0xc", "0xa")),
        (None, B, None, ("0xb", "0xa")),
        (None, None, A, ("0xb", "0xa")),
        (None, None, B, ("0xa", "0xb")),
        (None, C, B, ("0xc", "0xb")),
        (None, A, A, ("0xa", "0xa")),
    ],
)
def test_one_keyboard__has_both_seats(
    account: AccountAPI | None, x: AccountAPI | None, o: AccountAPI | None, players: tuple[str, str]
) -> None:
    seats = Seats.at_one_keyboard(EVERYONE, account, x, o)
    assert seats.players == players
    assert set(seats.accounts) == set(players)


@pytest.mark.parametrize(
    ("account", "x", "o", "against", "own", "players"),
    [
        (None, None, None, None, "", None),
        (A, None, None, None, "a", None),
        (None, A, None, None, "a", None),
        (None, None, A, None, "a", None),
        (A, None, None, "0xd", "a", ("0xa", "0xd")),
        (None, A, None, "0xd", "a", ("0xa", "0xd")),
        (None, None, A, "0xd", "a", ("0xd", "0xa")),
        (None, A, B, None, "ab", ("0xa", "0xb")),
        (None, A, A, None, "a", ("0xa", "0xa")),
    ],
)
def test_online__has_the_seats_asked_for(
    account: AccountAPI | None,
    x: AccountAPI | None,
    o: AccountAPI | None,
    against: str | None,
    own: str,
    players: tuple[str, str] | None,
) -> None:
    seats = Seats.online(account, x, o, against)
    assert seats.players == players
    assert set(seats.accounts) == {f"0x{name}" for name in own}


@pytest.mark.parametrize(
    ("account", "x", "o", "against", "sentence"),
    [
        (A, B, None, None, errors.SEATS_CONFLICT),
        (A, None, B, None, errors.SEATS_CONFLICT),
        (None, A, B, "0xd", errors.BOTH_SEATS_TAKEN),
        (None, None, None, "0xd", errors.OWN_SEAT_MISSING),
    ],
)
def test_online_options_that_contradict__are_refused(
    account: AccountAPI | None,
    x: AccountAPI | None,
    o: AccountAPI | None,
    against: str | None,
    sentence: str,
) -> None:
    with pytest.raises(errors.WrongOptions, match=re.escape(sentence)):
        Seats.online(account, x, o, against)
