"""
What is said of a transaction that was signed, by `deploy` and by `play --move` alike: it is dropped, replaced, taken
back, refused, unknown, or it waits when the command is stopped. As in `test_failures.py`, the commands are programs.
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
from tests.support.commands import ape_run
from tests.support.local_table import FIRST_TABLE
from tests.support.roles import Role
from tests.support.wrong_node import Changed, Instead, Wrong, unsafe
from tests.terminal.failures import GWEI, nested, refusal, silent, status

LOOK = f"The table's address is {FIRST_TABLE}: check it before you deploy another (`ape run watch` finds it)."

# -- what happens to it ------------------------------------------------------------------------

SEND, RECEIPT, HEAD = "eth_sendRawTransaction", "eth_getTransactionReceipt", "eth_getBlockByNumber"
AWAY = dict.fromkeys((RECEIPT, HEAD, "eth_getTransactionByHash"), status(502))


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


def overtaken(chain: Chain, _gas: Any) -> None:
    """The opponent starts another game while the move is on its way."""
    chain.local.new_game(chain.local.o, chain.local.x)


Action = Callable[[Chain, Any], None]


class Fate:
    """`it` is the transaction with its hash. `after` the first true answer to a method, something happens."""

    def __init__(
        self,
        code: int,
        says: str,
        stage: str,
        *,
        mined: bool = False,
        node: Wrong | None = None,
        after: Mapping[str, Action] | None = None,
        automine: bool = True,
    ) -> None:
        self.code, self.says, self.stage, self.mined = code, says, stage, mined
        self.node, self.after, self.automine = node or {}, after or {}, automine


UNKNOWN = "The node became unreachable after {it} was sent. It may still be mined: check before you send another."
FATES = {
    "confirmed": Fate(0, "", "confirmed", mined=True, after={RECEIPT: followed}),
    "waiting": Fate(9, "{it} is still waiting after ", "waiting", automine=False),
    "dropped": Fate(
        9,
        "The network dropped {it}: it is in no block and no longer waiting. It cost nothing. Try again.",
        "dropped",
        after={SEND: dropped},
        automine=False,
    ),
    "replaced": Fate(
        9, "Another transaction of yours replaced {it}, ", "replaced", after={SEND: replaced}, automine=False
    ),
    "reorged": Fate(
        9,
        "A reorg took back {it}, and it has not been mined again.",
        "taken back",
        mined=True,
        after={RECEIPT: reorged},
    ),
    "unconfirmed": Fate(9, "but no new block confirmed it for ", "mined", mined=True),
    "node away": Fate(3, UNKNOWN, "sent", after={SEND: away}),
    "node away later": Fate(
        3, "but the node became unreachable before it was confirmed.", "mined", mined=True, after={RECEIPT: away}
    ),
    "nested receipt": Fate(3, UNKNOWN, "sent", node={RECEIPT: nested()}),
    "receipt of another": Fate(3, UNKNOWN, "sent", node={RECEIPT: Changed(transactionHash="0x" + "77" * 32)}),
    # The node has it, whatever it says.
    "already known": Fate(
        0, "", "confirmed", mined=True, node={SEND: Instead(refusal("already known"))}, after={RECEIPT: followed}
    ),
    "502 when sent": Fate(0, "", "confirmed", mined=True, node={SEND: Instead(status(502))}, after={RECEIPT: followed}),
}

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
def sepolia() -> Iterator[Chain]:
    with new_chain(SEPOLIA) as chain:
        yield chain


def run(chain: Chain, typed: str) -> tuple[int, str, dict[str, Any]]:
    """The exit code, what is on stderr, and the object on stdout."""
    with chain.type(typed, keys="", hurry=100) as command:
        done = command.end()
    assert unsafe(done.out + done.err) == set(), done
    return done.code, done.err, json.loads(done.out or "{}")


def befalls(chain: Chain, fate: Fate) -> None:
    chain.node.wrong = fate.node
    chain.node.after = {method: lambda answer, act=act: act(chain, answer) for method, act in fate.after.items()}
    chain.anvil.rpc("evm_setAutomine", fate.automine)


@pytest.mark.parametrize("fate", FATES.values(), ids=FATES)
def test_deployment__is_reported_with_its_fate_and_its_address(sepolia: Chain, fate: Fate) -> None:
    befalls(sepolia, fate)
    code, said, report = run(sepolia, DEPLOY)
    (transaction,) = sepolia.node.sent
    assert (code, fate.says.format(it=f"table ({transaction})") in said) == (fate.code, True), said
    assert (LOOK in said) == (code > 0), said
    assert tuple(report) == DEPLOYED
    assert (report["network"], report["chainId"]) == ("sepolia", SEPOLIA)
    assert (report["deployer"], report["address"]) == (Role.DEPLOYER.address, FIRST_TABLE)
    assert (report["transaction"], report["confirmations"]) == (transaction, 2)
    assert [report[name] is not None for name in ("block", "gas", "cost")] == [fate.mined] * 3
    assert report["proved"] is (code == 0)
    if code == 0:
        assert (report["gas"], report["cost"]) == gas_and_cost(sepolia, transaction)


@pytest.mark.parametrize("fate", FATES.values(), ids=FATES)
def test_move__is_reported_with_its_fate(sepolia: Chain, creation_code: bytes, fate: Fate) -> None:
    sepolia.add_table(creation_code, "5")
    befalls(sepolia, fate)
    code, said, report = run(sepolia, MOVE)
    (transaction,) = sepolia.node.sent
    assert (code, fate.says.format(it=f"move 2 ({transaction})") in said) == (fate.code, True), said
    assert tuple(report) == MOVED
    expected = {"network": "sepolia", "chainId": SEPOLIA, "table": FIRST_TABLE, "gameId": 1, "row": 0, "col": 0}
    expected |= {"player": Role.PLAYER_O.address, "mark": "O", "sequenceNumber": 2, "transaction": transaction}
    assert report | expected | {"stage": fate.stage, "block": 4 if fate.mined else None} == report
    assert (report["gas"] is None, report["cost"] is None) == (not fate.mined,) * 2
    if code == 0:
        assert (report["gas"], report["cost"]) == gas_and_cost(sepolia, transaction)
        assert (report["status"], report["winner"]) == ("in_progress", None)
        signed = sepolia.anvil.rpc("eth_getTransactionByHash", transaction)
        # It names its game, so it lands in no other.
        data = f"0x{call('makeMove(uint8,uint8,uint256)', 0, 0, 1).hex()}"
        assert (signed["to"], signed["input"], signed["chainId"]) == (FIRST_TABLE.lower(), data, hex(SEPOLIA))


def gas_and_cost(chain: Chain, transaction: str) -> tuple[int, str]:
    receipt = chain.anvil.rpc(RECEIPT, transaction)
    gas = int(receipt["gasUsed"], 16)
    return gas, str(gas * int(receipt["effectiveGasPrice"], 16))


def test_move_that_is_overtaken_before_it_is_signed__is_not_sent(sepolia: Chain, creation_code: bytes) -> None:
    sepolia.add_table(creation_code, "5")
    befalls(sepolia, Fate(8, "", "", after={"eth_call": overtaken}))
    code, said, report = run(sepolia, MOVE)
    assert (code, said, report) == (
        8,
        "Error: Game 2 was started first: your move 2 came too late, and cost nothing.\n",
        {},
    )
    assert sepolia.node.sent == []


def test_move_that_is_refused_after_all__is_reported_with_its_cost(sepolia: Chain, creation_code: bytes) -> None:
    sepolia.add_table(creation_code, "5")
    befalls(sepolia, Fate(9, "", "failed", after={"eth_estimateGas": overtaken}))
    code, said, report = run(sepolia, MOVE)
    assert (code, "Error: Game 2 was started first: your move 2 came too late, and cost 0.0000" in said) == (9, True), (
        said
    )
    assert (report["stage"], report["block"], report["status"]) == ("failed", 5, None)
    assert int(report["cost"]) > 0


def test_receipt_of_another_table__is_not_believed(sepolia: Chain) -> None:
    befalls(sepolia, Fate(3, "", "", node={RECEIPT: Changed(contractAddress="0x" + "66" * 20)}))
    code, said, report = run(sepolia, DEPLOY)
    assert f"names the table 0x{'66' * 20}, which is not the address that follows from your account" in said
    assert (code, LOOK in said, report["address"], report["proved"]) == (3, True, FIRST_TABLE, False)


@pytest.mark.parametrize(
    ("answer", "code", "sentence"),
    [
        ("nonce too low", 9, "The node did not accept {}: The node refused: nonce too low. Nothing was sent."),
        ("transaction underpriced", 9, "The node did not accept {}: The node refused: transaction underpriced."),
        ("replacement transaction underpriced", 9, "is still waiting, and {} does not pay enough to replace it."),
        ("INSUFFICIENT FUNDS for gas * price", 7, "Not enough funds: "),
        ("\x1b[2Jgo\u202eaway", 9, "The node did not accept {}: The node refused: goaway. Nothing was sent."),
    ],
)
def test_transaction_that_the_node_refuses__was_not_sent(
    sepolia: Chain, creation_code: bytes, answer: str, code: int, sentence: str
) -> None:
    for typed, label in ((DEPLOY, "table"), (MOVE, "move 2")):
        if typed is MOVE:
            sepolia.add_table(creation_code, "5")
        sepolia.node.wrong = {SEND: refusal(answer)}
        found, said, report = run(sepolia, typed)
        assert (found, sentence.format(label) in said, "Nothing was sent." in said) == (code, True, True), said
        assert (report, LOOK in said) == ({}, False)


# -- stopped -----------------------------------------------------------------------------------

ASKS = "deploy --network $node --account TEST::0 --confirmations 0"
UNASKED = f"{ASKS} --yes --expected-chain-id 31337"
PLAYS = f"play --network $node --table {FIRST_TABLE} --account TEST::2"
HIDDEN, SHOWN = "\x1b[?25l", "\x1b[?25h"  # the cursor


def sentence(printed: str) -> str:
    return " ".join(printed.split())


@pytest.mark.parametrize(
    ("number", "code", "keys"),
    [(signal.SIGINT, 130, None), (signal.SIGTERM, 143, None), (signal.SIGHUP, 129, None), (signal.SIGTERM, 143, "")],
)
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
        assert f"Table {FIRST_TABLE} on" in ape_run("watch", "--network", chain.node.url, "--once").out


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


def test_ctrl_c_at_the_question__sends_nothing() -> None:
    with new_chain() as chain:
        with chain.type(ASKS, columns=200) as command:
            command.wait_for("Deploy? [y/N]")
            command.press("\x03")
            done = command.end()
        assert (done.code, "Stopped. Nothing was sent." in done.out, "Error" in done.out) == (130, True, False)
        assert chain.node.sent == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signal_while_the_node_is_silent__ends_it(number: signal.Signals, code: int) -> None:
    with new_chain() as chain:
        chain.node.wrong = {"eth_getBalance": silent}
        with chain.type(UNASKED, keys="") as command:
            wait_until(lambda: "eth_getBalance" in chain.node.asked, lambda: "the node was not asked")
            command.stop(number)
            done = command.end()
        assert (done.code, done.err) == (code, "Stopped. Nothing was sent.\n")


def test_closed_terminal_in_a_game__lists_what_was_sent(creation_code: bytes) -> None:
    with new_chain() as chain:
        chain.add_table(creation_code, "5")
        chain.anvil.rpc("evm_setAutomine", False)
        with chain.type(PLAYS, columns=200, rows=40) as command:
            command.wait_for("Your turn")
            command.press("1")
            command.wait_for("waiting for a block")
            command.stop(signal.SIGHUP)
            done = command.end()
        assert f"Sent but not mined yet: move 2 ({chain.node.sent[0]})" in sentence(done.out)
        assert (done.code, done.out.rindex(SHOWN) > done.out.rindex(HIDDEN)) == (129, True)
