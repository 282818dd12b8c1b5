"""
The events of a table, in order, through reorgs, late logs and heads, and outages of its node.

Ape's `poll_logs` misses the newest block's logs, stops when the node does, and takes nothing back. Log filters do not
report what a reorg removed. `Follower` tolerates a node that omits logs of the newest `WINDOW` blocks, names an old
head for a while, fails at any question, or changes its chain between two answers. At each new head it reads the newest
`WINDOW` blocks again. Older blocks are settled: it remembers the newest of them, and if that one changes, all events
are read again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, cast

import ape

from tictactoe import errors
from tictactoe.game import STATUSES, ZERO_ADDRESS, Game, mark_of
from tictactoe.node import Block, to_hex, to_number
from tictactoe.table import Table, first_block

if TYPE_CHECKING:
    from ape.types import ContractLog
    from web3.types import FilterParams, LogReceipt

# At each new head, this many of the newest blocks are read again. A deeper reorg causes `Restarted`.
WINDOW = 64
# After this many polls in a row that read nothing new, a lower head is believed, and events that do not fit cause
# `Restarted`.
POLLS = 8
# Blocks in the first query for logs, and in one query at most.
FIRST_RANGE, WIDEST_RANGE = 100, 100_000
# Seconds between two attempts while the node fails.
PAUSE = 1.0


@dataclass(frozen=True)
class Event:
    """
    An event of the contract with the game before and after it, or a notice: `CaughtUp` or `Restarted`.

    `CaughtUp`: everything up to this block has been yielded. `Restarted`: discard everything so far, all events follow
    again. `taken_back`: a reorg undid this event, which was yielded before; the newest is taken back first.
    """

    kind: str
    block: int
    block_hash: str
    transaction: str = ""
    index: int = 0
    fields: Mapping[str, Any] = field(default_factory=dict)  # those of its kind in docs/integrating.md
    # With the number 0, there is no game yet, or it is not known, because it began before `from_block`.
    before: Game = field(default_factory=Game)
    after: Game = field(default_factory=Game)
    taken_back: bool = False

    @property
    def game(self) -> Game:
        """The current game: `before` if the event was taken back, otherwise `after`."""
        return self.before if self.taken_back else self.after

    @property
    def place(self) -> tuple[int, int]:
        return self.block, self.index

    def as_json(self) -> dict[str, object]:
        """The fields of `watch --json`."""
        block = {"block": self.block, "blockHash": self.block_hash}
        if not self.transaction:
            return {"event": self.kind, **block}
        log = {**self.fields, **block, "transaction": self.transaction, "logIndex": self.index}
        return {"event": self.kind, "takenBack": self.taken_back, **log}


class EventsDoNotFit(errors.NodeError):
    """The node left an event out or invented one."""


# A game that began before the first block that was read. It equals `Game()`, so compare it with `is`.
UNKNOWN = Game()


# -- the logs of a table, and the games that they make ---------------------------------


def events_in(table: Table, first: int, last: int) -> list[Event]:
    """The events of these blocks. `before` and `after` are not filled in."""
    node, where = table.node, {"address": table.address, "fromBlock": first, "toBlock": last}

    def read() -> list[Event]:
        raw: Any = node.web3.eth.get_logs(cast("FilterParams", where))
        if not all(log["address"] == table.address and first <= log["blockNumber"] <= last for log in raw):
            raise errors.NodeError("The node returned events that were not asked for.")
        decoded = node.ecosystem.decode_logs(raw, *ape.project.TicTacToe.contract_type.events)
        # Ape skips what is not an event of the contract: then they are not as many.
        return sorted((_event(*each) for each in zip(raw, decoded, strict=True)), key=lambda event: event.place)

    return node.ask(read)


def _event(raw: LogReceipt, decoded: ContractLog) -> Event:
    # Ape's numbers can be compared with amounts of ether, which takes memory.
    fields: dict[str, Any] = {
        name: value if isinstance(value, str) else int(value) for name, value in decoded.event_arguments.items()
    }
    if len(b"".join([*raw["topics"], raw["data"]])) != 32 * (1 + len(fields)):
        # Ape reads missing data as zeros.
        raise ValueError("an event with missing or additional data")
    if decoded.event_name == "MoveMade":
        fields["mark"] = mark_of(fields["sequenceNumber"])
    elif decoded.event_name == "GameEnded":
        fields["status"] = STATUSES[fields["status"]]
        fields["winner"] = None if fields["winner"] == ZERO_ADDRESS else fields["winner"]
    block, index = to_number(raw["blockNumber"]), to_number(raw["logIndex"])
    return Event(decoded.event_name, block, to_hex(raw["blockHash"]), to_hex(raw["transactionHash"]), index, fields)


def _after(before: Game, log: Event) -> Game:
    """The game after this event. Raises if the event does not fit the game before it."""
    fields, number = log.fields, log.fields["gameId"]
    if log.kind == "GameCreated":
        # After a winning or ninth move, only GameEnded may follow: until then, `is_possible` is false.
        fits = before is UNKNOWN or (number == before.number + 1 and before.is_possible)
        after = Game(number, fields["playerX"], fields["playerO"], (), "in_progress")
    elif before is UNKNOWN:
        return UNKNOWN
    elif log.kind == "MoveMade":
        after = replace(before, moves=(*before.moves, fields["row"] * 3 + fields["col"]))
        fits = before.in_progress and before.is_possible and fields["sequenceNumber"] == len(after.moves)
    else:
        after = replace(before, status=fields["status"])
        fits = before.in_progress and after.is_possible
    if not fits or number != after.number:
        before_it = f"game {before.number} with {len(before.moves)} moves"
        problem = f"The node's events do not fit together: after {before_it} comes {log.kind} of game {number}."
        raise EventsDoNotFit(problem)
    return after


# -- what is remembered of it ------------------------------------------------------------


class Follower:
    """What is remembered of a table between two polls. A poll that raises loses nothing."""

    def __init__(self, table: Table, from_block: int | None = None) -> None:
        self.table, self.node, self.from_block = table, table.node, from_block
        self.first = 0  # the first block that is read
        # A notice of the newest block whose logs are not read again, and the events since, which can be taken back.
        self.story: list[Event] = []
        self.heads: list[Block] = []  # each follows the one before; everything was read up to the last
        self.polled: list[int] = []  # the numbers of the last heads in a row that were lower, or did not fit
        self.size = FIRST_RANGE  # blocks to ask for at once

    @property
    def game(self) -> Game:
        """After the last event."""
        return self.story[-1].after if self.story else Game()

    def poll(self, head: Block) -> list[Event] | None:
        """
        The new events up to this head, or, as long as there are many old blocks, those of the next range.

        None if what was yielded does not fit this chain: then all events must be read again.
        """
        if not self.story:
            self._begin(head)
        polled, self.polled = [*self.polled, head.number][-POLLS:], []
        if head == self.heads[-1]:
            return []
        stuck = len(polled) == POLLS
        # `POLLS` lower heads in a row are not all late: believe the highest.
        if self._may_be_late(head) and not (stuck and head.number == max(polled)):
            self.polled = polled
            return []
        try:
            return self._advance(head)
        except EventsDoNotFit:
            # A log is missing now, or was missing when later ones were yielded.
            if stuck:
                return None
            self.polled = polled
            raise

    def _may_be_late(self, head: Block) -> bool:
        """Whether it is lower, and not known to be on another branch."""
        known = {each.number - 1: each.parent for each in self.heads}
        return head.number < self.heads[-1].number and known.get(head.number, head.hash) == head.hash

    def _begin(self, head: Block) -> None:
        self.table.check()
        first = first_block(self.table, head.number) if self.from_block is None else self.from_block
        self.first = max(1, first)  # block 0 has no logs
        if self.first > head.number:
            self.heads = [head]
            return
        before = self.node.block(self.first - 1)
        self._confirm(head)
        game = UNKNOWN if self.from_block else Game()
        self.story, self.heads = [Event("Settled", before.number, before.hash, after=game)], [before]

    def _advance(self, head: Block) -> list[Event] | None:
        """Read up to the head, or one range of old blocks. Until the last answer is there, only `size` changes."""
        old, newest = self.story[0].block, head.number - WINDOW
        end = old + max(self.size, WINDOW)
        last = self.node.block(end) if end < newest else head
        logs = self._read(old + 1, last.number)
        present = {log.block_hash for log in logs}

        def is_there(each: Event) -> bool:
            """A log that is missing proves no reorg. Another block at its height does."""
            if each.block_hash in present:
                return True
            return each.block <= last.number and self.node.block(each.block).hash == each.block_hash

        kept = [*takewhile(is_there, self.story)]
        if not kept or last.number < self.first:
            return None
        settled = self.node.block(max(old, newest)) if last is head else last
        known = UNKNOWN
        if last is head and kept[-1].after is UNKNOWN:
            there = self.node.code(self.table.address, settled.number)
            known = self.table.state(settled.number) if there else Game()
        # If the head has not changed, all answers were about one branch, and about no shorter one, whose newest blocks
        # may be among these.
        self._confirm(head)

        story, places = [*kept], {each.place for each in kept}
        for log in logs:
            if log.place not in places:
                game = known if story[-1].after is UNKNOWN and log.block > settled.number else story[-1].after
                story.append(replace(log, before=game, after=_after(game, log)))
        undone, new = self.story[len(kept) :], story[len(kept) :]
        game = [each.after for each in story if each.block <= settled.number][-1]
        notice = Event("Settled", settled.number, settled.hash, after=known if game is UNKNOWN else game)
        self.story = [notice, *(each for each in story if each.block > settled.number)]
        self.heads = [*self.heads[-WINDOW:], last] if last.parent == self.heads[-1].hash else [last]
        return [replace(each, taken_back=True) for each in reversed(undone)] + new

    def _read(self, first: int, last: int) -> list[Event]:
        """The logs of these blocks, in as many questions as the node needs."""
        logs: list[Event] = []
        while first <= last:
            blocks = min(self.size, last - first + 1)
            try:
                logs += events_in(self.table, first, first + blocks - 1)
            except errors.NodeError as error:
                if not error.too_much or blocks == 1:
                    raise
                self.size = blocks // 2
                continue
            first += blocks
            # Grow slowly: each refusal costs a question.
            self.size = min(self.size + self.size // 4 + 1, WIDEST_RANGE)
        return logs

    def _confirm(self, block: Block) -> None:
        if self.node.block(block.number).hash != block.hash:
            raise errors.NodeError("The chain was reorganised between two answers of the node.", "")


# -- the generator --------------------------------------------------------------------


def events(
    table: Table,
    *,
    from_block: int | None = None,
    follow: bool = True,
    trouble: Callable[[errors.TicTacToeError], object] = lambda _error: None,
    seen: Callable[[Block, int], object] = lambda _head, _read: None,
    sleep: Callable[[float], object] | None = None,
    patience: float | None = None,
) -> Iterator[Event]:
    """
    Yield every event of a table, oldest first, then those to come.

    `from_block` skips earlier events. With `follow=False` the generator ends when it has caught up. Whenever the node
    fails, it calls `trouble` and tries again, for `patience` seconds, by default forever. After each look that
    succeeds, it calls `seen` with the newest block and the number of the last one that was read. It calls `sleep` to
    wait for the next look.
    """
    follower = Follower(table, from_block)
    failing_since, furthest = 0.0, 0
    caught_up = -1  # with this block; -1 before
    while True:
        try:
            head = table.node.block()
            found = follower.poll(head)
        except (errors.NodeError, errors.Reverted) as error:
            failing_since = failing_since or time.monotonic()
            if patience is not None and time.monotonic() - failing_since > patience:
                raise
            trouble(error)
            (sleep or time.sleep)(PAUSE)
            continue
        seen(head, follower.heads[-1].number)
        if found is None:
            yield Event("Restarted", head.number, head.hash, before=follower.game)
            follower, caught_up = Follower(table, from_block), -1
            continue
        yield from found
        last = follower.heads[-1]
        if last.number > furthest or last.number >= head.number:
            # Reading old blocks again is no progress: a log in them may be missing forever.
            failing_since, furthest = 0.0, last.number
        if last.number < head.number:
            continue  # with the next range of old blocks
        if last == head and (caught_up < 0 or caught_up < (from_block or 0) <= head.number):
            caught_up = head.number
            yield Event("CaughtUp", head.number, head.hash, before=follower.game, after=follower.game)
            if not follow:
                return
        (sleep or time.sleep)(table.node.pace)
