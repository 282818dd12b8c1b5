"""
What is signed: nothing that a lie makes expensive, nothing without a yes where there is a question, and what was shown.
As in `test_failures.py`, the commands are programs.
"""

from __future__ import annotations

import re
import signal
import threading

import pytest

from tests.support import PATIENCE, wait_until
from tests.support.anvil import SEPOLIA
from tests.support.chain import new_chain
from tests.support.keyfiles import ANNA, PASSPHRASE
from tests.support.local_table import FIRST_TABLE
from tests.support.roles import Role
from tests.support.wrong_node import Changed, Wrong
from tests.terminal.failures import GWEI, block, history, tip

ETHER = 10**18
DEPLOYS = "deploy --network $node --account TEST::0 --confirmations 0"
UNASKED = f"{DEPLOYS} --yes --expected-chain-id 31337"
STARTS = f"play --network $node --plain --table {FIRST_TABLE} --account TEST::1 --against {Role.PLAYER_O.address}"

# -- lies about money --------------------------------------------------------------------------

LIES = {
    "tip": tip(10**6),
    "base fee": block(hex(10**15)),
    "base fee in the history": {"eth_feeHistory": Changed(baseFeePerGas=[hex(10**15)] * 21)},
    "gas price": block(None) | {"eth_gasPrice": hex(10**15)},
    "gas": {"eth_estimateGas": hex(5_400_001)},
    "chain": {"eth_chainId": "0x1", "net_version": "1"},
}


@pytest.mark.parametrize("lies", LIES.values(), ids=LIES)
def test_lie__costs_no_coin_unasked(creation_code: bytes, lies: Wrong) -> None:
    """The node's answer may be refused or unused, but nothing is paid for it."""
    with new_chain() as chain:
        chain.add_table(creation_code, "5")
        chain.node.wrong = lies
        at = f"--network $node --table {FIRST_TABLE}"
        for role, typed in (
            (Role.DEPLOYER, DEPLOYS),
            (Role.DEPLOYER, UNASKED),
            (Role.PLAYER_O, f"play {at} --account TEST::2 --move 1 --json"),
            (Role.STRANGER, f"play {at} --account TEST::3 --against {Role.OTHER.address}"),
        ):
            before = chain.balance(role)
            with chain.type(typed, keys="y\n", hurry=100) as command:
                assert command.end().code in (0, 3, 4, 7)
            assert before - chain.balance(role) < ETHER / 100


@pytest.mark.parametrize(
    ("typed", "lies", "code"),
    [
        # A limit of one's own replaces the question.
        (f"{DEPLOYS} --yes --expected-chain-id {SEPOLIA}", tip(10**4) | history(10**4), 7),
        (f"{DEPLOYS} --yes --expected-chain-id {SEPOLIA} --max-cost 8", tip(10**4) | history(10**4), 0),
        # A chain that was named is not asked about.
        (f"{DEPLOYS} --expected-chain-id {SEPOLIA}", {}, 0),
        (DEPLOYS.replace("$node", "ethereum:sepolia:$node"), {}, 0),
        (f"{DEPLOYS} --yes".replace("$node", "ethereum:sepolia:$node"), {}, 0),
        # Nor is one without a base fee, where the gas has one price.
        (f"{DEPLOYS} --expected-chain-id {SEPOLIA}", {"eth_getBlockByNumber": Changed(baseFeePerGas=None)}, 0),
    ],
)
def test_public_chain__is_paid_on_within_the_limits(typed: str, lies: Wrong, code: int) -> None:
    with new_chain(SEPOLIA) as chain:
        chain.node.wrong = lies
        with chain.type(typed, keys="y\n") as command:
            done = command.end()
        assert (done.code, len(chain.node.sent), "claims" in done.out) == (code, code == 0, False), done
        if "eth_getBlockByNumber" in lies:
            assert chain.anvil.rpc("eth_getTransactionByHash", chain.node.sent[0])["type"] == "0x0"


