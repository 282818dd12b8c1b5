"""What is shown before it is paid, and the limits of gas. `test_sent.py` has what a malicious node can cost."""

import json
import re
import signal
import subprocess
from decimal import Decimal
from pathlib import Path

import pexpect
import pytest

from tests.support import PATIENCE
from tests.support.anvil import Anvil
from tests.support.commands import APE, ROOT, Command, environment
from tests.support.keyfiles import ANNA
from tests.support.local_table import LocalTable
from tests.support.roles import Role
from tests.support.wrong_node import WrongNode
from tictactoe.formatting import coins
from tictactoe.terminal import output_text
from tictactoe.transactions import DEPLOYMENT_GAS, TABLE_GAS

GWEI = 10**9
ACCOUNT = ("--account", Role.DEPLOYER.alias)
UNASKED = (*ACCOUNT, "--yes", "--expected-chain-id", "31337")
AT_ONCE = ("--confirmations", "0")


def opponents(local: LocalTable, *options: str) -> tuple[str, ...]:
    """A `play` that has to pay for a new game at once."""
    return "play", "--plain", "--table", local.address, "--account", Role.PLAYER_X.alias, "--against", local.o, *options


# -- the gas that it takes, in `tests/library` the rest of the policy --------------------------


def test_gas_bounds__leave_a_fifth_above_what_was_measured() -> None:
    """The dearest transactions are these two, at Amsterdam's prices."""
    rows = re.findall(
        r"^\| (deploy|`newGame`, a table's first) \|.* ([\d,]+) \| [\d,]+ \|$",
        (ROOT / "docs" / "gas.md").read_text(),
        re.MULTILINE,
    )
    (_, deployment), (_, new_game) = rows
    for bound, measured in ((DEPLOYMENT_GAS, deployment), (TABLE_GAS, new_game)):
        assert 1.2 <= bound / int(measured.replace(",", "")) <= 1.3


def test_excessive_tip__is_refused_if_the_output_is_not_on_a_terminal(anvil: Anvil, tmp_path: Path) -> None:
    """The figures would be in the file, so the person who confirms has not seen them."""
    with WrongNode(anvil, {"eth_maxPriorityFeePerGas": hex(10**13)}) as node:
        line = " ".join([str(APE), "run", "deploy", "--network", node.url, *ACCOUNT, *AT_ONCE, f"> {tmp_path}/out"])
        child = pexpect.spawn("bash", ["-c", line], cwd=ROOT, env=environment(), encoding="utf-8", timeout=PATIENCE)
        child.send("y\n")
        child.expect_exact("an unusually high fee for table")
        child.expect(pexpect.EOF)
        assert child.wait() == 7
    assert node.sent == []


def test_ask_and_the_mined_line__have_the_cost(command: Command, local: LocalTable) -> None:
    done = command(*opponents(local, "--network", local.anvil.url, "--ask"), keys="y\n")
    assert re.search(r"Sign new game for about 0\.000\d+ ETH, at most 0\.000\d+ ETH\? \[y/N\]", done.out)
    (hash_,) = local.anvil.rpc("eth_getBlockByNumber", "latest", False)["transactions"]
    receipt = local.anvil.rpc("eth_getTransactionReceipt", hash_)
    cost = int(receipt["gasUsed"], 16) * int(receipt["effectiveGasPrice"], 16)
    assert f"gas, {coins(cost)} ETH\n" in done.out


def test_embedded_chain__names_no_cost(command: Command) -> None:
    done = command("play", "--ask", keys="y\ny\n5\ny\n")
    assert "Sign new game? [y/N]" in done.out
    assert "ETH" not in done.out + done.err


def test_nohup__stays_deaf_to_sighup(anvil: Anvil) -> None:
    command = [str(APE), "run", "deploy", "--network", anvil.url, *UNASKED, "--patience", "60"]
    anvil.rpc("evm_setAutomine", False)
    with subprocess.Popen(
        ["nohup", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment()
    ) as deploy:
        assert deploy.stdout is not None
        while "sent 0x" not in (line := deploy.stdout.readline()):
            assert line
        deploy.send_signal(signal.SIGHUP)
        anvil.rpc("evm_setAutomine", True)
        anvil.rpc("evm_mine")
        assert deploy.wait(PATIENCE) == 0


# -- what a deployment prints before it costs anything ------------------------------------------------


@pytest.mark.usefixtures("keyfiles")
def test_dry_run_with_an_empty_account__says_how_much_to_fund(command: Command, anvil: Anvil) -> None:
    where = ("--network", anvil.url, "--account", "anna")
    done = command("deploy", *where, "--dry-run")
    assert done.code == 0, done.err
    assert re.search(r"^gas +62\d,\d{3}$", done.out, re.MULTILINE)
    (amount,) = re.findall(r"anna \(0x\w{40}\) has 0 ETH and .* Send it at least ([\d.]+) ETH", done.out)
    assert "https://ethereum.org/developers/docs/networks" in done.out
    plan = json.loads(command("deploy", *where, "--dry-run", "--json").out)
    assert plan["balance"] == "0"
    enough = int(Decimal(amount) * 10**18)
    assert int(plan["mostCost"]) <= enough < int(plan["mostCost"]) + GWEI
    spend = (*where, "--yes", "--expected-chain-id", "31337", *AT_ONCE)
    for balance, code in ((0, 7), (int(plan["mostCost"]) - 1, 7), (enough, 0)):
        anvil.rpc("anvil_setBalance", ANNA.address, hex(balance))
        done = command("deploy", *spend, **ANNA.unlocked)
        assert done.code == code, done.err
        assert ("Send it at least" in done.err) == (code == 7)


def test_deploy_without_a_network__says_first_that_the_table_will_not_stay(command: Command, anvil: Anvil) -> None:
    sentence = " ".join(output_text.ENDS_WITH_THE_PROGRAM.split())
    assert command("deploy").out.startswith(sentence)
    assert command("deploy", "--json").err.startswith(sentence)
    assert sentence not in command("deploy", "--network", anvil.url, *UNASKED, *AT_ONCE).out
