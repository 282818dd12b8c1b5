"""
Following a table on a chain that does everything a chain may do, through a node that does everything a node may do.

A run is random: blocks, reorgs, restarts, late heads, missing logs, failures. The sentences that must be true are in
`take`, which sees each event, and in `check`. The constants are small, so that what is rare on a chain happens in every
run.
"""

import random
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace

from tests.library.expected import as_game, keep, replayed
from tests.library.simulation import OTHER, FakeChain, Finished, O, RefusedError, X, forfeit, move, new_game
from tests.rules.model import Model, Status
from tictactoe import Game, events
from tictactoe.events import POLLS

WINDOW, FIRST_RANGE = 6, 4
RUNS, STEPS = 50, 24
LATE = POLLS - 1  # heads in a row

# What may happen in a run, beside blocks and reorgs that are not deeper than the window.
KINDS = ("deep", "late", "omit", "fail", "between", "narrow", "from_block", "stop")

COUNTED = (
    "polls, questions, events, events taken back, checks, reorgs, deep reorgs, branches that came back, other chains, "
    "restarts reported, outages, failures, changes between two answers, late heads, omitted logs, refused ranges, "
    "stops at an event"
)


@dataclass
class Faults:
    """Of the node, during one poll."""

    rate: float = 0  # of answers that fail
    late: int = 0  # blocks by which the head is late
    omit: int = 0  # the newest blocks, whose logs are missing
    some: bool = False  # not all of them
    strike: int = -1  # answers until the chain changes


