"""`ape run deploy`: estimates, asks, waits, checks the table and remembers it."""

import json
from typing import Any
from unittest.mock import MagicMock

import pytest

from tests.support.anvil import Anvil
from tests.support.commands import Command
from tests.support.local_table import FIRST_TABLE
from tests.support.roles import Role
from tests.support.terminal import Terminal
from tictactoe.formatting import coins
from tictactoe.terminal import output_text

GWEI = 10**9
ACCOUNT = ("--account", Role.DEPLOYER.alias)
UNASKED = (*ACCOUNT, "--yes", "--expected-chain-id", "31337")
AT_ONCE = ("--confirmations", "0")


# -- before it spends ------------------------------------------------------------------------


def test_dry_run__prints_what_the_deployment_will_be(command: Command, anvil: Anvil, project: Any) -> None:
    """On a new anvil, the base fee and the tip are 1 gwei each, and the base fee may double."""
    data = project.TicTacToe.contract_type.deployment_bytecode.bytecode
    gas = int(anvil.rpc("eth_estimateGas", {"data": data, "from": Role.DEPLOYER.address}), 16)
    cost, most = gas * 2 * GWEI, gas * 6 // 5 * 3 * GWEI
    done = command("deploy", "--network", anvil.url, *ACCOUNT, "--dry-run")
    assert (done.code, done.out.splitlines()) == (
        0,
        [
            "A table on custom (chain 31337), paid by 0xf39F…2266:",
            f"address  {FIRST_TABLE}",
            f"gas      {gas:,}",
            "fee      2 gwei",
            f"cost     {coins(cost)} ETH, at most {coins(most)} ETH",
        ],
    )
    assert anvil.height == 0
    assert anvil.rpc("eth_getTransactionCount", Role.DEPLOYER.address, "pending") == "0x0"


@pytest.mark.parametrize(
    ("price", "shown"),
    [
        (GWEI + 20, "1 gwei"),
        (1_673_898_812, "1.674 gwei"),
        (GWEI - 1, "0.999999999 gwei"),
        (7, "0.000000007 gwei"),
    ],
)
def test_fee_of_the_plan__has_three_decimals(price: int, shown: str) -> None:
    prepared: Any = MagicMock(price=price, gas=1, cost=1, max_cost=1)
    assert f"fee      {shown}" in output_text.plan(prepared)


def test_dry_run__estimates_within_five_percent(command: Command, anvil: Anvil) -> None:
    plan = json.loads(command("deploy", "--network", anvil.url, *ACCOUNT, "--dry-run", "--json").out)
    # On a new anvil, the base fee and the tip are 1 gwei each, and the base fee may double.
    amounts = {"fee": 2 * GWEI, "cost": plan["gas"] * 2 * GWEI, "mostCost": plan["gas"] * 6 // 5 * 3 * GWEI}
    assert plan == {
        "network": "custom",
        "chainId": 31337,
        "deployer": Role.DEPLOYER.address,
        "dryRun": True,
        "gas": plan["gas"],
        **{name: str(wei) for name, wei in amounts.items()},
        "balance": str(10_000 * 10**18),
    }
    report = json.loads(command("deploy", "--network", anvil.url, *UNASKED, *AT_ONCE, "--json").out)
    assert report["gas"] <= plan["gas"] <= report["gas"] * 1.05
    assert int(report["cost"]) <= int(plan["mostCost"])


@pytest.mark.parametrize(
    ("answer", "code"),
    [("y\n", 0), (" YES \n", 0), ("n\n", 6), ("\n", 6), ("yep\n", 6), ("", 2)],
    ids=["yes", "YES", "no", "enter", "anything-else", "end-of-input"],
)
def test_question__spends_only_after_a_yes(command: Command, anvil: Anvil, answer: str, code: int) -> None:
    done = command("deploy", "--network", anvil.url, *ACCOUNT, *AT_ONCE, keys=answer)
    assert done.code == code, done.err
    assert anvil.height == (code == 0)
    sentences = {
        0: "",
        6: "You declined to sign table. Nothing was sent.",
        2: "There was no answer, so nothing was sent.",
    }
    assert sentences[code] in done.err
    # What follows begins on a line of its own.
    assert "Deploy? [y/N] \n" in done.out


def test_after_it__the_next_commands_are_ready_to_paste(command: Command, anvil: Anvil) -> None:
    done = command("deploy", "--network", anvil.url, *UNASKED, *AT_ONCE)
    report, _, after = done.out.partition("\n\n")
    assert f"table        {FIRST_TABLE}\nchecked " in report
    assert after.splitlines() == [
        "To play, run:",
        f"  uv run ape run play --network {anvil.url} --table {FIRST_TABLE} --account TEST::0 --invite",
        "Your friend runs, in a clone of this project:",
        f"  uv run ape run play --network {anvil.url} --table {FIRST_TABLE} --against {Role.DEPLOYER.address}",
        "Or you both play in a browser. Put this after the address of the page:",
        f"  ?chain=31337&table={FIRST_TABLE}&with={Role.DEPLOYER.address}",
    ]
    assert "To play" not in command("deploy", "--network", anvil.url, *UNASKED, *AT_ONCE, "--json").out
    assert "To play" not in command("deploy").out


# -- what it reports and remembers -----------------------------------------------------------


def test_deployed_table__is_remembered_by_play_and_watch(command: Command, anvil: Anvil) -> None:
    assert command("deploy", "--network", anvil.url, *UNASKED, *AT_ONCE).code == 0
    for name, *options in (("play",), ("watch", "--once")):
        done = command(name, "--network", anvil.url, *options)
        assert f"Table {FIRST_TABLE} on" in done.out
        assert done.code == 0


def test_confirmations__are_counted_while_it_waits(anvil: Anvil) -> None:
    with Terminal("deploy", "--network", anvil.url, *UNASKED, "--confirmations", "2", columns=120) as deploy:
        for followed in range(2):
            deploy.wait_for(f"table: in block 1, {followed} of 2 confirmations")
            assert deploy.text.count("table: mined in block 1") == 1
            anvil.rpc("evm_mine")
        assert deploy.end() == 0
        assert "2 confirmations" not in deploy.text
