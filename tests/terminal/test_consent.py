"""
What is signed: nothing without a yes where there is a question, and what was shown. As in `test_failures.py`, which has
the lies that are refused, the commands are programs.
"""

import re

import pytest

from tests.support.anvil import SEPOLIA
from tests.terminal.lies import block, fees, others_wait, tip
from tests.terminal.world import ANNA, AS_X, AT, PASSPHRASE, UNASKED, O, X, new_chain

ETHER = 10**18
DEPLOYS = "deploy --network $node --account TEST::0 --confirmations 0"
STARTS = f"{AS_X} --plain --against {O}"

DEARLY = tip(10**4)
HIGH_FEE = "high fee for table: 10,001 gwei for one gas; usual is 1 gwei."
CLAIMS = "claims to be on sepolia, chain 11155111."
WAITS = f"Another transaction of {X} is waiting in the pool"
# What is pressed at a terminal, and the exit code.
CONCERNS = [
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
    creation_code, typed, chain_id, node, facts, answer, code
):
    starts, signs = typed is STARTS, code == 0
    with new_chain(chain_id) as chain:
        if starts:
            chain.add_table(creation_code)
        chain.node.wrong = dict(node)
        with chain.type(typed, columns=200) as command:
            command.wait_for("Sign new game for about " if starts else "Deploy for about ")
            command.wait_for("[y/N]")
            (shown,) = {*re.findall(r"at most ([\d.]+) ETH", command.out)}
            # Fees and gas rise between the question and the answer.
            dear = block(hex(10**14))
            chain.node.wrong = tip(10**5) | {"eth_getBlockByNumber": dear, "eth_estimateGas": hex(299_999)}
            chain.node.after = {"eth_sendRawTransaction": lambda _hash: chain.node.wrong.clear()}
            command.press(answer)
            if starts and signs:
                command.wait_for("1-9 play")
                # The chain is asked about once, and not again for a move.
                command.press("5\rq\r")
            done = command.end()
        assert done.out.count(facts) == 1
        assert (done.code, len(chain.node.sent)) == (code, (1 + starts) * signs), done
        if signs:
            signed = chain.anvil.rpc("eth_getTransactionByHash", chain.node.sent[0])
            assert f"{int(signed['gas'], 16) * int(signed['maxFeePerGas'], 16) / ETHER:.9f}".rstrip("0") == shown


def test_limit_and_chain_that_are_named__are_not_asked_about():
    with new_chain(SEPOLIA) as chain:
        chain.node.wrong = tip(10**4) | {"eth_feeHistory": fees(10**4)}
        done = chain.run(f"{DEPLOYS} --yes --expected-chain-id {SEPOLIA} --max-cost 8")
        assert (done.code, len(chain.node.sent), "claims" in done.out) == (0, 1, False), done


def test_question__is_not_asked_if_its_figures_are_not_seen(empty_chain):
    """The output goes into a file, and the person at the keyboard is not shown what it costs."""
    empty_chain.node.wrong = dict(DEARLY)
    with empty_chain.type(UNASKED.replace("--yes", ""), stdout="/dev/null") as deploy:
        deploy.press("y\r")
        assert (deploy.end().code, empty_chain.node.sent) == (7, [])


# -- passphrases -------------------------------------------------------------------------------

LOCKED = "Three wrong passphrases: the account 'anna' is still locked. Nothing was sent."
STOPPED = "Stopped. Nothing was sent."


@pytest.mark.usefixtures("keyfiles")
@pytest.mark.parametrize(
    ("keys", "code", "says"), [(["not it\r"] * 3, 6, LOCKED), (["\x03"], 130, STOPPED), (["\x04"], 130, STOPPED)]
)
def test_passphrase__is_never_shown_and_sends_nothing(chain, keys, code, says):
    with chain.type(f"play {AT} --account anna", columns=200) as command:
        for key in keys:
            command.wait_for("Passphrase of 'anna': ")
            assert not command.left_as_it_was()
            command.press(key)
        done = command.end()
        assert command.left_as_it_was()
    assert (done.code, says in done.out, "not it" in done.out, chain.node.sent) == (code, True, False, []), done


@pytest.mark.usefixtures("keyfiles")
def test_passphrase_of_a_deployment__is_asked_for_after_a_yes(empty_chain):
    empty_chain.anvil.fund(ANNA.address)
    with empty_chain.type(DEPLOYS.replace("TEST::0", "anna"), columns=200) as command:
        command.wait_for("Deploy? [y/N]")
        assert "Passphrase" not in command.out
        command.press("y\r")
        command.wait_for("Passphrase of 'anna': ")
        command.press(f"{PASSPHRASE}\r")
        done = command.end()
    assert (done.code, len(empty_chain.node.sent), PASSPHRASE in done.out) == (0, 1, False), done
