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
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any, cast

from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from tictactoe import errors
from tictactoe.game import STATUSES, ZERO_ADDRESS, Game, mark_of
from tictactoe.node import Block, to_hex, to_number
from tictactoe.table import LATE_POLLS, Table, container, first_block

if TYPE_CHECKING:
    from ape.contracts.base import ContractInstance
    from ethpm_types.abi import EventABI
    from web3.types import FilterParams, LogReceipt

# At each new head, this many of the newest blocks are read again. A deeper reorg causes `Restarted`.
WINDOW = 64
# After this many polls in a row, a lower head is believed, and events that do not fit cause `Restarted`.
POLLS = LATE_POLLS + 1
# Blocks in the first query for logs, and in one query at most.
FIRST_RANGE, WIDEST_RANGE = 100, 100_000
# Seconds between two attempts while the node fails: at first, and at most.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 2.0


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
        place: dict[str, object] = {"block": self.block, "blockHash": self.block_hash}
        if not self.transaction:
            return {"event": self.kind} | place
        place |= {"transaction": self.transaction, "logIndex": self.index}
        return {"event": self.kind, "takenBack": self.taken_back} | dict(self.fields) | place


class EventsDoNotFit(errors.NodeError):
    """The node left an event out or invented one."""


class AnotherChainError(Exception):
    """What was yielded does not fit this chain: all its events must be read again."""


# -- the logs of a table, and the games that they make ---------------------------------


def events_in(table: Table, first: int, last: int) -> list[Event]:
    """The events of these blocks. `before` and `after` are not filled in."""
    node, where = table.node, {"address": table.address, "fromBlock": first, "toBlock": last}
    raw = node.ask(lambda: node.web3.eth.get_logs(cast("FilterParams", where)))
    found = node.ask(lambda: sorted(map(_decoded, raw), key=lambda event: event.place))
    wrong_block = found and not first <= found[0].block <= found[-1].block <= last
    if wrong_block or any(log.get("address") != table.address for log in raw):
        raise errors.NodeError("The node returned events that were not asked for.")
    return found


@cache
def _abis() -> dict[bytes, EventABI]:
    return {keccak(text=event.selector): event for event in container().contract_type.events}


def _decoded(raw: LogReceipt) -> Event:
    from eth_abi.abi import decode  # web3's own way to decode a log takes three times as long

    topic, *indexed = raw["topics"]
    event = _abis()[bytes(topic)]
    inputs = sorted(event.inputs, key=lambda each: not each.indexed)
    data = b"".join([*indexed, raw["data"]])
    if len(data) != 32 * len(inputs):
        # Ape makes eth_abi read missing data as zeros.
        raise ValueError("an event with missing or additional data")
    values = zip(inputs, decode([str(each.type) for each in inputs], data), strict=True)
    fields: dict[str, Any] = {
        str(each.name): to_checksum_address(value) if each.type == "address" else value for each, value in values
    }
    if event.name == "MoveMade":
        fields["mark"] = mark_of(fields["sequenceNumber"])
    elif event.name == "GameEnded":
        fields["status"] = STATUSES[fields["status"]]
        fields["winner"] = None if fields["winner"] == ZERO_ADDRESS else fields["winner"]
    block, index = to_number(raw["blockNumber"]), to_number(raw["logIndex"])
    return Event(event.name, block, to_hex(raw["blockHash"]), to_hex(raw["transactionHash"]), index, fields)


