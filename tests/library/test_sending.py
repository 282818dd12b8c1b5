"""
What is said about a transaction is true, whatever happens to it: a random life, and the sentences that may be said.

The clock moves only when the program sleeps. Meanwhile blocks are mined with and without the transaction; it is
dropped, replaced, refused by the contract, or taken out of its block by a reorg, also between two answers. The node is
late, away, or busy. Each sentence is compared with the states that the chain was in.
"""

from collections import Counter
from dataclasses import replace
from random import Random, randrange
from types import SimpleNamespace

import pytest

from tests.library.simulation import FIRST_NONCE, TABLE, Clock, FakeChain, RefusedError, Sent, State
from tests.support.roles import Role
from tictactoe import errors, transactions
from tictactoe.transactions import STAGES, prepare, report, send

OTHER = Sent("0x" + "99" * 32)  # with the same nonce

# What the node does with the transaction.
SENDINGS = (
    *["takes it"] * 12,
    *("refuses it", "refuses it, but took it", "refuses it as already known, but took it"),
    *("is gone", "is gone, but took it", "answers nonsense, but took it"),
)

# Shorter than the library's, so that more happens in a life, but longer than a node is late and forgets its pool.
UNKNOWN_FOR = 10.0

# The stages in which it ends, by what `send` raises, if anything.
ENDS = {
    "": ["mined", "confirmed"],
    "TransactionError": ["not sent", "failed", "waiting", "dropped", "replaced", "mined", "taken back"],
    "NodeError": ["sending", "sent", "mined", "taken back"],
    "KeyboardInterrupt": ["sending", "sent", "mined"],
}


@pytest.fixture(scope="module")
def prepared():
    """Signed once: that takes longer than a life."""
    account = Role.PLAYER_X.account
    found = prepare(FakeChain().node(), account, "move 1", b"\x01" * 100, TABLE)
    raw = account.sign_transaction(found.request).serialize_transaction()
    signed = SimpleNamespace(signature=True, serialize_transaction=lambda: raw)
    found.account = SimpleNamespace(address=account.address, sign_transaction=lambda _request: signed)
    return found


