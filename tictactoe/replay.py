"""The rules of the game, applied to its events: a log that cannot follow shows that a node left one out or lied."""

from __future__ import annotations

from dataclasses import replace

from tictactoe.game import Game
from tictactoe.logs import GameCreated, GameEnded, Log, MoveMade


def apply(game: Game, log: Log, any_number: bool = False) -> Game | None:
    """The game after the log; None if it cannot follow this game."""
    fits = log.number == game.number and game.in_progress
    match log:
        # `is_possible`: after a winning or ninth move, only GameEnded may follow.
        case GameCreated() if game.is_possible and (any_number or log.number == game.number + 1):
            after = Game(log.number, log.player_x, log.player_o, (), "in_progress")
            return after if after.is_possible else None
        case MoveMade() if fits and game.is_possible and log.move == len(game.moves) + 1 and log.cell not in game.moves:
            return replace(game, moves=(*game.moves, log.cell)) if log.player == game.player(game.turn) else None
        case GameEnded() if fits:
            after = replace(game, status=log.status)
            return after if after.is_possible and log.winner == after.player(after.winner) else None
        case _:
            return None
