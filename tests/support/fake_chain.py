"""The old place of the simulated chain, for the tests that still import it from here."""

from tests.library.simulation import (
    OTHER,
    TABLE,
    FakeChain,
    Json,
    O,
    RefusedError,
    Step,
    X,
    forfeit,
    move,
    moves,
    new_game,
    status_word,
)

__all__ = [
    "OTHER",
    "TABLE",
    "FakeChain",
    "Json",
    "O",
    "RefusedError",
    "Step",
    "X",
    "forfeit",
    "move",
    "moves",
    "new_game",
    "status_word",
]
