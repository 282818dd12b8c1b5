"""What transactions cost. A contract is measured only if it logs what the rules say."""

import json
import subprocess
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from ape import accounts
from hexbytes import HexBytes

from tests.gas.floor import PRICES
from tests.gas.games import DEPLOYER, Games, Transaction, games_at
from tests.rules.layout import Log
from tests.support.npm import npm_package

HERE = Path(__file__).parent
CONTRACT = (HERE.parents[1] / "contracts" / "TicTacToe.vy").read_text()
PLAIN = (HERE / "Plain.vy").read_text()


def ethereumjs(fork: str, transactions: Sequence[Transaction]) -> list[tuple[int, list[Log]]]:
    npm_package()
    keys = [account.private_key for account in accounts.test_accounts[:3]]
    sent = [(keys[sent.sender], f"0x{sent.data.hex()}", sent.sender == DEPLOYER) for sent in transactions]
    command = ["node", str(HERE / "vm.mjs"), fork]
    done = subprocess.run(command, input=json.dumps(sent), stdout=subprocess.PIPE, text=True, check=True)
    return [
        (gas, [(tuple(map(HexBytes, topics)), HexBytes(data)) for topics, data in logs])
        for gas, logs in json.loads(done.stdout)
    ]


# An engine gives the gas and the logs of each transaction. These two have the two price lists.
Engine = Callable[[Sequence[Transaction]], Iterable[tuple[int, list[Log]]]]
FORKS = (partial(ethereumjs, "osaka"), partial(ethereumjs, "amsterdam"))


def measured(*sources: str, engines: Sequence[Engine] = FORKS) -> list[Games]:
    """The games at each of these contracts, with the gas on each engine."""
    tables = [games_at(source) for source in sources]
    sent = [transaction for games in tables for game in games.values() for transaction in game]
    for transaction, *receipts in zip(sent, *(engine(sent) for engine in engines), strict=True):
        for _, logs in receipts:
            if logs != transaction.logs:
                raise ValueError(f"{transaction} has other logs: {logs}")
        transaction.gas = tuple(gas for gas, _ in receipts)
    return tables


def gas(transactions: Iterable[Transaction], prices: int) -> int:
    return sum(transaction.gas[prices] for transaction in transactions)


def floor(transactions: Iterable[Transaction], prices: int) -> int:
    parts = (part for transaction in transactions for part in transaction.parts.elements())
    return sum(PRICES[part][prices] for part in parts)
