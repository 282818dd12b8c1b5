"""What `ape console` adds to its names: `table()` and `state()`, without an address of the last known table."""

from tictactoe import Game, find_table

table = find_table


def state(address: str | None = None) -> Game:
    """The game at that table."""
    return table(address).state()
