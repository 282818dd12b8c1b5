"""The public interface, the storage layout and the bytes, locked: a deployed table can never change them."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from eth_utils.crypto import keccak
from ethpm_types import MethodABI
from vyper.compiler import compile_code

from tests.rules.layout import call
from tests.support.compiler import compiled
from tests.support.compiler import creation_code as code_of
from tests.support.revm import RevmTable
from tictactoe.compiled import creation_code as sent_code

FUNCTIONS = {
    "newGame(address playerX, address playerO)": "nonpayable",
    "newGame(address playerX, address playerO, uint256 gameId)": "nonpayable",
    "makeMove(uint8 row, uint8 col)": "nonpayable",
    "makeMove(uint8 row, uint8 col, uint256 gameId)": "nonpayable",
    "forfeit()": "nonpayable",
    "forfeit(uint256 gameId)": "nonpayable",
    "gameState() -> (uint256 gameId, address playerX, address playerO, uint8[3][3] board, uint8 currentPlayer, "
    "uint8 status, (uint8 row, uint8 col, uint8 player, uint8 sequenceNumber)[] moveHistory)": "view",
}
EVENTS = {
    "GameCreated(uint256 indexed gameId, address indexed playerX, address indexed playerO)",
    "MoveMade(uint256 indexed gameId, address indexed player, uint8 sequenceNumber, uint8 row, uint8 col)",
    "GameEnded(uint256 indexed gameId, address indexed winner, uint8 status)",
}

# Length and Keccak-256 hash.
RUNTIME_CODE = (2_637, "9e7f454771d8d99110ec89fa0db9006f3881d59c5c964c7413a45d4da88067e1")
CREATION_CODE = (2_663, "f08f40edb4c5f19c5d44acaad59c6e6d889fe03a36d82c827c6391aba9db0d4f")


def typed(abi: dict[str, Any]) -> str:
    """A parameter as in a signature: `uint8 row`, or a tuple with its parts."""
    kind = abi["type"]
    if "components" in abi:
        kind = kind.replace("tuple", f"({', '.join(map(typed, abi['components']))})")
    return " ".join(filter(None, [kind, "indexed" if abi.get("indexed") else "", abi["name"]]))


def written(abi: dict[str, Any]) -> str:
    text = f"{abi['name']}({', '.join(map(typed, abi['inputs']))})"
    outputs = ", ".join(map(typed, abi.get("outputs", [])))
    return f"{text} -> {outputs}" if outputs else text


def test_interface__is_the_specification(contract_source: str) -> None:
    abi = compiled(contract_source)["abi"]
    functions = {written(entry): entry["stateMutability"] for entry in abi if entry["type"] == "function"}
    events = {written(entry) for entry in abi if entry["type"] == "event"}
    assert functions == FUNCTIONS
    assert events == EVENTS
    assert not any(entry["anonymous"] for entry in abi if entry["type"] == "event")
    # No default function, nothing payable, no getters, and a constructor that takes nothing.
    assert [entry for entry in abi if entry["type"] not in ("function", "event")] == [
        {"type": "constructor", "stateMutability": "nonpayable", "inputs": [], "outputs": []}
    ]


def test_interface_in_ape__is_the_compilers(project: Any, contract_source: str) -> None:
    methods = {abi.selector for abi in project.TicTacToe.contract_type.abi if isinstance(abi, MethodABI)}
    assert methods == set(compiled(contract_source)["method_identifiers"])
    assert project.TicTacToe.contract_type.runtime_bytecode.bytecode == compiled(contract_source)["bytecode_runtime"]


@pytest.mark.lock
def test_bytes__are_the_reviewed_ones(creation_code: bytes, contract_source: str) -> None:
    """Proofs, measurements and derived addresses depend on the bytes, so every change of them must be reviewed.

    A comment does not change them: `deploy` leaves out the compiler's metadata, which holds the source's hash.
    """
    runtime = bytes.fromhex(compiled(contract_source)["bytecode_runtime"][2:])
    assert creation_code.endswith(runtime)
    assert (len(runtime), keccak(runtime).hex()) == RUNTIME_CODE
    assert (len(creation_code), keccak(creation_code).hex()) == CREATION_CODE


def test_creation_code_that_deploy_sends__has_no_metadata(
    project: Any, creation_code: bytes, contract_source: str
) -> None:
    assert sent_code() == creation_code
    assert code_of(f"{contract_source}# A comment.\n") == creation_code
    with_metadata = project.TicTacToe.contract_type.deployment_bytecode.bytecode
    assert with_metadata == compile_code(contract_source, output_formats=["bytecode"])["bytecode"]
    assert bytes.fromhex(with_metadata[2:]).startswith(creation_code)


def test_storage__is_two_slots(contract_source: str) -> None:
    assert compiled(contract_source)["layout"] == {
        "storage_layout": {
            "game": {"type": "uint256", "n_slots": 1, "slot": 0},
            "playerO": {"type": "address", "n_slots": 1, "slot": 1},
        }
    }


def test_example_in_the_drawing__is_what_a_table_stores(
    new_table: Callable[[], RevmTable], contract_source: str
) -> None:
    """Plays the two moves of the example at the head of the contract and reads the slots."""
    drawing = contract_source.split('"""')[1]
    word = re.search(r"0x([0-9a-f]{64})$", drawing, re.MULTILINE)
    assert word
    digits = re.findall(r"^ {10}([0-9a-f]+)  +\S", drawing, re.MULTILINE)
    assert "".join(digits[-5:]) == word.group(1)

    table, player_x, player_o = new_table(), int(digits[-4], 16), 0xB0B
    table.send(player_o, call("newGame(address,address)", player_x, player_o))
    table.send(player_x, call("makeMove(uint8,uint8)", 1, 1))
    table.send(player_o, call("makeMove(uint8,uint8)", 0, 0))
    assert table.storage() == (int(word.group(1), 16), player_o)
