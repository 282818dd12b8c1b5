"""What happens to a transaction after it was sent, by a clock that only the test moves."""

from collections.abc import Callable

import pytest

from tests.support.clock import Clock
from tests.support.fake_chain import OTHER, TABLE, FakeChain
from tictactoe import errors
from tictactoe.node import Node
from tictactoe.tracking import Receipt, Sent, Stage, Tracker, find_receipt, is_known

RAW = "0x1234"
Shown = list[tuple[Stage, float]]


@pytest.fixture
def sent(chain: FakeChain) -> Sent:
    """A transaction that is in the pool."""
    return Sent("move 1", chain.pool.send(RAW), Stage.SENT, account=OTHER, nonce=5)


@pytest.fixture
def shown() -> Shown:
    return []


@pytest.fixture
def tracker(node: Node, shown: Shown) -> Tracker:
    return Tracker(node, lambda sent, waited: shown.append((sent.stage, waited)), patience=60.0)


def at(clock: Clock, **events: Callable[[], object]) -> None:
    """`at(clock, s3=mine)`: when so many seconds have been slept."""

    def on_sleep(slept: float) -> None:
        if (event := events.get(f"s{slept:g}")) is not None:
            event()

    clock.on_sleep = on_sleep


def away(*_: object) -> object:
    raise errors.NodeUnreachable()


def test_defaults__are_three_minutes_and_no_show(node: Node) -> None:
    tracker = Tracker(node)
    assert tracker.patience == 180.0
    tracker.show(Sent("move 1"), 0)
    assert Sent("x") == Sent("x", "", Stage.SIGNING, 0, 0, 0, "", "", 0)
    assert (Sent("x").followed, Sent("x").confirmations) == (0, 0)
    assert [stage.value for stage in Stage] == [stage.name.lower().replace("_", " ") for stage in Stage]


# -- receipts --------------------------------------------------------------------------------


def test_receipt__has_every_value(chain: FakeChain, node: Node, sent: Sent) -> None:
    assert find_receipt(node, sent.hash) is None
    assert is_known(node, sent.hash)
    chain.pool.mine(gasUsed=hex(7), effectiveGasPrice=hex(11), contractAddress=TABLE)
    assert find_receipt(node, sent.hash) == Receipt(2, True, 7, 77, TABLE)
    assert is_known(node, sent.hash)
    chain.pool.receipts[sent.hash] |= {"status": "0x0"}
    assert find_receipt(node, sent.hash) == Receipt(2, False, 7, 77, "")
    chain.pool.receipts[sent.hash] |= {"status": "0x1", "contractAddress": None, "effectiveGasPrice": None}
    assert find_receipt(node, sent.hash) == Receipt(2, True, 7, 0, "")
    del chain.pool.receipts[sent.hash]["effectiveGasPrice"], chain.pool.receipts[sent.hash]["contractAddress"]
    assert find_receipt(node, sent.hash) == Receipt(2, True, 7, 0, "")


def test_unknown_transaction__is_none(chain: FakeChain, node: Node, sent: Sent) -> None:
    chain.pool.drop()
    assert not is_known(node, sent.hash)
    assert find_receipt(node, sent.hash) is None


def test_another_transaction_than_asked_for__is_refused(chain: FakeChain, node: Node, sent: Sent) -> None:
    other = "0x" + "66" * 32
    chain.pool.mine()
    for method in ("eth_getTransactionReceipt", "eth_getTransactionByHash"):
        chain.lies[method] = lambda _params, answer: answer | {"hash": other, "transactionHash": other}
    with pytest.raises(errors.ContradictoryAnswer, match=f"the receipt of {other} when asked for that of {sent.hash}"):
        find_receipt(node, sent.hash)
    with pytest.raises(errors.ContradictoryAnswer, match=f"the transaction {other} when asked for {sent.hash}"):
        is_known(node, sent.hash)


@pytest.mark.parametrize("field", ["gasUsed", "blockNumber", "effectiveGasPrice"])
def test_number_that_is_none__is_malformed(chain: FakeChain, node: Node, sent: Sent, field: str) -> None:
    chain.pool.mine(**{field: hex(2**256)})
    with pytest.raises(errors.MalformedAnswer, match="256 bits"):
        find_receipt(node, sent.hash)


# -- stages ----------------------------------------------------------------------------------


def test_under_way__is_what_was_sent_and_may_have_been_mined() -> None:
    not_sent = {Stage.SIGNING, Stage.DECLINED, Stage.NOT_SIGNED, Stage.NOT_SENT, Stage.FAILED}
    assert {stage for stage in Stage if not Sent("x", stage=stage).under_way} == not_sent


def test_record__takes_the_values_of_the_receipt() -> None:
    sent = Sent("table", "0x12", contract=TABLE)
    sent.record(Receipt(7, True, 8, 9, TABLE.lower()))
    assert (sent.stage, sent.block, sent.gas, sent.cost, sent.contract) == (Stage.MINED, 7, 8, 9, TABLE)
    sent.record(Receipt(7, False, 8, 9, ""))
    assert sent.stage is Stage.FAILED
    assert sent.label_with_hash == "table (0x12)"


