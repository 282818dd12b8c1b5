"""A game as the contract returns it: its players, its moves in order, its status. Nothing here asks a node."""

from dataclasses import dataclass, replace

ZERO_ADDRESS = "0x" + "0" * 40

# The contract's `status` by number.
STATUSES = ("no_game", "in_progress", "x_won", "o_won", "draw", "x_forfeits", "o_forfeits")

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def mark_of(move: int) -> str:
    """The mark of a game's n-th move, counted from 1: X moves first."""
    return "OX"[move % 2]


@dataclass(frozen=True)
class Game:
    """One game at a table, after some number of moves. Immutable, so a reorg can restore an earlier one."""

    number: int = 0
    player_x: str = ZERO_ADDRESS
    player_o: str = ZERO_ADDRESS
    # The cells, 0 to 8, in the order they were taken.
    moves: tuple[int, ...] = ()
    status: str = "no_game"

    @property
    def marks(self) -> tuple[str, ...]:
        """X, O or an empty string for each of the nine cells."""
        taken = {cell: mark_of(move) for move, cell in enumerate(self.moves, start=1)}
        return tuple(taken.get(cell, "") for cell in range(9))

    @property
    def in_progress(self) -> bool:
        return self.status == "in_progress"

    @property
    def over(self) -> bool:
        return self.status not in ("no_game", "in_progress")

    @property
    def turn(self) -> str:
        """The mark to move; empty before the first game and once the game is over."""
        return mark_of(len(self.moves) + 1) if self.in_progress else ""

    @property
    def winner(self) -> str:
        """The mark that won, by a line or because the other player forfeited."""
        return {"x_won": "X", "o_forfeits": "X", "o_won": "O", "x_forfeits": "O"}.get(self.status, "")

    @property
    def line(self) -> tuple[int, ...]:
        """The cells of the winning lines; one move can complete two."""
        marks = self.marks
        full = [line for line in LINES if marks[line[0]] and len({marks[cell] for cell in line}) == 1]
        return tuple(sorted({cell for line in full for cell in line}))

    @property
    def is_possible(self) -> bool:
        """Whether the contract can hold this game: its moves are legal, and its status fits them."""
        if self.status == "no_game":
            return self == Game()
        if self.number < 1 or ZERO_ADDRESS in (self.player_x, self.player_o):
            return False
        if len(set(self.moves)) != len(self.moves) or not set(self.moves) <= set(range(9)):
            return False
        if self.moves and replace(self, moves=self.moves[:-1]).line:
            return False
        if self.line:
            return self.status == f"{mark_of(len(self.moves)).lower()}_won"
        if len(self.moves) == 9:
            return self.status == "draw"
        return self.status in ("in_progress", f"{mark_of(len(self.moves) + 1).lower()}_forfeits")

    def player(self, mark: str) -> str:
        return {"X": self.player_x, "O": self.player_o}.get(mark, ZERO_ADDRESS)
