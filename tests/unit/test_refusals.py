"""A refused transaction changes nothing and emits nothing. Ether and malformed calldata are refused as well."""

import ape
import pytest
from ape.utils import ZERO_ADDRESS


def everything(contract):
    """What `gameState` returns, and what storage holds: more slots than the contract has."""
    slots = [contract.provider.get_storage(contract.address, slot).hex() for slot in range(4)]
    return contract.gameState(), slots, contract.balance


def test_refusal__changes_nothing(game, play, player_x, player_o, stranger):
    play(game, (1, 1))
    before = everything(game)
    for reason, sender, method, *arguments in [
        ("not the current game", player_o, game.makeMove, 0, 0, 2),
        ("not the current game", player_o, game.forfeit, 2),
        ("not the current game", stranger, game.newGame, game, game, 2),
        ("player is the zero address", stranger, game.newGame, ZERO_ADDRESS, game),
        ("player is a contract", stranger, game.newGame, game, game),
        ("not your turn", player_x, game.makeMove, 0, 0),
        ("not your turn", player_x, game.forfeit),
        ("off the grid", player_o, game.makeMove, 3, 0),
        ("cell is taken", player_o, game.makeMove, 1, 1),
    ]:
        with ape.reverts(reason):
            method(*arguments, sender=sender)
        refused = method(*arguments, sender=sender, raise_on_revert=False)
        assert refused.failed
        assert refused.events == []
        assert everything(game) == before, reason


@pytest.mark.parametrize(
    ("value", "change"),
    [
        pytest.param(1, lambda _: b"", id="ether alone"),
        pytest.param(1, lambda data: data, id="ether with a move"),
        pytest.param(0, lambda data: data[:-1], id="a byte short"),
        pytest.param(0, lambda data: data[:4] + b"\1" + data[5:], id="a dirty row"),
        pytest.param(0, lambda data: b"\0" + data[1:], id="an unknown function"),
    ],
)
def test_ether_and_malformed_calldata__are_refused(game, player_x, value, change):
    """No function takes ether, and there is no default function."""
    before = everything(game)
    data = game.makeMove.encode_input(1, 1)
    with ape.reverts():
        player_x.transfer(game, value, data=change(data), gas=100_000)
    assert everything(game) == before

    player_x.transfer(game, 0, data=data, gas=100_000)
    assert everything(game) != before


def test_ether_sent_with_the_deployment__is_refused(project, deployer):
    create = deployer.provider.network.ecosystem.create_transaction
    code = project.TicTacToe.contract_type.deployment_bytecode.to_bytes()
    with ape.reverts():
        deployer.call(create(data=code, value=1, gas=2_000_000, receiver=None))
    assert deployer.call(create(data=code, gas=2_000_000, receiver=None)).contract_address
