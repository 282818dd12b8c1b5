"""A transaction before it is signed: what it carries and costs, what forbids it, and what a person must agree to."""

import re
from dataclasses import replace
from types import SimpleNamespace

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
from tictactoe.transactions import STAGES, agreed, prepare, report, send

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
    assert (found.contract, found.too_expensive, found.concerns, found.stage) == ("", None, [], "prepared")
    asked = dict(chain.asked)
    assert asked["eth_estimateGas"][0] == {"from": ME, "data": "0x" + DATA.hex(), "to": TABLE}
    assert (asked["eth_getBalance"][0], asked["eth_getTransactionCount"][0]) == (ME, ME)
    assert asked["eth_feeHistory"] == [hex(20), "latest", [50]]


def test_chain_without_a_base_fee__has_one_price(chain, node):
    chain.say(eth_getBlockByNumber=chain.head.json | {"baseFeePerGas": None})
    node.limits = Limits(max_fee=90)
    found = prepared(node)
    request = found.request.model_dump()
    assert (request.get("type", 0), request["gasPrice"], "maxFeePerGas" in request) == (0, 90, False)
    assert (found.price, found.max_cost, found.too_expensive) == (90, 60_000 * 90, None)


def test_embedded_chain__takes_no_tip_and_has_no_concerns(chain, node):
    node.embedded = True
    fill_pool(chain, 1)
    found = prepared(node)
    assert (found.request.model_dump()["maxPriorityFeePerGas"], found.price, found.concerns) == (0, 100, [])
    assert not {"eth_maxPriorityFeePerGas", "eth_feeHistory"} & set(dict(chain.asked))


def test_own_limit__caps_the_offer_but_not_below_the_price(node):
    for limit, most in ((None, 202), (202, 202), (201, 201), (102, 102), (101, 102), (0, 102)):
        node.limits = Limits(max_fee=limit)
        found = prepared(node)
        assert (found.request.model_dump()["maxFeePerGas"], found.max_cost, found.price) == (most, 60_000 * most, 102)


# -- what speaks against it ---------------------------------------------------------------------


def paid(fees, tips):
    """What recent blocks paid for one gas, as a node reports it."""
    return {"baseFeePerGas": [*map(hex, fees)], "reward": [[hex(each)] for each in tips]}


def look(
    gas=50_000,  # as the node estimates it, or why it does not
    tip=GWEI,
    usual=GWEI,  # or what the node reports of recent blocks
    waiting=0,  # payments that this program did not send
    balance=1000 * ETHER,
    limits=None,
    to=TABLE,
    chain_id=31337,
    **network,
):
    """A transaction with these facts, at a base fee of one gwei."""
    chain = FakeChain(chain_id)
    fill_pool(chain, waiting)
    chain.say(
        eth_getBlockByNumber=chain.head.json | {"baseFeePerGas": hex(GWEI)},
        eth_getBalance=balance,
        eth_estimateGas=gas,
        eth_maxPriorityFeePerGas=tip,
        eth_feeHistory=paid([usual] * 2, [0]) if isinstance(usual, int) else usual,
    )
    node = chain.node(**network)
    node.limits = limits or node.limits
    return prepared(node, to)


def limited(**limits):
    """By the player's own limits."""
    return {"limits": Limits(**limits)}


ON_SEPOLIA = {"chain_id": SEPOLIA, "named": True}
ARBITRUM, ARBITRUM_SEPOLIA = {"chain_id": 42161, "named": True}, {"chain_id": 421614, "named": True, "to": None}
NO_FUNDS = RefusedError("gas required exceeds allowance (0)")
MOST = 60_000 * 3 * GWEI  # 0.00018 ether
HIGH = ETHER // 20 // 60_000  # for one gas, if its double is offered
NO_REPORTS = [RefusedError("no such method"), paid([], []), paid([1], []), paid([1, 1], [2**256])]
NO_REPORTS.append({"baseFeePerGas": ["0x1", "0x1"], "reward": [[]]})
ABOVE = {"tip": 4 * GWEI + 1}  # the price is 5 gwei then, and a little more

