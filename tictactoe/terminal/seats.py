"""Who plays at this keyboard, and between whom a game is to be started."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from tictactoe import errors

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI


class State(Enum):
    """What a game in progress, or its end, means for the players at this keyboard."""

    MY_TURN = auto()
    WAITING = auto()  # for the opponent
    WATCHING = auto()  # a game of two others
    NO_TURN = auto()  # the game is over, or there is none yet


@dataclass(frozen=True)
class Seats:
    # By address: the accounts that sign at this keyboard.
    accounts: dict[str, AccountAPI]
    # X and O of the game to start; None to join the one that is there.
    players: tuple[str, str] | None

    @classmethod
    def at_one_keyboard(
        cls,
        everyone: Iterable[AccountAPI],
        account: AccountAPI | None = None,
        x: AccountAPI | None = None,
        o: AccountAPI | None = None,
    ) -> Seats:
        """Both seats, on a chain that only this process can reach. `everyone` fills the seats not asked for."""
        _check_conflict(account, x, o)
        everyone = list(everyone)
        x = x or account or next(each for each in everyone if o is None or each.address != o.address)
        o = o or next(each for each in everyone if each.address != x.address)
        return cls({x.address: x, o.address: o}, (x.address, o.address))

    @classmethod
    def online(
        cls,
        account: AccountAPI | None = None,
        x: AccountAPI | None = None,
        o: AccountAPI | None = None,
        against: str | None = None,
    ) -> Seats:
        """The seats asked for; none for a spectator. `against` is the address of a player elsewhere."""
        _check_conflict(account, x, o)
        if x is not None and o is not None:
            if against is not None:
                raise errors.WrongOptions(errors.BOTH_SEATS_TAKEN)
            return cls({x.address: x, o.address: o}, (x.address, o.address))
        me = account or x or o
        if me is None:
            if against is not None:
                raise errors.WrongOptions(errors.OWN_SEAT_MISSING)
            return cls({}, None)
        if against is None:
            return cls({me.address: me}, None)
        return cls({me.address: me}, (against, me.address) if o is not None else (me.address, against))


def _check_conflict(account: AccountAPI | None, x: AccountAPI | None, o: AccountAPI | None) -> None:
    if account is not None and (x is not None or o is not None):
        raise errors.WrongOptions(errors.SEATS_CONFLICT)
