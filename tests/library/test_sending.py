"""
What is said about a transaction is true, whatever happens to it: a random life, and the sentences that may be said.

The clock moves only when the program sleeps. Meanwhile blocks are mined with and without the transaction; it is
dropped, replaced, refused by the contract, or taken out of its block by a reorg, also between two answers. The node is
late, away, or busy. Each sentence is compared with the states that the chain was in.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random, randrange
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.library.simulation import FIRST_NONCE, TABLE, Clock, FakeChain, RefusedError, Sent, State
from tests.support.progress import Printer
from tests.support.roles import Role
from tictactoe import errors, transactions
from tictactoe.transactions import UNKNOWN_FOR, Transaction, prepare, report, send

OTHER = "0x" + "99" * 32  # a transaction with the same nonce

# What the node does with the transaction, and whether it takes it.
SENDINGS = {
    "takes it": True,
    "refuses it": False,
    "refuses it, but took it": True,
    "is gone": False,
    "is gone, but took it": True,
    "answers nonsense, but took it": True,
}


@pytest.fixture(scope="module")
def prepared() -> Transaction:
    """Signed once: that takes longer than a life."""
    account = Role.PLAYER_X.account
    found = prepare(FakeChain().node(), account, "move 1", b"\x01" * 100, TABLE)
    raw = account.sign_transaction(found.request).serialize_transaction()
    signed = SimpleNamespace(signature=True, serialize_transaction=lambda: raw)
    found.account = cast(Any, SimpleNamespace(address=account.address, sign_transaction=lambda _request: signed))
    return found


class Life:
    """One transaction's, until `send` returns or raises."""

    def __init__(self, prepared: Transaction, seed: int, clock: Clock) -> None:
        self.random = random = Random(seed)
        self.clock, self.chain = clock, FakeChain()
        self.each = replace(prepared, node=self.chain.node())
        self.patience = random.choice([8.0, 60.0])
        self.confirmations = random.choice([0, 0, 1, 3])
        self.sending = random.choices(list(SENDINGS), [12, 1, 1, 1, 1, 1])[0]
        # Either the node is late or forgets its pool for a while, or the chain changes between two answers.
        self.latest = random.choice([0.0, 0.3 * min(UNKNOWN_FOR, self.patience / 4)])
        self.pace_of_events = random.choice([0.02, 0.1, 0.3])
        self.races = random.choice([0, 0.03, 0.2])
        self.faults = random.choice([0, 0, 0.1, 0.5])
        self.away_until = self.forgets_until = 0.0
        self.calm = True  # nothing happens between two answers
        self.answered, self.forgot = True, False  # to every question since the last poll
        self.history, self.times = list[State](), list[float]()
        self.note()
        self.polled, self.progress, self.deepest = clock.now, clock.now, -1
        self.place = self.questions = 0  # in the history and in what was asked, at the last poll
        self.interrupts = random.random() < 0.05
        clock.on_sleep = lambda _so_far: self.live()

    def note(self) -> None:
        """The state that the chain is in now."""
        self.history.append(self.chain.now())
        self.times.append(self.clock.now)

    # -- what happens --------------------------------------------------------------------

    def live(self) -> None:
        """For 0.1 s or so."""
        random, chain, now = self.random, self.chain, self.clock.now
        if random.random() < 0.003:
            self.away_until = max(self.away_until, now + random.choice([3, 30, 200]))
        if random.random() < 0.01 and now > self.forgets_until + self.patience:
            self.forgets_until = max(now, self.away_until) + self.latest
        if random.random() < self.pace_of_events:
            happenings = [
                (lambda: chain.mine_empty(1), 8),
                (chain.mine_sent, 4),
                (lambda: chain.mine_sent(succeeds=False), 0.4),
            ]
            happenings += [(chain.drop, 0.5), (lambda: chain.add(Sent(OTHER, FIRST_NONCE)), 0.3)]
            self.happen(happenings + ([] if self.latest else [(self.reorg, 2), (self.come_back, 2)]))

    def happen(self, happenings: list[tuple[Any, float]]) -> None:
        """One of these, by weight."""
        self.random.choices([each for each, _ in happenings], [weight for _, weight in happenings])[0]()
        self.note()

    def reorg(self) -> None:
        if self.chain.head.number < 2:
            return
        depth = self.random.randint(1, min(4, self.chain.head.number - 1))
        blocks = self.random.randint(0, depth + 3)
        self.chain.reorg(depth, keep=self.random.random() < 0.7)
        self.chain.mine_empty(blocks)
        if self.random.random() < 0.5:
            self.chain.mine_sent()

    def come_back(self) -> None:
        """Somebody sends it again."""
        if self.chain.raw and self.chain.nonce == FIRST_NONCE:
            self.chain.add(Sent(self.each.hash, FIRST_NONCE))
            if self.random.random() < 0.5:
                self.chain.mine_sent()

    def view(self, _method: str) -> State | None:
        """The state that the node answers from."""
        random, now = self.random, self.clock.now
        if now < self.away_until or random.random() < self.faults:
            self.answered = False
            raise random.choice([OSError("away"), RefusedError("busy")])
        if not (self.latest or self.calm) and random.random() < self.races:
            self.happen([(self.reorg, 3), (self.come_back, 2), (self.chain.mine_sent, 2), (self.chain.drop, 1)])
            self.calm = True  # until the next poll: once is rare enough
        state = random.choice(self.states(now - self.latest)) if self.latest else self.chain
        if now >= self.forgets_until:
            return state
        self.forgot = True
        return State(state.blocks, [])

    def take(self, _params: object, transaction: str) -> object:
        if not SENDINGS[self.sending]:
            self.chain.drop()
        self.note()
        if "refuses" in self.sending:
            raise RefusedError("not today")
        if "gone" in self.sending:
            raise OSError("away")
        return 7 if "nonsense" in self.sending else transaction

    def states(self, since: float) -> list[State]:
        """Those that the chain was in since then."""
        first = max(place for place, time in enumerate(self.times) if place == 0 or time <= since)
        return self.history[first:]

    def states_before(self, moment: float) -> int:
        return sum(time <= moment for time in self.times)

    # -- what may be said -----------------------------------------------------------------

    def run(self) -> str:
        each = self.each
        self.chain.before_answer, self.chain.lies["eth_sendRawTransaction"] = self.view, self.take
        if self.sending == "refuses it, but took it":
            # If the nodes behind the address differ at this moment, nobody can tell.
            self.latest = self.faults = 0.0
        try:
            assert send(each, self.poll, confirmations=self.confirmations, patience=self.patience) is each
            error: BaseException | None = None
        except (errors.TicTacToeError, KeyboardInterrupt) as raised:
            error = raised
        self.check(error)
        return each.stage if error is None else f"{each.stage}, {type(error).__name__}"

    def poll(self, each: Transaction) -> None:
        """What a person sees while it waits."""
        self.check_stage(each)
        if each.stage == "mined" and each.followed > self.deepest:
            self.progress, self.deepest = self.clock.now, each.followed
        if not (self.faults or self.away_until):
            assert self.clock.now - self.progress <= self.patience + 2.2, "it waits for longer than the patience"
        self.polled, self.place, self.questions = self.clock.now, len(self.history) - 1, len(self.chain.asked)
        self.answered, self.calm, self.forgot = True, False, False
        if self.interrupts and self.random.random() < 0.01:
            raise KeyboardInterrupt

    def ever(self, found: Any) -> bool:
        return any(found(state) for state in self.history)

    def lately(self, found: Any) -> bool:
        """At some moment since the last poll, or in a state from which a late node may have answered."""
        states = self.states(self.polled - self.latest) if self.latest else self.history[self.place :]
        return any(found(state) for state in states)

    def depth(self, state: State) -> int:
        """How many blocks follow its own; -1 if it is in none."""
        found = state.find(self.each.hash)
        return -1 if found is None else state.head.number - found[0].number

    def is_mined(self, state: State) -> bool:
        found = state.find(self.each.hash)
        return found is not None and (found[0].number, found[0].hash) == (self.each.block, self.each.block_hash)

    def check_stage(self, each: Transaction) -> None:
        match each.stage:
            case "sent":
                assert self.ever(lambda state: state.knows(each.hash))
            case "mined":
                assert each.followed >= 0
                assert self.ever(
                    lambda state: self.is_mined(state) and state.head.number - (each.block or 0) >= each.followed
                )
            case "taken back":
                assert not self.latest, "only a late node has lost its receipt"
                assert self.ever(lambda state: state.find(each.hash) is not None)
                assert self.ever(lambda state: state.find(each.hash) is None)
            case stage:
                assert stage == "sending"
                asked = len(self.chain.asked) > self.questions and self.answered and not (self.calm or self.forgot)
                assert not asked or self.lately(lambda state: not state.knows(each.hash)), "the node has named it"

    def check(self, error: BaseException | None) -> None:
        each, patience = self.each, self.patience
        taken = self.ever(lambda state: state.knows(each.hash))
        if error is None:
            assert each.stage == ("confirmed" if self.confirmations else "mined")
            assert (each.gas_used, each.paid) == (40_000, 40_000 * 102)
            assert self.lately(
                lambda state: (
                    self.is_mined(state)
                    and state.find(each.hash)[1].succeeds
                    and state.head.number - each.block >= self.confirmations
                )
            )
            return
        if not isinstance(error, errors.TicTacToeError):
            assert error.__notes__ == [report([each])]
            assert each.hash in report([each]) or each.stage == "mined"
            return
        assert error.stage == each.stage
        if "Nothing was sent" in error.message:
            assert not taken
            assert each.stage == "not sent"
            return
        assert each.hash in error.message
        if isinstance(error, errors.NodeError):
            assert not self.answered
            assert each.stage in ("sending", "sent", "mined", "taken back")
            assert ("was mined in block" in error.message) == (each.stage == "mined")
            assert each.stage != "mined" or self.ever(self.is_mined)
            return
        match each.stage:
            case "failed":
                assert self.lately(lambda state: self.is_mined(state) and not state.find(each.hash)[1].succeeds)
            case "dropped" | "replaced":
                assert self.lately(lambda state: not state.knows(each.hash))
                if each.stage == "replaced":
                    assert self.lately(lambda state: state.knows(OTHER))
                else:
                    assert each.block is None, "it was mined before"
                    assert self.forgot or self.lately(lambda state: not state.knows(OTHER))
            case "waiting":
                assert each.block is None, "it was mined before"
                assert self.clock.now - 1000 > patience
                assert self.lately(lambda state: state.find(each.hash) is None)
            case "taken back":
                assert self.ever(lambda state: state.find(each.hash) is not None)
                assert self.lately(lambda state: state.find(each.hash) is None)
                assert not self.latest
            case "mined":
                early = max(map(self.depth, self.history[: self.states_before(self.clock.now - patience)]))
                assert self.ever(self.is_mined)
                assert self.lately(lambda state: self.depth(state) <= early)
            case stage:
                pytest.fail(f"{stage}: {error}")