class Life:
    """One transaction's, until `send` returns or raises."""

    def __init__(self, prepared, seed, clock):
        self.random = random = Random(seed)
        self.clock, self.chain = clock, FakeChain()
        self.each = replace(prepared, node=self.chain.node())
        self.patience = random.choice([8.0, 60.0])
        self.confirmations = random.choice([0, 1, 3])
        self.sending = random.choices(SENDINGS)[0]
        # Either the node is late by so many seconds and forgets its pool as long, or the chain is reorganised.
        self.late = random.choice([0.0, 4.5])
        self.pace_of_events = random.choice([0.01, 0.1, 0.3])
        self.races = 0 if self.late else random.choice([0, 0.2, 0.4])  # before an answer
        self.faults = random.choice([0, 0, 0.1, 0.5])
        self.interrupts = random.choice([0] * 9 + [0.02])
        if self.sending == "refuses it, but took it":
            # If the nodes behind the address differ at this moment, nobody can tell.
            self.late = self.faults = self.races = 0.0
        self.away_until = self.forgets_until = 0.0
        self.history = []
        self.note()
        self.progress, self.deepest = clock.now, -1
        self.begin()
        clock.on_sleep = lambda _so_far: self.live()
        self.chain.before_answer, self.chain.lies["eth_sendRawTransaction"] = self.view, self.take

    def note(self):
        """What is true of it now."""
        state, transaction = State(self.chain.blocks[:], self.chain.pool[:]), self.each.hash
        block, sent = state.find(transaction) or (None, None)
        moment = SimpleNamespace(time=self.clock.now, state=state, known=state.knows(transaction))
        moment.replaced = state.knows(OTHER.hash)
        moment.place = (block.number, block.hash) if block else None
        moment.succeeds = bool(sent and sent.succeeds)
        moment.followed = state.head.number - block.number if block else -1  # by so many blocks
        self.history.append(moment)

    # -- what happens --------------------------------------------------------------------

    def live(self):
        """For 0.1 s or so."""
        random, chain, now = self.random, self.chain, self.clock.now
        if random.random() < 0.003:
            self.away_until = max(self.away_until, now + random.choice([3, 30, 200]))
        if random.random() < 0.01 and now > self.forgets_until + UNKNOWN_FOR:
            self.forgets_until = max(now, self.away_until) + self.late
        if random.random() < self.pace_of_events:
            refuse, replace_it = (lambda: chain.mine_sent(succeeds=False)), (lambda: chain.add(OTHER))
            happenings = {lambda: chain.mine_empty(1): 8, chain.mine_sent: 4, refuse: 0.4, chain.drop: 0.5}
            self.happen(happenings | {replace_it: 0.3} | ({} if self.late else {self.reorg: 4, self.come_back: 1}))

    def happen(self, happenings):
        """One of these, by weight."""
        self.random.choices(list(happenings), list(happenings.values()))[0]()
        self.note()

    def reorg(self):
        if self.chain.head.number >= 2:
            depth = self.random.randint(1, min(4, self.chain.head.number - 1))
            self.chain.reorg(depth, keep=self.random.random() < 0.5)
            if self.random.random() < 0.2:
                self.pace_of_events = 0  # it stays shorter
                return
            if self.random.random() < 0.5:
                self.chain.mine_sent()
            self.chain.mine_empty(self.random.randint(0, depth + 1))

    def come_back(self):
        """Somebody sends it again."""
        if self.chain.nonce == FIRST_NONCE and self.ever(lambda moment: moment.known):
            self.chain.add(Sent(self.each.hash))
            if self.random.random() < 0.5:
                self.chain.mine_sent()

    def view(self, method):
        """The state that the node answers from."""
        random, now = self.random, self.clock.now
        if now < self.away_until or random.random() < self.faults:
            self.answered = False
            self.clock.now += random.choice([0, 0, 0, 20])  # until it timed out
            raise random.choice([OSError("away"), RefusedError("busy")])
        # Once between two polls. The question for the nonce is a rare one.
        if not self.raced and self.races and (method == "eth_getTransactionCount" or random.random() < self.races):
            self.raced = True
            self.happen({self.reorg: 3, self.come_back: 4, self.chain.mine_sent: 2, self.chain.drop: 1})
        state = random.choice(self.since(now - self.late)).state if self.late else self.chain
        if now >= self.forgets_until:
            return state
        self.forgot = True
        return State(state.blocks, [])

    def take(self, _params, transaction):
        if self.sending in ("refuses it", "is gone"):
            self.chain.drop()
        self.note()
        if "refuses" in self.sending:
            raise RefusedError("already known" if "known" in self.sending else "not today")
        if "gone" in self.sending:
            self.answered = False
            raise OSError("away")
        return 7 if "nonsense" in self.sending else transaction

    def run(self):
        each = self.each
        try:
            assert send(each, self.poll, confirmations=self.confirmations, patience=self.patience) is each
            error = None
        except (errors.TicTacToeError, KeyboardInterrupt) as raised:
            error = raised
        self.check(error)
        raised = [kind.__name__ for kind in type(error).__mro__ if kind.__name__ in ENDS]
        return " ".join([each.stage, *raised])

    def begin(self):
        """Another poll."""
        self.polled, self.place, self.questions = self.clock.now, len(self.history) - 1, len(self.chain.asked)
        self.answered, self.forgot, self.raced = True, False, False  # to every question since the last poll

    def poll(self, each):
        """What a person sees while it waits."""
        if each.stage == "prepared":
            return
        self.check_stage(each)
        if each.stage == "mined" and each.followed > self.deepest:
            self.progress, self.deepest = self.clock.now, each.followed
        if not (self.faults or self.away_until):
            assert self.clock.now - self.progress <= self.patience + 2.2, "it waits for longer than the patience"
            long_ago = self.clock.now - UNKNOWN_FOR - self.late - 2.2
            known = long_ago < 1000 or any(moment.known for moment in self.since(long_ago))
            assert known or self.deepest >= 0, "it was dropped long ago"
        if len(self.chain.asked) > self.questions:
            assert (not each.trouble) == self.answered or "not found" in each.trouble
        self.begin()
        if self.random.random() < self.interrupts:
            raise KeyboardInterrupt

    # -- what may be said -----------------------------------------------------------------

    def since(self, time):
        first = max(place for place, moment in enumerate(self.history) if place == 0 or moment.time <= time)
        return self.history[first:]

    def ever(self, found):
        return any(map(found, self.history))

    def lately(self, found):
        """At some moment since the last poll, or in a state from which a late node may have answered."""
        return any(map(found, self.since(self.polled - self.late) if self.late else self.history[self.place :]))

    def is_there(self, moment, followed=0):
        """In the block that it names."""
        return moment.place == (self.each.block, self.each.block_hash) and moment.followed >= followed

    def check(self, error):
        each, said = self.each, str(error)
        if error is None:
            assert each.stage == ("confirmed" if self.confirmations else "mined")
            assert (each.gas_used, each.paid) == (40_000, 40_000 * 102)
            assert self.lately(lambda moment: self.is_there(moment, self.confirmations) and moment.succeeds)
            return
        ended = isinstance(error, errors.TransactionError)
        assert ended or each.stage in ("sending", "sent", "mined", "taken back")
        if isinstance(error, KeyboardInterrupt):
            said = report([each])
            assert error.__notes__ == [said]
        else:
            assert error.stage == each.stage
            # A reorg may have removed the block that it was asked for.
            removed = self.races and "not found" in said
            assert ended or not self.answered or removed
        assert (f"{STAGES[each.stage][0]}: move 1" in said) == (each.stage != "not sent")
        assert each.hash in said or each.stage in ("not sent", "mined")
        assert ("Nothing was sent" in said) == (each.stage == "not sent")
        assert (" It cost 0.000000001 ETH." in said) == (each.stage == "failed")
        self.check_stage(each, ended)

    def check_stage(self, each, ended=False):
        match each.stage:
            case "not sent":
                assert not self.ever(lambda moment: moment.known)
            case "sending":
                asked = len(self.chain.asked) > self.questions and self.answered and not self.forgot
                assert not asked or self.lately(lambda moment: not moment.known), "the node has named it"
            case "sent":
                assert self.ever(lambda moment: moment.known)
            case "waiting":
                assert self.deepest < 0, "it was mined before"
                assert self.clock.now - 1000 > self.patience
                assert self.lately(lambda moment: not moment.place)
            case "mined":
                assert each.followed >= 0
                assert self.ever(lambda moment: self.is_there(moment, each.followed))
                if ended:
                    patient = self.clock.now - self.patience
                    most = max(moment.followed for moment in self.history if moment.time <= patient)
                    assert self.lately(lambda moment: moment.followed <= most)
            case "failed":
                assert self.lately(lambda moment: self.is_there(moment) and not moment.succeeds)
            case "taken back":
                assert not self.late, "only a late node has lost its receipt"
                assert (each.block, each.gas_used, each.paid) == (None, None, None)
                assert self.ever(lambda moment: moment.place)
                assert (self.lately if ended else self.ever)(lambda moment: not moment.place)
            case "replaced":
                assert self.lately(lambda moment: not moment.known)
                assert self.lately(lambda moment: moment.replaced)
            case stage:
                assert stage == "dropped"
                assert self.lately(lambda moment: not moment.known)
                assert self.deepest < 0, "it was mined before"
                assert self.forgot or self.lately(lambda moment: not moment.replaced)


def test_what_is_said__is_true(prepared, monkeypatch, printer, whole):
    ends = Counter()
    assert transactions.UNKNOWN_FOR > UNKNOWN_FOR
    monkeypatch.setattr(transactions, "UNKNOWN_FOR", UNKNOWN_FOR)
    first = randrange(10**9) if whole else 0
    for seed in range(first, first + (30_000 if whole else 1_500)):
        monkeypatch.setattr(transactions, "time", clock := Clock())
        try:
            ends[Life(prepared, seed, clock).run()] += 1
        except BaseException as error:
            error.add_note(f"in the life with the seed {seed}")
            raise
    printer.counts("ends of transactions", ends)
    assert {*ends} >= {f"{stage} {kind}".strip() for kind, stages in ENDS.items() for stage in stages}
