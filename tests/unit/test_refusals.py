"""What the contract refuses: the first reason that applies, no event, and nothing changed."""

import ape
import pytest
from ape.utils import ZERO_ADDRESS


def everything(contract):
    """What `gameState` returns, and what storage holds: more slots than the contract has."""
    slots = [contract.provider.get_storage(contract.address, slot).hex() for slot in range(4)]
    return contract.gameState(), slots, contract.balance


def assert_refused(contract, *refusals):
    before = everything(contract)
    for reason, sender, method, *arguments in refusals:
        with ape.reverts(reason):
            method(*arguments, sender=sender)
        refused = method(*arguments, sender=sender, raise_on_revert=False)
        assert (refused.failed, refused.events) == (True, [])
        assert everything(contract) == before, (reason, arguments)


def test_before_the_first_game(table, player_x, player_o):
    assert_refused(
        table,
        ("no game in progress", player_x, table.makeMove, 1, 1),
        ("no game in progress", player_x, table.makeMove, 1, 1, 1),
        ("no game in progress", player_x, table.forfeit),
        ("not the current game", player_x, table.newGame, player_x, player_o, 1),
    )


def test_on_the_turn_of_x(game, player_x, player_o, stranger):
    assert_refused(
        game,
        ("not your turn", player_o, game.makeMove, 1, 1),
        ("not your turn", stranger, game.makeMove, 1, 1),
        ("not your turn", player_o, game.forfeit),
        ("not your turn", stranger, game.forfeit),
        ("off the grid", player_x, game.makeMove, 3, 0),
        ("off the grid", player_x, game.makeMove, 0, 3),
        ("off the grid", player_x, game.makeMove, 255, 255),
    )


def test_on_the_turn_of_o(game, play, player_x, player_o, stranger):
    play(game, (1, 1))
    assert_refused(
        game,
        ("cell is taken", player_o, game.makeMove, 1, 1),
        ("not your turn", player_x, game.makeMove, 0, 0),
        ("not your turn", stranger, game.makeMove, 0, 0),
        ("not your turn", player_x, game.forfeit),
        ("not your turn", stranger, game.forfeit),
        ("not the current game", player_o, game.makeMove, 0, 0, 2),
        ("not the current game", player_o, game.forfeit, 2),
        ("player is the zero address", stranger, game.newGame, ZERO_ADDRESS, player_o),
        ("player is the zero address", stranger, game.newGame, player_x, ZERO_ADDRESS),
        ("player is a contract", stranger, game.newGame, game, player_o),
        ("player is a contract", stranger, game.newGame, player_x, game),
        # Of several mistakes, the first in the contract's order.
        ("not the current game", stranger, game.makeMove, 9, 9, 2),
        ("not your turn", stranger, game.makeMove, 9, 9, 1),
        ("not the current game", stranger, game.forfeit, 2),
        ("not the current game", stranger, game.newGame, ZERO_ADDRESS, game, 2),
        ("player is the zero address", stranger, game.newGame, game, ZERO_ADDRESS, 1),
    )


def test_after_the_end(game, play, player_x, player_o, stranger):
    play(game, (0, 0), (1, 0), (0, 1), (1, 1), (0, 2))
    for account in (player_x, player_o, stranger):
        assert_refused(
            game,
            ("no game in progress", account, game.makeMove, 2, 2),
            ("no game in progress", account, game.makeMove, 9, 9, 7),
            ("no game in progress", account, game.forfeit),
            ("no game in progress", account, game.forfeit, 7),
        )


@pytest.mark.parametrize(("value", "cut"), [(1, 0), (0, 1)], ids=["ether", "a byte short"])
def test_ether_and_malformed_calldata(game, player_x, value, cut):
    """Refused without a reason. Sent as data, because Ape itself refuses both. tests/exhaustive has every kind."""
    before = everything(game)
    data = game.makeMove.encode_input(1, 1)
    with ape.reverts():
        player_x.transfer(game, value, data=data[: len(data) - cut], gas=100_000)
    assert everything(game) == before
    player_x.transfer(game, 0, data=data, gas=100_000)
    assert everything(game) != before


def test_ether_sent_with_the_deployment(project, deployer):
    create = deployer.provider.network.ecosystem.create_transaction
    code = project.TicTacToe.contract_type.deployment_bytecode.to_bytes()
    with ape.reverts():
        deployer.call(create(data=code, value=1, gas=2_000_000, receiver=None))
    assert deployer.call(create(data=code, gas=2_000_000, receiver=None)).contract_address
