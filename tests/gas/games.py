"""The games that are measured: at one table, in this order, between the same two players. X starts each of them."""

from collections.abc import Iterator
from dataclasses import dataclass

from ape import accounts
from eth_utils.conversions import to_bytes
from vyper.compiler import compile_code

from tests.gas.floor import Parts, of_deployment, of_transaction
from tests.rules.games import DRAWN, WON_BY_X
from tests.rules.layout import Log, call, logs
from tests.rules.model import Model, O, Status

DEPLOY, DEPLOY_CODE = "deploy", "deploy without the compiler's metadata"
FIRST, LATER, WON = "first game, drawn", "later game, drawn", "later game, won in five moves"
NAMED = "later game, drawn, with `gameId`"
X_FORFEITS, O_FORFEITS = "forfeit by X", "forfeit by O"

# The cells. A game that is still in progress after them is forfeited.
GAMES = {FIRST: DRAWN, LATER: DRAWN, NAMED: DRAWN, WON: WON_BY_X, X_FORFEITS: (), O_FORFEITS: (4,)}

DEPLOYER, PLAYER_X, PLAYER_O = range(3)  # among the test accounts


@dataclass
class Transaction:
    """To the table that was created last. The deployer's create one."""

    sender: int
    data: bytes
    logs: list[Log]  # what it must log
    parts: Parts  # what it pays for at least
    gas: tuple[int, ...] = ()  # under each price list, once it is measured


Games = dict[str, list[Transaction]]


def games_at(source: str) -> Games:
    """Deployments and games. In a contract where `gameId` must be given, it is 0 wherever it is left out otherwise."""
    compiled = compile_code(source, output_formats=["bytecode", "bytecode_runtime", "method_identifiers"])
    creation, runtime = (to_bytes(hexstr=compiled[code]) for code in ("bytecode", "bytecode_runtime"))
    code = creation[: -int.from_bytes(creation[-2:], "big")]  # the metadata's last two bytes are its length
    left_out = [] if "forfeit()" in compiled["method_identifiers"] else [0]

    games = {
        name: [Transaction(DEPLOYER, data, [], of_deployment(data, len(runtime)))]
        for name, data in ((DEPLOY, creation), (DEPLOY_CODE, code))
    }
    game = Model()
    for name, cells in GAMES.items():
        games[name] = []
        for function, types, arguments, after in calls(game, cells):
            number = [game.number] if name == NAMED else left_out
            data = call(f"{function}({','.join(types + ['uint256'] * len(number))})", *arguments, *number)
            sender = PLAYER_O if function != "newGame" and game.current_player == O else PLAYER_X
            games[name].append(Transaction(sender, data, logs(game, after), of_transaction(data, game, after)))
            game = after
    return games


def calls(game: Model, cells: tuple[int, ...]) -> Iterator[tuple[str, list[str], tuple[int, ...], Model]]:
    """Of the game after this one: function, types and arguments without `gameId`, and the game that comes of it."""
    x, o = (int(accounts.test_accounts[player].address, 16) for player in (PLAYER_X, PLAYER_O))
    game = game.new_game(x, o)
    yield "newGame", ["address", "address"], (x, o), game
    for cell in cells:
        game = game.move(game.mover, *divmod(cell, 3))
        yield "makeMove", ["uint8", "uint8"], divmod(cell, 3), game
    if game.status == Status.IN_PROGRESS:
        yield "forfeit", [], (), game.forfeit(game.mover)
