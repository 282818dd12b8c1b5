"""The judge: every position, all that can be sent to it, and the expected outcomes, on any engine.

An engine executes messages without any rules. The model gives the expected outcome of each message, `layout` turns that
into bytes, and `judge` compares them with what the engine did.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
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


class Position(NamedTuple):
    """A game in storage, the messages to send to it, and the outcome that each must have."""

    slots: tuple[int, int]
    messages: list[Message]
    expected: list[Outcome]
    left_out: int  # refusals that are not asked for


class Engine(Protocol):
    """An EVM with a table at `address`, and the forwarder to it."""

    address: str

    def explore(self, position: Position) -> Iterable[Outcome]:
        """Send each message to the position itself, not to what the message before has left."""


Cases = Iterable[tuple[Message, Model | Refused]]


def everything(game: Model, table: int) -> Cases:
    """Everything that can be sent to a game, by both players and a stranger, and what the rules make of it."""
    wrong = WRONG_NUMBERS[sum(game.moves) % len(WRONG_NUMBERS)]
    # Contracts may read, and reading changes nothing.
    yield Message(STRANGER, GAME_STATE, through_contract=True), game
    for caller in EVERYBODY:
        for data in FORWARDED:
            yield Message(caller, data, through_contract=True), Refused("caller is a contract")
        for row, col in ON_GRID + OFF_GRID:
            yield Message(caller, call(MOVE, row, col)), attempt(game.move, caller, row, col)
            for number in (NUMBER, wrong):
                yield Message(caller, call(MOVE_IN, row, col, number)), attempt(game.move, caller, row, col, number)
        yield Message(caller, call(MOVE_IN, 1, 1, 0)), attempt(game.move, caller, 1, 1)
        yield Message(caller, call(FORFEIT)), attempt(game.forfeit, caller)
        for number in (0, NUMBER, *WRONG_NUMBERS):
            yield Message(caller, call(FORFEIT_IN, number)), attempt(game.forfeit, caller, number)
        for number in (0, NUMBER, *WRONG_NUMBERS):
            data = call(NEW_GAME_OVER, PLAYER_O, PLAYER_X, number)
            yield Message(caller, data), attempt(game.new_game, PLAYER_O, PLAYER_X, number)
        # The number is checked before the players are.
        for number in (NUMBER, wrong):
            yield Message(caller, call(NEW_GAME_OVER, 0, table, number)), attempt(game.new_game, 0, table, number)
        for x, o in ((PLAYER_X, PLAYER_O), (PLAYER_O, STRANGER), (STRANGER, STRANGER), (0, PLAYER_O), (table, 0)):
            yield Message(caller, call(NEW_GAME, x, o)), attempt(game.new_game, x, o)
        for x, o in ((table, PLAYER_O), (PLAYER_X, table)):
            yield Message(caller, call(NEW_GAME, x, o)), Refused("player is a contract")


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


def moves_and_forfeits(game: Model, _table: int = 0) -> Cases:
    """Every move on the grid and every forfeit, by both players and a stranger."""
    for caller in EVERYBODY:
        for row, col in ON_GRID:
            yield Message(caller, call(MOVE, row, col)), attempt(game.move, caller, row, col)
        yield Message(caller, call(MOVE_IN, 1, 1, NUMBER)), attempt(game.move, caller, 1, 1, NUMBER)
        yield Message(caller, call(FORFEIT)), attempt(game.forfeit, caller)
        yield Message(caller, call(FORFEIT_IN, NUMBER)), attempt(game.forfeit, caller, NUMBER)


def reachable() -> list[Model]:
    """Every position that can be reached without a forfeit, each board once, by the rules alone."""
    found: dict[tuple[int, ...], Model] = {}

    def reach(game: Model) -> None:
        if game.board not in found:
            found[game.board] = game
            for after in continuations(game):
                reach(after)

    reach(Model(NUMBER, PLAYER_X, PLAYER_O, (), Status.IN_PROGRESS))
    return list(found.values())


def continuations(game: Model) -> Iterator[Model]:
    """The game after each move that the rules accept."""
    if game.status == Status.IN_PROGRESS:
        for cell, (row, col) in enumerate(ON_GRID):
            if cell not in game.moves:
                yield game.move(game.mover, row, col)


def forfeited(games: Iterable[Model]) -> list[Model]:
    """Each game in progress, forfeited."""
    return [game.forfeit(game.mover) for game in games if game.status == Status.IN_PROGRESS]


def outcome(before: Model, after: Model | Refused) -> Outcome:
    """What must come of a message that turns one game into the other, or that the rules refuse."""
    if isinstance(after, Refused):
        return Outcome(after, layout.storage(before))
    return Outcome(layout.logs(before, after), layout.storage(after), layout.game_state(after))


def position_of(game: Model, cases: Cases, index: int = 0, one_in: int = 1) -> Position:
    slots = layout.storage(game)
    messages, expected, left_out = [], [], 0
    for n, (message, after) in enumerate(cases):
        if not isinstance(after, Refused):
            messages.append(message)
            expected.append(outcome(game, after))
        elif (n + index) % one_in == 0:
            messages.append(message)
            expected.append(Outcome(after, slots))
        else:
            left_out += 1
    return Position(slots, messages, expected, left_out)


def judge(
    engine: Engine,
    games: Sequence[Model],
    progress: Callable[[int], None] = lambda _: None,
    *,
    send: Callable[[Model, int], Cases] = everything,
    one_in: int = 1,
) -> Counter[str]:
    """Compare the outcomes of messages to these games with the rules, and count them. By default, everything is sent.

    `one_in` is for slow engines: each refusal is asked for in one of so many games, and each game is asked for others
    than the game before. What the rules accept is always sent.
    """
    tally: Counter[str] = Counter()
    for index, game in enumerate(games):
        position = position_of(game, send(game, int(engine.address, 16)), index, one_in)
        outcomes = engine.explore(position)
        for message, found, expected in zip(position.messages, outcomes, position.expected, strict=True):
            if found != expected:
                raise AssertionError(difference(game, message, found, expected))
            tally[expected.reply.reason if isinstance(expected.reply, Refused) else "accepted"] += 1
        tally["refusals left out"] += position.left_out
        progress(index + 1)
    return tally


def difference(game: Model, message: Message, found: Outcome, expected: Outcome) -> str:
    sender = {PLAYER_X: "X", PLAYER_O: "O", STRANGER: "a stranger"}[message.caller]
    through = " through a contract" * message.through_contract
    return f"moves {game.moves}, {game.status.name}, {sender} sends{through} 0x{message.data.hex()}: " + "; ".join(
        f"{name} is {value!r}, not {right!r}"
        for name, value, right in zip(Outcome._fields, found, expected, strict=True)
        if value != right
    )
