"""What is signed at a terminal is what was shown. `failures.txt` has what is refused, and the other answers."""

import re

import pytest

from tests.support.anvil import SEPOLIA
from tests.terminal.lies import block, lie, others_wait
from tests.terminal.world import AS_X, O, X, new_chain

ETHER = 10**18
DEPLOYS = "deploy --network $node --account TEST::0 --confirmations 0"
STARTS = f"{AS_X} --plain --against {O}"


def tip(gwei):
    return {"eth_maxPriorityFeePerGas": lie(f"{gwei}gwei")}


@pytest.mark.parametrize(
    ("typed", "chain_id", "lies", "concern"),
    [
        (DEPLOYS, 31337, tip("1e4"), "high fee for table: 10,001 gwei for one gas; usual is 1 gwei."),
        (DEPLOYS, SEPOLIA, {}, "claims to be on sepolia, chain 11155111."),
        (STARTS, SEPOLIA, {}, "claims to be on sepolia, chain 11155111."),
        (STARTS, 31337, {"eth_getTransactionCount": others_wait}, f"Another transaction of {X} is waiting in the pool"),
    ],
)
def test_yes__signs_what_was_shown(creation_code, typed, chain_id, lies, concern):
    with new_chain(chain_id) as chain:
        if typed is STARTS:
            chain.add_table(creation_code)
        chain.node.wrong = dict(lies)
        with chain.type(typed, columns=200) as command:
            command.wait_for("[y/N]")
            (shown,) = {*re.findall(r"for about [\d.]+ ETH, at most ([\d.]+) ETH", command.out)}
            # Fees and gas rise between the question and the answer.
            dear = block(hex(10**14))
            chain.node.wrong = tip("1e5") | {"eth_getBlockByNumber": dear, "eth_estimateGas": hex(299_999)}
            chain.node.after = {"eth_sendRawTransaction": lambda _hash: chain.node.wrong.clear()}
            command.press("y\r")
            if typed is STARTS:
                command.wait_for("1-9 play")
                # The chain is asked about once, and not again for a move.
                command.press("5\rq\r")
            done = command.end()
        assert (done.code, done.out.count(concern), len(chain.node.sent)) == (0, 1, 1 + (typed is STARTS)), done
        signed = chain.anvil.rpc("eth_getTransactionByHash", chain.node.sent[0])
    assert f"{int(signed['gas'], 16) * int(signed['maxFeePerGas'], 16) / ETHER:.9f}".rstrip("0") == shown
