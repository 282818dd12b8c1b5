"""The rules in plain Python, written from the specification alone.

Nothing here knows how the contract stores or computes anything: the board is a tuple, a line is a tuple of cells, and a
player is an address as a number.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property

EMPTY, X, O = 0, 1, 2

LINES = (
    (0, 1, 2),
    (3, 4, 5),
    (6, 7, 8),
    (0, 3, 6),
    (1, 4, 7),
    (2, 5, 8),
    (0, 4, 8),
    (2, 4, 6),
)


class Status(IntEnum):
    NO_GAME = 0
    IN_PROGRESS = 1
    X_WON = 2
    O_WON = 3
    DRAW = 4
    X_FORFEITS = 5
    O_FORFEITS = 6


@dataclass(unsafe_hash=True)
class Refused(Exception):  # noqa: N818 - tests compare it as a value, too
    """A refused transaction. The reason is empty where the contract gives none."""

    reason: str


@dataclass(frozen=True)
class Model:
    """The current game of a table. It is immutable: a transaction that the rules accept makes another one."""

    number: int = 0
    player_x: int = 0
    player_o: int = 0
    moves: tuple[int, ...] = ()  # the cells, in the order they were taken
    status: Status = Status.NO_GAME

    @cached_property
    def board(self) -> tuple[int, ...]:
        marks = [EMPTY] * 9
        for i, cell in enumerate(self.moves):
            marks[cell] = X if i % 2 == 0 else O
        return tuple(marks)

    @cached_property
    def current_player(self) -> int:
        """The mark to move; after the end the mark that ended the game."""
        match self.status:
            case Status.NO_GAME:
                return EMPTY
            case Status.X_WON | Status.X_FORFEITS:
                return X
            case Status.O_WON | Status.O_FORFEITS:
                return O
            case Status.DRAW:
                return X  # the ninth mark is always X's
            case Status.IN_PROGRESS:
                return X if len(self.moves) % 2 == 0 else O

    @property
    def mover(self) -> int:
        """The player of that mark."""
        return self.player_x if self.current_player == X else self.player_o

    @property
    def winner(self) -> int:
        """The player who won, by a line or because the other one forfeited; 0 for none."""
        match self.status:
            case Status.X_WON | Status.O_FORFEITS:
                return self.player_x
            case Status.O_WON | Status.X_FORFEITS:
                return self.player_o
            case _:
                return 0

    def new_game(self, player_x: int, player_o: int, number: int = 0) -> "Model":
        self._check_number(number)
        if 0 in (player_x, player_o):
            raise Refused("player is the zero address")
        return Model(self.number + 1, player_x, player_o, (), Status.IN_PROGRESS)

    def move(self, caller: int, row: int, col: int, number: int = 0) -> "Model":
        self._check_turn(caller, number)
        if not (0 <= row <= 2 and 0 <= col <= 2):
            raise Refused("off the grid")
        cell = row * 3 + col
        if self.board[cell] != EMPTY:
            raise Refused("cell is taken")
        mark = self.current_player
        after = replace(self, moves=(*self.moves, cell))
        if any(all(after.board[c] == mark for c in line) for line in LINES):
            return replace(after, status=Status.X_WON if mark == X else Status.O_WON)
        if EMPTY not in after.board:
            return replace(after, status=Status.DRAW)
        return after

    def forfeit(self, caller: int, number: int = 0) -> "Model":
        self._check_turn(caller, number)
        return replace(self, status=Status.X_FORFEITS if self.current_player == X else Status.O_FORFEITS)

    def _check_turn(self, caller: int, number: int) -> None:
        if self.status != Status.IN_PROGRESS:
            raise Refused("no game in progress")
        self._check_number(number)
        if caller != self.mover:
            raise Refused("not your turn")

    def _check_number(self, number: int) -> None:
        if number not in (0, self.number):
            raise Refused("not the current game")


def attempt(rule: Callable[..., Model], *arguments: int) -> Model | Refused:
    """The game that a rule makes, or the refusal: `attempt(game.move, caller, row, col)`."""
    try:
        return rule(*arguments)
    except Refused as refused:
        # A traceback would keep its frames, and the judge would take a third longer.
        return refused.with_traceback(None)
