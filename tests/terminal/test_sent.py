"""
What is said of a transaction that was signed, by `deploy` and by `play --move`: it is confirmed, dropped, replaced,
taken back, refused, unknown, or it waits when the command is stopped. As in `test_failures.py`, the commands are
programs. `tests/library/test_sending.py` shows that each of these is true.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.rules.layout import call
from tests.support import wait_until
from tests.support.anvil import SEPOLIA
from tests.support.chain import Chain, new_chain
from tests.support.local_table import FIRST_TABLE
from tests.support.roles import Role
from tests.support.wrong_node import unsafe
from tests.terminal.failures import GWEI, refusal, silent, status

LOOK = f"The table's address is {FIRST_TABLE}: check it before you deploy another (`ape run watch` finds it)."
ON_SEPOLIA = "--network ethereum:sepolia:$node"  # where two blocks confirm a transaction
# At a named network, `--yes` needs no chain ID.
DEPLOY = f"deploy {ON_SEPOLIA} --account TEST::0 --yes --json"
MOVE = f"play {ON_SEPOLIA} --table {FIRST_TABLE} --account TEST::2 --move 1 --json"
DEPLOYED = (
    *("network", "chainId", "deployer", "address", "transaction"),
    *("block", "gas", "cost", "confirmations", "proved"),
)
MOVED = (
    *("network", "chainId", "table", "gameId", "player", "mark", "sequenceNumber", "row", "col"),
    *("transaction", "stage", "block", "gas", "cost", "status", "winner"),
)


@pytest.fixture
def sepolia(creation_code: bytes) -> Iterator[Chain]:
    """O has the turn at a table."""
    with new_chain(SEPOLIA) as chain:
        chain.add_table(creation_code, "5")
        yield chain


def run(chain: Chain, typed: str) -> tuple[int, str, dict[str, Any]]:
    """The exit code, what is on stderr, and the object on stdout."""
    done = chain.run(typed, hurry=100)
    assert unsafe(done.out + done.err) == set(), done
    return done.code, done.err, json.loads(done.out or "{}")


# -- what happens to it ------------------------------------------------------------------------

GAS, SEND, RECEIPT = "eth_estimateGas", "eth_sendRawTransaction", "eth_getTransactionReceipt"
AWAY = dict.fromkeys((RECEIPT, "eth_getBlockByNumber", "eth_getTransactionByHash"), status(502))


def dropped(chain: Chain, transaction: Any) -> None:
    chain.anvil.rpc("anvil_dropTransaction", transaction)


def replaced(chain: Chain, transaction: Any) -> None:
    """Its sender has cancelled it in a wallet."""
    old = chain.anvil.rpc("eth_getTransactionByHash", transaction)
    fees = dict.fromkeys(("maxFeePerGas", "maxPriorityFeePerGas"), hex(100 * GWEI))
    chain.anvil.rpc("eth_sendTransaction", {"from": old["from"], "to": old["from"], "nonce": old["nonce"]} | fees)
    chain.anvil.rpc("evm_mine")


def followed(chain: Chain, _receipt: Any) -> None:
    chain.anvil.rpc("anvil_mine", "0x2")


def reorged(chain: Chain, _receipt: Any) -> None:
    chain.anvil.rpc("anvil_reorg", 1, [])
    chain.anvil.rpc("anvil_mine", "0x5")


def away(chain: Chain, _answer: Any) -> None:
    chain.node.wrong = AWAY


def overtaken(chain: Chain, _answer: Any) -> None:
    """The opponent starts another game while the move is on its way."""
    chain.local.new_game(chain.local.o, chain.local.x)


Action = Callable[[Chain, Any], None]


class Fate:
    """`after` the first true answer to a method, something happens. `it` is the transaction with its hash."""

    def __init__(self, code: int, stage: str, says: str, after: Mapping[str, Action], mined: bool = True) -> None:
        self.code, self.stage, self.says, self.after, self.mined = code, stage, says, after, mined


CONFIRMED = Fate(0, "confirmed", "", {RECEIPT: followed})
WAITING = Fate(9, "waiting", "{it} is still waiting after ", {}, mined=False)
LOST = Fate(3, "mined", "but the node became unreachable before it was confirmed.", {RECEIPT: away})
FATES = [
    (DEPLOY, CONFIRMED),
    (DEPLOY, WAITING),
    (DEPLOY, LOST),
    (MOVE, CONFIRMED),
    (MOVE, WAITING),
    (MOVE, LOST),
    *(
        (MOVE, fate)
        for fate in (
            Fate(9, "dropped", "The network dropped {it}: it is in no block", {SEND: dropped}, mined=False),
            Fate(9, "replaced", "Another transaction of yours replaced {it}, ", {SEND: replaced}, mined=False),
            Fate(9, "taken back", "A reorg took back {it}, and it has not been mined again.", {RECEIPT: reorged}),
            Fate(9, "mined", "but no new block confirmed it for ", {}),
            Fate(3, "sent", "The node became unreachable after {it} was sent. It may", {GAS: away}, mined=False),
            Fate(9, "failed", "Game 2 was started first: your move 2 came too late, and cost 0.0", {GAS: overtaken}),
        )
    ),
]


@pytest.mark.parametrize(("typed", "fate"), FATES, ids=[f"{typed.split()[0]} {fate.stage}" for typed, fate in FATES])
def test_transaction__is_reported_with_its_fate(sepolia: Chain, typed: str, fate: Fate) -> None:
    moves = typed is MOVE
    if not moves:
        sepolia.anvil.rpc("anvil_reset")
    sepolia.node.after = {method: lambda answer, act=act: act(sepolia, answer) for method, act in fate.after.items()}
    sepolia.anvil.rpc("evm_setAutomine", fate.mined)
    code, said, report = run(sepolia, typed)
    (transaction,) = sepolia.node.sent
    it = f"{'move 2' if moves else 'table'} ({transaction})"
    assert (code, fate.says.format(it=it) in said) == (fate.code, True), said
    assert (LOOK in said) == (code > 0 and not moves), said
    assert tuple(report) == (MOVED if moves else DEPLOYED)
    assert [report[name] is not None for name in ("block", "gas", "cost")] == [fate.mined] * 3
    expected: dict[str, object] = {"network": "sepolia", "chainId": SEPOLIA, "transaction": transaction}
    if moves:
        expected |= {"table": FIRST_TABLE, "gameId": 1, "player": Role.PLAYER_O.address, "mark": "O"}
        expected |= {"sequenceNumber": 2, "row": 0, "col": 0, "stage": fate.stage, "winner": None}
        expected |= {"status": "in_progress" if code == 0 else report["status"]}
    else:
        expected |= {"deployer": Role.DEPLOYER.address, "address": FIRST_TABLE, "confirmations": 2}
        expected |= {"proved": code == 0}
    if fate.mined and fate.stage != "taken back":
        receipt = sepolia.anvil.rpc(RECEIPT, transaction)
        block, gas, price = (int(receipt[name], 16) for name in ("blockNumber", "gasUsed", "effectiveGasPrice"))
        expected |= {"block": block, "gas": gas, "cost": str(gas * price)}
    assert report | expected == report
    if moves and code == 0:
        signed = sepolia.anvil.rpc("eth_getTransactionByHash", transaction)
        # It names its game, so it lands in no other.
        data = f"0x{call('makeMove(uint8,uint8,uint256)', 0, 0, 1).hex()}"
        assert (signed["to"], signed["input"], signed["chainId"]) == (FIRST_TABLE.lower(), data, hex(SEPOLIA))


def test_move_that_is_overtaken_before_it_is_signed__is_not_sent(sepolia: Chain) -> None:
    sepolia.node.after = {"eth_call": lambda answer: overtaken(sepolia, answer)}
    late = "Error: Game 2 was started first: your move 2 came too late, and cost nothing.\n"
    assert (run(sepolia, MOVE), sepolia.node.sent) == ((8, late, {}), [])


@pytest.mark.parametrize(
    ("typed", "answer", "code", "sentence"),
    [
        (DEPLOY, "nonce too low", 9, "The node did not accept table: The node refused: nonce too low."),
        (MOVE, "replacement transaction underpriced", 9, "waiting, and move 2 does not pay enough to replace it."),
        (MOVE, "INSUFFICIENT FUNDS for gas * price", 7, "Not enough funds: "),
        (MOVE, "\x1b[2Jgo\u202eaway", 9, "The node did not accept move 2: The node refused: goaway."),
    ],
)
def test_transaction_that_the_node_refuses__was_not_sent(
    sepolia: Chain, typed: str, answer: str, code: int, sentence: str
) -> None:
    sepolia.node.wrong = {SEND: refusal(answer)}
    found, said, report = run(sepolia, typed)
    assert (found, sentence in said, "Nothing was sent." in said) == (code, True, True), said
    assert (report, LOOK in said) == ({}, False)


# -- stopped -----------------------------------------------------------------------------------

UNASKED = "deploy --network $node --account TEST::0 --confirmations 0 --yes --expected-chain-id 31337"
HIDDEN, SHOWN = "\x1b[?25l", "\x1b[?25h"  # the cursor
STOPS = [
    (signal.SIGINT, 130, None),
    (signal.SIGTERM, 143, None),
    (signal.SIGHUP, 129, None),
    (signal.SIGTERM, 143, ""),  # in a pipe
]


def sentence(printed: str) -> str:
    return " ".join(printed.split())


@pytest.mark.parametrize(("number", "code", "keys"), STOPS)
def test_signal_before_the_table_is_mined__names_its_address(
    number: signal.Signals, code: int, keys: str | None
) -> None:
    with new_chain() as chain:
        chain.anvil.rpc("evm_setAutomine", False)
        with chain.type(UNASKED, keys=keys, columns=200) as command:
            command.wait_for("waiting for a block" if keys is None else "table: sent 0x")
            command.stop(number)
            done = command.end()
        printed = sentence(done.out + done.err)
        assert f"Stopped. Sent but not mined yet: table ({chain.node.sent[0]}) at {FIRST_TABLE}. {LOOK}" in printed
        assert (done.code, "Traceback" in printed) == (code, False)
        assert done.out.rfind(SHOWN) >= done.out.rfind(HIDDEN)
        chain.anvil.rpc("evm_mine")
        assert f"Table {FIRST_TABLE} on" in chain.run("watch --network $node --once").out


def test_signal_before_the_node_has_answered__says_that_it_may_be_sent() -> None:
    """What is shown meanwhile does not claim that it was sent."""
    with new_chain() as chain:
        chain.node.wrong = {SEND: silent}
        with chain.type(UNASKED, columns=200) as command:
            command.wait_for("table: sending 0x")
            command.stop()
            done = command.end()
        assert "Perhaps sent, but the node did not answer: table (0x" in sentence(done.out)
        assert (done.code, "waiting for a block" in done.out) == (130, False)


@pytest.mark.parametrize(("number", "code"), [stop[:2] for stop in STOPS[:3]])
def test_signal_while_the_node_is_silent__ends_it(number: signal.Signals, code: int) -> None:
    with new_chain() as chain:
        chain.node.wrong = {"eth_getBalance": silent}
        with chain.type(UNASKED, keys="") as command:
            wait_until(lambda: "eth_getBalance" in chain.node.asked, lambda: "the node was not asked")
            command.stop(number)
            done = command.end()
        assert (done.code, done.err) == (code, "Stopped. Nothing was sent.\n")
