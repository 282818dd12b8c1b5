"""Plain.vy follows the same rules as the contract that it is compared with.

Its storage is not packed, so positions cannot be written into it: each is reached by playing.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rules.games import DRAWN
from tests.rules.layout import call, game_state, logs
from tests.rules.model import Model, Refused, Status, attempt
from tests.support.compiler import compiled, creation_code
from tests.support.revm import RevmTable

PLAIN = Path(__file__).with_name("Plain.vy").read_text()

X, O, STRANGER, OTHER = 0xA11CE << 140, 0xB0B << 148, 0x57A6 << 144, 0x07E4 << 144
NEW_GAME, NEW_GAME_OVER = "newGame(address,address)", "newGame(address,address,uint256)"
CELLS = [(row, col) for row in range(3) for col in range(3)]
OFF_GRID = [(3, 0), (0, 3), (2, 255), (255, 255)]
NUMBERS = (1, 2, 3)  # of games: the positions are those of the second

# Of accounts with code, only one that is delegated under EIP-7702 is a person's.
DELEGATED = 0xDE1E << 144
CODES = {
    DELEGATED: "ef0100" + "00" * 20,
    1 << 155: "ef0101" + "00" * 20,
    2 << 155: "ef0100" + "00" * 21,
    3 << 155: "00",
}
CONTRACTS = [account for account in CODES if account != DELEGATED]

Case = tuple[int, bytes, Model | Refused]  # who sends what, and what the rules make of it


@pytest.fixture
def table() -> RevmTable:
    table = RevmTable(creation_code(PLAIN))
    for account, code in CODES.items():
        table.set_code(account, bytes.fromhex(code))
    return table


def test_interface__is_that_of_the_contract(contract_source: str) -> None:
    plain, contract = (sorted(compiled(source)["abi"], key=str) for source in (PLAIN, contract_source))
    assert plain == contract


def test_every_position__follows_the_rules(table: RevmTable) -> None:
    """All are played in the second game, which must hold nothing of the first."""
    first = Model().new_game(OTHER, STRANGER)
    assert table.send(OTHER, call(NEW_GAME, OTHER, STRANGER)) == logs(Model(), first)
    for cell in DRAWN:
        table.send(first.mover, call("makeMove(uint8,uint8)", *divmod(cell, 3)))
        first = first.move(first.mover, *divmod(cell, 3))
    second = first.new_game(X, O)
    assert table.send(X, call(NEW_GAME, X, O)) == logs(first, second)

    positions: dict[object, Model] = {}
    tally = explore(table, second, positions)
    assert Counter(game.status for game in positions.values()) == {
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


def explore(table: RevmTable, game: Model, positions: dict[object, Model]) -> Counter[str]:
    """Send everything to this position, and go on with each new one that comes of it. Returns the counts."""
    positions[game.board, game.status] = game
    tally: Counter[str] = Counter()
    accepted = []
    for caller, data, after in everything(game):
        if isinstance(after, Model):
            accepted.append((caller, data, after))
        else:
            assert table.send(caller, data) == after, (game, caller, data.hex())
            tally[after.reason] += 1
    assert table.game_state() == game_state(game)

    for caller, data, after in accepted:
        checkpoint = table.evm.snapshot()
        assert table.send(caller, data) == logs(game, after), (game, caller, data.hex())
        assert table.game_state() == game_state(after), (game, caller, data.hex())
        tally["accepted"] += 1
        if (after.board, after.status) not in positions:
            tally += explore(table, after, positions)
        table.evm.revert(checkpoint)
    return tally


def everything(game: Model) -> Iterator[Case]:
    """Every move and every forfeit, by both players and a stranger; and a new game."""
    for caller in (X, O, STRANGER):
        for row, col in CELLS + OFF_GRID:
            yield caller, call("makeMove(uint8,uint8)", row, col), attempt(game.move, caller, row, col)
        yield caller, call("forfeit()"), attempt(game.forfeit, caller)
        for number in (0, *NUMBERS):
            data = call("makeMove(uint8,uint8,uint256)", 1, 1, number)
            yield caller, data, attempt(game.move, caller, 1, 1, number)
            yield caller, call("forfeit(uint256)", number), attempt(game.forfeit, caller, number)
    yield STRANGER, call(NEW_GAME, O, X), game.new_game(O, X)


def test_new_game__follows_the_rules(table: RevmTable) -> None:
    """Before the first game and over it. Of two reasons, the first one counts."""
    game, contract = Model(), CONTRACTS[0]
    for x, o in ((DELEGATED, O), (O, DELEGATED)):
        for *players, number, reason in (
            (0, contract, game.number + 1, "not the current game"),
            (0, contract, 0, "player is the zero address"),
            (contract, 0, game.number, "player is the zero address"),
            *((account, O, 0, "player is a contract") for account in CONTRACTS),
            *((O, account, 0, "player is a contract") for account in CONTRACTS),
        ):
            assert table.send(STRANGER, call(NEW_GAME_OVER, *players, number)) == Refused(reason)
        assert table.game_state() == game_state(game)
        begun = game.new_game(x, o)
        assert table.send(STRANGER, call(NEW_GAME_OVER, x, o, game.number)) == logs(game, begun)
        assert table.game_state() == game_state(begun)
        game = begun


def test_before_the_first_game__nobody_moves(table: RevmTable) -> None:
    for data in (call("makeMove(uint8,uint8,uint256)", 3, 3, 1), call("forfeit(uint256)", 1)):
        assert table.send(X, data) == Refused("no game in progress")


def test_contract__is_refused_first(table: RevmTable) -> None:
    for data in (call(NEW_GAME_OVER, 0, 0, 1), call("makeMove(uint8,uint8,uint256)", 3, 3, 1), call("forfeit()")):
        assert table.send(X, data, through_contract=True) == Refused("caller is a contract")
    assert table.game_state() == game_state(Model())