class Machine:
    """One run. The chain and the faults change between two polls, two events, or two answers."""

    def __init__(self, seed, clock):
        self.chance = chance = random.Random(seed)
        self.clock, self.counts, self.steps = clock, Counter(), STEPS
        self.kinds = {kind for kind in KINDS if chance.random() < 0.6}
        self.chain = FakeChain(deployed=chance.randint(1, 20))
        self.highest = self.chain.head.number
        self.branches = []  # some that were replaced
        self.stories = {}  # by the hash of the block
        self.grow(chance.choice([0, 3, 20, 200]))
        self.from_block = chance.randint(0, self.chain.head.number + 4) if "from_block" in self.kinds else None
        self.widest = chance.choice([1, 3, 10]) if "narrow" in self.kinds else 10**6  # blocks in a query
        self.kept, self.game, self.caught_up = [], Game(), 0  # as the documents say
        self.settling = 0  # polls left until the story is checked
        self.polls_left = 0  # until the next change
        self.outage = 0  # polls left
        self.late_heads = 0  # in a row
        self.asking = False  # between two answers
        self.table = self.chain.table()
        self.chain.before_answer = self.before_answer
        self.chain.lies = {"eth_getBlockByNumber": self.head, "eth_getLogs": self.logs}
        self.arm()

    def run(self):
        self.clock.on_sleep = lambda _slept: self.between_polls()
        with suppress(Finished):
            for event in events(self.table, from_block=self.from_block):
                self.take(event)
                if "stop" in self.kinds and not self.settling and self.chance.random() < 0.1:
                    self.counts["stops at an event"] += 1
                    self.change()

    def between_polls(self):
        self.counts["polls"] += 1
        if self.settling:
            self.settling -= 1
            if self.settling:
                return
            self.check()
        if self.polls_left:
            self.polls_left -= 1
            self.arm()
        elif not self.steps:
            raise Finished
        else:
            self.steps -= 1
            if self.chance.random() < 0.3:
                self.faults, self.outage, self.late_heads = Faults(), 0, 0
                self.grow(1)
                self.settling = LATE + 1
            else:
                self.change()
                self.polls_left = self.chance.randint(0, 3)
                self.arm()

    # -- what must be true -------------------------------------------------------------------

    def take(self, event):
        before, self.game, newest = self.game, event.game, self.kept[-1:]
        keep(self.kept, event)
        if event.kind == "Restarted":
            assert (event.before, event.after) == (before, Game())
            assert self.kinds & {"deep", "omit", "from_block"}, "it restarts without a reason"
            self.caught_up = 0
            self.counts["restarts reported"] += 1
        elif event.kind == "CaughtUp":
            self.caught_up += 1
            # Also before `from_block` is mined.
            assert self.caught_up <= (1 if self.from_block is None else 2), "it catches up once"
        elif event.taken_back:
            assert event.block_hash in self.chain.removed, "what is in the chain is not taken back"
            self.counts["events taken back"] += 1
        else:
            for each in newest:
                assert (each.block, each.index) < (event.block, event.index), "events come in order"
                assert event.before == each.after or self.is_unknown(each.after)
            self.counts["events"] += 1

    def check(self):
        """After one block more and eight polls without trouble, what was kept is the chain's story."""
        self.counts["checks"] += 1
        story = [each for block in self.chain.blocks[self.from_block or 0 :] for each in self.story(block)]
        for event, each in zip(self.kept, story, strict=True):
            before = event.before if self.is_unknown(event.before) else each.before
            after = event.after if self.is_unknown(event.after) else each.after
            assert event == replace(each, before=before, after=after)
        if self.chain.head.number >= (self.from_block or 0):
            assert self.game == as_game(self.chain.head.game)

    def is_unknown(self, game):
        """Games that began before `from_block` are, until the newest blocks are read."""
        return bool(self.from_block) and not game.number

    def story(self, block):
        if block.hash not in self.stories:
            before = self.chain.blocks[block.number - 1].game if block.number else Model()
            self.stories[block.hash] = replayed(block.logs, as_game(before))
        return self.stories[block.hash]

    # -- the chain -----------------------------------------------------------------------------

    def change(self):
        roll = self.chance.random()
        if roll < 0.5:
            self.grow(self.chance.choice([1, 1, 2, 5, 15, 90]))
        elif roll < 0.75:
            self.reorg(self.chance.randint(1, WINDOW), self.chance.randint(0, WINDOW + 5))
        elif roll < 0.78 and "deep" in self.kinds:
            self.reorg(self.chance.randint(WINDOW, 130), self.chance.randint(0, 140))
        elif roll < 0.81 and "deep" in self.kinds:
            self.counts["other chains"] += 1
            self.chain.begin(self.chance.randint(1, 20))
            self.grow(self.chance.choice([0, 5, 30]))
        elif roll < 0.84 and self.branches and not self.asking:
            self.come_back(self.chance.choice(self.branches))

    def grow(self, blocks):
        for _ in range(blocks):
            self.chain.mine(list(self.transactions(self.chain.head.game)))
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

    def come_back(self, branch):
        both = zip(branch, self.chain.blocks, strict=False)
        if next((one.number for one, other in both if one.hash != other.hash), 0) > self.lowest:
            self.counts["branches that came back"] += 1
            self.chain.become(branch)
            self.highest = max(self.highest, self.chain.head.number)

    def transactions(self, game):
        for _ in range(self.chance.choice([0, 0, 0, 1, 1, 2])):
            roll = self.chance.random()
            if game.status != Status.IN_PROGRESS or roll < 0.03:
                step = new_game(*self.chance.choices([X, O, OTHER], k=2))
            elif roll < 0.06:
                step = forfeit
            else:
                step = move(self.chance.choice([cell for cell in range(9) if cell not in game.moves]))
            game = step(game)
            yield step

    # -- the node ------------------------------------------------------------------------------

    def arm(self):
        """The faults of the next poll."""
        chance, kinds = self.chance, self.kinds
        self.outage = max(0, self.outage - 1)
        self.faults = faults = Faults()
        if "fail" in kinds:
            faults.rate = chance.choice([0, 0, 0.1, 0.3])
            if chance.random() < 0.03:
                self.outage = chance.randint(1, 12)
                self.counts["outages"] += 1
        if "late" in kinds and chance.random() < 0.5:
            faults.late = chance.choice([1, 2, 3, WINDOW + 2])
        if "omit" in kinds and chance.random() < 0.5:
            faults.omit, faults.some = chance.randint(1, WINDOW), chance.random() < 0.5
        if "between" in kinds and chance.random() < 0.5:
            faults.strike = chance.randint(0, chance.choice([12, 100]))

    def before_answer(self, _method):
        self.counts["questions"] += 1
        if self.outage or self.chance.random() < self.faults.rate:
            self.counts["failures"] += 1
            reverted = RefusedError(
                "execution reverted", code=3
            )  # by some nodes, of a state that they have not got yet
            raise self.chance.choice([RefusedError("too busy"), reverted, ConnectionError("closed")])
        if self.faults.strike == 0:
            self.counts["changes between two answers"] += 1
            self.asking = True
            self.change()
            self.asking = False
        self.faults.strike -= 1

    def head(self, params, block):
        if params[0] != "latest":
            return block
        if not self.faults.late or self.late_heads == LATE:
            self.late_heads = 0
            return block
        self.late_heads += 1
        self.counts["late heads"] += 1
        return self.chain.blocks[max(self.chain.deployed, self.chain.head.number - self.faults.late)].json

    def logs(self, params, logs):
        if int(params[0]["toBlock"], 16) - int(params[0]["fromBlock"], 16) >= self.widest:
            self.counts["refused ranges"] += 1
            raise RefusedError("query exceeds max block range")
        newest, some = self.chain.head.number - self.faults.omit, self.faults.some
        shown = [log for log in logs if int(log["blockNumber"], 16) <= newest or (some and self.chance.random() < 0.5)]
        self.counts["omitted logs"] += len(logs) - len(shown)
        self.chance.shuffle(shown)
        return shown


def test_story__is_the_chain_s_whatever_happens(clock, whole, printer, monkeypatch):
    module = sys.modules["tictactoe.events"]  # the package has a function of this name
    monkeypatch.setattr(module, "WINDOW", WINDOW)
    monkeypatch.setattr(module, "FIRST_RANGE", FIRST_RANGE)
    runs, first = (20 * RUNS, random.SystemRandom().randrange(10**9)) if whole else (RUNS, 0)
    counts = Counter()
    for seed in range(first, first + runs):
        machine = Machine(seed, clock)
        try:
            machine.run()
        except BaseException as error:
            error.add_note(f"seed {seed}, kinds {sorted(machine.kinds)}")
            raise
        counts += machine.counts
        clock.slept.clear()
    printer.counts(f"{runs:,} runs (1,000 with --whole), the first with seed {first}", counts)
    # Guard against vacuous runs.
    assert set(counts) == set(COUNTED.split(", "))
    assert min(counts.values()) >= runs // 10, counts
