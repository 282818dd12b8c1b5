"""What the scenarios run on: ape's embedded chain for today's prices, and @ethereumjs for those of any fork."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ape import networks
from ape_test.accounts import TestAccount

from tests.gas.prices import AMSTERDAM, MAINNET, Prices
from tests.gas.scenarios import Measurement, Plan, Receipt, Transaction, measure, plan_of
from tests.support.npm import npm_package
from tests.support.roles import Role
from tictactoe import deploy
from tictactoe.compiled import creation_code
from tictactoe.node import Node
from tictactoe.sending import Sender

PROGRAM = Path(__file__).parent / "vm.mjs"


def people() -> list[TestAccount]:
    return [role.account for role in Role]


def plan() -> Plan:
    return plan_of(creation_code(), [int(person.address, 16) for person in people()])


def on_embedded(transactions: Sequence[Transaction]) -> list[Receipt]:
    """py-evm, within ape. Ape raises an exception for a transaction that reverts."""
    provider = networks.active_provider
    signers = people()
    deployments = Sender(Node(provider))
    tables, receipts = [], []
    for sender, table, work in transactions:
        if table is None:
            tables.append(deploy(signers[sender], deployments).address)
            receipt = provider.get_receipt(deployments.sent[-1].hash)
            code = len(provider.get_code(tables[-1]))
        else:
            receipt = signers[sender].transfer(tables[table], 0, data=work.data)
            code = 0
        receipts.append(Receipt(receipt.gas_used, len(receipt.logs), code))
    return receipts


def on_ethereumjs(transactions: Sequence[Transaction], fork: str) -> list[Receipt]:
    keys = [person.private_key for person in people()]
    npm_package()
    sent = [
        {"key": keys[sender], "table": table, "data": f"0x{work.data.hex()}"} for sender, table, work in transactions
    ]
    done = subprocess.run(
        ["node", PROGRAM],
        input=json.dumps({"fork": fork, "transactions": sent}),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [Receipt(**receipt) for receipt in json.loads(done.stdout)]


def on_fork(prices: Prices) -> Measurement:
    return measure(plan(), prices, lambda transactions: on_ethereumjs(transactions, prices.fork))


def both() -> tuple[Measurement, Measurement]:
    """Today's prices, then Amsterdam's."""
    return measure(plan(), MAINNET, on_embedded), on_fork(AMSTERDAM)
