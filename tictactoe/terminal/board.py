"""A board and the facts that belong to it, as lines of rich text. The screen arranges the same in its frame."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from tictactoe.game import Game
from tictactoe.terminal import output_text
from tictactoe.terminal.seats import State
from tictactoe.terminal.view import View

STYLES = {"X": "bold bright_cyan", "O": "bold bright_yellow", "": "dim"}
WON = "bold bright_green"

GAP = 3  # columns between the board and what is beside it
WIDE = 80  # columns for a board with whole addresses and names beside it

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
    middle = [mark or output_text.key_of(cell)]
    if look.large and mark:
        middle = list((LARGE_ASCII if look.ascii_only else LARGE)[mark])
    middle[len(middle) // 2] = signs[0] + middle[len(middle) // 2] + signs[1]
    above = (look.height - len(middle)) // 2
    lines = [""] * above + middle + [""] * (look.height - above - len(middle))
    return [f"{line:^{look.width}}" for line in lines], style


def position(view: View, console: Console) -> Text:
    """For output that is read line by line."""
    wide = console.width >= WIDE
    x, o, status, played, score, _ = facts(view, whole=wide)
    drawn = board(view.game, Look(is_ascii(console.encoding)))
    lines = [Text(), x, o, Text(), status, Text(), played, *([score] if score else [])]
    body = beside(drawn, lines) if wide else [*drawn, *lines]
    shown = [Text(), Text(view.title, "bold"), Text(), *body, Text()]
    for line in shown:
        line.rstrip()
    return Text("\n").join(shown)


def facts(view: View, now: float | None = None, whole: bool = False) -> list[Text]:
    """X, O, the status, the moves, the score and the clock. With `whole`, addresses are not shortened."""
    game = view.game
    players = [
        Text.assemble((mark, STYLES[mark]), " ", (view.player(mark, whole), "bold" if game.turn == mark else ""))
        for mark in "XO"
    ]
    style = STYLES[game.turn or game.winner] if game.turn or game.winner else "bold"
    status = Text(view.status, style + (" reverse" if view.state is State.MY_TURN else ""))
    clock = output_text.clock(view.head, now) if view.clock and view.head and now is not None else ""
    return [*players, status, _moves(view), Text(view.score), Text(clock, "dim")]


def beside(left: list[Text], right: list[Text]) -> list[Text]:
    """Two columns as one. `left` has lines of equal width."""
    rows, width = max(len(left), len(right)), left[0].cell_len + GAP
    left, right = (each + [Text()] * (rows - len(each)) for each in (left, right))
    for line, other in zip(left, right, strict=True):
        if other:
            line.pad_right(width - line.cell_len)
    return [line + other for line, other in zip(left, right, strict=True)]


def _moves(view: View) -> Text:
    """For example `X5 O1 X9`."""
    if not view.game.moves:
        return Text(output_text.NO_MOVES, "dim")
    return Text(" ").join(Text(move, STYLES[move[0]]) for move in output_text.moves(view.game))