# -- questions at a terminal -------------------------------------------------------------------

DEARLY = tip(10**4)
ANSWERS = {"y\r": True, "n\r": False, "\r": False, "sure\r": False, "\x04": False}
CONCERNS: list[tuple[str, int, Wrong, str]] = [
    (DEPLOYS, 31337, DEARLY, "high fee for table: 10,001 gwei for one gas; usual is 1 gwei."),
    (STARTS, 31337, DEARLY, "high fee for new game: 10,001 gwei for one gas; usual is 1 gwei."),
    (STARTS, SEPOLIA, {}, "claims to be on sepolia, chain 11155111."),
    (DEPLOYS, SEPOLIA, {}, "claims to be on sepolia, chain 11155111."),
]


@pytest.mark.parametrize(
    ("typed", "chain_id", "node", "facts", "answer"),
    [
        *((*concern, answer) for concern in CONCERNS[:2] for answer in ANSWERS),
        *((*concern, answer) for concern in CONCERNS[2:] for answer in ("y\r", "n\r")),
    ],
)
def test_concern__is_asked_about_and_only_a_yes_signs(
    creation_code: bytes, typed: str, chain_id: int, node: Wrong, facts: str, answer: str
) -> None:
    yes, starts = ANSWERS[answer], typed is STARTS
    with new_chain(chain_id) as chain:
        if starts:
            chain.add_table(creation_code)
        chain.node.wrong = node
        with chain.type(typed, columns=200) as command:
            command.wait_for("Sign new game for about " if starts else "Deploy for about ")
            command.wait_for("[y/N]")
            assert facts in command.out
            command.press(answer)
            if starts and yes:
                command.wait_for("It is your move")
                # The chain is asked about once, and not again for a move.
                command.press("5\rq\r" if chain_id == SEPOLIA else "q\r")
            done = command.end()
        assert done.out.count(facts) == 1
        assert done.code == (0 if yes else 2 if answer == "\x04" else 6)
        assert len(chain.node.sent) == (yes and 1 + (starts and chain_id == SEPOLIA))


