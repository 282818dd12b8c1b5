"""
What is said about a transaction is true, whatever happens to it: a random life, and the sentences that may be said.

The clock moves only when the program sleeps. Meanwhile blocks are mined with and without the transaction; it is
dropped, replaced, refused by the contract, or taken out of its block by a reorg, also between two answers. The node is
late, away, or busy. Each sentence must fit one of the states from which the node has just answered.
"""

from collections import Counter, deque
from copy import copy
from dataclasses import replace
from random import Random, randrange
from types import SimpleNamespace

import pytest

from tests.library.simulation import FIRST_NONCE, TABLE, Clock, FakeChain, RefusedError, Sent
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

# Shorter than the library's, so that more happens in a life, but longer than nodes are late.
UNKNOWN_FOR = 10.0

# The stages in which it ends, by what `send` raises, if anything.
ENDS = {
    "": ["mined", "confirmed"],
    "TransactionError": ["not sent", "failed", "waiting", "dropped", "replaced", "mined", "taken back"],
    "NodeError": ["sending", "sent", "mined", "taken back"],
    "KeyboardInterrupt": ["sending", "sent", "mined"],
}
ENDS_AT_ONCE = ("not sent", "failed", "dropped", "replaced")

# What must be true in one of the states that the node has shown since the last poll.
TRUE = {
    "sending": lambda shown, _tx: not shown.known,
    "waiting": lambda shown, _tx: not shown.place,
    "failed": lambda shown, tx: shown.place == (tx.block, tx.block_hash) and not shown.succeeds,
    "taken back": lambda shown, _tx: not shown.place,
    "dropped": lambda shown, _tx: not (shown.known or shown.replaced),
    "replaced": lambda shown, _tx: shown.replaced,
    "confirmed": lambda shown, tx: (
        shown.place == (tx.block, tx.block_hash) and shown.succeeds and shown.followed >= tx.confirmations
    ),
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
        self.tx = replace(prepared, node=self.chain.node())
        self.patience = random.choice([8.0, 60.0])
        self.confirmations = random.choice([0, 1, 3])
        self.sending = random.choice(SENDINGS)
        # Either the nodes differ in what they know, or the chain is reorganised.
        self.late = random.random() < 0.4
        self.interrupts = random.choice([0] * 9 + [0.02])
        self.change_rates()
        if self.sending == "refuses it, but took it":
            # If the nodes behind the address differ at this moment, nobody can tell.
            self.late = self.faults = self.races = 0
        self.taken = False
        self.states = deque([copy(self.chain)], 45)  # one for each 0.1 s
        # The last time that the node knew the transaction, or failed; and that more blocks had followed than ever.
        self.hope = self.progress = clock.now
        self.deepest = -1
        self.followed = {}  # by how many blocks, at most, the node has shown that each place is
        self.begin()
        clock.on_sleep, self.chain.before_answer = self.live, self.view
        self.chain.lies = dict.fromkeys(("eth_getTransactionByHash", "eth_getTransactionReceipt"), self.note)
        self.chain.lies["eth_sendRawTransaction"] = self.take

    # -- what happens --------------------------------------------------------------------

    def change_rates(self):
        """How often something happens: between two questions, before an answer, and instead of an answer."""
        self.pace = self.random.choice([0.01, 0.1, 0.3])
        self.races = 0 if self.late else self.random.choice([0, 0.2, 0.4])
        self.faults = self.random.choice([0, 0, 0, 0, 0.1, 0.1, 0.5, 1])

    def live(self):
        """For 0.1 s."""
        if self.random.random() < 0.005:
            self.change_rates()
        if self.random.random() < self.pace:
            self.happen()
        if self.late:
            self.states.append(copy(self.chain))

    def happen(self):
        chain = self.chain
        refuse, replace_it = (lambda: chain.mine_sent(succeeds=False)), (lambda: chain.add(OTHER))
        weights = {lambda: chain.mine_empty(1): 8, chain.mine_sent: 4, refuse: 0.4, chain.drop: 0.5, replace_it: 0.3}
        if not self.late:
            weights |= {self.reorg: 5, self.come_back: 1}
        self.random.choices(list(weights), list(weights.values()))[0]()

    def reorg(self):
        if self.chain.head.number >= 2:
            depth = self.random.randint(1, min(4, self.chain.head.number - 1))
            self.chain.reorg(depth, keep=self.random.random() < 0.5)
            if self.random.random() < 0.2:
                self.pace = 0  # it stays shorter
                return
            if self.random.random() < 0.5:
                self.chain.mine_sent()
            self.chain.mine_empty(self.random.randint(0, depth + 1))

    def come_back(self):
        """Somebody sends it again."""
        if self.chain.nonce == FIRST_NONCE and self.taken:
            self.chain.add(Sent(self.tx.hash))
            if self.random.random() < 0.5:
                self.chain.mine_sent()

    # -- the node --------------------------------------------------------------------------

    def view(self, method):
        """The state that it answers from."""
        random = self.random
        if random.random() < self.faults:
            self.answered, self.hope = False, self.clock.now
            raise random.choice([OSError("away"), RefusedError("busy")])
        if self.races and not self.raced:  # once between two polls
            is_rare = method == "eth_getTransactionCount"
            self.raced = is_rare or random.random() < self.races
            if self.raced:
                (self.come_back if is_rare else self.happen)()
        state = random.choice(self.states) if self.late else self.chain
        block, sent = state.find(self.tx.hash) or (None, None)
        shown = SimpleNamespace(known=state.knows(self.tx.hash), replaced=state.knows(OTHER.hash), place=None)
        if block:
            shown.place, shown.succeeds = (block.number, block.hash), sent.succeeds
            shown.followed = state.head.number - block.number
            self.followed[shown.place] = max(shown.followed, self.followed.get(shown.place, 0))
        self.shown.append(shown)
        return state

    def note(self, _params, found):
        if found:
            self.hope = self.clock.now
        return found

    def take(self, _params, transaction):
        self.taken = self.sending not in ("refuses it", "is gone")
        if not self.taken:
            self.chain.drop()
        if "refuses" in self.sending:
            raise RefusedError("already known" if "known" in self.sending else "not today")
        if "gone" in self.sending:
            self.answered = False
            raise OSError("away")
        return 7 if "nonsense" in self.sending else transaction

    # -- what may be said -----------------------------------------------------------------

    def run(self):
        tx = self.tx
        try:
            assert send(tx, self.poll, confirmations=self.confirmations, patience=self.patience) is tx
            error = None
            assert tx.stage == ("confirmed" if self.confirmations else "mined")
            assert (tx.gas_used, tx.paid) == (40_000, 40_000 * 102)
            assert self.has_shown("confirmed")
        except (errors.TicTacToeError, KeyboardInterrupt) as raised:
            error = raised
            self.check(error)
        raised = [kind.__name__ for kind in type(error).__mro__ if kind.__name__ in ENDS]
        return " ".join([tx.stage, *raised])

    def begin(self):
        """Another poll."""
        self.shown, self.answered, self.raced = [], True, False

    def poll(self, tx):
        """What a person sees while it waits."""
        if tx.stage == "prepared":
            return
        now = self.clock.now
        if self.shown or not self.answered:
            assert (not tx.trouble) == self.answered or self.has_no_such_block(tx.trouble)
        if self.shown and self.answered:
            self.check_stage()
        if tx.stage == "mined":
            assert 0 <= tx.followed <= self.followed[tx.block, tx.block_hash]
            if tx.followed > self.deepest:
                self.progress, self.deepest = now, tx.followed
        assert now - self.progress <= self.patience + 2.2, "it waits for longer than the patience"
        assert now - self.hope <= UNKNOWN_FOR + 2.2 or self.deepest >= 0, "it was dropped long ago"
        self.begin()
        if self.random.random() < self.interrupts:
            raise KeyboardInterrupt

    def has_shown(self, stage):
        return any(TRUE[stage](shown, self.tx) for shown in self.shown)

    def has_no_such_block(self, said):
        """Another node, or one that a reorg has removed since the question before."""
        return "not found" in said and (self.late or self.raced)

    def check_stage(self):
        tx, stage = self.tx, self.tx.stage
        assert stage not in TRUE or self.has_shown(stage)
        if stage in ("sent", "not sent"):
            assert self.taken == (stage == "sent")
        if stage in ("waiting", "dropped"):
            assert self.deepest < 0, "it was mined before"
        if stage == "taken back":
            assert not self.late, "only a late node has lost its receipt"
            assert (tx.block, tx.gas_used, tx.paid) == (None, None, None)
        if stage in ("dropped", "replaced"):
            assert self.clock.now - self.hope > UNKNOWN_FOR

    def check(self, error):
        tx, said = self.tx, str(error)
        if isinstance(error, KeyboardInterrupt):
            said = report([tx])
            assert error.__notes__ == [said]
        else:
            assert error.stage == tx.stage
            assert tx.stage in ENDS_AT_ONCE or self.clock.now - self.progress > self.patience - 0.2, "it has given up"
            if isinstance(error, errors.TransactionError):
                self.check_stage()
            else:
                assert not self.answered or self.has_no_such_block(said)
        assert (f"{STAGES[tx.stage][0]}: move 1" in said) == (tx.stage != "not sent")
        assert tx.hash in said or tx.stage in ("not sent", "mined")
        assert ("Nothing was sent" in said) == (tx.stage == "not sent")
        assert (" It cost 0.000000001 ETH." in said) == (tx.stage == "failed")


def test_what_is_said__is_true(prepared, monkeypatch, print_counts, whole):
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
    print_counts("ends of transactions", ends)
    assert {*ends} >= {f"{stage} {kind}".strip() for kind, stages in ENDS.items() for stage in stages}
