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

from tictactoe import Table, deploy
from tictactoe.terminal.board import position
from tictactoe.terminal.text import result

DOCS = Path(__file__).parents[2] / "docs"


def draw_pictures(folder: Path) -> None:
    """On the network that is connected."""
    first, second = ape.accounts.test_accounts[0], ape.accounts.test_accounts[1]
    table = deploy(first)
    contract: Any = table.contract

    def play(number: int, *keys: int) -> None:
        game = table.state()
        for move, key in enumerate(keys, start=len(game.moves)):
            sender = ape.accounts.test_accounts[(game.player_x, game.player_o)[move % 2]]
            contract.makeMove((key - 1) // 3, (key - 1) % 3, number, sender=sender)

    contract.newGame(first, second, sender=first)
    play(1, 5, 1, 9, 3, 2)
    _draw(table, folder / "play.svg")
    play(1, 8)
    contract.newGame(second, first, 1, sender=second)
    play(2, 1, 2, 5, 3, 9)
    _draw(table, folder / "won.svg", "0x7099…79C8 1 · 0xf39F…2266 0 · draws 0")


def _draw(table: Table, path: Path, score: str = "") -> None:
    screen = Console(record=True, width=78, file=io.StringIO(), force_terminal=True, highlight=False)
    screen.print("$ uv run ape run play", style="bold")
    game = table.state()
    screen.print(position(game, screen, score=score))
    screen.print(f"{game.turn}, your move (1-9, ? for help):" if game.in_progress else f"{result(game)}.")
    # A fixed id, and no fonts from elsewhere: the same game gives the same file, and the file needs no network.
    picture = screen.export_svg(title="tic-tac-toe", unique_id="tictactoe")
    path.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL))


if __name__ == "__main__":
    with ape.networks.parse_network_choice("ethereum:local:test"):
        draw_pictures(DOCS)
