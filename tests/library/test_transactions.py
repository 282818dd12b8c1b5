"""A transaction before it is signed: what it carries and costs, what forbids it, and what a person must agree to."""

import re
from dataclasses import replace
from types import SimpleNamespace

import click
import pytest
from ape.exceptions import SignatureError
from eth_account import Account
from eth_utils.crypto import keccak
from hexbytes import HexBytes

from tests.library.simulation import FIRST_NONCE, TABLE, FakeChain, RefusedError, Sent, fields
from tests.support.anvil import SEPOLIA
from tests.support.roles import Role
from tictactoe import errors
from tictactoe.node import Limits
from tictactoe.transactions import STAGES, prepare, report, send

ETHER, GWEI = 10**18, 10**9
DATA = b"\x01" * 100
ME = Role.PLAYER_X.address


pytestmark = pytest.mark.usefixtures("clock")


def prepared(node, to=TABLE):
    return prepare(node, Role.PLAYER_X.account, "move 1", DATA, to)


def fill_pool(chain, count):
    """With so many transactions of the account, which this program did not send."""
    chain.pool = [Sent(f"0x0{number}", FIRST_NONCE + number) for number in range(count)]


# -- what it carries --------------------------------------------------------------------------


def test_call__is_signed_as_it_was_shown(chain, node, clock):
    """The node raises its fee while the person thinks."""
    found = prepared(node)
    assert (found.label, found.gas, found.price, found.cost) == ("move 1", 50_000, 102, 50_000 * 102)
    assert (found.max_cost, found.balance, found.contract, found.stage) == (60_000 * 202, ETHER, "", "prepared")
    asked = dict(chain.asked)
    assert asked["eth_estimateGas"][0] == {"from": ME, "data": "0x" + DATA.hex(), "to": TABLE}
    assert (asked["eth_getBalance"][0], asked["eth_getTransactionCount"][0]) == (ME, ME)
    chain.say(eth_maxPriorityFeePerGas=10**15, eth_gasPrice=10**15, eth_estimateGas=299_999)
    clock.on_sleep = chain.mine_sent
    assert send(found) is found
    (raw,) = chain.raw()
    signed = fields(raw)
    assert Account.recover_transaction(raw) == ME
    assert (HexBytes(signed["to"]), HexBytes(signed["data"])) == (HexBytes(TABLE), HexBytes(DATA))
    numbers = {"chainId": 31337, "nonce": 5, "value": 0, "gas": 60_000}  # a fifth more than estimated
    numbers |= {"type": 2, "maxFeePerGas": 2 * 100 + 2, "maxPriorityFeePerGas": 2}
    assert {name: signed[name] for name in numbers} == numbers
    assert (found.hash, found.stage, node.sent) == ("0x" + keccak(hexstr=raw).hex(), "mined", [found])


def test_chain_without_a_base_fee__has_one_price(chain, node):
    chain.say(eth_getBlockByNumber=chain.head.json | {"baseFeePerGas": None})
    node.limits = Limits(max_fee=90)
    found = prepared(node)
    request = found.request.model_dump()
    assert (request.get("type", 0), request["gasPrice"], "maxFeePerGas" in request) == (0, 90, False)
    assert (found.price, found.max_cost, found.concerns) == (90, 60_000 * 90, [])


def test_own_limit__caps_the_offer_but_not_below_the_price(node):
    for limit, most in ((None, 202), (202, 202), (201, 201), (102, 102), (101, 102), (0, 102)):
        node.limits = Limits(max_fee=limit)
        found = prepared(node)
        assert (found.request.model_dump()["maxFeePerGas"], found.max_cost, found.price) == (most, 60_000 * most, 102)


# -- what speaks against it ---------------------------------------------------------------------


def paid(fees, tips):
    """What recent blocks paid for one gas, as a node reports it."""
    return {"baseFeePerGas": [*map(hex, fees)], "reward": [[hex(each)] for each in tips]}


def look(balance=1000 * ETHER, gas=50_000, tip=GWEI, usual=GWEI, waiting=0, to=TABLE, network=(), **limits):
    """A transaction with these facts, at a base fee of one gwei."""
    network = {"chain_id": 31337} | dict(network)
    chain = FakeChain(network.pop("chain_id"))
    fill_pool(chain, waiting)
    chain.say(
        eth_getBlockByNumber=chain.head.json | {"baseFeePerGas": hex(GWEI)},
        eth_getBalance=balance,
        eth_estimateGas=gas,
        eth_maxPriorityFeePerGas=tip,
        eth_feeHistory=paid([usual] * 2, [0]) if isinstance(usual, int) else usual,
    )
    node = chain.node(**network)
    node.limits = Limits(**limits)
    return prepared(node, to)


