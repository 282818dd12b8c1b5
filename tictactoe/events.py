"""
Every event of a table, in order, whatever the chain and the node do in the meantime.

Why not ape's own ways: its `poll_logs` loses the head block's logs and dies with the node; log filters forget what a
reorganisation takes back. This follower asks for the head block and compares its HASH. What changed is read again:
far from the head in ranges of blocks, near it block by block under each block's own hash, so that no answer can belong
to another branch than the one asked about.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import ape

from tictactoe import errors
from tictactoe.game import STATUSES, ZERO_ADDRESS, Game
from tictactoe.node import Block, Node
from tictactoe.table import CONTRACT, Table

if TYPE_CHECKING:
    from web3.types import FilterParams

# Blocks whose events can still be taken back. A deeper reorganisation makes the story begin again.
WINDOW = 64
# Blocks so near the head that they are read one by one, under their hash.
NEAR = 8
# Blocks in one question about logs, to begin with and at most, and logs in one answer that are quite enough.
FIRST_RANGE, WIDEST_RANGE, MANY_LOGS = 100, 100_000, 2_000
# A head that is lower than before is believed after so many looks: a node behind a balancer may only be late.
LOOKS = 3


@dataclass(frozen=True)
class Event:
    """
    One thing that happened at a table.

    `kind` is `GameCreated`, `MoveMade` or `GameEnded`, as in the contract; or one of the follower's own: `CaughtUp`
    when everything so far has been told, and `Restarted` when all that was told is void and the story begins again.
    `taken_back` means that a reorganisation undid this very event, told earlier; the newest comes first.
    `game` is the position after it, `before` the one before it; after a taken-back event `before` is how it stands.
    """

    kind: str
    game: Game
    before: Game
    block: int
    block_hash: str
    transaction: str = ""
    log_index: int = 0
    player: str = ZERO_ADDRESS
    sequence_number: int = 0
    cell: int = 0
    winner: str = ZERO_ADDRESS
    status: str = ""
    game_id: int = 0
    taken_back: bool = False

    def as_json(self) -> dict[str, object]:
        """The fields of `watch --json`; docs/integrating.md says what each means."""
        place: dict[str, object] = {"block": self.block, "blockHash": self.block_hash}
        if self.kind in ("CaughtUp", "Restarted"):
            return {"event": self.kind} | place
        own: dict[str, object] = {"gameId": self.game_id}
        if self.kind == "GameCreated":
            own |= {"playerX": self.game.player_x, "playerO": self.game.player_o}
        elif self.kind == "MoveMade":
            own |= {"player": self.player, "mark": "OX"[self.sequence_number % 2]}
            own |= {"sequenceNumber": self.sequence_number, "row": self.cell // 3, "col": self.cell % 3}
        else:
            own |= {"winner": None if self.winner == ZERO_ADDRESS else self.winner, "status": self.status}
        place |= {"transaction": self.transaction, "logIndex": self.log_index}
        return {"event": self.kind, "takenBack": self.taken_back} | own | place


def events(
    table: Any,
    *,
    from_block: int | None = None,
    follow: bool = True,
    trouble: Callable[[errors.TicTacToeError, float], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
    patience: float | None = None,
) -> Iterator[Event]:
    """
    Yield every event of a table, oldest first, and go on with those to come.

    >>> from ape import networks
    >>> from tictactoe import events
    >>> with networks.parse_network_choice("http://127.0.0.1:8545"):
    ...     for event in events("0x5FbDB2315678afecb367f032d93F642f64180aa3", follow=False):
    ...         print(event.kind, event.game)

    `table` is an address or a contract of ape's, on the network that is connected. `from_block` leaves out what came
    before; by default the story begins with the contract. With `follow=False` it ends once everything is told.
    A node that is away is asked again, for `patience` seconds or for ever; `trouble` is told each time, with the
    seconds until the next try. `progress` is told how far the catching up is: a block, and the last one.
    """
    if not isinstance(table, Table):
        table = Table(str(getattr(table, "address", table)))
    follower = Follower(table, from_block, progress)
    pause, trouble_since = 0.5, 0.0
    while True:
        try:
            yield from follower.news()
            trouble_since, pause = 0.0, 0.5
        except (errors.NodeError, errors.Reverted) as failure:
            now = time.monotonic()
            trouble_since = trouble_since or now
            if patience is not None and now - trouble_since > patience:
                raise
            if trouble is not None:
                trouble(failure, pause)
            time.sleep(pause)
            pause = min(pause * 2, 30.0)
            continue
        if follower.caught_up:
            if not follow:
                return
            time.sleep(follower.node.pace or 0.1)


@cache
def _topic(signature: str) -> bytes:
    from eth_utils.crypto import keccak

    return keccak(text=signature)


class Follower:
    """What `events` remembers between two looks at the chain. Whatever it yields, it has taken note of before."""

    def __init__(self, table: Table, from_block: int | None, progress: Callable[[int, int], None] | None) -> None:
        self.table = table
        self.node: Node = table.node
        self.progress = progress
        self.from_block = from_block
        self.caught_up = False
        self.game = Game()  # after all that was told
        self.unknown = False  # begun in the middle, with a node that keeps no old state
        self.next: int | None = None  # the first block not yet read; nothing before the story has begun
        self.known: dict[int, str] = {}  # hashes of blocks already told of, rising
        self.recent: deque[Event] = deque()  # told, and not yet beyond taking back
        self.range, self.streak, self.lower = FIRST_RANGE, 0, 0
        self.refused = False  # once refused, grow with care

    def news(self) -> Iterator[Event]:
        """Everything that happened since the last time. Ends when there is no more for now."""
        head = self.node.block()
        if self.next is None:
            self._begin(head)
        if self.known:
            number, hash_ = next(reversed(self.known.items()))
            if self.caught_up and (head.number, head.hash) == (number, hash_):
                return
            if head.number < number:
                self.lower += 1
                if self.lower < LOOKS and head.hash == self.known.get(head.number, head.hash):
                    return
            self.lower = 0
            if not (head.number == number + 1 and head.parent == hash_):
                fork = self._fork(head)
                if fork is None:
                    yield from self._start_again(head)
                else:
                    yield from self._take_back(fork)
        told_before = self.caught_up
        self.caught_up = False
        if self.next is not None:
            yield from self._read_far(head)
            if not (yield from self._read_near(head)):
                return  # the head moved to another branch meanwhile: look again
        self.caught_up = True
        if not told_before:
            yield Event("CaughtUp", self.game, self.game, head.number, head.hash)

    # -- where to begin, and where the chain forked -------------------------------

    def _begin(self, head: Block) -> None:
        start = self.from_block if self.from_block is not None else self._birth(head.number)
        if start > head.number + 1:
            return  # what the story is to stand on is not there yet
        if self.from_block is not None and start > 0:
            anchor = self.node.block(start - 1)
            try:
                self.game = self.table.state(start - 1) if self.node.code(self.table.address, start - 1) else Game()
            except errors.TicTacToeError:
                self.unknown = True
            self.known[start - 1] = anchor.hash
        self.next = start

    def _birth(self, head: int) -> int:
        """The block in which the contract appeared. 0 when the node does not remember: then all are read."""
        for deployment in ape.chain.contracts.deployments[CONTRACT]:
            if deployment.address == self.table.address and deployment.transaction_hash:
                try:
                    made = self.node.receipt(deployment.transaction_hash)
                    if made and (made.block == 0 or not self.node.code(self.table.address, made.block - 1)):
                        return made.block
                except errors.TicTacToeError:
                    pass
        try:
            low, high = 0, head
            while low < high:
                middle = (low + high) // 2
                if self.node.code(self.table.address, middle):
                    high = middle
                else:
                    low = middle + 1
            return low
        except errors.TicTacToeError:
            return 0

    def _fork(self, head: Block) -> int | None:
        """The highest block we told of that is still in the chain."""
        for number in reversed(self.known):
            if number <= head.number:
                block = head if number == head.number else self.node.block(number)
                if block.hash == self.known[number]:
                    return number
        return None

    def _take_back(self, fork: int) -> Iterator[Event]:
        undone = []
        while self.recent and self.recent[-1].block > fork:
            undone.append(self.recent.pop())
        for number in [n for n in self.known if n > fork]:
            del self.known[number]
        self.next = fork + 1
        if undone:
            self.game = undone[-1].before
        for event in undone:
            yield replace(event, taken_back=True)

    def _start_again(self, head: Block) -> Iterator[Event]:
        """Deeper than the window: nothing that was told can be relied on."""
        before = self.game
        self.game, self.next, self.caught_up = Game(), None, False
        self.known.clear()
        self.recent.clear()
        self.unknown = False
        self._begin(head)
        yield Event("Restarted", self.game, before, head.number, head.hash)

    # -- reading -------------------------------------------------------------------

    def _read_far(self, head: Block) -> Iterator[Event]:
        """In ranges, up to where reorganisations happen."""
        assert self.next is not None  # noqa: S101 - for mypy; `_begin` has set it
        first = self.next
        while self.next <= head.number - NEAR:
            end = min(self.next + self.range - 1, head.number - NEAR)
            # Its hash comes first: if the branch changes while the logs are read, the next look will notice.
            block = self.node.block(end)
            try:
                logs = self._logs(fromBlock=self.next, toBlock=end)
            except errors.NodeError as failure:
                # Too many blocks or logs for this node, or too slow: ask for less.
                self.range, self.streak, self.refused = max(1, (end - self.next + 1) // 2), 0, True
                if end == self.next or not isinstance(failure, errors.NodeRefused):
                    raise
                continue
            self._adapt(len(logs))
            yield from self._tell(logs, block.number, block.hash)
            if self.progress is not None:
                self.progress(self.next - first, head.number - first)

    def _adapt(self, logs: int) -> None:
        """Ask for more after a while of easy answers, for less after a heavy one: that bounds the memory too."""
        if logs > MANY_LOGS:
            self.range, self.streak = max(1, self.range // 2), 0
            return
        self.streak += 1
        if logs < MANY_LOGS // 2 and self.streak >= (8 if self.refused else 1):
            self.range, self.streak = min(self.range * 2, WIDEST_RANGE), 0

    def _read_near(self, head: Block) -> Generator[Event, None, bool]:
        """Block by block, each under its own hash. Returns whether the head was reached."""
        assert self.next is not None  # noqa: S101 - for mypy
        branch: list[Block] = [head] if head.number >= self.next else []
        while branch and branch[-1].number > self.next:
            branch.append(self.node.block(branch[-1].parent))
        if branch and self.known.get(self.next - 1, branch[-1].parent) != branch[-1].parent:
            return False
        for block in reversed(branch):
            if self.node.embedded:
                # The chain inside the process knows no question by hash, and never changes its mind.
                logs = self._logs(fromBlock=block.number, toBlock=block.number)
            else:
                logs = self._logs(blockHash=block.hash)
            yield from self._tell(logs, block.number, block.hash)
        return True

    def _logs(self, **where: Any) -> list[Event]:
        """The table's events in these blocks, in order, not yet fitted into any game."""
        raw = self.node.logs(cast("FilterParams", {"address": self.table.address, **where}))
        found = self.node.ask(lambda: [event for log in raw if (event := self._decode(log, where)) is not None])
        return sorted(found, key=lambda event: (event.block, event.log_index))

    def _decode(self, log: Any, where: dict[str, Any]) -> Event | None:
        from eth_utils.address import to_checksum_address

        def number(word: bytes) -> int:
            return int.from_bytes(word, "big")

        def address(word: bytes) -> str:
            if len(word) != 32 or any(word[:12]):
                raise ValueError("no address in a log's topic")
            return str(to_checksum_address(word[12:]))

        topics = [bytes(topic) for topic in log["topics"]]
        data = bytes(log["data"])
        block, block_hash = int(log["blockNumber"]), "0x" + bytes(log["blockHash"]).hex()
        asked = where.get("blockHash", block_hash) == block_hash
        if not asked or not where.get("fromBlock", 0) <= block <= where.get("toBlock", block):
            raise ValueError("a log of another block than the one asked for")
        if str(to_checksum_address(log["address"])) != self.table.address:
            raise ValueError("a log of another contract")
        event = Event(
            "",
            Game(),
            Game(),
            block,
            block_hash,
            "0x" + bytes(log["transactionHash"]).hex(),
            int(log["logIndex"]),
            game_id=number(topics[1]),
        )
        words = [number(data[i : i + 32]) for i in range(0, len(data), 32)]
        if topics[0] == _topic("GameCreated(uint256,address,address)"):
            game = Game(event.game_id, address(topics[2]), address(topics[3]), (), "in_progress")
            return replace(event, kind="GameCreated", game=game)
        if topics[0] == _topic("MoveMade(uint256,address,uint8,uint8,uint8)"):
            sequence, row, col = words
            if not (1 <= sequence <= 9 and row <= 2 and col <= 2):
                raise ValueError("a move that no board has")
            cell = row * 3 + col
            return replace(event, kind="MoveMade", player=address(topics[2]), sequence_number=sequence, cell=cell)
        if topics[0] == _topic("GameEnded(uint256,address,uint8)"):
            (status,) = words
            if not 2 <= status < len(STATUSES):
                raise ValueError("an end that no game has")
            return replace(event, kind="GameEnded", winner=address(topics[2]), status=STATUSES[status])
        raise ValueError("an event that this contract does not have")

    def _tell(self, logs: list[Event], end: int, end_hash: str) -> Iterator[Event]:
        """Fit the events into games, take note of it all, and only then tell."""
        told, game, unknown = [], self.game, self.unknown
        for event in logs:
            if event.kind == "GameCreated":
                unknown = False
            after = event.game if unknown else self._after(game, event)
            told.append(replace(event, before=game, game=after))
            game = after
        self.game, self.unknown = game, unknown
        self.next = end + 1
        for event in told:
            self.known[event.block] = event.block_hash
        self.known[end] = end_hash
        self.recent.extend(told)
        self._forget(end - WINDOW)
        yield from told

    def _after(self, game: Game, event: Event) -> Game:
        """The position after the event; if the two do not fit, the node left something out or made something up."""
        fits = event.game_id == game.number and game.in_progress
        if event.kind == "GameCreated":
            if event.game_id == game.number + 1 or (game.number == 0 and self.from_block is not None):
                return event.game
        elif event.kind == "MoveMade":
            fits = fits and event.sequence_number == len(game.moves) + 1 and event.cell not in game.moves
            if fits and event.player == game.player(game.turn):
                return replace(game, moves=(*game.moves, event.cell))
        elif fits:
            return replace(game, status=event.status)
        self._distrust()
        raise errors.EventsDoNotFit(game.number, len(game.moves), event.kind, event.game_id)

    def _distrust(self) -> None:
        """What was read last may be as wrong: read the window again. A known hash that matches nothing says so."""
        last = next(reversed(self.known), None)
        if last is not None and self.recent:
            self.known[last] = ""

    def _forget(self, floor: int) -> None:
        """Keep one block at or below the floor to stand on, and all above; drop events that it has made final."""
        below = [number for number in self.known if number <= floor]
        for number in below[:-1]:
            del self.known[number]
        if below:
            while self.recent and self.recent[0].block <= below[-1]:
                self.recent.popleft()
