"""The fixed games, and what their transactions cost. A contract is measured only if it logs what the rules say.

They are played at one table, in this order, between the same two players. X starts each of them.
"""

import json
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ape import accounts
from hexbytes import HexBytes
from vyper.compiler import compile_code

from tests.gas.floor import PRICES, of_deployment, of_transaction
from tests.rules.games import DRAWN, WON_BY_X
from tests.rules.layout import Log, call, logs
from tests.rules.model import Model, O, Status
from tests.support.npm import npm_package

HERE = Path(__file__).parent
CONTRACT = (HERE.parents[1] / "contracts" / "TicTacToe.vy").read_text()
PLAIN = (HERE / "Plain.vy").read_text()

# These two have the two price lists.
FORKS = ("osaka", "amsterdam")

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
    parts: Counter[str]  # what it pays for at least
    gas: tuple[int, ...] = ()  # under each price list, once it is measured


def measured(*sources):
    """For each contract, deployments and games by name, each a list of transactions with their gas."""
    tables = [games_at(source) for source in sources]
    sent = [transaction for games in tables for game in games.values() for transaction in game]
    for transaction, *gas in zip(sent, *(ethereumjs(fork, sent) for fork in FORKS), strict=True):
        transaction.gas = tuple(gas)
    return tables


def games_at(source):
    """In a contract where `gameId` must be given, it is 0 wherever it is left out otherwise."""
    compiled = compile_code(source, output_formats=["bytecode", "bytecode_runtime", "method_identifiers"])
    creation, runtime = HexBytes(compiled["bytecode"]), HexBytes(compiled["bytecode_runtime"])
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


def calls(game, cells):
    """Of the game after this one: function, types and arguments without `gameId`, and the game that comes of it."""
    x, o = (int(accounts.test_accounts[player].address, 16) for player in (PLAYER_X, PLAYER_O))
    game = game.new_game(x, o)
    yield "newGame", ["address", "address"], (x, o), game
    for cell in cells:
        game = game.move(game.mover, *divmod(cell, 3))
        yield "makeMove", ["uint8", "uint8"], divmod(cell, 3), game
    if game.status == Status.IN_PROGRESS:
        yield "forfeit", [], (), game.forfeit(game.mover)


def ethereumjs(fork, transactions):
    """The gas of each transaction on @ethereumjs/vm."""
    npm_package()
    keys = [account.private_key for account in accounts.test_accounts[:3]]
    sent = [(keys[sent.sender], f"0x{sent.data.hex()}", sent.sender == DEPLOYER) for sent in transactions]
    command = ["node", HERE / "vm.mjs", fork]
    done = subprocess.run(command, input=json.dumps(sent), stdout=subprocess.PIPE, text=True, check=True)
    for transaction, (gas, logged) in zip(transactions, json.loads(done.stdout), strict=True):
        logged = [(tuple(map(HexBytes, topics)), HexBytes(data)) for topics, data in logged]
        assert logged == transaction.logs, f"{transaction} has other logs: {logged}"
        yield gas


def gas(transactions, prices):
    return sum(transaction.gas[prices] for transaction in transactions)


def floor(transactions, prices):
    parts = (part for transaction in transactions for part in transaction.parts.elements())
    return sum(PRICES[part][prices] for part in parts)
