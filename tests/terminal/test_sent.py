"""
What is said of a transaction that was signed, by `deploy` and by `play --move`: it is confirmed, dropped, replaced,
taken back, refused, unknown, or it waits. As in `test_failures.py`, the commands are programs.
`tests/library/test_sending.py` shows that each of these is true.
"""

import json
from typing import NamedTuple

import pytest

from tests.rules.layout import call
from tests.support.anvil import SEPOLIA
from tests.support.local_table import FIRST_TABLE
from tests.support.roles import Role
from tests.support.wrong_node import unsafe
from tests.terminal.lies import GWEI, refuses, status
from tests.terminal.world import LOOK, O, X, new_chain

ON_SEPOLIA = "--network ethereum:sepolia:$node"  # where two blocks confirm a transaction
# At a named network, `--yes` needs no chain ID.
DEPLOY = f"deploy {ON_SEPOLIA} --account TEST::0 --yes --json"
MOVE = f"play {ON_SEPOLIA} --table {FIRST_TABLE} --account TEST::2 --move 1 --json"
DEPLOYED = [
    *("network", "chainId", "deployer", "address", "transaction"),
    *("block", "gas", "cost", "confirmations", "proved"),
]
MOVED = [
    *("network", "chainId", "table", "gameId", "player", "mark", "sequenceNumber", "row", "col"),
    *("transaction", "stage", "block", "gas", "cost", "status", "winner"),
]


@pytest.fixture
def sepolia(creation_code):
    """O has the turn at a table."""
    with new_chain(SEPOLIA) as chain:
        chain.add_table(creation_code, "5")
        yield chain


def run(chain, typed):
    """The exit code, what is on stderr, and the object on stdout."""
    done = chain.run(typed, hurry=100)
    assert unsafe(done.out + done.err) == set(), done
    return done.code, done.err, json.loads(done.out or "{}")


# -- what happens to it ------------------------------------------------------------------------

GAS, SEND, RECEIPT = "eth_estimateGas", "eth_sendRawTransaction", "eth_getTransactionReceipt"


def dropped(chain, transaction):
    chain.anvil.rpc("anvil_dropTransaction", transaction)


def replaced(chain, transaction):
    """Its sender has cancelled it in a wallet."""
    old = chain.anvil.rpc("eth_getTransactionByHash", transaction)
    fees = dict.fromkeys(("maxFeePerGas", "maxPriorityFeePerGas"), hex(100 * GWEI))
    chain.anvil.rpc("eth_sendTransaction", {"from": old["from"], "to": old["from"], "nonce": old["nonce"]} | fees)
    chain.mine()


def followed(chain, _receipt):
    chain.mine(2)


def reorged(chain, _receipt):
    chain.reorg(1)
    chain.mine(5)


def away(chain, _answer):
    chain.node.wrong = dict.fromkeys((RECEIPT, "eth_getBlockByNumber", "eth_getTransactionByHash"), status(502))


def overtaken(chain, _answer):
    """The opponent starts another game while the move is on its way."""
    chain.table.new_game(O, X)


class Fate(NamedTuple):
    """After the first true answer to a method, something happens. `{it}` is the transaction with its hash."""

    code: int
    stage: str
    says: str
    after: dict
    mined: bool = True


CONFIRMED = Fate(0, "confirmed", "", {RECEIPT: followed})
WAITING = Fate(9, "waiting", "{it} is still waiting after ", {}, mined=False)
LOST = Fate(3, "mined", "but the node became unreachable before it was confirmed.", {RECEIPT: away})
FATES = [
    *((typed, fate) for typed in (DEPLOY, MOVE) for fate in (CONFIRMED, WAITING, LOST)),
    (MOVE, Fate(9, "dropped", "The network dropped {it}: it is in no block", {SEND: dropped}, mined=False)),
    (MOVE, Fate(9, "replaced", "Another transaction of yours replaced {it}, ", {SEND: replaced}, mined=False)),
    (MOVE, Fate(9, "taken back", "A reorg took back {it}, and it has not been mined again.", {RECEIPT: reorged})),
    (MOVE, Fate(3, "sent", "The node became unreachable after {it} was sent. It may", {GAS: away}, mined=False)),
    (MOVE, Fate(9, "failed", "Game 2 was started first: your move 2 came too late, and cost 0.0", {GAS: overtaken})),
]


@pytest.mark.parametrize(("typed", "fate"), FATES, ids=[f"{typed.split()[0]} {fate.stage}" for typed, fate in FATES])
def test_transaction__is_reported_with_its_fate(sepolia, typed, fate):
    moves = typed is MOVE
    if not moves:
        sepolia.anvil.rpc("anvil_reset")
    sepolia.node.after = {method: lambda answer, act=act: act(sepolia, answer) for method, act in fate.after.items()}
    sepolia.mine_by_hand(not fate.mined)
    code, said, report = run(sepolia, typed)
    (transaction,) = sepolia.node.sent
    it = f"{'move 2' if moves else 'table'} ({transaction})"
    assert (code, fate.says.format(it=it) in said) == (fate.code, True), said
    assert (LOOK in said) == (code > 0 and not moves), said
    assert list(report) == (MOVED if moves else DEPLOYED)
    assert [report[name] is not None for name in ("block", "gas", "cost")] == [fate.mined] * 3
    expected = {"network": "sepolia", "chainId": SEPOLIA, "transaction": transaction}
    if moves:
        expected |= {"table": FIRST_TABLE, "gameId": 1, "player": O, "mark": "O", "sequenceNumber": 2}
        expected |= {"row": 0, "col": 0, "stage": fate.stage, "winner": None}
        expected |= {"status": "in_progress"} if code == 0 else {}
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


def test_winning_move__is_reported_with_its_winner(sepolia):
    sepolia.table.play("172")  # X has 5 and 7, O has 1 and 2
    sepolia.table.play("9")
    sepolia.node.after = {RECEIPT: lambda receipt: followed(sepolia, receipt)}
    code, _, report = run(sepolia, MOVE.replace("--move 1", "--move 3"))
    assert (code, report["status"], report["winner"], report["sequenceNumber"]) == (0, "o_won", O, 6)


def test_move_that_is_overtaken_before_it_is_signed__is_not_sent(sepolia):
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
def test_transaction_that_the_node_refuses__was_not_sent(sepolia, typed, answer, code, sentence):
    sepolia.node.wrong = {SEND: refuses(answer)}
    found, said, report = run(sepolia, typed)
    assert (found, sentence in said, "Nothing was sent." in said) == (code, True, True), said
    assert (report, LOOK in said) == ({}, False)
