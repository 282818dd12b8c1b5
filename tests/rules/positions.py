"""What the walk through all positions sends to each, and what must come of it; other engines and the mutants are asked
the same."""

from collections.abc import Iterator
from functools import partial

from tests.rules import layout
from tests.rules.layout import call
from tests.rules.model import Model
from tests.support.revm import Place, Refused, RevmTable, rules

PLAYER_X, PLAYER_O, STRANGER = 0xA11CE << 140 | 1, 0xB0B << 148 | 2, 0x57A6 << 144 | 3
EVERYBODY = (PLAYER_X, PLAYER_O, STRANGER)

ON_GRID = [(cell // 3, cell % 3) for cell in range(9)]
OFF_GRID = [(3, 0), (0, 3), (2, 3), (3, 2), (3, 3), (4, 1), (1, 4), (85, 0), (0, 85), (255, 2), (2, 255), (255, 255)]

MOVE = "makeMove(uint8,uint8)"
MOVE_IN = "makeMove(uint8,uint8,uint256)"
FORFEIT = "forfeit()"
FORFEIT_IN = "forfeit(uint256)"
NEW_GAME = "newGame(address,address)"
NEW_GAME_OVER = "newGame(address,address,uint256)"

REASONS = (
    "caller is a contract",
    "player is the zero address",
    "player is a contract",
    "no game in progress",
    "not the current game",
    "not your turn",
    "off the grid",
    "cell is taken",
)

NUMBER = 3  # the games of the walk are a table's third, so that the numbers next to theirs are numbers of games too
WRONG_NUMBERS = (1, NUMBER - 1, NUMBER + 1, NUMBER + 2**52, 2**256 - 1)


def transactions(game: Model, table: Place) -> Iterator[tuple[int, bytes, Model | Refused]]:
    """Everything that anybody can send in a position, and what must come of it."""
    contract = int(table.address, 16)
    wrong = WRONG_NUMBERS[sum(game.moves) % len(WRONG_NUMBERS)]
    for caller in EVERYBODY:
        for row, col in ON_GRID + OFF_GRID:
            yield caller, call(MOVE, row, col), rules(partial(game.move, caller, row, col))
            yield caller, call(MOVE_IN, row, col, NUMBER), rules(partial(game.move, caller, row, col, NUMBER))
            yield caller, call(MOVE_IN, row, col, wrong), rules(partial(game.move, caller, row, col, wrong))
        yield caller, call(MOVE_IN, 1, 1, 0), rules(partial(game.move, caller, 1, 1))
        yield caller, call(FORFEIT), rules(partial(game.forfeit, caller))
        for number in (0, NUMBER, *WRONG_NUMBERS):
            yield caller, call(FORFEIT_IN, number), rules(partial(game.forfeit, caller, number))
        for player_x, player_o in ((PLAYER_X, PLAYER_O), (PLAYER_O, STRANGER), (STRANGER, STRANGER)):
            yield caller, call(NEW_GAME, player_x, player_o), game.new_game(player_x, player_o)
        for number in (0, NUMBER, *WRONG_NUMBERS):
            outcome = rules(partial(game.new_game, PLAYER_O, PLAYER_X, number))
            yield caller, call(NEW_GAME_OVER, PLAYER_O, PLAYER_X, number), outcome
        # The number is looked at before the players are.
        yield caller, call(NEW_GAME_OVER, 0, contract, wrong), Refused("not the current game")
        yield caller, call(NEW_GAME_OVER, 0, contract, NUMBER), Refused("player is the zero address")
        yield caller, call(NEW_GAME, 0, PLAYER_O), Refused("player is the zero address")
        yield caller, call(NEW_GAME, contract, 0), Refused("player is the zero address")
        yield caller, call(NEW_GAME, contract, PLAYER_O), Refused("player is a contract")
        yield caller, call(NEW_GAME, PLAYER_X, contract), Refused("player is a contract")


def through_a_contract() -> list[bytes]:
    """The same transactions, in short, for a contract to pass on."""
    moves = [call(MOVE, row, col) for row, col in ON_GRID + OFF_GRID]
    others = [call(FORFEIT)]
    for number in (NUMBER, NUMBER + 1):
        others += [call(MOVE_IN, 1, 1, number), call(FORFEIT_IN, number), call(NEW_GAME_OVER, PLAYER_X, 0, number)]
    return [*moves, *others, call(NEW_GAME, PLAYER_X, PLAYER_O), call(NEW_GAME, 0, 0)]


def check_standing(table: RevmTable, game: Model) -> None:
    assert table.storage() == layout.storage(game)
    assert table.game_state() == layout.game_state(game)


def mover(game: Model) -> int:
    return game.player_x if len(game.moves) % 2 == 0 else game.player_o


MIDDLE = through_a_contract()
