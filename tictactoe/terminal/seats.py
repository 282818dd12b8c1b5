"""Who plays at this keyboard, and between whom a game is to be started."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto

from ape.api.accounts import AccountAPI

from tictactoe import errors


class State(Enum):
    """What a game in progress, or its end, means for the players at this keyboard."""

    MY_TURN = auto()
    WAITING = auto()  # for the opponent
    WATCHING = auto()  # a game of two others
    NO_TURN = auto()  # the game is over, or there is none yet


def take_seats(
    account: AccountAPI | None = None,
    x: AccountAPI | None = None,
    o: AccountAPI | None = None,
    against: str | None = None,
    others: Iterable[AccountAPI] = (),
) -> tuple[dict[str, AccountAPI], tuple[str, str] | None]:
    """
    The accounts that sign at this keyboard, by address; none for a spectator. And X and O of the game to start; None to
    join the one that is there.

    `against` is the address of a player elsewhere. `others` fill the seats that nobody asked for, on a chain that only
    this process can reach.
    """
    if account is not None and (x is not None or o is not None):
        raise errors.UsageError("Give --account for one seat, or --x and --o, not both.")
    if x is not None and o is not None and against is not None:
        raise errors.UsageError("--against names the other player: give it with one seat, not with two.")
    x = x or account
    if others := list(others):
        x = x or next(each for each in others if o is None or each.address != o.address)
        o = o or next(each for each in others if each.address != x.address)
    accounts = {str(each.address): each for each in (x, o) if each is not None}
    if against is not None and not accounts:
        raise errors.UsageError(
            "--against needs your own seat as well: give --account ALIAS.",
            "`ape accounts list` shows your accounts, `ape accounts generate ALIAS` creates one.",
        )
    player_x, player_o = (against if each is None else each.address for each in (x, o))
    return accounts, (player_x, player_o) if player_x and player_o else None
