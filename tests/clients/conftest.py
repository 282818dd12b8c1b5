from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.anvil import Anvil


@pytest.fixture(scope="module")
def anvil() -> Iterator[Anvil]:
    """It mines each transaction at once, and a block a second besides, as a public chain goes on.

    viem's `waitForTransactionReceipt` ignores a block that comes while it looks for a replacement, and looks again at
    the next one. Without a next one, it waits until it times out.
    """
    with Anvil(mixed_mining=True, block_time=1) as anvil:
        yield anvil


@pytest.fixture(scope="session")
def abi(project: Any) -> list[dict[str, Any]]:
    return [entry.model_dump(by_alias=True, exclude_none=True) for entry in project.TicTacToe.contract_type.abi]
