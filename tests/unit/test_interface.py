"""The whole public interface and the storage layout, locked: a deployed table can never change them."""

from typing import Any

from ethpm_types import MethodABI
from vyper.compiler import compile_code

FUNCTIONS = {
    "newGame(address playerX, address playerO)": "nonpayable",
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


def typed(abi: dict[str, Any]) -> str:
    """A parameter as one would write it down: `uint8 row`, or a tuple with its parts."""
    kind = abi["type"]
    if "components" in abi:
        kind = kind.replace("tuple", f"({', '.join(map(typed, abi['components']))})")
    return " ".join(filter(None, [kind, "indexed" if abi.get("indexed") else "", abi["name"]]))


def written(abi: dict[str, Any]) -> str:
    text = f"{abi['name']}({', '.join(map(typed, abi['inputs']))})"
    outputs = ", ".join(map(typed, abi.get("outputs", [])))
    return f"{text} -> {outputs}" if outputs else text


def compiled(project: Any, what: str) -> Any:
    source = (project.path / "contracts" / "TicTacToe.vy").read_text()
    return compile_code(source, output_formats=[what])[what]


def test_interface__is_exactly_the_specifications(project: Any) -> None:
    abi = compiled(project, "abi")
    functions = {written(entry): entry["stateMutability"] for entry in abi if entry["type"] == "function"}
    events = {written(entry) for entry in abi if entry["type"] == "event"}
    assert functions == FUNCTIONS
    assert events == EVENTS
    assert not any(entry["anonymous"] for entry in abi if entry["type"] == "event")
    # No default function, nothing payable, no getters, and a constructor that takes nothing.
    assert [entry for entry in abi if entry["type"] not in ("function", "event")] == [
        {"type": "constructor", "stateMutability": "nonpayable", "inputs": [], "outputs": []}
    ]


def test_interface__that_ape_deploys__is_the_compilers(project: Any) -> None:
    methods = {abi.selector for abi in project.TicTacToe.contract_type.abi if isinstance(abi, MethodABI)}
    assert methods == set(compiled(project, "method_identifiers"))
    assert project.TicTacToe.contract_type.runtime_bytecode.bytecode == compiled(project, "bytecode_runtime")


def test_storage__is_two_slots(project: Any) -> None:
    assert compiled(project, "layout") == {
        "storage_layout": {
            "game": {"type": "uint256", "n_slots": 1, "slot": 0},
            "playerO": {"type": "address", "n_slots": 1, "slot": 1},
        }
    }


def test_natspec__says_what_a_wallet_shows(project: Any) -> None:
    """Every function a person signs has a notice, and every parameter a sentence."""
    user, dev = compiled(project, "userdoc")["methods"], compiled(project, "devdoc")["methods"]
    # Vyper writes a function with a default down once, by its shorter form and with all its parameters.
    assert set(user) == {"newGame(address,address)", "makeMove(uint8,uint8)", "forfeit()", "gameState()"}
    for entry in compiled(project, "abi"):
        if entry["type"] == "function":
            (signature,) = (name for name in user if name.startswith(entry["name"] + "("))
            assert user[signature]["notice"].endswith(".")
            assert dev[signature].get("params", {}).keys() >= {parameter["name"] for parameter in entry["inputs"]}
