"""The plain contract follows the rules of the contract that it is compared with.

Its storage is not packed, so positions cannot be written into it: each is reached by playing.
"""

from collections import Counter

import pytest

from tests.gas.measure import CONTRACT, PLAIN
from tests.rules.games import DRAWN
from tests.rules.layout import call, game_state, logs
from tests.rules.model import Model, Refused, Status, attempt
from tests.support.compiler import compiled, creation_code
from tests.support.revm import RevmTable

X, O, STRANGER = 0xA11CE << 140, 0xB0B << 148, 0x57A6 << 144
NEW_GAME, NEW_GAME_OVER = "newGame(address,address)", "newGame(address,address,uint256)"
MOVE, MOVE_IN = "makeMove(uint8,uint8)", "makeMove(uint8,uint8,uint256)"
ON_GRID = [divmod(cell, 3) for cell in range(9)]
OFF_GRID = [(3, 0), (0, 3), (2, 255), (255, 255)]

# Code that a person's account can have (EIP-7702), and code that it cannot have.
CODES = ("ef0100" + "00" * 20, "ef0101" + "00" * 20, "ef0100" + "00" * 21, "00")


@pytest.fixture
def table():
    return RevmTable(creation_code(PLAIN))


def test_interface__is_the_contracts():
    plain, contract = (sorted(compiled(source)["abi"], key=str) for source in (PLAIN, CONTRACT))
    assert plain == contract


def test_every_position__follows_the_rules(table):
    """In a second game, which must hold nothing of the first one."""
    first = Model().new_game(O, STRANGER)
    assert table.send(O, call(NEW_GAME, O, STRANGER)) == logs(Model(), first)
    for row, col in (divmod(cell, 3) for cell in DRAWN):
        table.send(first.mover, call(MOVE, row, col))
        first = first.move(first.mover, row, col)
    second = first.new_game(X, O)
    assert table.send(X, call(NEW_GAME, X, O)) == logs(first, second)

    positions, tally = set(), Counter()
    explore(table, second, positions, tally)
    assert Counter(status for _, status in positions) == {
        Status.IN_PROGRESS: 4_520,
        Status.X_WON: 626,
        Status.O_WON: 316,
        Status.DRAW: 16,
        Status.X_FORFEITS: 2_423,
        Status.O_FORFEITS: 2_097,
    }
    assert tally == {
        "accepted": 43_491,
        "no game in progress": 361_548,
        "not the current game": 54_240,
        "not your turn": 162_720,
        "off the grid": 18_080,
        "cell is taken": 29_787,
    }


def explore(table, game, positions, tally):
    """Send everything to this position, and go on to every position that comes of it and is new."""
    positions.add((game.board, game.status))
    accepted = []
    for caller, data, after in everything(game):
        if isinstance(after, Refused):
            assert table.send(caller, data) == after, (game, caller, data.hex())
            tally[after.reason] += 1
        else:
            accepted.append((caller, data, after))
    assert table.game_state() == game_state(game)

    for caller, data, after in accepted:
        checkpoint = table.evm.snapshot()
        assert table.send(caller, data) == logs(game, after), (game, caller, data.hex())
        assert table.game_state() == game_state(after), (game, caller, data.hex())
        tally["accepted"] += 1
        if (after.board, after.status) not in positions:
            explore(table, after, positions, tally)
        table.evm.revert(checkpoint)


def everything(game):
    """Every move and every forfeit, by both players and a stranger, and a new game. With what the rules make of it."""
    for caller in (X, O, STRANGER):
        for row, col in ON_GRID + OFF_GRID:
            yield caller, call(MOVE, row, col), attempt(game.move, caller, row, col)
        yield caller, call("forfeit()"), attempt(game.forfeit, caller)
        for number in range(4):
            yield caller, call(MOVE_IN, 1, 1, number), attempt(game.move, caller, 1, 1, number)
            yield caller, call("forfeit(uint256)", number), attempt(game.forfeit, caller, number)
    yield STRANGER, call(NEW_GAME, O, X), game.new_game(O, X)


def test_new_game__follows_the_rules(table):
    """Before the first game, and over it. Of two reasons, the first one counts."""
    delegated, *contracts = (0xC0DE0 + i << 140 for i in range(4))
    for account, code in zip((delegated, *contracts), CODES, strict=True):
        table.set_code(account, bytes.fromhex(code))
    game = Model()
    for players in ((delegated, O), (O, delegated)):
        cases = [
            (0, contracts[0], game.number + 1, "not the current game"),
            (0, contracts[0], 0, "player is the zero address"),
            (contracts[0], 0, game.number, "player is the zero address"),
        ]
        for contract in contracts:
            cases += (contract, O, 0, "player is a contract"), (O, contract, 0, "player is a contract")
        for x, o, number, reason in cases:
            assert table.send(X, call(NEW_GAME_OVER, x, o, number)) == Refused(reason)
        assert table.game_state() == game_state(game)
        before, game = game, game.new_game(*players)
        assert table.send(X, call(NEW_GAME_OVER, *players, before.number)) == logs(before, game)
        assert table.game_state() == game_state(game)


def test_refusals__come_in_the_same_order(table):
    """A contract is refused before all else, and before the first game nobody moves."""
    move, forfeit = call(MOVE_IN, 3, 3, 1), call("forfeit(uint256)", 1)
    for data in (call(NEW_GAME_OVER, 0, 0, 1), move, forfeit):
        assert table.send(X, data, through_contract=True) == Refused("caller is a contract")
    for data in (move, forfeit):
        assert table.send(X, data) == Refused("no game in progress")
    assert table.game_state() == game_state(Model())
