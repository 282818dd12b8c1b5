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


@pytest.fixture
def relay(deployer, relay_code):
    return deployer.deploy(relay_code, ZERO_ADDRESS, b"")


@pytest.fixture
def delegated(other, deployer, relay):
    """A person's account that has delegated its code to the relay in an EIP-7702 transaction."""
    with other.delegate_to(relay, receiver=deployer):
        yield other


def every_transaction(game, player):
    """With and without the number of the game."""
    for number in ([], [1]):
        yield game.newGame.encode_input(player, player, *number)
        yield game.makeMove.encode_input(1, 1, *number)
        yield game.forfeit.encode_input(*number)


def test_contract_that_calls__is_refused(game, relay, player_x):
    for data in every_transaction(game, player_x):
        with ape.reverts("caller is a contract"):
            relay.pass_on(game, data, sender=player_x)


def test_constructor_that_calls__is_refused(game, relay_code, player_x):
    for data in every_transaction(game, player_x):
        with ape.reverts("caller is a contract"):
            player_x.deploy(relay_code, game, data)


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
