"""
Plays, and draws docs/play.svg and docs/won.svg.

    uv run python -m tests.terminal.pictures
"""

import io
import re

from rich.console import Console
from rich.text import Text

from tests.support import wait_until
from tests.support.commands import ROOT, Command


def draw_pictures(folder):
    with Command("play") as play:
        play.sees("Player 1 to move")
        draw(play, "5 X5 1 O1 9 X9 3 O3 2 X2", folder / "play.svg")
        draw(play, "4 O4 8 * n !* 1 X1 2 O2 5 X5 3 O3 9 X9", folder / "won.svg")


def draw(play, script, path):
    """What the window shows after these keys, each with what is seen then."""
    words = script.split()
    play.plays(*zip(words[::2], words[1::2], strict=True))

    def drawn():
        """Between the move to the first cell and the title."""
        last, title, _ = play.out.rpartition("\x1b[H")[2].partition("\x1b]0;")
        return title and last

    screen = Console(record=True, width=80, file=io.StringIO(), force_terminal=True, highlight=False)
    screen.print(Text.from_ansi(wait_until(drawn, lambda: play.text)))
    # A fixed id, and no fonts from elsewhere: the same game gives the same file, and the file needs no network.
    picture = screen.export_svg(title="tic-tac-toe", unique_id="tictactoe")
    path.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL))


if __name__ == "__main__":
    draw_pictures(ROOT / "docs")
