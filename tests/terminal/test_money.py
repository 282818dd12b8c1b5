"""What a malicious node, a stranger's chain, a waiting payment, a signal or a full disk can cost, and the limits."""

import json
import re
import signal
import subprocess
import threading
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.support import PATIENCE
from tests.support.anvil import SEPOLIA, Anvil
from tests.support.commands import APE, ROOT, Command, Running, ape_run, environment
from tests.support.keyfiles import ANNA, PASSPHRASE
from tests.support.local_table import FIRST_TABLE, LocalTable
from tests.support.proxy import Proxy, Real, Request, result
from tests.support.roles import Role
from tictactoe import errors
from tictactoe.compiled import creation_code
from tictactoe.formatting import ether
from tictactoe.preparing import DEPLOYMENT_GAS, TABLE_GAS
from tictactoe.terminal import output_text

GWEI = 10**9
ACCOUNT = ("--account", Role.DEPLOYER.alias)
UNASKED = (*ACCOUNT, "--yes", "--expected-chain-id", "31337")
AT_ONCE = ("--confirmations", "0")
LIE = 10**17  # a tip of 0.1 ether for one gas

# What a person may do at a question. Only one of these is a yes.
ANSWERS = pytest.mark.parametrize(
    "answer", ["y\n", "n\n", "\n", "yep\n", ""], ids=["yes", "no", "enter", "anything-else", "end-of-input"]
)


class WrongNode:
    """A behaviour of the proxy: these methods have these results. Notes what it was asked."""

    def __init__(self, results: Mapping[str, object]) -> None:
        self.results = results
        self.asked: list[str] = []

    def __call__(self, request: Request, real: Real) -> Any:
        self.asked.append(request["method"])
        return result(request, self.results[request["method"]]) if request["method"] in self.results else real()


def history(paid: int) -> dict[str, object]:
    """An `eth_feeHistory` in which recent blocks paid this for one gas."""
    return {"oldestBlock": "0x0", "baseFeePerGas": [hex(paid)] * 4, "gasUsedRatio": [0.5] * 3, "reward": [["0x0"]] * 3}


def opponents(local: LocalTable, *options: str) -> tuple[str, ...]:
    """A `play` that has to pay for a new game at once."""
    return "play", "--plain", "--table", local.address, "--account", Role.PLAYER_X.alias, "--against", local.o, *options


def nonce(anvil: Anvil, role: Role) -> int:
    return int(anvil.rpc("eth_getTransactionCount", role.address, "latest"), 16)


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


# -- S1 and S3: a node decides neither the fee nor the chain ------------------------------------


def tip(wei: int) -> dict[str, object]:
    return {"eth_maxPriorityFeePerGas": hex(wei)}


def estimate(gas: int) -> dict[str, object]:
    return {"eth_estimateGas": hex(gas)}


CHAIN_1 = {"eth_chainId": "0x1", "net_version": "1"}
ASKING = ("deploy", *ACCOUNT)
NOT_ASKING = ("deploy", *UNASKED, *AT_ONCE)
PLAY = ("play",)  # and what `opponents` adds


