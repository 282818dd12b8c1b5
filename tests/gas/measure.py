"""What fixed games cost at a contract. One is measured only if it logs what the rules say."""

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from hexbytes import HexBytes
from vyper.compiler import compile_code

from tests.gas.floor import of_deployment, of_transaction
from tests.rules.games import DRAWN, WON_BY_X
from tests.rules.layout import Log, logs
from tests.rules.model import Model
from tests.rules.positions import ON_GRID, forfeit, move, new_game
from tests.support.npm import npm_package
from tests.support.roles import Role

HERE = Path(__file__).parent
CONTRACT = (HERE.parents[1] / "contracts" / "TicTacToe.vy").read_text()
PLAIN = (HERE / "Plain.vy").read_text()

# These two have the two price lists.
FORKS = ("osaka", "amsterdam")

DRAWN_GAME, WON_GAME = ([(move, *ON_GRID[cell]) for cell in cells] for cells in (DRAWN, WON_BY_X))
# What follows `newGame` in each, at one table in this order, between the same two players. X starts each of them.
GAMES = {
    "first": DRAWN_GAME,
    "later": DRAWN_GAME,
    "numbered": DRAWN_GAME,  # with `gameId`
    "won": WON_GAME,
    "X forfeits": [(forfeit,)],
    "O forfeits": [(move, 1, 1), (forfeit,)],
}


@dataclass
class Transaction:
    """It creates a table, or goes to the one that was created last."""

    sender: Role
    data: bytes
    logs: list[Log]  # what it must log
    floor: tuple[int, ...]  # under each price list
    creates: int = 0  # bytes of code
    gas: list[int] = field(default_factory=list)  # under each price list, once it is measured


def measured(*sources, **options):
    """For each contract, its deployment and games, each a list of transactions with their gas on @ethereumjs/vm."""
    npm_package()
    contracts = [games_at(source, **options) for source in sources]
    sent = [transaction for games in contracts for game in games.values() for transaction in game]
    question = [(each.sender.account.private_key, f"0x{each.data.hex()}", bool(each.creates)) for each in sent]
    for fork in FORKS:
        command = ["node", HERE / "vm.mjs", fork]
        done = subprocess.run(command, input=json.dumps(question), stdout=subprocess.PIPE, text=True, check=True)
        for transaction, (gas, logged) in zip(sent, json.loads(done.stdout), strict=True):
            logged = [(tuple(map(HexBytes, topics)), HexBytes(data)) for topics, data in logged]
            assert logged == transaction.logs, f"{transaction} has other logs: {logged}"
            transaction.gas.append(gas)
    return contracts


def games_at(source, **options):
    """The options are the compiler's. In a contract where `gameId` must be given, it is 0 where others leave it out."""
    outputs = ["bytecode", "bytecode_runtime", "method_identifiers"]
    creation, runtime, signatures = compile_code(source, output_formats=outputs, **options).values()
    data, size = HexBytes(creation), len(HexBytes(runtime))
    games = {"deploy": [Transaction(Role.DEPLOYER, data, [], of_deployment(data, size), creates=size)]}

    left_out = [] if "forfeit()" in signatures else [0]
    players = {int(role.address, 16): role for role in (Role.PLAYER_X, Role.PLAYER_O)}
    x, o = players
    game = Model()
    for name, turns in GAMES.items():
        games[name] = []
        for rule, *arguments in [(new_game, x, o), *turns]:
            caller = x if rule == new_game else game.mover
            number = [game.number] if name == "numbered" else left_out
            message, after = rule(game, caller, *arguments, *number)
            floor = of_transaction(message.data, game, after)
            games[name].append(Transaction(players[caller], message.data, logs(game, after), floor))
            game = after
    return games


def gas(transactions, prices):
    return sum(transaction.gas[prices] for transaction in transactions)


def floor(transactions, prices):
    return sum(transaction.floor[prices] for transaction in transactions)