def obstacles(facts):
    """Exit codes and sentences, with a question mark for what a person may agree to."""
    try:
        found = look(**facts)
    except errors.TicTacToeError as error:
        return [f"{error.exit_code}: {error}"]
    for first in [*found.refusals, *found.concerns][:1]:
        # Nobody is asked to sign. A refusal is raised although all else was agreed to.
        with pytest.raises(type(first)) as caught:
            send(replace(found, account=None, concerns=[] if found.refusals else found.concerns))
        assert caught.value is first
    questions = [f"{each.exit_code}? {each}" for each in found.concerns]
    return [f"{each.exit_code}: {each}" for each in found.refusals] + questions


SEPOLIA_BY_URL, ON_SEPOLIA = ({"network": {"chain_id": SEPOLIA, "named": named}} for named in (False, True))
MAINNET, ARBITRUM, ARBITRUM_SEPOLIA = (
    {"network": {"chain_id": number, "named": True}} for number in (1, 42161, 421614)
)
MOST = 60_000 * 3 * GWEI  # 0.00018 ether
HIGH = ETHER // 20 // 60_000  # for one gas, if its double is offered
NO_REPORTS = RefusedError("no such method"), paid([], []), paid([1], []), paid([1, 1], [2**256])
USUAL = [
    (paid([1, 5, 3, 255], [2, 1, 1]), "usual is 0.000000004 gwei"),
    (paid([1, 5, 255], [2, 1]), "usual is 0.000000003 gwei"),
    *((wrong, "the node does not report what recent blocks paid") for wrong in NO_REPORTS),
]


@pytest.mark.parametrize(
    ("facts", "name", "fine", "not_fine", "found"),
    [
        ({}, "gas", 300_000, 300_001, "3: The node estimates 300,001 gas for move 1, but that needs 300,000 at most."),
        ({"to": None}, "gas", 5_400_000, 5_400_001, "3: "),
        (ARBITRUM, "gas", 3_000_000, 3_000_001, "3: "),
        (ARBITRUM_SEPOLIA | {"to": None, "max_cost": ETHER}, "gas", 54_000_000, 54_000_001, "3: "),
        ({}, "balance", MOST, MOST - 1, "7: .* Send it at least 0.000000001 ETH, then try again. http"),
        (MAINNET, "balance", MOST, MOST - 1, "7: .* Send it at least 0.000000001 ETH, then try again.$"),
        ({}, "max_fee", 2 * GWEI, 2 * GWEI - 1, "7: .* --max-fee allows 1.999999999 gwei"),
        ({}, "max_cost", MOST, MOST - 10**9, "7: .* --max-cost allows 0.000179999 ETH"),
        # Five gwei, and ten times the usual price, which is a median.
        *(({"usual": usual}, "tip", 4 * GWEI, 4 * GWEI + 1, f"7[?] .*; {words}.") for usual, words in USUAL),
        ({"usual": 2 * GWEI}, "tip", 19 * GWEI, 19 * GWEI + 1, "7[?] .* 20.000000001 gwei .*; usual is 2 gwei."),
        # A twentieth of the coin, on a public chain.
        (ON_SEPOLIA | {"usual": HIGH}, "tip", HIGH - 2 * GWEI, HIGH - 2 * GWEI + 10**6, "7[?] .* up to 0.05000006 ETH"),
    ],
)
def test_limit__is_exact(facts, name, fine, not_fine, found):
    """`failures.txt` of `tests/terminal` has each sentence in full."""
    assert obstacles(facts | {name: fine}) == []
    (obstacle,) = obstacles(facts | {name: not_fine})
    assert re.match(found, obstacle)


@pytest.mark.parametrize(
    ("facts", "codes"),
    [
        # Only the account without funds may be the reason for a node's refusal.
        ({"gas": RefusedError("gas required exceeds allowance (0)"), "balance": 1}, "3"),
        ({"gas": OSError("away"), "balance": 0}, "3"),
        # All that need consent, in order. The chain's name, or limits of one's own, are consent.
        (SEPOLIA_BY_URL | {"tip": HIGH, "waiting": 1}, "4977"),
        # First what nobody can agree to.
        (SEPOLIA_BY_URL | {"balance": 0, "max_cost": 1, "waiting": 1}, "7749"),
        (SEPOLIA_BY_URL | {"tip": HIGH, "chain_id": SEPOLIA, "max_fee": 10 * HIGH}, "7"),
        (ON_SEPOLIA | {"tip": HIGH, "max_cost": ETHER}, "7"),
        (ON_SEPOLIA | {"tip": HIGH, "max_fee": 10 * HIGH, "max_cost": ETHER}, ""),
        ({"tip": HIGH}, "7"),
    ],
)
def test_obstacles__have_their_exit_codes(facts, codes):
    assert [obstacle[0] for obstacle in obstacles(facts)] == [*codes]


