"""
Every event of a table, in order, whatever the chain and the node do in the meantime.

The two usual tools are not enough. ape's `poll_logs` misses the head block's logs and stops when the node
disconnects. Log filters do not report logs that a reorg removed. The follower asks for the head block and compares
its hash with that of the newest block that it has read. If the hash is new, it reads every block after the last one
that the old and the new branch share. Old blocks are read in ranges. The newest `NEAR` blocks are read one at a time
by hash, so their logs belong to the head's branch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from tictactoe import errors
from tictactoe.game import Game
from tictactoe.logs import GameCreated, Log, LogReader
from tictactoe.node import Block
from tictactoe.replay import apply
from tictactoe.table import Table, first_block
from tictactoe.trail import POLLS, Lateness, Trail

# Blocks whose events can still be taken back. After a deeper reorg everything is read again.
WINDOW = 64
# The newest blocks are read one at a time, by hash.
NEAR = 8
# Blocks in the first query for logs.
FIRST_RANGE = 100
# Blocks in one query at most.
WIDEST_RANGE = 100_000
# After an answer with more logs than this, ask for fewer blocks.
MANY_LOGS = 2_000


@dataclass(frozen=True)
class Notice:
    """
    What the follower itself reports.

    `CaughtUp`: everything up to this block has been yielded. `Restarted`: discard everything so far, because a reorg
    went deeper than the window; all events follow again.
    """

    kind: Literal["CaughtUp", "Restarted"]
    block: int
    block_hash: str


@dataclass(frozen=True)
class Event:
    """
    One event of a table: the log, and the game before and after it.

    `taken_back` means that a reorg undid an event that was yielded before; the newest is taken back first.
    """

    log: Log | Notice
    before: Game
    after: Game
    taken_back: bool = False

    @property
    def kind(self) -> str:
        """`GameCreated`, `MoveMade`, `GameEnded`, `CaughtUp` or `Restarted`."""
        return self.log.kind

    @property
    def game(self) -> Game:
        """The current game: `before` if the event was taken back, otherwise `after`."""
        return self.before if self.taken_back else self.after

    def as_json(self) -> dict[str, object]:
        """The fields of `watch --json`, as in docs/integrating.md. `logs.py` has those of each kind of event."""
        log = self.log
        place: dict[str, object] = {"block": log.block, "blockHash": log.block_hash}
        if isinstance(log, Notice):
            return {"event": log.kind} | place
        place |= {"transaction": log.transaction, "logIndex": log.index}
        return {"event": log.kind, "takenBack": self.taken_back, "gameId": log.number} | log.json_fields | place


class Follower:
    """
    What `events` remembers between two polls.

    State is updated before anything is yielded, so a consumer may stop at any event.
    """

    def __init__(
        self,
        table: Table,
        from_block: int | None = None,
        progress: Callable[[int, int], None] | None = None,
        seen: Callable[[Block], None] | None = None,
    ) -> None:
        self.table = table
        self.node = table.node
        self.reader = LogReader(table)
        self.from_block = from_block
        self.progress = progress
        self.seen = seen
        self.caught_up = False
        self.game = Game()  # after the last event
        self.game_unknown = False  # started in the middle of a game, with a node that keeps no old state
        self.next: int | None = None  # the first block not read yet; None before the start
        self.trail = Trail()
        self.recent: deque[Event] = deque()  # the events that can still be taken back
        self.reread = False  # a log contradicted the game: read the newest block again
        self.ranges = Ranges()
        self.lateness = Lateness()
        self.unsettled_polls = 0  # polls in a row during which the head moved to another branch before it was read

    def new_events(self) -> Iterator[Event]:
        """Everything since the last call. Ends when there is no more for now."""
        head = self.node.block()
        if self.seen is not None:
            self.seen(head)
        if self.next is None:
            self._start(head)
        # A lower head may just mean that the node lags; a different hash at that height is a reorg.
        if self.lateness.is_late(head.number, self.trail.newest) and self.trail.has(head.number, head.hash):
            return
        if self.caught_up and self.trail.ends_with(head):
            return
        if self.trail and (self.reread or not self.trail.continues_with(head)):
            yield from self._rewind(head)
        was_caught_up, self.caught_up = self.caught_up, False
        if self.next is not None:
            yield from self._read_far(head)
            if not (yield from self._read_near(head)):
                # The head has moved to another branch meanwhile: the next poll will notice.
                self.unsettled_polls += 1
                if self.unsettled_polls >= POLLS:
                    raise errors.HeadUnsettled()
                return
        self.unsettled_polls = 0
        self.caught_up = True
        if not was_caught_up:
            yield Event(Notice("CaughtUp", head.number, head.hash), self.game, self.game)

    # -- where to start, and where the chain forked --------------------------------

    def _start(self, head: Block) -> None:
        if not self.node.code(self.table.address):
            raise errors.NoContract(self.node, self.table.address)
        start = first_block(self.table, head.number) if self.from_block is None else self.from_block
        if start > head.number + 1:
            return  # the block before `start` is not mined yet
        if self.from_block is not None and start > 0:
            before = self.node.block(start - 1)
            try:
                self.game = self.table.state(before.number) if self.table.exists(before.number) else Game()
            except errors.TicTacToeError:
                self.game_unknown = True
            self.trail.add(before.number, before.hash)
        self.next = start

    def _rewind(self, head: Block) -> Iterator[Event]:
        """Take back what is no longer in the chain."""
        self.reread = False
        fork = self.trail.fork(head, lambda number: self.node.block(number).hash)
        if fork is None:
            yield from self._restart(head)
            return
        undone = []
        while self.recent and self.recent[-1].log.block > fork:
            undone.append(self.recent.pop())
        self.trail.cut(fork)
        self.next = fork + 1
        if undone:
            self.game = undone[-1].before
        for event in undone:
            yield replace(event, taken_back=True)

    def _restart(self, head: Block) -> Iterator[Event]:
        """The reorg is deeper than the window: no event yielded so far can be relied on."""
        before = self.game
        self.game, self.game_unknown, self.next, self.caught_up = Game(), False, None, False
        self.trail = Trail()
        self.recent.clear()
        self._start(head)
        yield Event(Notice("Restarted", head.number, head.hash), before, self.game)

    # -- reading ---------------------------------------------------------------------

    def _read_far(self, head: Block) -> Iterator[Event]:
        """Read the old blocks in ranges: all but the newest `NEAR`."""
        first = self.next or 0
        while (start := self.next or 0) <= head.number - NEAR:
            end = min(start + self.ranges.size - 1, head.number - NEAR)
            # Read block `end` before the logs of the range: if the branch changes in between, the next poll notices.
            block = self.node.block(end)
            try:
                logs = self.reader.in_range(start, end)
            except errors.NodeError as error:
                # Too many blocks or logs for this node, or too slow: ask for less.
                self.ranges.shrink(end - start + 1)
                if end == start or not error.too_much:
                    raise
                continue
            self.ranges.adapt(len(logs))
            yield from self._record(logs, block)
            if self.progress is not None:
                self.progress(block.number + 1 - first, head.number - first)

    def _read_near(self, head: Block) -> Generator[Event, None, bool]:
        """Read block by block, and ask for the logs of each by its hash. Returns whether the head was reached."""
        first = self.next or 0
        branch = [head] if head.number >= first else []
        while branch and branch[-1].number > first:
            parent = self.node.block(branch[-1].parent)
            if parent.number != branch[-1].number - 1:
                # Without this check, a hostile node could keep the loop running forever.
                raise errors.ContradictoryAnswer(f"block {parent.number} as the parent of block {branch[-1].number}")
            branch.append(parent)
        if branch and not self.trail.has(first - 1, branch[-1].parent):
            return False
        for block in reversed(branch):
            yield from self._record(self.reader.in_block(block), block)
        return True

    def _record(self, logs: list[Log], end: Block) -> Iterator[Event]:
        """Fit the logs into games, remember the result, and only then yield it."""
        found, game, unknown = [], self.game, self.game_unknown
        for log in logs:
            unknown = unknown and not isinstance(log, GameCreated)
            after = game if unknown else self._after(game, log)
            found.append(Event(log, game, after))
            game = after
        self.game, self.game_unknown, self.next = game, unknown, end.number + 1
        for log in logs:
            self.trail.add(log.block, log.block_hash)
        self.trail.add(end.number, end.hash)
        self.recent.extend(found)
        oldest_kept = self.trail.forget_below(end.number - WINDOW)
        while oldest_kept is not None and self.recent and self.recent[0].log.block <= oldest_kept:
            self.recent.popleft()
        yield from found

    def _after(self, game: Game, log: Log) -> Game:
        """The game after the log. If the log does not fit the game, the node left one out or made one up."""
        # If we start at `from_block`, the first game seen may have any number.
        after = apply(game, log, any_number=game.number == 0 and self.from_block is not None)
        if after is None:
            if self.recent:
                # The mistake may be in the block before this one: read both again.
                self.trail.cut(self.trail.newest - 1)
                self.reread = True
            raise errors.EventsDoNotFit(game.number, len(game.moves), log.kind, log.number)
        return after


class Ranges:
    """How many blocks to ask for at once."""

    def __init__(self) -> None:
        self.size = FIRST_RANGE
        self._easy_answers = 0  # in a row
        self._refused = False

    def shrink(self, refused: int) -> None:
        """The node refused this many blocks."""
        self.size, self._easy_answers, self._refused = max(1, refused // 2), 0, True

    def adapt(self, logs: int) -> None:
        """Double the range after small answers, halve it after a large one; this also bounds memory."""
        if logs > MANY_LOGS:
            self.size, self._easy_answers = max(1, self.size // 2), 0
            return
        self._easy_answers += 1
        # Once refused, grow with care.
        if logs < MANY_LOGS // 2 and self._easy_answers >= (8 if self._refused else 1):
            self.size, self._easy_answers = min(self.size * 2, WIDEST_RANGE), 0
