"""
Draws docs/play.svg and docs/won.svg.

    uv run python -m tests.terminal.pictures
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tictactoe import Game
from tictactoe.terminal.screen import View, frame, outcome

DOCS = Path(__file__).parents[2] / "docs"
ONE, TWO = "Player 1", "Player 2"


def draw_pictures(folder: Path) -> None:
    playing = Game(1, ONE, TWO, (4, 0, 8, 2, 1), "in_progress")
    _draw(folder / "play.svg", playing, "", "1-9 play  f forfeit  ? help  q quit")
    won = Game(2, TWO, ONE, (0, 1, 4, 2, 8), "x_won")
    _draw(folder / "won.svg", won, f"{ONE}: 1 · {TWO}: 1 · draws: 0", "n next game  s same seats  ? help  q quit")


def _draw(path: Path, game: Game, score: str, keys: str) -> None:
    players = game.player_x, game.player_o
    view = View(game, f"Game {game.number}", players, outcome(game, *players), score, keys=keys)
    screen = Console(record=True, width=80, file=io.StringIO(), force_terminal=True, highlight=False)
    screen.print(Text("\n").join(frame(view, [], "", 80, 24)))
    # A fixed id, and no fonts from elsewhere: the same game gives the same file, and the file needs no network.
    picture = screen.export_svg(title="tic-tac-toe", unique_id="tictactoe")
    path.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL))


if __name__ == "__main__":
    draw_pictures(DOCS)
