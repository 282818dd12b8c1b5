"""A board and the facts that belong to it, as lines of rich text. The screen arranges the same facts in its frame."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from tictactoe.terminal import output_text
from tictactoe.terminal.board import STYLES, Look, board, is_ascii
from tictactoe.terminal.seats import State
from tictactoe.terminal.view import View

GAP = 3  # columns between the board and what is beside it
WIDE = 80  # columns for a board with whole addresses and names beside it


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
