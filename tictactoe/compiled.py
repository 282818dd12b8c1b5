"""The contract as ape's compiler makes it: its code and its ABI."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import ape

from tictactoe import errors

if TYPE_CHECKING:
    from ape.contracts.base import ContractContainer
    from ethpm_types import Bytecode, ContractType

CONTRACT = "TicTacToe"


def runtime_code() -> bytes:
    """The code of a deployed table."""
    return _bytes(contract_type().runtime_bytecode)


def creation_code() -> bytes:
    """What deploys a table, exactly as `account.deploy(project.TicTacToe)` sends it."""
    return _bytes(contract_type().deployment_bytecode)


def contract_type() -> ContractType:
    """What ape's compiler made of the contract."""
    return container().contract_type


def container() -> ContractContainer:
    """The contract in ape's project."""
    try:
        found: ContractContainer = getattr(ape.project, CONTRACT)
    except AttributeError as err:
        # How ape reports that the contract did not compile.
        if shutil.which("vyper") is None:
            raise errors.WrongOptions(errors.COMPILER_MISSING) from err
        raise
    return found


def _bytes(compiled: Bytecode | None) -> bytes:
    code = compiled.to_bytes() if compiled else None
    if not code:
        raise ValueError(f"{CONTRACT} is not compiled")
    return bytes(code)