def test_what_is_said__is_true(
    prepared: Transaction, monkeypatch: pytest.MonkeyPatch, printer: Printer, whole: bool
) -> None:
    ends: Counter[str] = Counter()
    first = randrange(10**9) if whole else 0
    for seed in range(first, first + (30_000 if whole else 1_500)):
        monkeypatch.setattr(transactions, "time", clock := Clock())
        try:
            ends[Life(prepared, seed, clock).run()] += 1
        except BaseException as error:
            error.add_note(f"in the life with the seed {seed}")
            raise
    printer.counts("ends of transactions", ends)
    assert set(ends) >= {
        *("mined", "confirmed", "not sent, TransactionError", "failed, TransactionError", "waiting, TransactionError"),
        *("dropped, TransactionError", "replaced, TransactionError", "mined, TransactionError"),
        *("taken back, TransactionError", "sending, NodeError", "sent, NodeError", "mined, NodeError"),
        *("taken back, NodeError", "sending, KeyboardInterrupt", "sent, KeyboardInterrupt", "mined, KeyboardInterrupt"),
    }


# -- races that a random life seldom meets, and every sentence ------------------------------------


def at(clock: Clock, **events: Callable[[], object]) -> None:
    """`at(clock, s3=mine)`: when so many seconds have been slept."""
    left = {float(name[1:]): event for name, event in events.items()}

    def on_sleep(slept: float) -> None:
        for moment in [each for each in left if each <= slept + 0.01]:
            left.pop(moment)()

    clock.on_sleep = on_sleep