def test_waiting_transaction__is_foreign_unless_this_program_has_sent_it(chain, node):
    mine = prepared(node)
    # Those of another account say nothing about this one's.
    others = [replace(mine, account=Role.PLAYER_O.account, stage="sent")]
    known = [["sent"], ["sending"], ["mined"], ["confirmed"], ["taken back"], ["failed"], ["sent", "waiting"]]
    # One that is gone is not the one that waits.
    foreign = [[], ["not sent"], ["dropped"], ["replaced"], ["sent", "dropped"]]
    for stages in known + foreign:
        fill_pool(chain, len(stages) or 1)
        node.sent = others + [replace(mine, nonce=5 + place, stage=stage) for place, stage in enumerate(stages)]
        assert [each.exit_code for each in prepared(node).concerns] == [9] * (stages in foreign), stages


def test_transaction_that_is_mined_meanwhile__does_not_wait(chain, node):
    """The player has sent it in another window."""

    def view(method):
        if method == "eth_maxPriorityFeePerGas":
            fill_pool(chain, 1)
            chain.mine_sent()

    chain.before_answer = view
    assert prepared(node).concerns == []
    assert chain.nonce == FIRST_NONCE + 1


# -- the signature --------------------------------------------------------------------------------


def locked(_transaction):
    raise SignatureError("the account\x1b[2J is locked")


def asks(answer):
    """A question of Ape's, which click asks."""

    def sign(_transaction):
        try:
            raise answer
        except answer:
            raise click.Abort from None

    return sign


DECLINED, LOCKED = (
    "You declined to sign move 1. Nothing",
    "The account did not sign move 1: the account is locked. Nothing",
)


def stop(_transaction):
    raise errors.AccountError("Stopped")


@pytest.mark.parametrize(
    ("sign", "sentence"),
    [
        (lambda _: None, DECLINED),
        (lambda transaction: transaction, DECLINED),
        (locked, LOCKED),
        (asks(EOFError), "Nobody unlocked the account for move 1. Nothing"),
        (Role.PLAYER_X.account.sign_transaction, "^Stopped$"),
    ],
)
def test_transaction_that_is_not_signed_or_stopped_then__is_not_sent(chain, node, sign, sentence):
    found = replace(prepared(node), account=SimpleNamespace(address=ME, sign_transaction=sign))
    with pytest.raises(errors.AccountError, match=sentence):
        send(found, stop)
    assert (found.stage, found.under_way, node.sent, chain.raw()) == ("prepared", False, [], [])


def test_ctrl_c_at_a_question_of_ape_s__is_no_error_of_click(node):
    found = replace(prepared(node), account=SimpleNamespace(address=ME, sign_transaction=asks(KeyboardInterrupt)))
    with pytest.raises(KeyboardInterrupt):
        send(found)


def test_same_transaction_sent_again__is_listed_once(chain, node):
    def leave(each):
        if each.stage == "sent":
            raise KeyboardInterrupt

    for _ in range(2):
        found = prepared(node)
        with pytest.raises(KeyboardInterrupt):
            send(found, leave)
        found.stage = "dropped"
        chain.drop()
    assert node.sent == [found]


# -- while it waits ---------------------------------------------------------------------------------


def test_poll__comes_every_tenth_of_a_second_for_three_minutes(chain, node, clock):
    """And the node is asked once a second."""
    polls = []
    with pytest.raises(errors.TransactionError, match="There was no progress for 180 s"):
        send(prepared(node), lambda each: polls.append((round(clock.now - 1000, 3), each.stage)))
    assert polls == [(0.0, "prepared"), *((tenth / 10, "sent") for tenth in range(1811))]
    assert [method for method, _ in chain.asked].count("eth_getTransactionReceipt") == 182


def test_receipt__may_be_nonsense_or_have_no_price(chain, node, clock):
    lies = iter([{"blockNumber": None}, {"blockHash": "0x12"}, {"gasUsed": "0xzz"}, {"effectiveGasPrice": None}])
    clock.on_sleep = chain.mine_sent
    chain.lies["eth_getTransactionReceipt"] = lambda _params, true: true and true | next(lies)
    found = send(prepared(node))
    assert (found.stage, found.gas_used, found.paid) == ("mined", 40_000, 0)


def test_report__names_those_of_one_outcome_together(node):
    mine = prepared(node)
    sent = [replace(mine, label=f"move {place}", hash=f"0x{place}", stage=each) for place, each in enumerate(STAGES)]
    assert report(sent) == (
        "Perhaps sent, but the node did not answer: move 0 (0x0). Not sent: move 1 (0x1). "
        "Sent but not mined yet: move 2 (0x2), move 3 (0x3). Dropped by the network: move 4 (0x4). "
        "Replaced by another transaction of yours: move 5 (0x5). Mined: move 6, move 9. "
        "Mined and paid for, but failed: move 7 (0x7). Taken back by a reorg, may be mined again: move 8 (0x8)."
    )
    assert report([sent[6]] * 4) == "Mined: 4 transactions."
    assert report([]) == "Nothing was sent."
