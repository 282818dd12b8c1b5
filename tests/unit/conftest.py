"""Fixtures that play moves, and that expect a refusal."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ape
import pytest

from tests.support.embedded import Play, Refuses, contents


@pytest.fixture
def play(player_x: Any, player_o: Any) -> Play:
    """Makes moves in these cells, X's first, and returns the receipt of the last one."""

    def play(table: Any, *cells: int) -> Any:
        receipt = None
        for i, cell in enumerate(cells):
            receipt = table.makeMove(cell // 3, cell % 3, sender=(player_x, player_o)[i % 2])
        return receipt

    return play


@pytest.fixture
def refuses() -> Refuses:
    """Expects that the transaction in the block reverts with exactly this reason and changes nothing."""

    @contextmanager
    def refuses(table: Any, reason: str) -> Iterator[None]:
        before = contents(table)
        with ape.reverts(reason):
            yield
        assert contents(table) == before

    return refuses
