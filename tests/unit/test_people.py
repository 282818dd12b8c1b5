"""People, not contracts: who may call and who may be a player."""

from collections.abc import Callable
from typing import Any

import ape
import pytest
from ape.contracts import ContractContainer
from ethpm_types import ContractType

from tests.rules.layout import call
from tests.rules.model import Model, Refused
from tests.rules.positions import NEW_GAME, Message, outcome
from tests.support.compiler import compiled
from tests.support.embedded import Play, Refuses
from tests.support.revm import RevmTable

# Passes calls on, as a wallet contract or a relayer does.
RELAY = """
# pragma version 0.4.3
@external
def pass_on(target: address, data: Bytes[100]):
    raw_call(target, data)

@external
@view
def ask(target: address) -> Bytes[2000]:
    return raw_call(target, method_id("gameState()"), max_outsize=2000, is_static_call=True)
"""

# Calls from its constructor, when it has no code yet.
CONSTRUCTOR = """
# pragma version 0.4.3
@deploy
def __init__(target: address, data: Bytes[100]):
    raw_call(target, data)
"""


def contract(source: str) -> ContractContainer:
    """Compiled by vyper itself: through ape, a source that is no file takes many times as long."""
    outputs = compiled(source)
    contract_type = {
        "contractName": "Source",
        "abi": outputs["abi"],
        "deploymentBytecode": {"bytecode": outputs["bytecode"]},
        "runtimeBytecode": {"bytecode": outputs["bytecode_runtime"]},
    }
    return ContractContainer(ContractType.model_validate(contract_type))


def encoded(table: Any, name: str, *arguments: Any) -> bytes:
    return bytes(getattr(table, name).encode_input(*arguments))


TRANSACTIONS = ["newGame", "newGame with number", "makeMove", "makeMove with number", "forfeit", "forfeit with number"]


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
def relay(deployer: Any) -> Any:
    return deployer.deploy(contract(RELAY))


@pytest.fixture
def delegated(other: Any, deployer: Any, relay: Any) -> Any:
    """A person's account that has delegated its code to the relay in an EIP-7702 transaction."""
    with other.delegate_to(relay, receiver=deployer):
        assert other.provider.get_code(other.address) == bytes.fromhex("ef0100" + relay.address[2:])
        yield other


# -- callers -------------------------------------------------------------------


@pytest.mark.parametrize("which", range(6), ids=TRANSACTIONS)
def test_caller__that_is_a_contract__is_refused(
    game: Any, relay: Any, player_x: Any, player_o: Any, refuses: Refuses, which: int
) -> None:
    data = transactions(game, player_x, player_o)[which]
    with refuses(game, "caller is a contract"):
        relay.pass_on(game, data, sender=player_x)


@pytest.mark.parametrize("which", range(6), ids=TRANSACTIONS)
def test_caller__that_is_a_constructor__is_refused(
    game: Any, player_x: Any, player_o: Any, refuses: Refuses, which: int
) -> None:
    data = transactions(game, player_x, player_o)[which]
    with refuses(game, "caller is a contract"):
        player_x.deploy(contract(CONSTRUCTOR), game, data)


def test_contract__that_only_reads__is_answered(game: Any, relay: Any, play: Play) -> None:
    play(game, 4, 0)
    returned = relay.ask(game)
    assert int.from_bytes(returned[32:64], "big") == game.gameState().gameId == 1
    assert len(returned) == (1 + 15 + 1 + 2 * 4) * 32


def test_caller__with_delegated_code__can_play(game: Any, delegated: Any, player_o: Any) -> None:
    tx = game.newGame(delegated, player_o, sender=delegated)
    assert tx.events == [game.GameCreated(gameId=2, playerX=delegated, playerO=player_o)]
    tx = game.makeMove(0, 0, sender=delegated)
    assert tx.events == [game.MoveMade(gameId=2, player=delegated, sequenceNumber=1, row=0, col=0)]
    game.makeMove(1, 1, sender=player_o)
    tx = game.forfeit(sender=delegated)
    assert tx.events == [game.GameEnded(gameId=2, winner=player_o, status=5)]


def test_caller__whose_delegated_code_calls__can_play(game: Any, relay: Any, delegated: Any) -> None:
    """The person signs a transaction to their own account, and the code there makes the move."""
    game.newGame(delegated, delegated, sender=delegated)
    own_code = ape.Contract(delegated.address, contract_type=relay.contract_type)
    tx = own_code.pass_on(game, encoded(game, "makeMove", 2, 2), sender=delegated)
    assert tx.events == [game.MoveMade(gameId=2, player=delegated, sequenceNumber=1, row=2, col=2)]


def test_caller__whose_delegated_code_another_signer_uses__is_refused(
    game: Any, relay: Any, delegated: Any, stranger: Any, refuses: Refuses
) -> None:
    """A relayed transaction: the player's account calls, and another person signed."""
    game.newGame(delegated, delegated, sender=delegated)
    own_code = ape.Contract(delegated.address, contract_type=relay.contract_type)
    for data in transactions(game, stranger, stranger):
        with refuses(game, "caller is a contract"):
            own_code.pass_on(game, data, sender=stranger)


# -- players -------------------------------------------------------------------


@pytest.mark.parametrize("seat", ["X", "O"])
def test_player__with_delegated_code__is_accepted(game: Any, delegated: Any, stranger: Any, seat: str) -> None:
    players = [delegated if seat == mark else stranger for mark in "XO"]
    tx = game.newGame(*players, sender=stranger)
    assert tx.events == [game.GameCreated(gameId=2, playerX=players[0], playerO=players[1])]


@pytest.mark.parametrize("seat", ["X", "O"])
def test_player__without_any_transaction__is_accepted(game: Any, player_x: Any, seat: str) -> None:
    unused = "0x" + "00" * 19 + "42"
    players = [unused if seat == mark else player_x for mark in "XO"]
    game.newGame(*players, sender=player_x)
    assert unused in (game.gameState().playerX, game.gameState().playerO)


@pytest.mark.parametrize("seat", ["X", "O"])
@pytest.mark.parametrize("code", ["00" + "ef0100" + "11" * 19, "00" * 23, "00" * 22, "00"])
def test_player__with_deployed_code__is_refused(
    game: Any, player_x: Any, refuses: Refuses, seat: str, code: str
) -> None:
    """Code as long as a delegation, or with a delegation's bytes in another place."""
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
def test_player__with_code_like_a_delegation__is_accepted_or_refused(
    new_table: Callable[[], RevmTable], seat: str, code: str, accepted: bool
) -> None:
    """No transaction deploys code that begins with 0xef, so it is written into pyrevm's state."""
    table, player, stranger = new_table(), 0xDE1E6, 0x57A6
    table.set_code(player, bytes.fromhex(code))
    players = [player if seat == mark else stranger for mark in "XO"]
    after = Model().new_game(*players) if accepted else Refused("player is a contract")
    assert table.outcome(Message(stranger, call(NEW_GAME, *players))) == outcome(Model(), after)