@pytest.mark.parametrize(
    ("args", "network", "lies", "code", "sentence"),
    [
        (PLAY, "{}", tip(LIE), 7, "high fee for new game: 100,000,001 gwei for one gas; usual is 1 gwei."),
        (NOT_ASKING, "{}", tip(10**15), 7, "high fee for table: 1,000,001 gwei for one gas; usual is 1 gwei."),
        (PLAY, "{}", estimate(TABLE_GAS + 1), 3, "estimates 300,001 gas for new game, but that needs 300,000 at most."),
        (NOT_ASKING, "{}", estimate(DEPLOYMENT_GAS + 1), 3, "but that needs 5,400,000 at most."),
        (PLAY, "{}", CHAIN_1, 4, "The node at this URL claims to be on mainnet, chain 1."),
        (PLAY, "ethereum:local:{}", CHAIN_1, 4, "The node at this URL claims to be on local, chain 1."),
        (ASKING, "{}", CHAIN_1, 4, "The node at this URL claims to be on mainnet, chain 1."),
        (ASKING, "ethereum:local:{}", CHAIN_1, 4, "The node at this URL claims to be on local, chain 1."),
        ((*PLAY, "--expected-chain-id", "1"), "{}", {}, 4, "This is chain 31337, not 1. Nothing was sent."),
        ((*PLAY, "--max-cost", "0.0000001"), "{}", {}, 7, "and --max-cost allows 0.0000001 ETH."),
        ((*PLAY, "--max-fee", "0.1"), "{}", {}, 7, "and --max-fee allows 0.1 gwei."),
    ],
)
def test_lie_or_limit__gets_no_signature_in_a_pipe(
    command: Command,
    local: LocalTable,
    args: tuple[str, ...],
    network: str,
    lies: dict[str, object],
    code: int,
    sentence: str,
) -> None:
    wrong = WrongNode(lies)
    name, *options = args
    with Proxy(local.anvil.url, wrong) as proxy:
        where = ("--network", network.format(proxy.url), *options)
        done = command(*(opponents(local, *where) if name == "play" else (name, *where)), keys="y\n5\n")
    assert (done.code, sentence in done.err) == (code, True), done.err
    assert "eth_sendRawTransaction" not in wrong.asked


@ANSWERS
@pytest.mark.parametrize("name", ["play", "deploy"])
def test_excessive_tip__is_asked_about(command: Command, local: LocalTable, name: str, answer: str) -> None:
    wrong = WrongNode({"eth_maxPriorityFeePerGas": hex(10**13)})
    args = opponents(local) if name == "play" else ("deploy", *ACCOUNT, *AT_ONCE)
    with Proxy(local.anvil.url, wrong) as proxy:
        done = command(*args, "--network", proxy.url, answers=[answer, "q\n"])
    assert "10,001 gwei for one gas; usual is 1 gwei" in done.out
    assert ("Sign new game for about 0." if name == "play" else "Deploy? [y/N]") in done.out
    declined = errors.WrongOptions if name == "deploy" and not answer else errors.DeclinedToSign
    assert done.code == (0 if answer == "y\n" else declined.exit_code)
    assert local.anvil.height == (2 if answer == "y\n" else 1)


def test_answer_typed_before_the_question__does_not_count(local: LocalTable) -> None:
    """`y` is typed while the node is asked, before anything is known about the fee. `test_lines.py` has `play`."""
    asked, typed = threading.Event(), threading.Event()

    def wait_for_it(request: Request, real: Real) -> Any:
        if request["method"] == "eth_maxPriorityFeePerGas":
            asked.set()
            typed.wait(PATIENCE)
            return result(request, hex(10**13))
        return real()

    before = local.anvil.height
    with (
        Proxy(local.anvil.url, wait_for_it) as proxy,
        Running("deploy", *ACCOUNT, "--network", proxy.url, terminal=True) as program,
    ):
        assert asked.wait(PATIENCE)
        program.press("y\n")
        typed.set()
        program.wait_for("Deploy? [y/N]")
        program.press("n\n")
        assert program.end() == errors.DeclinedToSign.exit_code
    assert local.anvil.height == before


def test_excessive_tip__is_refused_if_the_output_is_not_on_a_terminal(anvil: Anvil, tmp_path: Path) -> None:
    """The figures would be in the file, so the person who confirms has not seen them."""
    with Proxy(anvil.url, WrongNode({"eth_maxPriorityFeePerGas": hex(10**13)})) as proxy:
        line = " ".join([str(APE), "run", "deploy", "--network", proxy.url, *ACCOUNT, *AT_ONCE, f"> {tmp_path}/out"])
        child = pexpect.spawn("bash", ["-c", line], cwd=ROOT, env=environment(), encoding="utf-8", timeout=PATIENCE)
        child.send("y\n")
        child.expect_exact("an unusually high fee for table")
        child.expect(pexpect.EOF)
        assert child.wait() == errors.UnusualFee.exit_code
    assert nonce(anvil, Role.DEPLOYER) == 0


