"""The bytecode that `deploy` sends, on the fast engine."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.property.engine import Table


@pytest.fixture(scope="session")
def new_table(project: Any) -> Callable[[], Table]:
    creation_code = bytes.fromhex(project.TicTacToe.contract_type.deployment_bytecode.bytecode.removeprefix("0x"))
    return lambda: Table(creation_code)
