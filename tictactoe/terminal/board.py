"""Draws a board, and what belongs beside it, as rich text: for the screen, for lines and for pipes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from tictactoe.formatting import clean, short
from tictactoe.game import ZERO_ADDRESS, Game, key_of, mark_of
from tictactoe.terminal import output_text

STYLES = {"X": "bold bright_cyan", "O": "bold bright_yellow", "": "dim"}
WON = "bold bright_green"
WIDE = 79

LARGE = {"X": ("▀▄ ▄▀", "  █  ", "▄▀ ▀▄"), "O": ("▄▀▀▀▄", "█   █", "▀▄▄▄▀")}
LARGE_ASCII = {"X": ("\\   /", "  X  ", "/   \\"), "O": (" .-. ", "(   )", " '-' ")}


@dataclass(frozen=True)
class Look:
    """How a board is drawn."""

    ascii: bool = False
    width: int = 7  # of a cell
    height: int = 3
    large: bool = False  # marks of three lines
    cursor: int | None = None  # the cell that Enter would play
    chosen: int | None = None  # the cell of a move that is not signed yet


def is_ascii(encoding: str | None) -> bool:
    return not (encoding or "").lower().startswith("utf")


def board(game: Game, look: Look) -> Text:
    """Three rows of three. The last move is in brackets and a winning line in stars, for terminals without colour."""
    upright, dash, cross = ("|", "-", "+") if look.ascii else ("│", "─", "┼")
    bar, rule = Text.assemble((upright, "dim")), cross.join([dash * look.width] * 3)
    lines = []
    for row in range(3):
        if row:
            lines.append(Text(rule, "dim"))
        cells = [_cell(game, row * 3 + col, look) for col in range(3)]
        lines += [bar.join(Text(content[line], style) for content, style in cells) for line in range(look.height)]
    return Text("\n").join(lines)


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
        middle = list((LARGE_ASCII if look.ascii else LARGE)[mark])
    middle[len(middle) // 2] = signs[0] + middle[len(middle) // 2] + signs[1]
    above = (look.height - len(middle)) // 2
    lines = [""] * above + middle + [""] * (look.height - above - len(middle))
    return [f"{line:^{look.width}}" for line in lines], style


def moves(game: Game) -> Text:
    """For example `X5 O1 X9`."""
    if not game.moves:
        return Text(output_text.NO_MOVES, "dim")
    marks = [(number, mark_of(number), cell) for number, cell in enumerate(game.moves, start=1)]
    return Text(" ").join(Text(mark + key_of(cell), STYLES[mark]) for _, mark, cell in marks)


def status_style(game: Game) -> str:
    return STYLES[game.turn or game.winner] if game.turn or game.winner else "bold"


def position(
    game: Game,
    console: Console,
    *,
    names: Mapping[str, str] | None = None,  # by address
    status: str = "",
    score: str = "",
) -> RenderableType:
    """The board, and beside or below it what a player wants to know, for output that is read line by line."""
    narrow = console.width < WIDE
    drawn = board(game, Look(is_ascii(console.encoding)))
    facts = _facts(game, narrow, names or {}, status or output_text.result(game), score)
    body: RenderableType
    if narrow:
        body = Group(drawn, Text(), facts)
    else:
        body = Grid.grid(padding=(0, 3))
        body.add_row(drawn, Group(Text(), facts))
    return Group(Text(), Text(output_text.title(game), "bold"), Text(), body, Text())


def _facts(game: Game, narrow: bool, names: Mapping[str, str], status: str, score: str) -> Grid:
    facts = Grid.grid(padding=(0, 1))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for mark in "XO":
        facts.add_row(Text(mark, STYLES[mark]), _player(game, mark, narrow, names.get(game.player(mark), "")))
    facts.add_row(output_text.MOVES, moves(game))
    if score:
        facts.add_row(output_text.SCORE, score)
    facts.add_row("", "")
    facts.add_row("", Text(status, status_style(game)))
    return facts


def _player(game: Game, mark: str, narrow: bool, name: str) -> Text:
    address = game.player(mark)
    if address == ZERO_ADDRESS:
        return Text(output_text.NO_PLAYER, "dim")
    player = Text(short(address) if narrow else address, "" if game.turn in (mark, "") else "dim")
    if name:
        player.append(f"  {clean(name, 20)}", "bold" if game.turn == mark else "dim")
    return player
