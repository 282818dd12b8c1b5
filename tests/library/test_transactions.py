"""A transaction before it is signed: what it carries and costs, what forbids it, and what a person must agree to."""

from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pytest
from ape.exceptions import SignatureError
from eth_account import Account
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak
from hexbytes import HexBytes

from tests.library.simulation import FIRST_NONCE, TABLE, FakeChain, RefusedError, Sent, fields
from tests.support.roles import Role
from tictactoe import errors, transactions
from tictactoe.transactions import NO_LIMITS, Limits, agreed, prepare, report, send

ETHER, GWEI = 10**18, 10**9
SEPOLIA = 11155111
DATA = b"\x01" * 100
ME = Role.PLAYER_X.address


pytestmark = pytest.mark.usefixtures("clock")


def prepared(node, to=TABLE, limits=NO_LIMITS):
    return prepare(node, Role.PLAYER_X.account, "move 1", DATA, to, limits)


def fill_pool(chain, count=1):
    """With so many transactions of the account, which this program did not send."""
    chain.pool = [Sent(f"0x0{number}", FIRST_NONCE + number) for number in range(count)]


# -- what it carries --------------------------------------------------------------------------


def test_call_of_a_table__has_every_value(chain, node):
    found = prepared(node)
    assert found.request.model_dump() == {
        "chainId": 31337,
        "to": TABLE,
        "from": ME,
        "gas": 60_000,  # a fifth more than estimated
        "nonce": 5,
        "value": 0,
        "data": "0x" + DATA.hex(),
        "type": 2,
        "maxFeePerGas": 2 * 100 + 2,
        "maxPriorityFeePerGas": 2,
        "accessList": [],
    }
    assert (found.label, found.gas, found.price, found.cost) == ("move 1", 50_000, 102, 50_000 * 102)
    assert (found.max_cost, found.balance, found.nonce) == (60_000 * 202, ETHER, 5)
    assert (found.contract, found.refusal, found.concerns, found.stage) == ("", None, [], "prepared")
    asked = dict(chain.asked)
    assert asked["eth_estimateGas"][0] == {"from": ME, "data": "0x" + DATA.hex(), "to": TABLE}
    assert (asked["eth_getBalance"][0], asked["eth_getTransactionCount"][0]) == (ME, ME)
    assert asked["eth_feeHistory"] == [hex(20), "latest", [50]]


def test_deployment__has_the_address_of_account_and_nonce(chain, node):
    found = prepared(node, to=None)
    # RLP of the account and the nonce 5.
    assert found.contract == to_checksum_address(keccak(bytes.fromhex("d694" + ME[2:] + "05"))[-20:])
    assert "to" not in found.request.model_dump()
    assert "to" not in dict(chain.asked)["eth_estimateGas"][0]


def test_chain_without_a_base_fee__has_one_price(chain, node):
    chain.say(eth_getBlockByNumber=chain.head.json | {"baseFeePerGas": None})
    found = prepared(node, limits=Limits(max_fee=90))
    request = found.request.model_dump()
    assert (request.get("type", 0), request["gasPrice"], "maxFeePerGas" in request) == (0, 90, False)
    assert (found.price, found.max_cost, found.refusal) == (90, 60_000 * 90, None)


def test_embedded_chain__takes_no_tip_and_has_no_concerns(chain, node):
    node.embedded = True
    fill_pool(chain)
    found = prepared(node)
    assert (found.request.model_dump()["maxPriorityFeePerGas"], found.price, found.concerns) == (0, 100, [])
    assert not {"eth_maxPriorityFeePerGas", "eth_feeHistory"} & set(dict(chain.asked))


@pytest.mark.parametrize(("limit", "most"), [(None, 202), (202, 202), (201, 201), (102, 102), (101, 102), (0, 102)])
def test_own_limit__caps_the_offer_but_not_below_the_price(node, limit, most):
    found = prepared(node, limits=Limits(max_fee=limit))
    assert (found.request.model_dump()["maxFeePerGas"], found.max_cost, found.price) == (most, 60_000 * most, 102)
    assert (found.refusal is not None) == (limit is not None and limit < 102)