def test_receipt_with_another_address__contradicts() -> None:
    sent = Sent("table", "0x12", contract=TABLE)
    with pytest.raises(errors.ReceiptContradicts, match=f"receipt of table \\(0x12\\) names the table {OTHER}"):
        sent.record(Receipt(7, True, 8, 9, OTHER))
    assert sent.stage is Stage.MINED


# -- until it is mined -----------------------------------------------------------------------


def test_wait__ends_when_it_is_mined(
    chain: FakeChain, tracker: Tracker, sent: Sent, clock: Clock, shown: Shown
) -> None:
    at(clock, s3=chain.pool.mine)
    assert tracker.wait(sent) is sent
    assert (sent.stage, sent.block, sent.gas, sent.cost) == (Stage.MINED, 2, 40_000, 40_000 * 102)
    assert clock.slept == [1.0] * 3  # the network's pace
    assert shown == [(Stage.SENT, 0), (Stage.SENT, 1), (Stage.SENT, 2), (Stage.SENT, 3), (Stage.MINED, 0)]


def test_transaction_that_the_contract_refused__is_an_error(
    chain: FakeChain, tracker: Tracker, sent: Sent, shown: Shown
) -> None:
    chain.pool.mine(status="0x0", gasUsed=hex(10**9), effectiveGasPrice=hex(10**8))
    with pytest.raises(errors.MinedButReverted) as caught:
        tracker.wait(sent)
    assert caught.value.message == errors.MinedButReverted(sent.label_with_hash, 2, 10**17, "ETH").message
    assert (sent.stage, shown[-1]) == (Stage.FAILED, (Stage.FAILED, 0))


@pytest.mark.parametrize(("patience", "seconds"), [(60.0, 61), (5.0, 6), (5.5, 6), (0.0, 1)])
def test_patience__ends(tracker: Tracker, sent: Sent, clock: Clock, patience: float, seconds: float) -> None:
    tracker.patience = patience
    with pytest.raises(errors.StillWaiting) as caught:
        tracker.wait(sent)
    assert caught.value.message == errors.StillWaiting(sent.label_with_hash, patience).message
    assert (sent.stage, sum(clock.slept)) == (Stage.WAITING, seconds)


@pytest.mark.parametrize(("patience", "seconds"), [(60.0, 16), (100.0, 16), (40.0, 11), (8.0, 3)])
@pytest.mark.parametrize("replaced", [True, False])
def test_transaction_that_is_gone__was_replaced_or_dropped(
    chain: FakeChain, tracker: Tracker, sent: Sent, clock: Clock, patience: float, seconds: float, replaced: bool
) -> None:
    """After 15 seconds, or a quarter of the patience."""
    tracker.patience = patience
    chain.pool.drop()
    chain.pool.nonce += replaced
    with pytest.raises(errors.Replaced if replaced else errors.Dropped) as caught:
        tracker.wait(sent)
    assert sum(clock.slept) == seconds
    assert sent.stage is (Stage.REPLACED if replaced else Stage.DROPPED)
    assert sent.label_with_hash in caught.value.message
    assert chain.asked[-1] == ("eth_getTransactionCount", [OTHER, "latest"])


def test_node_that_forgets_now_and_then__is_not_believed(
    chain: FakeChain, tracker: Tracker, sent: Sent, clock: Clock
) -> None:
    """The nodes behind a balancer differ in what they know: only so many seconds in a row count."""
    answers = {"known": True}

    def turn(slept: float) -> None:
        answers["known"] = slept % 15 == 0
        if slept == 50:
            chain.pool.mine()

    clock.on_sleep = turn
    chain.lies["eth_getTransactionByHash"] = lambda _params, answer: answer if answers["known"] else None
    assert tracker.wait(sent).stage is Stage.MINED
    assert sum(clock.slept) == 50


def test_node_away__is_waited_for(chain: FakeChain, tracker: Tracker, sent: Sent, clock: Clock) -> None:
    chain.lies["eth_getTransactionReceipt"] = away
    chain.pool.mine()
    at(clock, s59=chain.lies.clear)
    assert tracker.wait(sent).stage is Stage.MINED


def test_node_away_for_longer_than_the_patience__is_an_error(
    chain: FakeChain, tracker: Tracker, sent: Sent, clock: Clock
) -> None:
    chain.lies["eth_getTransactionReceipt"] = away
    with pytest.raises(errors.NodeLostWhileWaiting) as caught:
        tracker.wait(sent)
    assert sent.label_with_hash in caught.value.message
    assert (sum(clock.slept), sent.stage) == (61, Stage.SENT)


# -- until it is confirmed -------------------------------------------------------------------


@pytest.fixture
def mined(chain: FakeChain, tracker: Tracker, sent: Sent, shown: Shown) -> Sent:
    chain.pool.mine()
    tracker.wait(sent)
    shown.clear()
    chain.asked.clear()
    return sent


