"""The judge: every position, all that can be sent to it, and the expected outcomes, on any engine.

An engine executes messages without any rules. The model gives the expected outcome of each message, `layout` turns that
into bytes, and `judge` compares them with what the engine did.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, Protocol

from tests.rules import layout
from tests.rules.layout import Log, call
from tests.rules.model import Model, Refused, Status, attempt

PLAYER_X, PLAYER_O, STRANGER = 0xA11CE << 140 | 1, 0xB0B << 148 | 2, 0x57A6 << 144 | 3
EVERYBODY = (PLAYER_X, PLAYER_O, STRANGER)

# A contract that passes each call on to the table. Every engine has it at this address.
FORWARDER = 0xF0

ON_GRID = [(cell // 3, cell % 3) for cell in range(9)]
OFF_GRID = [(3, 0), (0, 3), (2, 3), (3, 2), (3, 3), (4, 1), (1, 4), (85, 0), (0, 85), (255, 2), (2, 255), (255, 255)]

MOVE = "makeMove(uint8,uint8)"
MOVE_IN = "makeMove(uint8,uint8,uint256)"
FORFEIT = "forfeit()"
FORFEIT_IN = "forfeit(uint256)"
NEW_GAME = "newGame(address,address)"
NEW_GAME_OVER = "newGame(address,address,uint256)"
GAME_STATE = call("gameState()")

REASONS = (
    "caller is a contract",
    "player is the zero address",
    "player is a contract",
    "no game in progress",
    "not the current game",
    "not your turn",
    "off the grid",
    "cell is taken",
)

# All positions are of a table's third game, so the numbers before and after it are numbers of games, too.
NUMBER = 3
WRONG_NUMBERS = (1, NUMBER - 1, NUMBER + 1, NUMBER + 2**52, 2**256 - 1)


class Message(NamedTuple):
    """A call to the table. With `through_contract`, the caller signs and the forwarder calls the table."""

    caller: int
    data: bytes
    through_contract: bool = False


class Outcome(NamedTuple):
    """What a message returned, and what the table holds afterwards.

    `gameState()` is not read after a refusal, because a refusal must leave both slots as they are.
    """

    reply: list[Log] | Refused
    slots: tuple[int, int]
    game_state: bytes | None = None


class Engine(Protocol):
    """An EVM with a table at `address`, and the forwarder to it."""

    address: str

    def explore(self, slots: tuple[int, int], messages: Sequence[Message]) -> Iterable[Outcome]:
        """Send each message to a table with these slots, not to what the message before has left."""


# -- what can be sent to a game, and what the rules make of it ------------------

Case = tuple[Message, Model | Refused]


def move(game: Model, caller: int, row: int, col: int, *number: int) -> Case:
    data = call(MOVE_IN if number else MOVE, row, col, *number)
    return Message(caller, data), attempt(game.move, caller, row, col, *number)


def forfeit(game: Model, caller: int, *number: int) -> Case:
    return Message(caller, call(FORFEIT_IN if number else FORFEIT, *number)), attempt(game.forfeit, caller, *number)


def new_game(game: Model, caller: int, x: int, o: int, *number: int) -> Case:
    data = call(NEW_GAME_OVER if number else NEW_GAME, x, o, *number)
    return Message(caller, data), attempt(game.new_game, x, o, *number)


# What the forwarder passes on: also messages that would be refused for another reason.
FORWARDED = [
    *(call(MOVE, row, col) for row, col in ON_GRID + OFF_GRID),
    *(call(MOVE_IN, 1, 1, number) for number in (NUMBER, NUMBER + 1)),
    call(FORFEIT),
    *(call(FORFEIT_IN, number) for number in (NUMBER, NUMBER + 1)),
    call(NEW_GAME, PLAYER_X, PLAYER_O),
    call(NEW_GAME, 0, 0),
    *(call(NEW_GAME_OVER, PLAYER_X, 0, number) for number in (NUMBER, NUMBER + 1)),
]


def everything(game: Model, table: int) -> Iterator[Case]:
    """Everything that can be sent to a game, by both players and a stranger: 355 messages."""
    wrong = WRONG_NUMBERS[sum(game.moves) % len(WRONG_NUMBERS)]
    # Contracts may read, and reading changes nothing.
    yield Message(STRANGER, GAME_STATE, through_contract=True), game
    for caller in EVERYBODY:
        for data in FORWARDED:
            yield Message(caller, data, through_contract=True), Refused("caller is a contract")
        for row, col in ON_GRID + OFF_GRID:
            yield move(game, caller, row, col)
            yield move(game, caller, row, col, NUMBER)
            yield move(game, caller, row, col, wrong)
        yield move(game, caller, 1, 1, 0)
        yield forfeit(game, caller)
        for number in (0, NUMBER, *WRONG_NUMBERS):
            yield forfeit(game, caller, number)
            yield new_game(game, caller, PLAYER_O, PLAYER_X, number)
        # The number is checked before the players are.
        yield new_game(game, caller, 0, table, NUMBER)
        yield new_game(game, caller, 0, table, wrong)
        for x, o in ((PLAYER_X, PLAYER_O), (PLAYER_O, STRANGER), (STRANGER, STRANGER), (0, PLAYER_O), (table, 0)):
            yield new_game(game, caller, x, o)
        for x, o in ((table, PLAYER_O), (PLAYER_X, table)):
            yield Message(caller, call(NEW_GAME, x, o)), Refused("player is a contract")


def moves_and_forfeits(game: Model, _table: int = 0) -> Iterator[Case]:
    """Every move on the grid and every forfeit, by both players and a stranger."""
    for caller in EVERYBODY:
        for row, col in ON_GRID:
            yield move(game, caller, row, col)
        yield move(game, caller, 1, 1, NUMBER)
        yield forfeit(game, caller)
        yield forfeit(game, caller, NUMBER)


# -- positions -----------------------------------------------------------------


@cache
def reachable() -> tuple[Model, ...]:
    """Every position that can be reached without a forfeit, each board once, by the rules alone."""
    found: dict[tuple[int, ...], Model] = {}

    def reach(game: Model) -> None:
        if game.board not in found:
            found[game.board] = game
            for after in continuations(game):
                reach(after)

    reach(Model(NUMBER, PLAYER_X, PLAYER_O, (), Status.IN_PROGRESS))
    return tuple(found.values())


def continuations(game: Model) -> Iterator[Model]:
    """The game after each move that the rules accept."""
    if game.status == Status.IN_PROGRESS:
        for cell, (row, col) in enumerate(ON_GRID):
            if cell not in game.moves:
                yield game.move(game.mover, row, col)


def forfeited(games: Iterable[Model]) -> list[Model]:
    """Each game in progress, forfeited."""
    return [game.forfeit(game.mover) for game in games if game.status == Status.IN_PROGRESS]


# -- the judge -----------------------------------------------------------------


def outcome(before: Model, after: Model | Refused) -> Outcome:
    """What must come of a message that turns one game into the other, or that the rules refuse."""
    if isinstance(after, Refused):
        return Outcome(after, layout.storage(before))
    return Outcome(layout.logs(before, after), layout.storage(after), layout.game_state(after))


def judge(
    engine: Engine,
    games: Iterable[Model],
    *,
    send: Callable[[Model, int], Iterable[Case]] = everything,
) -> Counter[str]:
    """Compare the outcomes of messages to these games with the rules, and count them. The default is everything."""
    tally: Counter[str] = Counter()
    for game in games:
        slots = layout.storage(game)
        cases = list(send(game, int(engine.address, 16)))
        outcomes = engine.explore(slots, [message for message, _ in cases])
        for (message, after), found in zip(cases, outcomes, strict=True):
            # `outcome`, without working out the slots for each refusal
            expected = Outcome(after, slots) if isinstance(after, Refused) else outcome(game, after)
            assert found == expected, f"{game}, {message}: {found}, not {expected}"
            tally[after.reason if isinstance(after, Refused) else "accepted"] += 1
    return tally
