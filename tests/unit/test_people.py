"""People, not contracts: who may call and who may be named, with real transactions on ape's own chain."""

from collections.abc import Callable
from functools import cache
from typing import Any

import ape
import pytest
from ape.contracts import ContractContainer
from ethpm_types import ContractType
from vyper.compiler import compile_code

from tests.rules import layout
from tests.rules.layout import call
from tests.rules.model import Model, Refused
from tests.support.revm import RevmTable
from tests.unit.conftest import Play, Refuses

# Passes any call on, as a wallet contract, a relayer or a game that plays this game would.
MIDDLE = """
# pragma version 0.4.3
@external
def pass_on(target: address, data: Bytes[100]):
    raw_call(target, data)

@external
@view
def ask(target: address) -> Bytes[2000]:
    return raw_call(target, method_id("gameState()"), max_outsize=2000, is_static_call=True)
"""

# Calls while it is being deployed, when it has no code yet.
UNBORN = """
# pragma version 0.4.3
@deploy
def __init__(target: address, data: Bytes[100]):
    raw_call(target, data)
"""


@cache
def compiled(source: str) -> ContractContainer:
    """By the compiler itself: ape's own way for a text takes it many times as long."""
    out = compile_code(source, output_formats=["abi", "bytecode", "bytecode_runtime"])
    contract_type = {
        "contractName": "Text",
        "abi": out["abi"],
        "deploymentBytecode": {"bytecode": out["bytecode"]},
        "runtimeBytecode": {"bytecode": out["bytecode_runtime"]},
    }
    return ContractContainer(ContractType.model_validate(contract_type))


def encoded(table: Any, name: str, *arguments: Any) -> bytes:
    return bytes(getattr(table, name).encode_input(*arguments))


TRANSACTIONS = ["newGame", "newGame over one", "move", "move in a game", "forfeit", "forfeit of a game"]


def transactions(table: Any, player_x: Any, player_o: Any) -> list[bytes]:
    return [
        encoded(table, "newGame", player_x, player_o),
        encoded(table, "newGame", player_x, player_o, 1),
        encoded(table, "makeMove", 1, 1),
        encoded(table, "makeMove", 1, 1, 1),
        encoded(table, "forfeit"),
        encoded(table, "forfeit", 1),
    ]


@pytest.fixture
def middle(deployer: Any) -> Any:
    return deployer.deploy(compiled(MIDDLE))


@pytest.fixture
def delegated(accounts: Any, middle: Any) -> Any:
    """A person's account that has handed its code to a contract by a real EIP-7702 transaction, and takes it back."""
    account = accounts[7]
    with account.delegate_to(middle, receiver=accounts[8]):
        assert account.provider.get_code(account.address) == bytes.fromhex("ef0100" + middle.address[2:])
        yield account


# -- callers -------------------------------------------------------------------


@pytest.mark.parametrize("which", range(6), ids=TRANSACTIONS)
def test_caller__that_is_a_contract__is_refused(
    game: Any, middle: Any, player_x: Any, player_o: Any, refuses: Refuses, which: int
) -> None:
    data = transactions(game, player_x, player_o)[which]
    with refuses(game, "caller is a contract"):
        middle.pass_on(game, data, sender=player_x)


@pytest.mark.parametrize("which", range(6), ids=TRANSACTIONS)
def test_caller__that_is_a_contract_without_code_yet__is_refused(
    game: Any, player_x: Any, player_o: Any, refuses: Refuses, which: int
) -> None:
    data = transactions(game, player_x, player_o)[which]
    with refuses(game, "caller is a contract"):
        player_x.deploy(compiled(UNBORN), game, data)


def test_caller__that_only_reads__may_be_a_contract(game: Any, middle: Any, play: Play) -> None:
    play(game, 4, 0)
    answer = middle.ask(game)
    assert int.from_bytes(answer[32:64], "big") == game.gameState().gameId == 1
    assert len(answer) == (1 + 15 + 1 + 2 * 4) * 32


def test_caller__whose_code_is_delegated__starts_moves_and_forfeits(game: Any, delegated: Any, player_o: Any) -> None:
    tx = game.newGame(delegated, player_o, sender=delegated)
    assert tx.events == [game.GameCreated(gameId=2, playerX=delegated, playerO=player_o)]
    tx = game.makeMove(0, 0, sender=delegated)
    assert tx.events == [game.MoveMade(gameId=2, player=delegated, sequenceNumber=1, row=0, col=0)]
    game.makeMove(1, 1, sender=player_o)
    tx = game.forfeit(sender=delegated)
    assert tx.events == [game.GameEnded(gameId=2, winner=player_o, status=5)]


