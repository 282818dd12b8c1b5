"""A table on ape's embedded chain, as the tests of single rules use it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from eth_utils.conversions import to_int

# The fixtures `play` and `refuses`.
Play = Callable[..., Any]
Refuses = Callable[[Any, str], AbstractContextManager[None]]


def contents(table: Any) -> tuple[Any, ...]:
    """What `gameState()` returns, and what storage holds: more slots than the contract has."""
    return table.gameState(), *(to_int(table.provider.get_storage(table.address, slot)) for slot in range(4))
