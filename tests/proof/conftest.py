"""The bytes that the proofs are about."""

from typing import Any

import pytest


@pytest.fixture(scope="session")
def creation_code(project: Any) -> bytes:
    return bytes.fromhex(project.TicTacToe.contract_type.deployment_bytecode.bytecode.removeprefix("0x"))
