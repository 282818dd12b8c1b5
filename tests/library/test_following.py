"""
Following a table on a chain that does everything a chain may do, through a node that does everything a node may do.

A run is random: blocks, reorgs, restarts, late heads, missing logs, failures. The sentences that must be true are in
`take`, which sees each event, and in `settle`. The constants are small, so that what is rare on a chain happens in
every run.
"""

import random
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace

from tests.library.expected import as_game, keep, replayed
from tests.library.simulation import OTHER, FakeChain, Finished, O, RefusedError, X, forfeit, move, new_game
from tests.rules.model import Status
from tictactoe import Game, events
from tictactoe.events import POLLS, EventsDoNotFit

WINDOW, FIRST_RANGE = 6, 4
RUNS, STEPS = 80, 24
SHORTENED = 875415997  # the seed of a run in which the chain becomes shorter while its old blocks are read
LATE = POLLS - 1  # heads in a row

# What the node and the consumer may do, and how often, at one step. A rate of 1 makes an outage.
RATES = {
    "failures": (0, 0, 0.1, 0.3, 1),
    "late heads": (0, 0.5, 1),
    "answers without a log": (0, 0.5, 1),
    "changes between two answers": (0, 0.02, 0.1),
    "stops at an event": (0, 0.1),
}
# In a run each of these may happen, or never, beside blocks and reorgs that are not deeper than the window.
KINDS = (*RATES, "deep", "narrow", "from_block")

COUNTED = {
    *RATES,
    *("polls", "questions", "events", "events taken back", "checks", "reorgs", "deep reorgs", "other chains"),
    *("branches that came back", "shorter chains believed", "longest rows of late heads", "restarts", "outages"),
    *("logs that did not fit", "refused ranges"),
}