@pytest.mark.parametrize(
    ("to", "chain_id", "most"),
    [(TABLE, 1, 300_000), (None, 1, 5_400_000), (TABLE, 42161, 3_000_000), (None, 421614, 54_000_000)],
)
def test_gas__is_bounded(to, chain_id, most):
    chain = FakeChain(chain_id)
    chain.say(eth_estimateGas=most, eth_getBalance=10**20)
    assert prepared(chain.node(), to).gas == most
    chain.say(eth_estimateGas=most + 1)
    with pytest.raises(errors.NodeError, match=f"estimates {most + 1:,} gas for move 1, .* {most:,} at most"):
        prepared(chain.node(), to)


TOO_POOR = RefusedError("gas required exceeds allowance (0)")


@pytest.mark.parametrize(
    ("balance", "failure", "kind", "sentence"),
    [
        (0, TOO_POOR, errors.TooExpensive, f"Not enough funds: .*{ME}.* has 0 ETH. Nothing was sent. Send it more"),
        (1, TOO_POOR, errors.NodeRefused, "The node refused: gas required exceeds allowance"),
        (0, OSError("away"), errors.NodeUnreachable, "Cannot reach the node"),
        (0, RefusedError("execution reverted: off the grid", 3), errors.Reverted, "That cell is off the grid."),
    ],
)
def test_refused_estimate__is_about_funds_if_there_are_none(chain, node, balance, failure, kind, sentence):
    chain.say(eth_getBalance=balance, eth_estimateGas=failure)
    with pytest.raises(kind, match=sentence):
        prepared(node)


# -- what forbids it, and what needs consent ----------------------------------------------------


@dataclass
class Facts:
    """Of a transaction that may need 60,000 gas, at a base fee of one gwei."""

    network: dict = field(default_factory=dict)
    tip: int = GWEI
    usual: int | None = GWEI  # what recent blocks paid for one gas, if the node reports it
    waiting: int = 0  # payments that this program did not send
    balance: int = 1000 * ETHER
    limits: Limits = NO_LIMITS

    def prepared(self):
        chain = FakeChain(SEPOLIA if self.network else 31337)
        fill_pool(chain, self.waiting)
        history = {"baseFeePerGas": [hex(self.usual or 0)] * 4, "reward": [["0x0"]] * 3}
        chain.say(
            eth_getBlockByNumber=chain.head.json | {"baseFeePerGas": hex(GWEI)},
            eth_getBalance=self.balance,
            eth_maxPriorityFeePerGas=self.tip,
            eth_feeHistory=history if self.usual else RefusedError("no such method"),
        )
        return prepared(chain.node(**self.network), limits=self.limits)


MOST = 60_000 * 3 * GWEI  # 0.00018 ether


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (Facts(balance=MOST), ""),
        (Facts(balance=MOST - 10**13), "0.00017 ETH and move 1 may cost up to 0.00018 ETH. Nothing was sent. Send it "),
        (Facts(balance=MOST - 1), "Send it at least 0.000000001 ETH, then try again. https://"),
        (Facts(limits=Limits(max_fee=2 * GWEI, max_cost=MOST)), ""),
        (Facts(limits=Limits(max_fee=2 * GWEI - 1)), "--max-fee allows 1.999999999 gwei. move 1 was not sent. Try "),
        (Facts(limits=Limits(max_fee=0)), "One gas costs 2 gwei now, and --max-fee allows 0 gwei."),
        (Facts(limits=Limits(max_cost=MOST - 10**9)), "--max-cost allows 0.000179999 ETH. Nothing was sent. Try "),
        (Facts(limits=Limits(max_cost=0)), "move 1 may cost up to 0.00018 ETH, and --max-cost allows 0 ETH."),
    ],
)
def test_bound__cannot_be_agreed_to(facts, sentence):
    found = facts.prepared()
    assert (found.refusal is None) == (sentence == "")
    if sentence:
        with pytest.raises(errors.TooExpensive) as caught:
            send(found)
        assert sentence in caught.value.message
        assert (caught.value, found.node.sent, found.hash) == (found.refusal, [], "")


