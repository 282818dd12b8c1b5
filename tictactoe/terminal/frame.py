"""Lays out one frame of the screen: which place shows what, for a size. Pure, so that tests compare exact lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from tictactoe.terminal import output_text
from tictactoe.terminal.board import GAP, Look, beside, board, facts
from tictactoe.terminal.view import View

WIDTH, HEIGHT = 80, 24  # A frame is not larger: what belongs together stays together.
SIDE = 38  # columns for what is beside the board
SMALL = 23  # columns of a small board, with cells of seven
CELLS = ((11, 5), (7, 3), (5, 1))  # columns and lines


@dataclass(frozen=True)
class Places:
    """What the screen shows."""

    view: View = field(default_factory=View)
    messages: tuple[Text, ...] = ()
    progress: str = ""  # of the transaction that is being sent
    question: str = ""
    asked: int = 0  # the number of the question; 0 while there is none
    page: tuple[str, ...] = ()  # help or history, in place of the board
    cursor: int | None = None


def frame(places: Places, width: int, height: int, now: float, ascii_only: bool = False) -> list[Text]:
    """At most `height` lines of at most `width` columns."""
    across, down = min(width, WIDTH), min(height, HEIGHT)
    if places.page:
        # The newest game comes last.
        upper = [*_wrapped([Text(line) for line in places.page], across)[-max(down - 2, 1) :], Text()]
    else:
        upper = _position(places, across, down, now, ascii_only)
    upper = upper[:down]
    lines = upper + _below(places, across, down - len(upper)) if down > len(upper) else upper
    for line in lines:
        line.truncate(across)
        line.pad_left((width - across) // 2)
    return [Text()] * ((height - down) // 2) + lines


def _position(places: Places, width: int, height: int, now: float, ascii_only: bool) -> list[Text]:
    """The board, with the facts beside or below it."""
    view, wide = places.view, width >= SMALL + GAP + SIDE
    x, o, status, played, score, clock = facts(view, now)
    if wide:
        right = _wrapped([x, o, Text(), status, Text(), played, score, clock], SIDE)
        used, across = 6, width - GAP - SIDE
    else:
        status = Text(" · ").join([status, clock]) if clock else status
        below = _wrapped([status, Text("  ").join([x, o]), played, *([score] if score else [])], width)
        used, across = 4 + len(below), width
    fitting = (cell for cell in CELLS if 3 * cell[1] + 2 + used <= height and 3 * cell[0] + 2 <= across)
    cell = next(fitting, CELLS[-1])
    drawn = board(view.game, Look(ascii_only, *cell, cell[1] >= 3, places.cursor, view.chosen))
    title = Text(view.title, "bold")
    if not wide:
        return [title, *drawn, *below]
    return [title, Text(), *beside(drawn, [Text()] * ((len(drawn) - len(right)) // 2) + right), Text()]


def _below(places: Places, width: int, height: int) -> list[Text]:
    """The messages and the question; at the bottom the transaction's progress and the keys, if there is room."""
    state = places.view.state
    if places.question:
        keys = output_text.answers(places.view.chosen)
    elif places.progress:
        keys = output_text.STOP_KEY
    else:
        keys = output_text.PAGE_KEYS if places.page else output_text.keys(state, width)
    asked = _wrapped([*places.messages, *([Text(places.question, "bold")] if places.question else [])], width)
    lines = asked[-height:] if places.question else asked[:height]
    bottom: list[Text] = []
    for text in (places.progress, keys):
        more = _wrapped([Text(text, "dim")], width) if text else []
        if len(lines) + len(bottom) + len(more) <= height:
            bottom += more
    return [*lines, *[Text()] * (height - len(lines) - len(bottom)), *bottom]


_RULER = Console(width=WIDTH, color_system=None)


def _wrapped(texts: list[Text], width: int) -> list[Text]:
    return [line for text in texts for line in text.wrap(_RULER, width)]
