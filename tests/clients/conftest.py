from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.anvil import Anvil


@pytest.fixture(scope="module")
def anvil() -> Iterator[Anvil]:
    with Anvil() as anvil:
        yield anvil


@pytest.fixture(scope="session")
def abi(project: Any) -> list[dict[str, Any]]:
    return [entry.model_dump(by_alias=True, exclude_none=True) for entry in project.TicTacToe.contract_type.abi]