# The exit code, and what is said.
TOO_MUCH_GAS = "3: The node estimates {} gas for move 1, but that needs {} at most. "
UNUSUAL = "7: .* {} gwei for one gas; usual is {} gwei."
UNREPORTED = "7: .* gwei for one gas; the node does not report what recent blocks paid."
HIGH_COST = "7: The cost is high: up to {} ETH for move 1. "


@pytest.mark.parametrize(
    ("facts", "sentences"),
    [
        ({}, []),
        # Its gas.
        ({"gas": 300_000}, []),
        ({"gas": 5_400_000, "to": None}, []),
        (ARBITRUM | {"gas": 3_000_000}, []),
        (ARBITRUM | {"gas": 3_000_001}, [TOO_MUCH_GAS.format("3,000,001", "3,000,000")]),
        (ARBITRUM_SEPOLIA | {"gas": 54_000_000} | limited(max_cost=ETHER), []),
        (ARBITRUM_SEPOLIA | {"gas": 54_000_001}, [TOO_MUCH_GAS.format("54,000,001", "54,000,000")]),
        ({"gas": NO_FUNDS, "balance": 1}, ["3: The node refused: gas required exceeds allowance"]),
        ({"gas": OSError("away"), "balance": 0}, ["3: Cannot reach the node"]),
        ({"gas": RefusedError("execution reverted: off the grid", 3), "balance": 0}, ["8: That cell is off the grid."]),
        # What forbids it.
        ({"balance": MOST}, []),
        ({"balance": MOST - 10**13}, ["7: .* 0.00017 ETH and move 1 may cost up to 0.00018 ETH. Nothing was sent. "]),
        ({"balance": MOST - 1}, ["7: .* Send it at least 0.000000001 ETH, then try again. https://"]),
        (limited(max_fee=2 * GWEI), []),
        (limited(max_cost=MOST), []),
        (limited(max_fee=2 * GWEI - 1), ["7: .* --max-fee allows 1.999999999 gwei. Nothing was sent. Try "]),
        (limited(max_fee=0), ["7: One gas costs 2 gwei now, and --max-fee allows 0 gwei."]),
        (limited(max_cost=MOST - 10**9), ["7: .* --max-cost allows 0.000179999 ETH. Nothing was sent. Try "]),
        (limited(max_cost=0), ["7: The cost of move 1 may reach 0.00018 ETH, and --max-cost allows 0 ETH."]),
        # A price above 5 gwei, and above ten times the usual one, which is a median, needs consent.
        ({"tip": 4 * GWEI, "usual": 1}, []),
        (ABOVE | {"usual": 1}, [UNUSUAL.format("5.000000001", "0.000000001")]),
        (ABOVE | {"usual": paid([1, 5, 3, 255], [2, 1, 1])}, [UNUSUAL.format("5.000000001", "0.000000004")]),
        (ABOVE | {"usual": paid([1, 5, 255], [2, 1])}, [UNUSUAL.format("5.000000001", "0.000000003")]),
        ({"tip": 4 * GWEI, "usual": NO_REPORTS[0]}, []),
        *((ABOVE | {"usual": usual}, [UNREPORTED]) for usual in NO_REPORTS),
        ({"tip": 19 * GWEI, "usual": 2 * GWEI}, []),
        ({"tip": 19 * GWEI + 1, "usual": 2 * GWEI}, [UNUSUAL.format("20.000000001", 2)]),
        ({"tip": 10**6 * GWEI} | limited(max_fee=10**7 * GWEI), []),
        # A cost above 0.05 of the coin does, on a public chain.
        (ON_SEPOLIA | {"tip": HIGH - 2 * GWEI, "usual": HIGH}, []),
        (ON_SEPOLIA | {"tip": HIGH - 2 * GWEI + 10**6, "usual": HIGH}, [HIGH_COST.format("0.05000006")]),
        (ON_SEPOLIA | {"tip": HIGH, "usual": HIGH} | limited(max_cost=ETHER), []),
        ({"tip": HIGH, "usual": HIGH}, []),
        # All that need it, in order. The chain's name, or its ID in the limits, is consent.
        ({"chain_id": SEPOLIA} | limited(chain_id=SEPOLIA), []),
        (
            {"chain_id": SEPOLIA, "tip": 10**6 * GWEI, "waiting": 1},
            ["4: .* claims ", "9: .* is waiting", UNUSUAL.format("1,000,001", 1), HIGH_COST.format("60.00012")],
        ),
    ],
)
def test_obstacle__is_reported(facts, sentences):
    """`failures.txt` of `tests/terminal` has each sentence in full."""
    try:
        found = look(**facts)
        obstacles = [*filter(None, [found.too_expensive]), *found.concerns]
    except errors.TicTacToeError as error:
        obstacles = [error]
    for error, sentence in zip(obstacles, sentences, strict=True):
        assert re.match(sentence, f"{error.exit_code}: {error}")


