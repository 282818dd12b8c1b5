"""A game as the chain tells it: who plays, the cells in the order they were taken, and how it stands."""

from dataclasses import dataclass

NOBODY = "0x" + "0" * 40

# The contract's `status` by number, in the words of the specification.
STATUSES = ("no_game", "in_progress", "x_won", "o_won", "draw", "x_forfeits", "o_forfeits")

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@dataclass(frozen=True)
class Game:
    """One position. Immutable, so that what a reorganisation takes back can be put back."""

    number: int = 0
    x: str = NOBODY
    o: str = NOBODY
    cells: tuple[int, ...] = ()
    status: str = "no_game"

    @property
    def marks(self) -> tuple[str, ...]:
        """X, O or nothing for each of the nine cells."""
        return tuple("XO"[self.cells.index(cell) % 2] if cell in self.cells else "" for cell in range(9))

    @property
    def in_progress(self) -> bool:
        return self.status == "in_progress"

    @property
    def turn(self) -> str:
        """The mark to move, or nothing when nobody is."""
        return "XO"[len(self.cells) % 2] if self.in_progress else ""

    @property
    def winner(self) -> str:
        """The mark that won, by a line or because the other gave up."""
        return {"x_won": "X", "o_forfeits": "X", "o_won": "O", "x_forfeits": "O"}.get(self.status, "")

    @property
    def line(self) -> tuple[int, ...]:
        """The cells of the winning lines; one move can complete two."""
        marks = self.marks
        full = [line for line in LINES if marks[line[0]] and len({marks[cell] for cell in line}) == 1]
        return tuple(sorted({cell for line in full for cell in line}))

    def player(self, mark: str) -> str:
        return {"X": self.x, "O": self.o}.get(mark, NOBODY)

    def seats(self, address: str) -> str:
        """The marks that this address plays: X, O, XO or none."""
        return "".join(mark for mark in "XO" if self.player(mark) == address and address != NOBODY)

    @property
    def result(self) -> str:
        """How it stands, in words for a person."""
        return {
            "no_game": "no game yet",
            "in_progress": f"{self.turn} to move",
            "x_won": "X wins",
            "o_won": "O wins",
            "draw": "a draw",
            "x_forfeits": "O wins: X gave up",
            "o_forfeits": "X wins: O gave up",
        }[self.status]

    def as_json(self) -> dict[str, object]:
        """The fields of `gameState()`, with the status as a word."""
        marks = self.marks
        return {
            "gameId": self.number,
            "playerX": self.x,
            "playerO": self.o,
            "board": ["".join(mark or "." for mark in marks[row : row + 3]) for row in (0, 3, 6)],
            "moves": [cell + 1 for cell in self.cells],
            "turn": self.turn or None,
            "status": self.status,
        }
