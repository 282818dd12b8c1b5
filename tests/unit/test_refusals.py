"""A refused transaction changes nothing and emits nothing. Ether and malformed calldata are refused as well."""

import ape
import pytest
from ape.utils import ZERO_ADDRESS


def everything(contract):
    """What `gameState` returns, and what storage holds: more slots than the contract has."""
    slots = [contract.provider.get_storage(contract.address, slot).hex() for slot in range(4)]
    return contract.gameState(), slots, contract.balance


@pytest.mark.parametrize(
    ("reason", "sender", "transaction"),
    [
        ("not the current game", "player_o", lambda game: (game.makeMove, 0, 0, 2)),
        ("not the current game", "player_o", lambda game: (game.forfeit, 2)),
        ("not the current game", "stranger", lambda game: (game.newGame, game, game, 2)),
        ("player is the zero address", "stranger", lambda game: (game.newGame, ZERO_ADDRESS, game)),
        ("player is a contract", "stranger", lambda game: (game.newGame, game, game)),
        ("not your turn", "player_x", lambda game: (game.makeMove, 0, 0)),
        ("not your turn", "player_x", lambda game: (game.forfeit,)),
        ("off the grid", "player_o", lambda game: (game.makeMove, 3, 0)),
        ("cell is taken", "player_o", lambda game: (game.makeMove, 1, 1)),
    ],
    ids=lambda value: value if isinstance(value, str) else "transaction",
)
def test_refusal__changes_nothing(request, game, play, reason, sender, transaction):
    play(game, (1, 1))
    before = everything(game)
    account = request.getfixturevalue(sender)
    method, *arguments = transaction(game)

    with ape.reverts(reason):
        method(*arguments, sender=account)
    assert everything(game) == before

    refused = method(*arguments, sender=account, raise_on_revert=False)
    assert refused.failed
    assert refused.events == []
    assert everything(game) == before


def test_ether_sent_along__is_refused(game, player_x):
    """No function takes ether, and there is no default function."""
    before = everything(game)
    with ape.reverts():
        player_x.transfer(game, "1 ether")
    with ape.reverts():
        player_x.transfer(game, 1, data=game.makeMove.encode_input(1, 1), gas=100_000)
    assert everything(game) == before


def test_ether_sent_with_the_deployment__is_refused(project, deployer):
    create = deployer.provider.network.ecosystem.create_transaction
    code = project.TicTacToe.contract_type.deployment_bytecode.to_bytes()
    with ape.reverts():
        deployer.call(create(data=code, value=1, gas=2_000_000, receiver=None))
    assert deployer.call(create(data=code, gas=2_000_000, receiver=None)).contract_address


@pytest.mark.parametrize(
    "malformed",
    [
        pytest.param(lambda data: data[:-1], id="a byte short"),
        pytest.param(lambda data: data[:4] + b"\1" + data[5:], id="a dirty row"),
        pytest.param(lambda data: b"\0" + data[1:], id="an unknown function"),
    ],
)
def test_malformed_calldata__is_refused(game, player_x, malformed):
    before = everything(game)
    data = game.makeMove.encode_input(1, 1)
    with ape.reverts():
        player_x.transfer(game, 0, data=malformed(data), gas=100_000)
    assert everything(game) == before

    player_x.transfer(game, 0, data=data, gas=100_000)
    assert everything(game) != before