PUBLIC, NAMED = {"name": "sepolia"}, {"name": "sepolia", "named": True}
# What is said, and what to do about it.
CLAIMS = "claims to be on sepolia, chain 11155111. .* Nothing was sent. .* add --expected-chain-id 11155111.$"
WAITS = "is waiting in the pool.* Nothing was sent. Wait .* cancel it in a wallet.$"
UNUSUAL = "high fee for move 1: {} gwei for one gas; usual is {} gwei. Nothing was sent. .* --max-fee GWEI.$"
UNREPORTED = "gwei for one gas; the node does not report what recent blocks paid. Nothing"
COSTS = "The cost is high: move 1 may cost up to {} ETH. Nothing was sent. .* --max-cost ETHER.$"
HIGH = ETHER // 20 // 60_000  # for one gas, if its double is offered


@pytest.mark.parametrize(
    ("facts", "concerns"),
    [
        (Facts(), []),
        (Facts(NAMED), []),
        (Facts(PUBLIC), [CLAIMS]),
        (Facts(PUBLIC, limits=Limits(chain_id=SEPOLIA)), []),
        (Facts(waiting=1), [WAITS]),
        # Above 5 gwei, and above ten times the usual price.
        (Facts(tip=4 * GWEI, usual=1), []),
        (Facts(tip=4 * GWEI + 1, usual=1), [UNUSUAL.format("5.000000001", "0.000000001")]),
        (Facts(tip=4 * GWEI, usual=None), []),
        (Facts(tip=4 * GWEI + 1, usual=None), [UNREPORTED]),
        (Facts(tip=19 * GWEI, usual=2 * GWEI), []),
        (Facts(tip=19 * GWEI + 1, usual=2 * GWEI), [UNUSUAL.format("20.000000001", 2)]),
        (Facts(tip=10**6 * GWEI, limits=Limits(max_fee=10**7 * GWEI)), []),
        # Above 0.05 of the coin, on a public chain.
        (Facts(NAMED, HIGH - 2 * GWEI, HIGH), []),
        (Facts(NAMED, HIGH - 2 * GWEI + 10**6, HIGH), [COSTS.format("0.05000006")]),
        (Facts({}, HIGH, HIGH), []),
        (Facts(NAMED, HIGH, HIGH, limits=Limits(max_cost=ETHER)), []),
        # All of them, in order.
        (
            Facts(PUBLIC, 10**6 * GWEI, waiting=1),
            [CLAIMS, WAITS, UNUSUAL.format("1,000,001", 1), COSTS.format("60.00012")],
        ),
    ],
)
def test_concern__needs_consent(facts, concerns):
    found = facts.prepared()
    for concern, sentence in zip(found.concerns, concerns, strict=True):
        with pytest.raises(errors.TicTacToeError, match=sentence):
            raise concern
    if concerns:
        with pytest.raises(type(found.concerns[0])) as caught:
            agreed(found)
        assert caught.value is found.concerns[0]
    else:
        assert agreed(found) is found


@pytest.mark.parametrize(
    ("base_fees", "tips", "price"),
    [
        ([1, 5, 3, 255], [[2], [1], [1]], "usual is 0.000000004 gwei"),
        ([1, 5, 255], [[2], [1]], "usual is 0.000000003 gwei"),
        *(([1] * blocks, tips, "does not report") for blocks, tips in ((0, []), (1, []), (2, [[]]), (2, [[2**256]]))),
    ],
)
def test_usual_price__is_the_median_of_recent_blocks(chain, node, base_fees, tips, price):
    """Of one without tips at all, there is no report."""
    history = {"baseFeePerGas": [*map(hex, base_fees)], "reward": [[hex(each) for each in tip] for tip in tips]}
    chain.say(eth_maxPriorityFeePerGas=9 * GWEI, eth_feeHistory=history)
    (concern,) = prepared(node).concerns
    assert price in concern.sentence


IN_A_POOL = ("sending", "sent", "waiting", "mined", "confirmed", "taken back")  # or it was not long ago
NOT_IN_A_POOL = ("not sent", "dropped", "replaced")


@pytest.mark.parametrize(
    ("waiting", "stages", "foreign"),
    [
        (0, [], False),
        (1, [], True),
        (2, ["sent"], True),
        (2, ["sent", "waiting"], False),
        *((1, [stage], stage in NOT_IN_A_POOL) for stage in IN_A_POOL + NOT_IN_A_POOL),
    ],
)
def test_waiting_transaction__is_foreign_unless_this_program_has_sent_it(chain, node, waiting, stages, foreign):
    mine = prepared(node)
    fill_pool(chain, waiting)
    node.sent += [
        replace(mine, request=SimpleNamespace(nonce=5 + place), stage=stage) for place, stage in enumerate(stages)
    ]
    # Those of another account say nothing about this one's.
    node.sent.append(replace(mine, account=Role.PLAYER_O.account, stage="sent"))
    assert [each.exit_code for each in prepared(node).concerns] == [9] * foreign