def _after(before: Game | None, log: Event) -> Game | None:
    """The game after this event, or None if it is not known. Raises if the event does not fit the game before it."""
    fields, number, game = log.fields, log.fields["gameId"], before or Game()
    if log.kind == "GameCreated":
        # After a winning or ninth move, only GameEnded may follow: until then, `is_possible` is false.
        fits = before is None or (number == game.number + 1 and game.is_possible)
        after = Game(number, fields["playerX"], fields["playerO"], (), "in_progress")
    elif before is None:
        return None
    elif log.kind == "MoveMade":
        after = replace(game, moves=(*game.moves, fields["row"] * 3 + fields["col"]))
        fits = game.in_progress and game.is_possible and fields["sequenceNumber"] == len(after.moves)
    else:
        after = replace(game, status=fields["status"])
        fits = game.in_progress and after.is_possible
    if not fits or number != after.number:
        before_it = f"game {game.number} with {len(game.moves)} moves"
        problem = f"The node's events do not fit together: after {before_it} comes {log.kind} of game {number}."
        raise EventsDoNotFit(problem)
    return after


# -- what is remembered of it ------------------------------------------------------------


class Follower:
    """What is remembered of a table between two polls. A poll that raises loses nothing."""

    def __init__(self, table: Table, from_block: int | None = None) -> None:
        if from_block is not None and from_block < 0:
            raise errors.UsageError(f"There is no block {from_block}: the first one is block 0.")
        self.table, self.node, self.from_block = table, table.node, from_block
        self.first = 0  # the first block that is read
        self.settled: Block | None = None  # the newest block whose logs are not read again; None before the start
        self.last: Block | None = None  # everything was read up to this block
        self.hashes: dict[int, str] = {}  # of `last` and of the blocks before it, as far as they are known
        self.recent: list[Event] = []  # the events after `settled`, which can still be taken back
        self.game: Game | None = None  # after the last event; None if it is not known
        self.lower: list[int] = []  # lower heads that came after `last`
        self.misfits = 0  # polls in a row in which a log did not fit
        self.size = FIRST_RANGE  # blocks to ask for at once
        self.caught_up = False

    def poll(self, head: Block) -> list[Event]:
        """The new events up to this head, or, as long as there are many old blocks, those of the next range."""
        if self.settled is None:
            self.table.check()
            first = first_block(self.table, head.number) if self.from_block is None else self.from_block
            first = max(1, first)  # block 0 has no logs
            if first > head.number:
                return []
            before = self.node.block(first - 1)
            self._confirm(head)
            self.first, self.settled, self.caught_up = first, before, False
            self.game = None if self.from_block else Game()
        if self._is_late(head) or head == self.last:
            return []
        try:
            return self._advance(head, self.settled)
        except EventsDoNotFit as error:
            # A log is missing now, or was missing when later ones were yielded.
            self.misfits += 1
            if self.misfits < POLLS:
                raise
            raise AnotherChainError from error

    def _is_late(self, head: Block) -> bool:
        """A lower head may be late, unless it is known to be on another branch."""
        last = self.last.number if self.last else 0
        if head.number >= last or self.hashes.get(head.number, head.hash) != head.hash:
            self.lower = []
            return False
        # `POLLS` lower heads in a row are not all late: believe the highest.
        self.lower = [*self.lower, head.number][-POLLS:]
        return len(self.lower) < POLLS or head.number < max(self.lower)

    def _advance(self, head: Block, settled: Block) -> list[Event]:
        """Read up to the head, or one range of old blocks. Until the last answer is there, only `size` changes."""
        end = settled.number + max(self.size, WINDOW)
        last = self.node.block(end) if end < head.number - WINDOW else head
        if last.number < max(self.first, settled.number) or not self._has(settled.number, settled.hash):
            raise AnotherChainError
        first = settled.number + 1
        now_settled = self.node.block(max(settled.number, head.number - WINDOW)) if last is head else last
        logs = self._read(first, last.number)
        present = {log.block_hash for log in logs}

        def is_there(each: Event) -> bool:
            """A log that is missing proves no reorg. Another block at its height does."""
            return each.block_hash in present or (each.block <= last.number and self._has(each.block, each.block_hash))

        kept = [*takewhile(is_there, self.recent)]
        settled_game = None
        if self.game is None and last is head:
            number = now_settled.number
            settled_game = self.table.state(number) if self.table.exists(number) else Game()
        # If the last block has not changed, all answers were about one branch.
        self._confirm(last)

        new = [log for log in logs if log.place not in {each.place for each in kept}]
        undone = self.recent[len(kept) :]
        game = undone[0].before if undone else self.game
        for index, log in enumerate(new):
            if game is None and log.block > now_settled.number:
                game = settled_game
            after = _after(game, log)
            new[index] = replace(log, before=game or Game(), after=after or Game())
            game = after
        self.settled, self.game, self.misfits = now_settled, game or settled_game, 0
        self.recent = [each for each in kept + new if each.block > now_settled.number]
        is_next = self.last is not None and last.parent == self.last.hash
        hashes = dict([*self.hashes.items()][-WINDOW:]) if is_next else {last.number - 1: last.parent}
        self.last, self.hashes = last, hashes | {last.number: last.hash}
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

    def _has(self, number: int, block_hash: str) -> bool:
        return self.node.block(number).hash == block_hash

    def _confirm(self, block: Block) -> None:
        if not self._has(block.number, block.hash):
            raise errors.NodeError("The chain was reorganised between two answers of the node.", "")


