"""The fixed games, and what their transactions cost. A contract is measured only if it logs what the rules say.

They are played at one table, in this order, between the same two players. X starts each of them.
"""

import json
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from hexbytes import HexBytes
from vyper.compiler import compile_code

from tests.gas.floor import PRICES, of_deployment, of_transaction
from tests.rules.games import DRAWN, WON_BY_X
from tests.rules.layout import Log, logs
from tests.rules.model import Model, Status
from tests.rules.positions import ON_GRID, forfeit, move, new_game
from tests.support.npm import npm_package
from tests.support.roles import Role

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


@dataclass
class Transaction:
    """To the table that was created last. The deployer's create one."""

    sender: Role
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
        name: [Transaction(Role.DEPLOYER, data, [], of_deployment(data, len(runtime)))]
        for name, data in ((DEPLOY, creation), (DEPLOY_CODE, code))
    }
    x, o = (int(player.address, 16) for player in (Role.PLAYER_X, Role.PLAYER_O))
    game = Model()

    def send(rule, caller, *arguments):
        nonlocal game
        number = [game.number] if name == NAMED else left_out
        message, after = rule(game, caller, *arguments, *number)
        sender = Role.PLAYER_X if caller == x else Role.PLAYER_O
        parts = of_transaction(message.data, game, after)
        games[name].append(Transaction(sender, message.data, logs(game, after), parts))
        game = after

    for name, cells in GAMES.items():
        games[name] = []
        send(new_game, x, x, o)
        for cell in cells:
            send(move, game.mover, *ON_GRID[cell])
        if game.status == Status.IN_PROGRESS:
            send(forfeit, game.mover)
    return games


def ethereumjs(fork, transactions):
    """The gas of each transaction on @ethereumjs/vm."""
    npm_package()
    sent = [
        (sent.sender.account.private_key, f"0x{sent.data.hex()}", sent.sender == Role.DEPLOYER) for sent in transactions
    ]
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
