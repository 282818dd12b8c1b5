"""What happened at a table between two looks at it."""

from __future__ import annotations

from dataclasses import dataclass

from tictactoe.game import Game, mark_of


@dataclass(frozen=True)
class Move:
    number: int  # from 1
    cell: int

    @property
    def mark(self) -> str:
        return mark_of(self.number)


@dataclass(frozen=True)
class GameAdvanced:
    """The game went on; without moves, it ended by a forfeit."""

    moves: list[Move]


@dataclass(frozen=True)
class MovesReorged:
    """A reorg took back these moves; without moves, only the end of the game."""

    moves: list[Move]


@dataclass(frozen=True)
class GameReorged:
    """A reorg took back this whole game."""

    number: int


@dataclass(frozen=True)
class GameReplaced:
    """A new game was started."""

    old: Game
    new: Game


Change = GameAdvanced | MovesReorged | GameReorged | GameReplaced


def difference(old: Game, new: Game) -> Change | None:
    """What turned the old game into the new one; None if they are equal."""
    if new == old:
        return None
    if (new.number, new.player_x, new.player_o) != (old.number, old.player_x, old.player_o):
        return GameReplaced(old, new) if new.number > old.number else GameReorged(old.number)
    kept = _common(old.moves, new.moves)
    if kept == len(old.moves) and (old.in_progress or new.status == old.status):
        return GameAdvanced(_moves(new, kept))
    return MovesReorged(_moves(old, kept))


def _common(old: tuple[int, ...], new: tuple[int, ...]) -> int:
    """How many moves the two have in common, from the first one on."""
    pairs = zip(old, new, strict=False)
    return next((i for i, (was, now) in enumerate(pairs) if was != now), min(len(old), len(new)))


def _moves(game: Game, first: int) -> list[Move]:
    return [Move(number, cell) for number, cell in enumerate(game.moves, start=1)][first:]