@pytest.mark.parametrize("answer", ["y\r", "n\r"])
def test_payment_that_waits__is_replaced_only_after_a_yes(creation_code: bytes, answer: str) -> None:
    with new_chain() as chain:
        chain.add_table(creation_code)
        chain.anvil.rpc("evm_setAutomine", False)
        fees = {"maxFeePerGas": hex(2 * GWEI), "maxPriorityFeePerGas": hex(GWEI // 10)}
        payment = {"from": Role.PLAYER_X.address, "to": Role.OTHER.address, "value": hex(7 * ETHER)} | fees
        transaction = chain.anvil.rpc("eth_sendTransaction", payment)
        with chain.type(STARTS, columns=200) as command:
            command.wait_for("Sign new game for about ")
            command.wait_for("[y/N]")
            assert f"Another transaction of {Role.PLAYER_X.address} is waiting in the pool" in command.out
            command.press(answer)
            if answer == "y\r":
                command.wait_for("new game: sent 0x")
                chain.anvil.rpc("evm_mine")
                command.wait_for("It is your move")
                command.press("q\r")
            assert command.end().code == (0 if answer == "y\r" else 6)
        chain.anvil.rpc("evm_mine")
        assert (chain.anvil.rpc("eth_getTransactionReceipt", transaction) is None) == (answer == "y\r")


def test_answer_typed_before_the_question__does_not_count() -> None:
    """It is typed while the node is asked, before anything is known about the fee."""
    asked, typed = threading.Event(), threading.Event()

    def slowly(_params: object) -> str:
        asked.set()
        typed.wait(PATIENCE)
        return "true"

    with new_chain() as chain:
        chain.node.wrong = {"eth_maxPriorityFeePerGas": slowly}
        with chain.type(DEPLOYS, columns=200) as command:
            assert asked.wait(PATIENCE)
            command.press("y\r")
            typed.set()
            command.wait_for("Deploy? [y/N]")
            command.press("n\r")
            assert (command.end().code, chain.node.sent) == (6, [])


@pytest.mark.parametrize("typed", [DEPLOYS, STARTS])
def test_what_is_signed__is_what_was_shown(creation_code: bytes, typed: str) -> None:
    """Fees and gas rise between the question and the answer."""
    with new_chain(SEPOLIA) as chain:
        if typed is STARTS:
            chain.add_table(creation_code)
        with chain.type(typed, columns=200) as command:
            command.wait_for("[y/N]")
            (shown,) = {*re.findall(r"at most ([\d.]+) ETH", command.out)}
            chain.node.wrong = tip(10**5) | block(hex(10**14)) | {"eth_estimateGas": hex(299_999)}
            command.press("y\r")
            wait_until(lambda: chain.node.sent, lambda: command.out)
        signed = chain.anvil.rpc("eth_getTransactionByHash", chain.node.sent[0])
        assert f"{int(signed['gas'], 16) * int(signed['maxFeePerGas'], 16) / 10**18:.9f}".rstrip("0") == shown


# -- passphrases -------------------------------------------------------------------------------

PLAYS = f"play --network $node --table {FIRST_TABLE} --account anna"


@pytest.mark.usefixtures("keyfiles")
@pytest.mark.parametrize("typed", [UNASKED.replace("TEST::0", "anna"), PLAYS])
@pytest.mark.parametrize(
    ("keys", "code", "says"),
    [
        (["not it\r"] * 3, 6, "Three wrong passphrases: the account 'anna' is still locked. Nothing was sent."),
        (["\x03"], 130, "Stopped. Nothing was sent."),
        (["\x04"], 130, "Stopped. Nothing was sent."),
        ([], 129, "Stopped. Nothing was sent."),
    ],
    ids=["wrong", "ctrl-c", "ctrl-d", "closed"],
)
def test_passphrase__is_never_shown_and_sends_nothing(
    creation_code: bytes, typed: str, keys: list[str], code: int, says: str
) -> None:
    with new_chain() as chain:
        chain.add_table(creation_code, "5")
        chain.anvil.rpc("anvil_setBalance", ANNA.address, hex(ETHER))
        with chain.type(typed, columns=200) as command:
            command.wait_for("Passphrase of 'anna': ")
            for number, key in enumerate(keys):
                if number:
                    command.wait_for("Passphrase of 'anna': ")
                assert not command.echoes()
                command.press(key)
            if not keys:
                command.stop(signal.SIGHUP)
            done = command.end()
            assert command.echoes()
        assert (done.code, says in done.out, "not it" in done.out, chain.node.sent) == (code, True, False, []), done


@pytest.mark.usefixtures("keyfiles")
@pytest.mark.parametrize("answer", ["y\r", "n\r"])
def test_passphrase_of_a_deployment__is_asked_for_after_a_yes(answer: str) -> None:
    with new_chain() as chain:
        chain.anvil.rpc("anvil_setBalance", ANNA.address, hex(ETHER))
        with chain.type(DEPLOYS.replace("TEST::0", "anna"), columns=200) as command:
            command.wait_for("Deploy? [y/N]")
            assert "Passphrase" not in command.out
            command.press(answer)
            if answer == "y\r":
                command.wait_for("Passphrase of 'anna': ")
                command.press(f"{PASSPHRASE}\r")
            done = command.end()
        assert (done.code, len(chain.node.sent)) == ((0, 1) if answer == "y\r" else (6, 0)), done
        assert PASSPHRASE not in done.out


@pytest.mark.usefixtures("keyfiles")
def test_passphrase_in_the_environment__unlocks_the_account() -> None:
    with new_chain() as chain:
        chain.anvil.rpc("anvil_setBalance", ANNA.address, hex(ETHER))
        with chain.type(UNASKED.replace("TEST::0", "anna"), keys="", env=ANNA.unlocked) as command:
            assert (command.end().code, len(chain.node.sent)) == (0, 1)