def test_false_history__does_not_lift_the_absolute_limit(command: Command) -> None:
    """The node confirms its own figures, but a public chain's coin has a limit of its own."""
    wrong = WrongNode({"eth_maxPriorityFeePerGas": hex(10**13), "eth_feeHistory": history(10**13)})
    with Anvil(chain_id=SEPOLIA) as anvil, Proxy(anvil.url, wrong) as proxy:
        network = ("--network", f"ethereum:sepolia:{proxy.url}", *ACCOUNT, "--yes", "--expected-chain-id", str(SEPOLIA))
        done = command("deploy", *network, *AT_ONCE)
        assert done.code == errors.HighCost.exit_code == 7
        assert "table may cost up to 7." in done.err
        assert nonce(anvil, Role.DEPLOYER) == 0
        done = command("deploy", *network, *AT_ONCE, "--max-cost", "8")
        assert done.code == 0, done.err


@pytest.mark.parametrize("amount", ["-1", "nan", "inf", "ten", "0.0000000000000000001"])
def test_amounts_that_are_none__are_usage_errors(command: Command, amount: str) -> None:
    done = command("deploy", "--max-cost", amount)
    assert done.code == 2
    assert "is not an amount of ether" in done.err


def test_ask_and_the_mined_line__have_the_cost(command: Command, local: LocalTable) -> None:
    done = command(*opponents(local, "--network", local.anvil.url, "--ask"), keys="y\n")
    assert re.search(r"Sign new game for about 0\.000\d+ ETH, at most 0\.000\d+ ETH\? \[y/N\]", done.out)
    (hash_,) = local.anvil.rpc("eth_getBlockByNumber", "latest", False)["transactions"]
    receipt = local.anvil.rpc("eth_getTransactionReceipt", hash_)
    cost = int(receipt["gasUsed"], 16) * int(receipt["effectiveGasPrice"], 16)
    assert f"gas, {ether(cost, 'ETH')}\n" in done.out


def test_embedded_chain__names_no_cost(command: Command) -> None:
    done = command("play", "--ask", keys="y\ny\n5\ny\n")
    assert "Sign new game? [y/N]" in done.out
    assert "ETH" not in done.out + done.err


# -- S2: a waiting payment is not replaced by surprise -------------------------------------------


@pytest.fixture
def payments(local: LocalTable) -> dict[Role, str]:
    """X and the deployer have each sent 7 ether, with a low tip. Nothing is mined."""
    local.anvil.rpc("evm_setAutomine", False)
    return {
        role: local.anvil.rpc(
            "eth_sendTransaction",
            {"from": role.address, "to": Role.OTHER.address, "value": hex(7 * 10**18), "gas": hex(21_000)}
            | {"maxFeePerGas": hex(2 * GWEI), "maxPriorityFeePerGas": hex(10**8)},
        )
        for role in (Role.DEPLOYER, Role.PLAYER_X)
    }


def arrives(anvil: Anvil, hash_: str) -> bool:
    anvil.rpc("evm_mine")
    return anvil.rpc("eth_getTransactionReceipt", hash_) is not None


@pytest.mark.parametrize(("name", "role"), [("play", Role.PLAYER_X), ("deploy", Role.DEPLOYER)])
def test_waiting_payment__is_kept_in_a_pipe_and_under_yes(
    command: Command, local: LocalTable, payments: dict[Role, str], name: str, role: Role
) -> None:
    args = opponents(local) if name == "play" else NOT_ASKING
    done = command(*args, "--network", local.anvil.url, "--patience", "2")
    assert done.failed_with(errors.PaymentWaits("new game" if name == "play" else "table", role.address))
    assert arrives(local.anvil, payments[role])


@ANSWERS
def test_waiting_payment__is_asked_about(
    command: Command, local: LocalTable, payments: dict[Role, str], answer: str
) -> None:
    done = command(*opponents(local, "--network", local.anvil.url, "--patience", "1"), answers=[answer])
    assert "is waiting in the pool" in done.out
    assert "Sign new game for about " in done.out
    assert done.code == (errors.StillWaiting if answer == "y\n" else errors.DeclinedToSign).exit_code
    assert arrives(local.anvil, payments[Role.PLAYER_X]) == (answer != "y\n")


