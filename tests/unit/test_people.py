"""People, not contracts: who may call, and who may be a player."""

from pathlib import Path

import ape
import pytest
from ape.contracts import ContractContainer
from ape.utils import ZERO_ADDRESS


@pytest.fixture(scope="session")
def relay_code(compilers):
    (contract_type,) = compilers.compile([Path(__file__).with_name("Relay.vy")])
    return ContractContainer(contract_type)


@pytest.fixture(scope="session")
def relay(deployer, relay_code):
    return deployer.deploy(relay_code, ZERO_ADDRESS, b"")


@pytest.fixture
def delegated(other, deployer, relay):
    """A person's account that has delegated its code to the relay in an EIP-7702 transaction."""
    with other.delegate_to(relay, receiver=deployer):
        yield other


# -- callers -------------------------------------------------------------------

TRANSACTIONS = {
    "newGame": lambda game, player: game.newGame.encode_input(player, player),
    "newGame over a game": lambda game, player: game.newGame.encode_input(player, player, 1),
    "makeMove": lambda game, _: game.makeMove.encode_input(1, 1),
    "makeMove in a game": lambda game, _: game.makeMove.encode_input(1, 1, 1),
    "forfeit": lambda game, _: game.forfeit.encode_input(),
    "forfeit a game": lambda game, _: game.forfeit.encode_input(1),
}


@pytest.mark.parametrize("transaction", TRANSACTIONS.values(), ids=TRANSACTIONS)
def test_contract_that_calls__is_refused(game, relay, player_x, transaction):
    with ape.reverts("caller is a contract"):
        relay.pass_on(game, transaction(game, player_x), sender=player_x)


@pytest.mark.parametrize("transaction", TRANSACTIONS.values(), ids=TRANSACTIONS)
def test_constructor_that_calls__is_refused(game, relay_code, player_x, transaction):
    with ape.reverts("caller is a contract"):
        player_x.deploy(relay_code, game, transaction(game, player_x))


def test_contract_that_only_reads__is_answered(game, relay, play):
    play(game, (1, 1), (0, 0))
    answer = relay.ask(game)
    assert int.from_bytes(answer[32:64], "big") == game.gameState().gameId == 1
    assert len(answer) == (1 + 15 + 1 + 2 * 4) * 32  # offset, fields, length, two moves


def test_person_with_delegated_code__can_play(game, delegated, player_o):
    tx = game.newGame(delegated, player_o, sender=delegated)
    assert tx.events == [game.GameCreated(gameId=2, playerX=delegated, playerO=player_o)]
    tx = game.makeMove(0, 0, sender=delegated)
    assert tx.events == [game.MoveMade(gameId=2, player=delegated, sequenceNumber=1, row=0, col=0)]


def test_person_whose_own_code_calls__can_play(game, relay, delegated):
    """The person signs a transaction to their own account, and the code there makes the move."""
    game.newGame(delegated, delegated, sender=delegated)
    own_code = ape.Contract(delegated.address, contract_type=relay.contract_type)
    tx = own_code.pass_on(game, game.makeMove.encode_input(2, 2), sender=delegated)
    assert tx.events == [game.MoveMade(gameId=2, player=delegated, sequenceNumber=1, row=2, col=2)]


def test_person_whose_code_another_signer_uses__is_refused(game, relay, delegated, stranger):
    """A relayed transaction: the player's account calls, and another person signed."""
    game.newGame(delegated, delegated, sender=delegated)
    own_code = ape.Contract(delegated.address, contract_type=relay.contract_type)
    with ape.reverts("caller is a contract"):
        own_code.pass_on(game, game.makeMove.encode_input(2, 2), sender=stranger)


# -- players: tests/exhaustive has every kind of code ------------------------------


def test_player_with_delegated_code__is_accepted(game, delegated, stranger):
    for players in [(delegated, stranger), (stranger, delegated)]:
        tx = game.newGame(*players, sender=stranger)
        number = game.gameState().gameId
        assert tx.events == [game.GameCreated(gameId=number, playerX=players[0], playerO=players[1])]


def test_player_without_any_transaction__is_accepted(game, player_x):
    unused = "0x0000000000000000000000000000000000000042"
    tx = game.newGame(unused, player_x, sender=player_x)
    assert tx.events == [game.GameCreated(gameId=2, playerX=unused, playerO=player_x)]
