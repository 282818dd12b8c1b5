"""The public interface, the storage layout and the bytes, locked: a deployed contract can never change them."""

import re

from eth_utils.crypto import keccak
from ethpm_types import ContractType

from tests.rules.layout import call
from tests.support.compiler import compiled
from tictactoe import deploy

INTERFACE = {
    "constructor()",
    "newGame(address playerX, address playerO)",
    "newGame(address playerX, address playerO, uint256 gameId)",
    "makeMove(uint8 row, uint8 col)",
    "makeMove(uint8 row, uint8 col, uint256 gameId)",
    "forfeit()",
    "forfeit(uint256 gameId)",
    "gameState() -> (uint256,address,address,uint8[3][3],uint8,uint8,(uint8,uint8,uint8,uint8)[])",
    "GameCreated(uint256 indexed gameId, address indexed playerX, address indexed playerO)",
    "MoveMade(uint256 indexed gameId, address indexed player, uint8 sequenceNumber, uint8 row, uint8 col)",
    "GameEnded(uint256 indexed gameId, address indexed winner, uint8 status)",
}
STATE = ["gameId", "playerX", "playerO", "board", "currentPlayer", "status", "moveHistory"]
MOVE = ["row", "col", "player", "sequenceNumber"]


def test_interface__is_the_specification(contract_source):
    contract = ContractType(abi=compiled(contract_source)["abi"])
    assert {entry.signature for entry in contract.abi} == INTERFACE
    assert {entry.name: entry.stateMutability for entry in contract.methods} == {
        "newGame": "nonpayable",
        "makeMove": "nonpayable",
        "forfeit": "nonpayable",
        "gameState": "view",
    }
    assert contract.constructor.stateMutability == "nonpayable"
    (state,) = contract.view_methods[0].outputs
    assert [field.name for field in state.components] == STATE
    assert [field.name for field in state.components[-1].components] == MOVE


def test_storage__is_two_slots(contract_source):
    layout = compiled(contract_source)["layout"]["storage_layout"]
    assert {name: (entry["slot"], entry["n_slots"]) for name, entry in layout.items()} == {
        "game": (0, 1),
        "playerO": (1, 1),
    }


def test_example_in_the_drawing__is_what_a_game_stores(new_table, contract_source):
    """Plays the two moves of the example at the head of the contract and reads the slots."""
    drawing = contract_source.split('"""')[1]
    word = re.search(r"0x([0-9a-f]{64})$", drawing, re.MULTILINE).group(1)
    fields = re.findall(r"^ {10}([0-9a-f]+)  +\S", drawing, re.MULTILINE)
    assert "".join(fields) == word

    table, player_x, player_o = new_table(), int(fields[1], 16), 0xB0B
    table.send(player_o, call("newGame(address,address)", player_x, player_o))
    table.send(player_x, call("makeMove(uint8,uint8)", 1, 1))
    table.send(player_o, call("makeMove(uint8,uint8)", 0, 0))
    assert table.storage() == (int(word, 16), player_o)


def test_runtime_code__is_the_documented_one(project):
    """Proofs and measurements are about these bytes, so a change of them must be deliberate. A comment changes none."""
    code = project.TicTacToe.contract_type.runtime_bytecode.to_bytes()
    sentence = f"The runtime code has {len(code):,} bytes. Their Keccak-256 hash is\n`0x{keccak(code).hex()}`"
    assert sentence in (project.path / "docs" / "integrating.md").read_text()


def test_deploy__sends_what_ape_sends(project, chain, deployer, creation_code):
    """The compiler's metadata included. The other engines, the proofs and the mutants take the code without it."""
    deploy(deployer)
    (ours,) = chain.blocks.head.transactions
    deployer.deploy(project.TicTacToe)
    (apes,) = chain.blocks.head.transactions
    assert ours.data == apes.data
    assert apes.data.startswith(creation_code)
