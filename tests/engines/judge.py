"""What the walk asks of an engine in each position, and whether the engine makes of it what the rules say."""

import gc
import os
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from typing import NamedTuple, Protocol

from tests.conftest import Progress
from tests.rules import layout
from tests.rules.layout import Log, word
from tests.rules.model import Model, Status
from tests.rules.positions import EVERYBODY, MIDDLE, NUMBER, PLAYER_O, PLAYER_X, REASONS, mover, transactions
from tests.support.revm import DEPLOYER, ERROR, GAME_STATE, Place, Refused

Slots = tuple[int, int]
Reply = list[Log] | bytes  # the logs of a message that went through, or what another reverted with

CHUNK = 8  # positions that an engine is given at a time
SIDE_BY_SIDE = min(os.cpu_count() or 1, 4)  # processes that share the positions


class Message(NamedTuple):
    caller: int
    data: bytes
    through_contract: bool = False


DEPLOYING = int(DEPLOYER, 16)
READING = Message(DEPLOYING, GAME_STATE)
IN_THE_MIDDLE = 0xF0  # the address of a contract that passes messages on


@dataclass
class Seen:
    """What came of a position: every reply, and what the two slots and `gameState()` were then."""

    refused: list[Reply]
    standing: tuple[Slots, bytes]  # after all that is refused
    legal: list[tuple[Reply, Slots, bytes]]  # each from the position itself


@dataclass
class Position:
    """A game as it stands in storage, what is sent to it, and what must come of that."""

    game: Model
    slots: Slots
    refused: list[Message]
    legal: list[Message]
    expected: Seen


class Engine(Place, Protocol):
    """One EVM with a table on it. It executes, and knows nothing of what it should make of a position."""

    def explore(self, positions: list[Position]) -> list[Seen]: ...


def all_games() -> list[Model]:
    """Every position that can be reached, each board once, by the rules alone."""
    found: dict[tuple[int, ...], Model] = {}

    def reach(game: Model) -> None:
        if game.board in found:
            return
        found[game.board] = game
        if game.status == Status.IN_PROGRESS:
            for cell in range(9):
                if cell not in game.moves:
                    reach(game.move(mover(game), cell // 3, cell % 3))

    reach(Model(NUMBER, PLAYER_X, PLAYER_O, (), Status.IN_PROGRESS))
    assert len(found) == 5_478
    return list(found.values())


def judge(engines: Sequence[Engine], games: list[Model], progress: Progress, *, one_in: int = 1) -> Counter[str]:
    """Send the walk's transactions to the games, on engines that are all alike and share them; count what came of it.

    For a slow engine `one_in` leaves refusals out: each is sent in one of so many games, and each game gets others
    than the one before. What the rules accept is never left out.
    """
    tally: Counter[str] = Counter()
    positions = (position(game, engines[0], i, one_in) for i, game in enumerate(games))
    gc.freeze()  # or the collector looks at everything that ape keeps, a thousand times
    try:
        with closing(shared(engines, positions)) as explored:
            for done, (asked, seen) in enumerate(explored, 1):
                compare(asked, seen)
                tally.update(REASON_OF[reply] for reply in seen.refused if isinstance(reply, bytes))
                tally["accepted"] += len(seen.legal)
                progress(done)
    finally:
        gc.unfreeze()
    return tally


def position(game: Model, at: Place, index: int = 0, one_in: int = 1) -> Position:
    """A game with what the walk sends to it."""
    refusal = Refused("caller is a contract")
    through = [(Message(caller, data, True), refusal) for data in MIDDLE for caller in EVERYBODY]
    direct = [(Message(caller, data), outcome) for caller, data, outcome in transactions(game, at)]
    slots = layout.storage(game)
    asked = Position(game, slots, [], [], Seen([], (slots, layout.game_state(game)), []))
    for n, (message, outcome) in enumerate([*through, *direct]):
        if isinstance(outcome, Model):
            after = layout.logs(game, outcome), layout.storage(outcome), layout.game_state(outcome)
            asked.legal.append(message)
            asked.expected.legal.append(after)
        elif (n + index) % one_in == 0:
            asked.refused.append(message)
            asked.expected.refused.append(revert_data(outcome.reason))
    return asked


@cache
def revert_data(reason: str) -> bytes:
    """`Error(string)`, of a reason that fits into a word."""
    return bytes.fromhex(ERROR) + word(32) + word(len(reason)) + reason.encode().ljust(32, b"\0")


REASON_OF = {revert_data(reason): reason for reason in REASONS}


def compare(asked: Position, seen: Seen) -> None:
    """Everything, byte by byte; message by message, so that it can be said which."""
    expected = asked.expected
    for message, reply, should in zip(asked.refused, seen.refused, expected.refused, strict=True):
        assert reply == should, (asked.game, message, reply, should)
    assert seen.standing == expected.standing, (asked.game, seen.standing, expected.standing)
    for message, after, should_be in zip(asked.legal, seen.legal, expected.legal, strict=True):
        assert after == should_be, (asked.game, message, after, should_be)


def shared(engines: Sequence[Engine], positions: Iterator[Position]) -> Generator[tuple[Position, Seen]]:
    """In the order of asking. Each engine has a chunk of its own, so that they and the judge work side by side."""
    chunks = iter(lambda: list(islice(positions, CHUNK)), [])
    under_way: deque[tuple[list[Position], Future[list[Seen]]]] = deque()
    with ThreadPoolExecutor(len(engines)) as pool:
        for engine, chunk in zip(cycle(engines), chunks, strict=False):
            done = [under_way.popleft()] if len(under_way) == len(engines) else []
            for _, future in done:
                future.result()  # this engine is free: it goes on before its results are looked at
            under_way.append((chunk, pool.submit(engine.explore, chunk)))
            for asked, future in done:
                yield from zip(asked, future.result(), strict=True)
        for asked, future in under_way:
            yield from zip(asked, future.result(), strict=True)
