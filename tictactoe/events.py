"""The events of a table as a generator that survives a node's failures. `follower.py` reads them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tictactoe import errors
from tictactoe.follower import Event, Follower
from tictactoe.node import Block
from tictactoe.table import Table

if TYPE_CHECKING:
    from ape.contracts.base import ContractInstance

# Seconds before the second attempt, if the node is unreachable.
FIRST_PAUSE = 0.5
# Seconds between two attempts at most.
LONGEST_PAUSE = 2.0


def events(
    table: Table | ContractInstance | str,
    *,
    from_block: int | None = None,
    follow: bool = True,
    trouble: Callable[[errors.TicTacToeError], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
    seen: Callable[[Block], None] | None = None,
    patience: float | None = None,
) -> Iterator[Event]:
    """
    Yield every event of a table, oldest first, then those to come.

    `table` may be an address, on the network that is connected. `from_block` skips earlier events. With `follow=False`
    the generator ends when it has caught up. If the node fails, the generator tries again for `patience` seconds, by
    default forever, and calls `trouble` once for each kind of error. While old blocks are read, it calls `progress`
    with the number of blocks done and the number of all. It calls `seen` with the newest block whenever it has looked.
    """
    if from_block is not None and from_block < 0:
        raise errors.FromBlockNegative(from_block)
    if not isinstance(table, Table):
        table = Table(str(getattr(table, "address", table)))
    return _poll(Follower(table, from_block, progress, seen), follow, trouble, patience)


def _poll(
    follower: Follower, follow: bool, trouble: Callable[[errors.TicTacToeError], None] | None, patience: float | None
) -> Iterator[Event]:
    pause, trouble_since = FIRST_PAUSE, 0.0
    reported: set[type[errors.TicTacToeError]] = set()
    while True:
        try:
            yield from follower.new_events()
        except (errors.NodeError, errors.Reverted) as error:
            now = time.monotonic()
            trouble_since = trouble_since or now
            if patience is not None and now - trouble_since > patience:
                raise
            if trouble is not None and type(error) not in reported:
                trouble(error)
            reported.add(type(error))
            # An attempt begins with one small question, so it may be made often.
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
            continue
        pause, trouble_since = FIRST_PAUSE, 0.0
        reported.clear()
        if follower.caught_up:
            if not follow:
                return
            time.sleep(follower.node.pace or 0.1)
