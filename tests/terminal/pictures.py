"""
Draws docs/play.svg and docs/won.svg from games that are really played.

    uv run python -m tests.terminal.pictures
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import ape
from rich.console import Console
from rich.text import Text

from tictactoe import Game, deploy
from tictactoe.terminal.frame import Places, frame
from tictactoe.terminal.view import View

DOCS = Path(__file__).parents[2] / "docs"


def draw_pictures(folder: Path) -> None:
    """On the network that is connected."""
    first, second = ape.accounts.test_accounts[0], ape.accounts.test_accounts[1]
    table = deploy(first)
    contract: Any = table.contract

    def play(number: int, *keys: int) -> Game:
        game = table.state()
        for move, key in enumerate(keys, start=len(game.moves)):
            sender = ape.accounts.test_accounts[(game.player_x, game.player_o)[move % 2]]
            contract.makeMove((key - 1) // 3, (key - 1) % 3, number, sender=sender)
        return table.state()

    players = (first.address, second.address)
    contract.newGame(*players, sender=first)
    _draw(folder / "play.svg", View(play(1, 5, 1, 9, 3, 2), players))
    results = {1: play(1, 8)}
    contract.newGame(second, first, 1, sender=second)
    results[2] = play(2, 1, 2, 5, 3, 9)
    _draw(folder / "won.svg", View(results[2], players, results))


def _draw(path: Path, view: View) -> None:
    screen = Console(record=True, width=80, file=io.StringIO(), force_terminal=True, highlight=False)
    screen.print(Text("\n").join(frame(Places(view), 80, 24, now=0)))
    # A fixed id, and no fonts from elsewhere: the same game gives the same file, and the file needs no network.
    picture = screen.export_svg(title="tic-tac-toe", unique_id="tictactoe")
    path.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL))


if __name__ == "__main__":
    with ape.networks.parse_network_choice("ethereum:local:test"):
        draw_pictures(DOCS)
