"""What the tests of the rules share: playing some moves, and being refused without leaving a trace."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import ape
import pytest
from eth_utils.conversions import to_int

Play = Callable[..., Any]
Refuses = Callable[[Any, str], AbstractContextManager[None]]


@pytest.fixture
def play(player_x: Any, player_o: Any) -> Play:
    """Makes moves, X's first, in cells numbered 0 to 8; returns the last one's receipt."""

    def play(table: Any, *cells: int) -> Any:
        receipt = None
        for i, cell in enumerate(cells):
            receipt = table.makeMove(cell // 3, cell % 3, sender=(player_x, player_o)[i % 2])
        return receipt

    return play


def standing(table: Any) -> tuple[Any, ...]:
    """All that the contract keeps, as it tells it and as it lies in storage."""
    slots = [to_int(table.provider.get_storage(table.address, slot)) for slot in range(4)]
    return table.gameState(), *slots


@pytest.fixture
def refuses() -> Refuses:
    """The transaction in the block reverts with exactly this reason, and nothing has changed after it."""

    @contextmanager
    def refuses(table: Any, reason: str) -> Iterator[None]:
        before = standing(table)
        with ape.reverts(reason):
            yield
        assert standing(table) == before

    return refuses