# -- the generator --------------------------------------------------------------------


def events(
    table: Table | ContractInstance | str,
    *,
    from_block: int | None = None,
    follow: bool = True,
    trouble: Callable[[errors.TicTacToeError], object] = lambda _error: None,
    progress: Callable[[int, int], object] = lambda _done, _blocks: None,
    seen: Callable[[Block], object] = lambda _head: None,
    patience: float | None = None,
) -> Iterator[Event]:
    """
    Yield every event of a table, oldest first, then those to come.

    `table` may be an address, on the network that is connected. `from_block` skips earlier events. With `follow=False`
    the generator ends when it has caught up. If the node fails, it tries again for `patience` seconds, by default
    forever, and in each outage calls `trouble` once for each kind of error. While old blocks are read, it calls
    `progress` with the number of them done, and of all. It calls `seen` with the newest block at each look.
    """
    target = Table(str(getattr(table, "address", table)), getattr(table, "node", None))
    # A generator of its own, so that a wrong argument raises at once.
    return _story(Follower(target, from_block), follow, trouble, progress, seen, patience)


def _story(
    follower: Follower,
    follow: bool,
    trouble: Callable[[errors.TicTacToeError], object],
    progress: Callable[[int, int], object],
    seen: Callable[[Block], object],
    patience: float | None,
) -> Iterator[Event]:
    pause, trouble_since, furthest = FIRST_PAUSE, 0.0, 0
    reported: set[type[errors.TicTacToeError]] = set()
    while True:
        try:
            head = follower.node.block()
            seen(head)
            found = follower.poll(head)
        except AnotherChainError:
            yield Event("Restarted", head.number, head.hash, before=follower.game or Game())
            follower = Follower(follower.table, follower.from_block)
            continue
        except (errors.NodeError, errors.Reverted) as error:
            now = time.monotonic()
            trouble_since = trouble_since or now
            if patience is not None and now - trouble_since > patience:
                raise
            if type(error) not in reported:
                trouble(error)
            reported.add(type(error))
            # An attempt begins with one small question, so it may be made often.
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
            continue
        yield from found
        last = follower.last or head  # nothing is read before `from_block` is mined
        if last.number > furthest or last.number >= head.number:
            # Reading old blocks again is no progress: a log in them may be missing forever.
            pause, trouble_since, furthest = FIRST_PAUSE, 0.0, max(furthest, last.number)
        if last.number < head.number:
            progress(last.number + 1 - follower.first, head.number + 1 - follower.first)
            continue
        reported.clear()
        if last == head and not follower.caught_up:
            follower.caught_up, game = True, follower.game or Game()
            yield Event("CaughtUp", head.number, head.hash, before=game, after=game)
        if follower.caught_up and not follow:
            return
        time.sleep(follower.node.pace or 0.1)
