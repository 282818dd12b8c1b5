"""Draws a board as rich text: for the screen, for lines and for pipes."""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text

from tictactoe.game import Game, key_of

STYLES = {"X": "bold bright_cyan", "O": "bold bright_yellow", "": "dim"}
WON = "bold bright_green"

LARGE = {"X": ("▀▄ ▄▀", "  █  ", "▄▀ ▀▄"), "O": ("▄▀▀▀▄", "█   █", "▀▄▄▄▀")}
LARGE_ASCII = {"X": ("\\   /", "  X  ", "/   \\"), "O": (" .-. ", "(   )", " '-' ")}


@dataclass(frozen=True)
class Look:
    """How a board is drawn."""

    ascii_only: bool = False
    width: int = 7  # of a cell
    height: int = 3
    large: bool = False  # marks of three lines
    cursor: int | None = None  # the cell that Enter would play
    chosen: int | None = None  # the cell of a move that is not signed yet


def is_ascii(encoding: str | None) -> bool:
    return not (encoding or "").lower().startswith("utf")


def board(game: Game, look: Look) -> list[Text]:
    """Three rows of three. The last move is in brackets and a winning line in stars, for terminals without colour."""
    upright, dash, cross = ("|", "-", "+") if look.ascii_only else ("│", "─", "┼")
    bar, rule = Text.assemble((upright, "dim")), cross.join([dash * look.width] * 3)
    lines = []
    for row in range(3):
        if row:
            lines.append(Text(rule, "dim"))
        cells = [_cell(game, row * 3 + col, look) for col in range(3)]
        lines += [bar.join(Text(content[line], style) for content, style in cells) for line in range(look.height)]
    return lines


def _cell(game: Game, cell: int, look: Look) -> tuple[list[str], str]:
    """The lines of a cell, and its style."""
    mark, signs, style = game.marks[cell], "  ", STYLES[game.marks[cell]]
    if cell == look.chosen and not mark:
        mark, signs, style = game.turn, "??", "dim " + STYLES[game.turn]
    elif cell in game.line:
        signs, style = "**", WON
    elif game.moves and cell == game.moves[-1]:
        signs = "[]"
    if cell == look.cursor:
        signs, style = "><", style + " reverse"
    middle = [mark or key_of(cell)]
    if look.large and mark:
        middle = list((LARGE_ASCII if look.ascii_only else LARGE)[mark])
    middle[len(middle) // 2] = signs[0] + middle[len(middle) // 2] + signs[1]
    above = (look.height - len(middle)) // 2
    lines = [""] * above + middle + [""] * (look.height - above - len(middle))
    return [f"{line:^{look.width}}" for line in lines], style