class Machine:
    """One run. The chain and the node change between two polls, two events, or two answers."""

    def __init__(self, seed, clock):
        self.chance = chance = random.Random(seed)
        self.kinds = {kind for kind in KINDS if chance.random() < 0.6}
        self.rates, self.counts = dict.fromkeys(RATES, 0), Counter()
        self.chain = FakeChain(deployed=chance.randint(1, 20))
        self.highest = self.chain.head.number
        self.branches = []  # some that were replaced
        self.busy = chance.choice([0.1, 1, 1])  # so many blocks may have transactions
        self.grow(chance.choice([0, 3, 20, 60]))
        first = chance.choice([0, chance.randint(1, self.chain.head.number + 4)])
        self.from_block = first if "from_block" in self.kinds else None
        self.widest = chance.choice([2, 10]) if "narrow" in self.kinds else 10**6  # blocks in a query
        self.kept, self.game, self.caught_up = [], Game(), []  # as the documents say
        self.late_heads = 0  # in a row
        self.shown = 0  # the newest head
        self.changed = False  # between two answers
        self.table = self.chain.table()
        self.chain.before_answer = self.before_answer
        self.chain.lies = {"eth_getBlockByNumber": self.head, "eth_getLogs": self.logs, "eth_call": self.state}
        polls = self.polls()
        next(polls)
        clock.on_sleep = lambda: next(polls)

    def run(self):
        with suppress(Finished):
            for event in events(self.table, from_block=self.from_block, trouble=self.trouble):
                self.take(event)
                if self.happens("stops at an event"):
                    self.change()

    def happens(self, what):
        happens = self.chance.random() < self.rates[what]
        self.counts[what] += happens
        return happens

    def polls(self):
        """Each `yield` is one, also the first."""
        for _ in range(STEPS):
            self.change()
            self.rates = {what: self.chance.choice(RATES[what]) if what in self.kinds else 0 for what in RATES}
            self.counts["outages"] += self.rates["failures"] == 1
            self.late = self.chance.choices([1, 2, WINDOW + 2, WINDOW + 2], k=2)
            for _ in range(self.chance.choice([1, 1, 2, 3, 10])):
                self.counts["polls"] += 1
                self.changed = False
                yield
            if self.chance.random() < 0.4:
                yield from self.settle()
        raise Finished

    # -- what must be true -------------------------------------------------------------------

    def settle(self):
        """After one block more and eight polls without trouble, what was kept is the chain's story."""
        self.counts["checks"] += 1
        self.rates, self.late_heads = dict.fromkeys(RATES, 0), 0
        # Or after some blocks less, if no log has to be read again.
        fewer = "answers without a log" not in self.kinds and self.chance.random() < 0.5
        if fewer and self.reorg(self.chance.randint(1, WINDOW), 0):
            self.counts["shorter chains believed"] += 1
        else:
            self.grow(1)
        for _ in range(POLLS):
            yield
        story = [each for each in replayed(self.chain.logs) if each.block >= (self.from_block or 0)]
        for event, each in zip(self.kept, story, strict=True):
            # Games that began before `from_block` are not known until the newest blocks are read.
            unknown = [name for name in ("before", "after") if self.from_block and not getattr(event, name).number]
            assert event == replace(each, **dict.fromkeys(unknown, Game()))
        if self.chain.head.number >= (self.from_block or 0):
            assert self.game == as_game(self.chain.head.game)
            assert self.caught_up[-1] >= (self.from_block or 0), "it has caught up"

    def take(self, event):
        before, self.game, newest = self.game, event.game, self.kept[-1:]
        keep(self.kept, event)
        if event.kind == "Restarted":
            assert (event.before, event.after) == (before, Game())
            assert self.kinds & {"deep", "answers without a log", "from_block"}, "it restarts without a reason"
            self.caught_up = []
            self.counts["restarts"] += 1
        elif event.kind == "CaughtUp":
            self.caught_up.append(event.block)
            assert all(each.block <= event.block for each in newest), "it has caught up with what was yielded"
            # Also before `from_block` is mined.
            assert len(self.caught_up) <= (1 if self.from_block is None else 2), "it catches up once"
        elif event.taken_back:
            assert event.block_hash in self.chain.removed, "what is in the chain is not taken back"
            self.counts["events taken back"] += 1
        else:
            for each in newest:
                assert each.place < event.place, "events come in order"
                assert event.before == each.after or not each.after.number
            self.counts["events"] += 1

    def trouble(self, error):
        self.counts["logs that did not fit"] += isinstance(error, EventsDoNotFit)

    # -- the chain -----------------------------------------------------------------------------

    def change(self):
        roll = self.chance.random()
        if roll < 0.5:
            self.grow(self.chance.choice([1, 1, 2, 5, 15, 40]))
        elif roll < 0.8:
            self.reorganise()
        elif roll < 0.85 and self.branches:
            self.come_back(self.chance.choice(self.branches))

    def reorganise(self):
        roll = self.chance.random()
        if "deep" not in self.kinds or roll < 0.8:
            self.reorg(self.chance.randint(1, WINDOW), self.chance.randint(0, WINDOW + 5))
        elif roll < 0.9:
            self.reorg(self.chance.randint(WINDOW, 60), self.chance.randint(0, 70))
        else:
            self.counts["other chains"] += 1
            self.chain.begin(self.chance.randint(1, 20))
            self.grow(self.chance.choice([0, 5, 30]))

    def grow(self, blocks):
        for _ in range(blocks):
            game, busy = self.chain.head.game, self.chance.random() < self.busy
            self.chain.mine(list(self.transactions(game)) if busy else [])
        self.highest = max(self.highest, self.chain.head.number)

    @property
    def lowest(self):
        """The block that every reorg keeps: the table's, and unless it may be deep, all that was below the window."""
        return self.chain.deployed if "deep" in self.kinds else max(self.chain.deployed, self.highest - WINDOW)

    def reorg(self, depth, blocks):
        depth = min(depth, self.chain.head.number - self.lowest)
        if depth > 0:
            self.counts["deep reorgs" if depth > WINDOW else "reorgs"] += 1
            self.branches = [*self.branches[-2:], self.chain.blocks[:]]
            self.chain.reorg(depth)
            self.grow(blocks)
        return depth > 0

    def come_back(self, branch):
        shared = sum(one.hash == other.hash for one, other in zip(branch, self.chain.blocks, strict=False))
        if shared > self.lowest:
            self.counts["branches that came back"] += 1
            self.chain.become(branch)
            self.grow(0)

    def transactions(self, game):
        for _ in range(self.chance.choice([0, 0, 0, 1, 1, 2])):
            roll = self.chance.random()
            if game.status != Status.IN_PROGRESS or roll < 0.2:
                step = new_game(*self.chance.choices([X, O, OTHER], k=2))
            elif roll < 0.3:
                step = forfeit
            else:
                step = move(self.chance.choice([cell for cell in range(9) if cell not in game.moves]))
            game = step(game)
            yield step

    # -- the node ------------------------------------------------------------------------------

    def before_answer(self, _method):
        self.counts["questions"] += 1
        if self.happens("failures"):
            # A revert: by some nodes, of a state that they have not got yet.
            reverted = RefusedError("execution reverted", code=3)
            raise self.chance.choice([RefusedError("too busy"), reverted, ConnectionError("closed")])
        if not self.changed and self.happens("changes between two answers"):
            self.changed = True  # until the next poll: otherwise, it may change faster than it is read
            self.reorganise()

    def head(self, params, block):
        if params[0] != "latest":
            return block
        late = self.late_heads < LATE and self.happens("late heads")
        self.late_heads = self.late_heads + 1 if late else 0
        self.counts["longest rows of late heads"] += self.late_heads == LATE
        number = self.chain.head.number - (self.chance.choice(self.late) if late else 0)
        self.shown = max(self.chain.deployed, number)
        return self.chain.blocks[self.shown].json

    def logs(self, params, logs):
        if int(params[0]["toBlock"], 16) - int(params[0]["fromBlock"], 16) >= self.widest:
            self.counts["refused ranges"] += 1
            raise RefusedError("query exceeds max block range")
        logs = self.chance.sample(logs, len(logs))
        if not self.happens("answers without a log"):
            return logs
        newest, shown = self.chain.head.number - self.chance.randint(1, WINDOW), self.chance.choice([0, 0.5, 0.8, 0.8])
        return [log for log in logs if int(log["blockNumber"], 16) <= newest or self.chance.random() < shown]

    def state(self, params, game):
        assert int(params[1], 16) >= self.shown - WINDOW, "few nodes know the state of old blocks"
        return game


def test_story__is_the_chain_s_whatever_happens(clock, whole, print_counts, monkeypatch):
    module = sys.modules["tictactoe.events"]  # the package has a function of this name
    monkeypatch.setattr(module, "WINDOW", WINDOW)
    monkeypatch.setattr(module, "FIRST_RANGE", FIRST_RANGE)
    runs, first = (20 * RUNS, random.SystemRandom().randrange(10**9)) if whole else (RUNS, 0)
    counts = Counter()
    for seed in [SHORTENED, *range(first, first + runs)]:
        machine = Machine(seed, clock)
        try:
            machine.run()
        except BaseException as error:
            error.add_note(f"seed {seed}, kinds {sorted(machine.kinds)}")
            raise
        counts += machine.counts
        clock.slept.clear()
    print_counts(f"{runs:,} runs (1,600 with --whole), the first with seed {first}", counts)
    # Guard against vacuous runs.
    assert set(counts) == COUNTED
    assert min(counts.values()) >= runs // 10, counts