def follow(prepared: Transaction, chain: FakeChain, confirmations: int = 0, patience: float = 60) -> Transaction:
    return send(replace(prepared, node=chain.node()), confirmations=confirmations, patience=patience)


def test_reorg_between_the_first_head_and_the_receipt__confirms_nothing(prepared: Transaction, clock: Clock) -> None:
    """It is in block 2, with two blocks after it; then the branch is a shorter one, with it at the end."""
    chain = FakeChain()

    def view(method: str) -> None:
        if method == "eth_getTransactionReceipt" and chain.head.number == 4 and clock.now < 1005:
            chain.reorg(3)
            chain.mine_sent()

    chain.before_answer = view
    at(clock, s1=chain.mine_sent, s2=lambda: chain.mine_empty(2), s9=lambda: chain.mine_empty(2))
    assert follow(prepared, chain, confirmations=2).stage == "confirmed"
    assert clock.now - 1000 >= 9


def test_outage_between_two_short_gaps__is_not_added_to_them(prepared: Transaction, clock: Clock) -> None:
    """The node forgets its pool for a moment, is away for a minute, and forgets it again."""
    chain = FakeChain()

    def view(_method: str) -> State | None:
        if 4 < clock.now - 1000 < 50:
            raise OSError("away")
        return State(chain.blocks, []) if 2 < clock.now - 1000 < 53 else None

    chain.before_answer = view
    at(clock, s55=chain.mine_sent)
    assert follow(prepared, chain).stage == "mined"