def test_caller__whose_delegated_code_calls__is_still_the_signer(game: Any, middle: Any, delegated: Any) -> None:
    """A transaction from a person to themselves, whose delegated code plays: the person signed it."""
    game.newGame(delegated, delegated, sender=delegated)
    inside = ape.Contract(delegated.address, contract_type=middle.contract_type)
    tx = inside.pass_on(game, encoded(game, "makeMove", 2, 2), sender=delegated)
    assert tx.events == [game.MoveMade(gameId=2, player=delegated, sequenceNumber=1, row=2, col=2)]


def test_caller__whose_delegated_code_is_used_by_another__is_refused(
    game: Any, middle: Any, delegated: Any, stranger: Any, refuses: Refuses
) -> None:
    """A relayed transaction: the player's account calls, but somebody else signed."""
    game.newGame(delegated, delegated, sender=delegated)
    inside = ape.Contract(delegated.address, contract_type=middle.contract_type)
    for data in transactions(game, stranger, stranger):
        with refuses(game, "caller is a contract"):
            inside.pass_on(game, data, sender=stranger)


# -- named players -------------------------------------------------------------


@pytest.mark.parametrize("seat", ["X", "O"])
def test_player__whose_code_is_delegated__is_accepted(game: Any, delegated: Any, stranger: Any, seat: str) -> None:
    players = [delegated if seat == mark else stranger for mark in "XO"]
    tx = game.newGame(*players, sender=stranger)
    assert tx.events == [game.GameCreated(gameId=2, playerX=players[0], playerO=players[1])]


@pytest.mark.parametrize("seat", ["X", "O"])
def test_player__that_never_did_anything__is_accepted(game: Any, player_x: Any, seat: str) -> None:
    nobody = "0x" + "00" * 19 + "42"
    players = [nobody if seat == mark else player_x for mark in "XO"]
    game.newGame(*players, sender=player_x)
    assert nobody in (game.gameState().playerX, game.gameState().playerO)


@pytest.mark.parametrize("seat", ["X", "O"])
@pytest.mark.parametrize("code", ["00" + "ef0100" + "11" * 19, "00" * 23, "00" * 22, "00"])
def test_player__with_real_code_of_the_length_or_not__is_refused(
    game: Any, player_x: Any, refuses: Refuses, seat: str, code: str
) -> None:
    """Deployed for real: code that is as long as a delegation, or holds its bytes, but does not begin with them."""
    initcode = bytes.fromhex(f"60{len(code) // 2:02x}80600b5f395ff3" + "0000" + code)
    receipt = player_x.call(
        player_x.provider.network.ecosystem.create_transaction(data=initcode, gas=200_000, receiver=None)
    )
    contract = receipt.contract_address
    assert player_x.provider.get_code(contract) == bytes.fromhex(code)
    players = [contract if seat == mark else player_x for mark in "XO"]
    with refuses(game, "player is a contract"):
        game.newGame(*players, sender=player_x)


@pytest.mark.parametrize("seat", ["X", "O"])
@pytest.mark.parametrize(
    ("code", "accepted"),
    [
        pytest.param("ef0100" + "11" * 20, True, id="a delegation"),
        pytest.param("ef0100" + "00" * 20, True, id="a delegation to nothing"),
        pytest.param("ef0100" + "11" * 19, False, id="a byte short"),
        pytest.param("ef0100" + "11" * 21, False, id="a byte long"),
        pytest.param("ef0100", False, id="the head alone"),
        pytest.param("ef01", False, id="half the head"),
        pytest.param("ef0101" + "11" * 20, False, id="another version"),
        pytest.param("ef0000" + "11" * 20, False, id="another format"),
        pytest.param("ee0100" + "11" * 20, False, id="another first byte"),
        pytest.param("00", False, id="a byte of code"),
    ],
)
def test_player__with_code_that_cannot_be_deployed__is_judged_by_every_byte(
    new_table: Callable[[], RevmTable], seat: str, code: str, accepted: bool
) -> None:
    """No chain lets code begin with 0xef, so these are written into the state of the fast engine."""
    table, player, stranger = new_table(), 0xDE1E6, 0x57A6
    table.set_code(player, bytes.fromhex(code))
    data = call("newGame(address,address)", *(player if seat == mark else stranger for mark in "XO"))
    before = table.storage()
    outcome = table.send(stranger, data)
    if accepted:
        begun = Model().new_game(*(player if seat == mark else stranger for mark in "XO"))
        assert outcome == layout.logs(Model(), begun)
        assert table.storage() == layout.storage(begun)
    else:
        assert outcome == Refused("player is a contract")
        assert table.storage() == before