# -- S3: the chain is the one that was meant ------------------------------------------------------


@ANSWERS
def test_claimed_chain__is_asked_about_once(command: Command, answer: str) -> None:
    seats = ("--plain", "--x", Role.PLAYER_X.alias, "--o", Role.PLAYER_O.alias)
    with Anvil(chain_id=SEPOLIA) as anvil:
        local = LocalTable(anvil, creation_code())
        done = command("play", *local.options, *seats, answers=[answer, "5\n", "q\n"])
        assert done.out.count("claims to be on sepolia, chain 11155111") == 1
        assert done.code == (0 if answer == "y\n" else errors.DeclinedToSign.exit_code)
        assert nonce(anvil, Role.PLAYER_X) == (2 if answer == "y\n" else 0)


@pytest.mark.parametrize("form", ["ethereum:sepolia:{}", "{} --expected-chain-id 11155111"], ids=["name", "option"])
def test_public_chain_that_was_named__is_not_asked_about(command: Command, form: str) -> None:
    with Anvil(chain_id=SEPOLIA) as anvil:
        done = command("deploy", "--network", *form.format(anvil.url).split(), *ACCOUNT, *AT_ONCE, keys="y\n")
    assert done.code == 0, done.err
    assert "claims" not in done.out


# -- S6: what is paid for is never lost -----------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "code", "terminal"),
    [(signal.SIGINT, 130, True), (signal.SIGTERM, 143, True), (signal.SIGHUP, 129, True), (signal.SIGTERM, 143, False)],
    ids=["ctrl-c", "sigterm", "sighup", "sigterm-in-a-pipe"],
)
def test_signal_before_the_table_is_mined__names_its_address(
    anvil: Anvil, number: signal.Signals, code: int, terminal: bool
) -> None:
    anvil.rpc("evm_setAutomine", False)
    with Running("deploy", "--network", anvil.url, *UNASKED, terminal=terminal) as deploy:
        deploy.wait_for("waiting for a block" if terminal else "table: sent 0x")
        deploy.child.kill(number)
        assert deploy.end() == code
        output = " ".join(deploy.text.split())
        assert "Stopped. Sent but not mined yet: table (0x" in output
        assert errors.look_first(FIRST_TABLE) in output
        assert "Traceback" not in deploy.text
        if terminal:
            assert deploy.text.rindex("\x1b[?25h") > deploy.text.rindex("\x1b[?25l"), "the cursor is hidden"
    if not terminal:
        # In a process of its own: ape reads its memory once.
        anvil.rpc("evm_mine")
        assert f"Table {FIRST_TABLE} on" in ape_run("watch", "--network", anvil.url, "--once").out


def test_signal_in_a_game__lists_what_was_sent(local: LocalTable) -> None:
    local.new_game()
    local.anvil.rpc("evm_setAutomine", False)
    with Running("play", *local.options, "--account", Role.PLAYER_X.alias, terminal=True) as play:
        play.wait_for("Your turn")
        play.press("5")
        play.wait_for("waiting for a block")
        play.child.kill(signal.SIGHUP)
        assert play.end() == 129
        assert "Sent but not mined yet: move 1 (0x" in " ".join(play.text.split())
        assert play.text.rindex("\x1b[?25h") > play.text.rindex("\x1b[?25l"), "the cursor is hidden"


@pytest.mark.usefixtures("keyfiles")
def test_signal_at_the_passphrase__restores_the_echo(local: LocalTable) -> None:
    local.anvil.rpc("anvil_setBalance", ANNA.address, hex(10**18))
    with Running("play", *local.options, "--account", "anna", terminal=True) as play:
        play.wait_for("Passphrase of 'anna': ")
        assert play.child.waitnoecho(10)
        play.child.kill(signal.SIGHUP)
        assert play.end() == 129
        assert play.child.getecho()
        assert PASSPHRASE not in play.text


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