@pytest.mark.parametrize(("patience", "noticed"), [(180, UNKNOWN_FOR), (12, 3)])
def test_dropped_transaction__is_noticed_long_before_the_patience_ends(
    prepared: Transaction, clock: Clock, patience: float, noticed: float
) -> None:
    chain = FakeChain()
    at(clock, s1=chain.drop)
    with pytest.raises(errors.TransactionError, match="The network dropped"):
        follow(prepared, chain, patience=patience)
    assert noticed < clock.now - 1001 < noticed + 2


def test_transaction_that_comes_back_at_the_last_question__was_not_replaced(
    prepared: Transaction, clock: Clock
) -> None:
    chain = FakeChain()

    def come_back(method: str) -> None:
        if method == "eth_getTransactionCount":
            chain.add(Sent(*chain.raw, FIRST_NONCE))
            chain.mine_sent()

    chain.before_answer = come_back
    at(clock, s1=chain.drop)
    assert follow(prepared, chain).stage == "mined"


def test_move_to_another_block__counts_from_there(prepared: Transaction, clock: Clock) -> None:
    """Even if the node fails before it names the head of that branch."""
    chain, counts = FakeChain(), list[tuple[int | None, int]]()

    def view(_method: str) -> None:
        if chain.head.number == 6 and chain.asked[-2][0] == "eth_getTransactionReceipt":
            raise OSError("away")

    def move() -> None:
        chain.reorg(3)
        chain.mine_empty(4)
        chain.mine_sent()

    chain.before_answer = view
    at(clock, s1=chain.mine_sent, s2=lambda: chain.mine_empty(2), s4=move, s8=lambda: chain.mine_empty(3))
    each = replace(prepared, node=chain.node())
    send(each, lambda each: counts.append((each.block, each.followed)), confirmations=3)
    assert list(dict.fromkeys(counts)) == [(None, 0), (2, 0), (2, 2), (6, 0)]
    assert (each.block, each.followed) == (6, 3)


def test_chain_that_becomes_shorter__proves_nothing(prepared: Transaction, clock: Clock) -> None:
    """The node may just be late."""
    chain = FakeChain()
    at(clock, s1=chain.mine_sent, s2=lambda: chain.reorg(1, keep=False))
    with pytest.raises(errors.TransactionError, match="was mined in block 2, but no new block confirmed it for 9 s"):
        follow(prepared, chain, confirmations=1, patience=9)