def test_obstacle__prevents_the_signature():
    for facts in (limited(max_cost=0), {"balance": 0}, limited(max_fee=0)):
        refused = look(**facts)
        with pytest.raises(errors.TooExpensive) as caught:
            send(refused)
        assert (caught.value, refused.node.sent, refused.hash) == (refused.too_expensive, [], "")
    fine, public = look(), look(chain_id=SEPOLIA, waiting=1)
    assert agreed(fine) is fine
    with pytest.raises(errors.WrongChain) as caught:
        agreed(public)
    assert caught.value is public.concerns[0]


@pytest.mark.parametrize(
    ("waiting", "stages", "foreign"),
    [
        (1, [], True),
        (2, ["sent"], True),
        (2, ["sent", "waiting"], False),
        # One that is gone is not the one that waits.
        *((1, [stage], False) for stage in ("sending", "mined", "confirmed", "taken back")),
        *((1, [stage], True) for stage in ("not sent", "dropped", "replaced")),
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


def test_what_is_signed__is_what_was_shown(chain, node, clock):
    """The node raises its fee while the person thinks."""
    found = prepared(node)
    shown = found.request.model_dump()
    chain.say(eth_maxPriorityFeePerGas=10**15, eth_gasPrice=10**15, eth_estimateGas=299_999)
    clock.on_sleep = lambda _slept: chain.mine_sent()
    assert send(found) is found
    (raw,) = chain.raw()
    signed = fields(raw)
    assert Account.recover_transaction(raw) == ME
    for name in ("gas", "nonce", "maxFeePerGas", "maxPriorityFeePerGas", "chainId", "value"):
        assert signed[name] == shown[name]
    assert (HexBytes(signed["to"]), HexBytes(signed["data"])) == (HexBytes(TABLE), HexBytes(DATA))
    assert (found.hash, found.stage, node.sent) == ("0x" + keccak(hexstr=raw).hex(), "mined", [found])


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
    assert str(caught.value) == sentence
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
        replace(mine, label=f"move {number}", hash=f"0x{number}", stage=stage) for number, stage in enumerate(STAGES)
    ]
    assert report(sent) == (
        "Not sent: move 0 (0x0), move 1 (0x1). Perhaps sent, but the node did not answer: move 2 (0x2). "
        "Sent but not mined yet: move 3 (0x3), move 4 (0x4). Dropped by the network: move 5 (0x5). "
        "Replaced by another transaction of yours: move 6 (0x6). Mined: move 7, move 10. "
        "Mined and paid for, but failed: move 8 (0x8). Taken back by a reorg, may be mined again: move 9 (0x9)."
    )
    assert "Mined: 4 transactions. Mined and paid" in report(sent * 2)
    assert report([]) == "Nothing was sent."