# -- the signature --------------------------------------------------------------------------------


def test_what_is_signed__is_what_was_shown(chain, node, clock):
    """The node raises its fee while the person thinks."""
    found = prepared(node)
    shown = found.request.model_dump()
    chain.say(eth_maxPriorityFeePerGas=10**15, eth_gasPrice=10**15, eth_estimateGas=299_999)
    chain.asked.clear()
    clock.on_sleep = lambda _slept: chain.mine_sent()
    assert send(found) is found
    assert set(dict(chain.asked)) <= {
        *("eth_chainId", "eth_sendRawTransaction", "eth_getTransactionReceipt", "eth_getTransactionByHash")
    }
    (raw,) = chain.raw()
    signed = fields(raw)
    assert Account.recover_transaction(raw) == ME
    for name in ("gas", "nonce", "maxFeePerGas", "maxPriorityFeePerGas", "chainId", "value"):
        assert signed[name] == shown[name]
    assert (HexBytes(signed["to"]), HexBytes(signed["data"])) == (HexBytes(TABLE), HexBytes(DATA))
    assert (found.hash, found.stage, node.sent) == ("0x" + keccak(hexstr=raw).hex(), "mined", [found])
    assert (found.block, found.gas_used, found.paid) == (2, 40_000, 40_000 * 102)


def locked(_transaction):
    raise SignatureError("the account\x1b[2J is locked")


DECLINED = "You declined to sign move 1. Nothing was sent."
LOCKED = "The account did not sign move 1: the account is locked. Nothing was sent. Unlock the account and try again."


@pytest.mark.parametrize(
    ("sign", "sentence"), [(lambda _: None, DECLINED), (lambda unsigned: unsigned, DECLINED), (locked, LOCKED)]
)
def test_transaction_that_is_not_signed__is_not_sent(chain, node, sign, sentence):
    found = replace(prepared(node), account=SimpleNamespace(address=ME, sign_transaction=sign))
    with pytest.raises(errors.AccountError) as caught:
        send(found)
    assert caught.value.message == sentence
    assert (found.stage, found.hash, found.under_way, node.sent, chain.raw()) == ("prepared", "", False, [], [])


# -- while it waits ---------------------------------------------------------------------------------


def test_poll__comes_every_tenth_of_a_second_for_three_minutes(chain, node, clock):
    """And the node is asked once a second."""
    polls = []
    with pytest.raises(errors.TransactionError, match="is still waiting after 180 s"):
        send(prepared(node), lambda _each: polls.append(clock.now - 1000))
    assert polls == pytest.approx([tenth / 10 for tenth in range(1811)])
    assert [method for method, _ in chain.asked].count("eth_getTransactionReceipt") == 182


def test_receipt_without_a_price__costs_nothing(chain, node, clock):
    clock.on_sleep = lambda _slept: chain.mine_sent()
    chain.lies["eth_getTransactionReceipt"] = lambda _params, true: true and true | {"effectiveGasPrice": None}
    assert send(prepared(node)).paid == 0


def test_report__names_each_once_by_what_became_of_it(node):
    mine = prepared(node)
    sent = [
        replace(mine, label=f"move {number}", hash=f"0x{number}", stage=stage)
        for number, stage in enumerate(transactions.STAGES)
    ]
    assert report(sent) == (
        "Not sent: move 0 (0x0), move 1 (0x1). Perhaps sent, but the node did not answer: move 2 (0x2). "
        "Sent but not mined yet: move 3 (0x3), move 4 (0x4). Dropped by the network: move 5 (0x5). "
        "Replaced by another transaction of yours: move 6 (0x6). Mined: move 7, move 10. "
        "Mined and paid for, but refused: move 8 (0x8). Taken back by a reorg, may be mined again: move 9 (0x9)."
    )
    assert report([]) == "Nothing was sent."
