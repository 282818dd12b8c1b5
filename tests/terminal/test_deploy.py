"""`ape run deploy`: estimates, asks, waits, checks the table and remembers it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.chain import Chain, new_chain
from tests.support.local_table import FIRST_TABLE
from tests.support.roles import Role

GWEI = 10**9
DEPLOYS = "deploy --network $node --account TEST::0"
UNASKED = f"{DEPLOYS} --confirmations 0 --yes --expected-chain-id 31337"


@pytest.fixture
def chain() -> Iterator[Chain]:
    with new_chain() as chain:
        yield chain


def test_dry_run__prints_what_the_deployment_will_be(chain: Chain, project: Any) -> None:
    """On a new chain, the base fee is 1 gwei and may double."""
    chain.node.wrong = {"eth_maxPriorityFeePerGas": hex(tip := 673_898_812)}
    data = project.TicTacToe.contract_type.deployment_bytecode.bytecode
    gas = int(chain.anvil.rpc("eth_estimateGas", {"data": data, "from": Role.DEPLOYER.address}), 16)
    costs = gas * (GWEI + tip), gas * 6 // 5 * (2 * GWEI + tip)
    cost, most = (f"{-(-wei // GWEI) / GWEI:.9f}".rstrip("0") for wei in costs)
    done = chain.run(f"{DEPLOYS} --dry-run")
    assert (done.code, done.out.splitlines()) == (
        0,
        [
            "A table on custom (chain 31337), paid by 0xf39F…2266:",
            f"address  {FIRST_TABLE}",
            f"gas      {gas:,}",
            "fee      1.674 gwei",
            f"cost     {cost} ETH, at most {most} ETH",
        ],
    )
    done = chain.run(f"{DEPLOYS} --dry-run --json")
    plan = {"dryRun": True, "gas": gas, "cost": str(costs[0]), "mostCost": str(costs[1])}
    assert (json.loads(done.out) | plan, done.err) == (json.loads(done.out), "")
    assert chain.node.sent == []
    report = json.loads(chain.run(f"{UNASKED} --json").out)
    assert report["gas"] <= gas <= report["gas"] * 1.05


@pytest.mark.parametrize(
    ("network", "chain_id", "coin", "answer"),
    [("$node", 31337, "ETH", "y\n"), ("polygon:amoy:$node", 80002, "POL", " YES \n")],
)
def test_question__spends_after_a_yes(network: str, chain_id: int, coin: str, answer: str) -> None:
    """In the coin of the chain. `failures.py` has the other answers."""
    with new_chain(chain_id) as chain:
        done = chain.run(f"{DEPLOYS} --confirmations 0".replace("$node", network), answer)
        assert (done.code, len(chain.node.sent)) == (0, 1)
    # What follows begins on a line of its own.
    assert "\nDeploy? [y/N]\ntable: sent 0x" in done.out
    assert re.findall(r"\d (ETH|POL)\b", done.out) == [coin] * 3


def test_after_it__the_next_commands_are_ready_to_paste(chain: Chain) -> None:
    done = chain.run(UNASKED)
    report, _, after = done.out.partition("\n\n")
    assert f"table        {FIRST_TABLE}\nmined        in block 1, for 0.00" in report
    play = f"  uv run ape run play --network NODE-OF-CHAIN-31337 --table {FIRST_TABLE}"
    assert after.splitlines() == [
        "To play, run:",
        f"{play} --account TEST::0",
        "Your friend runs, in a clone of this project:",
        f"{play} --against {Role.DEPLOYER.address}",
        "Or you both play in a browser. Put this after the address of the page:",
        f"  ?chain=31337&table={FIRST_TABLE}&with={Role.DEPLOYER.address}",
    ]


def test_chain_inside_the_program__keeps_no_table() -> None:
    with new_chain() as chain:
        done = chain.run("deploy")
    assert done.out.startswith("This chain is inside the program and ends with it, and so does the table.")
    assert "To play" not in done.out


def test_deployed_table__is_remembered(chain: Chain) -> None:
    assert chain.run(UNASKED).code == 0
    for typed in ("play", "watch --once"):
        done = chain.run(f"{typed} --network $node")
        assert (done.code, f"Table {FIRST_TABLE} on" in done.out) == (0, True)
    done = chain.run(DEPLOYS, "n\n")
    known = (
        f"You have a table on this chain already: {FIRST_TABLE}. To play there, run:\n  uv run ape run play --network "
    )
    assert known in done.out
    assert done.out.index(known) < done.out.index("Deploy?")


def test_table_that_is_not_mined_yet__is_named_before_a_second_one(chain: Chain) -> None:
    chain.anvil.rpc("evm_setAutomine", False)
    with chain.type(UNASKED, keys="") as command:
        command.wait_for("table: sent 0x")
        command.stop()
        assert command.end().code == 130
    done = chain.run(DEPLOYS, "n\n")
    state = f"{FIRST_TABLE}, whose transaction {chain.node.sent[0]} is not mined yet. To play there, run:"
    assert f"You have a table on this chain already: {state}" in done.out


def test_confirmations__are_counted_while_it_waits(chain: Chain) -> None:
    with chain.type(f"{UNASKED} --confirmations 2", columns=100) as deploy:
        for followed in range(2):
            deploy.sees(f"table: mined in block 1, {followed} of 2 confirmations")
            chain.anvil.rpc("evm_mine")
        assert deploy.end().code == 0
        assert "of 2 confirmations" not in deploy.text
        assert re.search(r"mined in block 1, for 0\.00\d+ ETH", deploy.text)