def test_confirmed__is_as_many_blocks_deep(
    chain: FakeChain, tracker: Tracker, mined: Sent, clock: Clock, shown: Shown
) -> None:
    clock.on_sleep = lambda slept: chain.mine_empty(1) if slept in (2, 3, 5) else None
    tracker.confirm(mined, 3)
    assert (mined.stage, sum(clock.slept), chain.head.number) == (Stage.CONFIRMED, 5, 5)
    assert (mined.followed, mined.confirmations) == (3, 3)
    assert shown == [(Stage.MINED, seconds) for seconds in range(5)] + [(Stage.CONFIRMED, 5)]
    assert [method for method, _ in chain.asked].count("eth_getTransactionReceipt") == 1


def test_receipt_at_the_end__is_read_again(chain: FakeChain, tracker: Tracker, mined: Sent, clock: Clock) -> None:
    """A reorg may have moved it to a later block."""
    chain.pool.receipts[mined.hash] |= {"blockNumber": "0x3"}
    clock.on_sleep = lambda _slept: chain.mine_empty(1)
    tracker.confirm(mined, 2)
    assert (mined.block, chain.head.number) == (3, 5)


def test_reorg__is_waited_out(chain: FakeChain, tracker: Tracker, mined: Sent, clock: Clock, shown: Shown) -> None:
    receipt = chain.pool.receipts.pop(mined.hash)
    chain.mine_empty(1)
    again = {mined.hash: receipt | {"blockNumber": "0x3"}}
    at(clock, s4=lambda: chain.pool.receipts.update(again), s6=lambda: chain.mine_empty(1))
    tracker.confirm(mined, 1)
    assert [stage for stage, _ in shown] == [Stage.TAKEN_BACK] * 4 + [Stage.MINED] * 2 + [Stage.CONFIRMED]


@pytest.mark.parametrize("seconds", [61])
def test_transaction_taken_back_and_not_mined_again__is_an_error(
    chain: FakeChain, tracker: Tracker, mined: Sent, clock: Clock, seconds: float
) -> None:
    del chain.pool.receipts[mined.hash]
    chain.mine_empty(1)
    with pytest.raises(errors.TransactionReorged, match="took back move 1"):
        tracker.confirm(mined, 1)
    assert (mined.stage, sum(clock.slept)) == (Stage.TAKEN_BACK, seconds)


def test_transaction_that_fails_after_a_reorg__is_an_error(chain: FakeChain, tracker: Tracker, mined: Sent) -> None:
    chain.pool.receipts[mined.hash] |= {"status": "0x0"}
    chain.mine_empty(1)
    with pytest.raises(errors.MinedButReverted):
        tracker.confirm(mined, 1)


def test_each_new_block__restarts_the_patience(chain: FakeChain, tracker: Tracker, mined: Sent, clock: Clock) -> None:
    clock.on_sleep = lambda slept: chain.mine_empty(1) if slept in (50, 100) else None
    with pytest.raises(errors.Unconfirmed) as caught:
        tracker.confirm(mined, 3)
    assert sum(clock.slept) == 161
    assert caught.value.message == errors.Unconfirmed(mined.label_with_hash, 2, 60).message


def test_node_away_while_confirming__is_an_error(chain: FakeChain, tracker: Tracker, mined: Sent, clock: Clock) -> None:
    chain.lies["eth_getBlockByNumber"] = away
    with pytest.raises(errors.NodeLostWhileConfirming) as caught:
        tracker.confirm(mined, 1)
    assert caught.value.message == errors.NodeLostWhileConfirming(mined.label_with_hash, 2).message
    assert sum(clock.slept) == 61


def test_node_back_in_time__confirms(chain: FakeChain, tracker: Tracker, mined: Sent, clock: Clock) -> None:
    chain.lies["eth_getBlockByNumber"] = away
    chain.mine_empty(1)
    at(clock, s30=chain.lies.clear)
    tracker.confirm(mined, 1)
    assert (mined.stage, sum(clock.slept)) == (Stage.CONFIRMED, 30)


@pytest.mark.parametrize(
    ("stage", "head", "after", "asked"),
    [
        (Stage.MINED, 3, Stage.MINED, 0),
        (Stage.MINED, 4, Stage.CONFIRMED, 1),
        (Stage.TAKEN_BACK, 3, Stage.MINED, 1),
        (Stage.TAKEN_BACK, 4, Stage.CONFIRMED, 1),
    ],
)
def test_receipt__is_read_again_once_it_is_deep_enough(
    chain: FakeChain, tracker: Tracker, mined: Sent, stage: Stage, head: int, after: Stage, asked: int
) -> None:
    """In block 2, with two confirmations."""
    mined.stage = stage
    tracker.recheck_receipt(mined, head, 2)
    assert mined.stage is after
    assert len(chain.asked) == asked


def test_mined_elsewhere__is_confirmed_there(chain: FakeChain, tracker: Tracker, mined: Sent) -> None:
    chain.pool.receipts[mined.hash] |= {"blockNumber": "0x3"}
    tracker.recheck_receipt(mined, 4, 2)
    assert (mined.stage, mined.block) == (Stage.MINED, 3)
