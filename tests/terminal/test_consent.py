"""
What is signed: nothing without a yes where there is a question, and what was shown. As in `test_failures.py`, which has
the lies that are refused, the commands are programs.
"""

from __future__ import annotations

import re
import signal

import pytest

from tests.support.anvil import SEPOLIA
from tests.support.chain import new_chain
from tests.support.keyfiles import ANNA, PASSPHRASE
from tests.support.local_table import FIRST_TABLE
from tests.support.roles import Role
from tests.support.wrong_node import Wrong
from tests.terminal.failures import block, history, others_wait, tip

ETHER = 10**18
DEPLOYS = "deploy --network $node --account TEST::0 --confirmations 0"
STARTS = f"play --network $node --plain --table {FIRST_TABLE} --account TEST::1 --against {Role.PLAYER_O.address}"

DEARLY = tip(10**4)
HIGH_FEE = "high fee for table: 10,001 gwei for one gas; usual is 1 gwei."
CLAIMS = "claims to be on sepolia, chain 11155111."
WAITS = f"Another transaction of {Role.PLAYER_X.address} is waiting in the pool"
# What is pressed at a terminal, and the exit code.
CONCERNS: list[tuple[str, int, Wrong, str, str, int]] = [
    *(
        (DEPLOYS, 31337, DEARLY, HIGH_FEE, answer, code)
        for answer, code in (("y\r", 0), ("n\r", 6), ("\r", 6), ("sure\r", 6), ("\x04", 2), ("\x03", 130))
    ),
    (DEPLOYS, SEPOLIA, {}, CLAIMS, "y\r", 0),
    (STARTS, SEPOLIA, {}, CLAIMS, "y\r", 0),
    (STARTS, SEPOLIA, {}, CLAIMS, "n\r", 6),
    (STARTS, 31337, {"eth_getTransactionCount": others_wait}, WAITS, "y\r", 0),
]


@pytest.mark.parametrize(("typed", "chain_id", "node", "facts", "answer", "code"), CONCERNS)
def test_concern__is_asked_about_and_only_a_yes_signs_what_was_shown(
    creation_code: bytes, typed: str, chain_id: int, node: Wrong, facts: str, answer: str, code: int
) -> None:
    starts = typed is STARTS
    with new_chain(chain_id) as chain:
        if starts:
            chain.add_table(creation_code)
        chain.node.wrong = node
        with chain.type(typed, columns=200) as command:
            command.wait_for("Sign new game for about " if starts else "Deploy for about ")
            command.wait_for("[y/N]")
            (shown,) = {*re.findall(r"at most ([\d.]+) ETH", command.out)}
            # Fees and gas rise between the question and the answer.
            chain.node.wrong = tip(10**5) | block(hex(10**14)) | {"eth_estimateGas": hex(299_999)}
            command.press(answer)
            if starts and code == 0:
                chain.node.after = {"eth_sendRawTransaction": lambda _hash: setattr(chain.node, "wrong", {})}
                command.wait_for("1-9 play")
                # The chain is asked about once, and not again for a move.
                command.press("5\rq\r")
            elif code == 0:
                chain.node.after = {"eth_sendRawTransaction": lambda _hash: setattr(chain.node, "wrong", {})}
            done = command.end()
        assert done.out.count(facts) == 1
        assert (done.code, len(chain.node.sent)) == (code, (1 + starts) * (code == 0)), done
        if code == 0:
            signed = chain.anvil.rpc("eth_getTransactionByHash", chain.node.sent[0])
            assert f"{int(signed['gas'], 16) * int(signed['maxFeePerGas'], 16) / ETHER:.9f}".rstrip("0") == shown


def test_limit_and_chain_that_are_named__are_not_asked_about() -> None:
    with new_chain(SEPOLIA) as chain:
        chain.node.wrong = tip(10**4) | history(10**4)
        done = chain.run(f"{DEPLOYS} --yes --expected-chain-id {SEPOLIA} --max-cost 8")
        assert (done.code, len(chain.node.sent), "claims" in done.out) == (0, 1, False), done


# -- passphrases -------------------------------------------------------------------------------

PLAYS = f"play --network $node --table {FIRST_TABLE} --account anna"


@pytest.mark.usefixtures("keyfiles")
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
    creation_code: bytes, keys: list[str], code: int, says: str
) -> None:
    with new_chain() as chain:
        chain.add_table(creation_code, "5")
        with chain.type(PLAYS, columns=200) as command:
            for key in keys or [""]:
                command.wait_for("Passphrase of 'anna': ")
                assert not command.echoes()
                command.press(key)
            if not keys:
                command.stop(signal.SIGHUP)
            done = command.end()
            assert command.echoes()
        assert (done.code, says in done.out, "not it" in done.out, chain.node.sent) == (code, True, False, []), done


@pytest.mark.usefixtures("keyfiles")
def test_passphrase_of_a_deployment__is_asked_for_after_a_yes() -> None:
    with new_chain() as chain:
        chain.anvil.rpc("anvil_setBalance", ANNA.address, hex(ETHER))
        with chain.type(DEPLOYS.replace("TEST::0", "anna"), columns=200) as command:
            command.wait_for("Deploy? [y/N]")
            assert "Passphrase" not in command.out
            command.press("y\r")
            command.wait_for("Passphrase of 'anna': ")
            command.press(f"{PASSPHRASE}\r")
            done = command.end()
        assert (done.code, len(chain.node.sent), PASSPHRASE in done.out) == (0, 1, False), done
