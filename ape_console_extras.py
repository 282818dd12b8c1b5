"""What `ape console` adds to its names: `table()` and `state()`."""

import ape

from tictactoe import Game, Table, deploy, errors, find_table
from tictactoe.node import Node


def table(address: str | None = None) -> Table:
    """The table at this address; without one, the last known one. `.contract` is ape's object for it."""
    try:
        return find_table(address)
    except errors.NoTable:
        # The chain inside the program starts without a table, and one costs nothing there.
        if address is not None or not Node().embedded:
            raise
        return deploy(ape.accounts.test_accounts[0])


def state(address: str | None = None) -> Game:
    """The game at that table."""
    return table(address).state()
