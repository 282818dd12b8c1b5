"""Lays out one frame of the screen: which place shows what, for a size. Pure, so that tests compare exact lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from tictactoe.terminal import output_text
from tictactoe.terminal.board import STYLES, Look, board, moves, status_style
from tictactoe.terminal.seats import State
from tictactoe.terminal.view import View

WIDTH, HEIGHT = 80, 24  # A frame is not larger: what belongs together stays together.
SIDE = 38  # columns for what is beside the board
GAP = 3
CELLS = ((11, 5), (7, 3), (5, 1))


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


def frame(places: Places, width: int, height: int, now: float, ascii: bool = False) -> list[Text]:  # noqa: A002
    """At most `height` lines of at most `width` columns."""
    across, down = min(width, WIDTH), min(height, HEIGHT)
    if places.page:
        upper = [*_wrapped([Text(line) for line in places.page], across), Text()]
    else:
        upper = _position(places, across, down, now, ascii)
    upper = upper[:down]
    lines = upper + _below(places, across, down - len(upper)) if down > len(upper) else upper
    for line in lines:
        line.truncate(across)
        line.pad_left((width - across) // 2)
    return [Text()] * ((height - down) // 2) + lines


def _position(places: Places, width: int, height: int, now: float, ascii: bool) -> list[Text]:  # noqa: A002
    """The board, with the facts beside or below it."""
    view, beside = places.view, width >= 3 * 7 + 2 + GAP + SIDE
    facts = _facts(view, now, width if not beside else SIDE, beside)
    used = 2 + 4 if beside else len(facts) + 4
    fitting = (
        (w, h) for w, h in CELLS if 3 * h + 2 + used <= height and 3 * w + 2 + (GAP + SIDE if beside else 0) <= width
    )
    across, down = next(fitting, CELLS[-1])
    look = Look(ascii, across, down, down >= 3, places.cursor, view.chosen)
    drawn = list(board(view.game, look).split("\n", allow_blank=True))
    if not beside:
        return [Text(view.title, "bold"), *drawn, *facts]
    facts = [Text()] * ((len(drawn) - len(facts)) // 2) + facts
    rows = max(len(drawn), len(facts))
    left, right = (each + [Text()] * (rows - len(each)) for each in (drawn, facts))
    for line in left:
        line.pad_right(3 * across + 2 + GAP - line.cell_len)
    return [Text(view.title, "bold"), Text(), *(a + b for a, b in zip(left, right, strict=True)), Text()]


def _facts(view: View, now: float, width: int, beside: bool) -> list[Text]:
    game, clock = view.game, output_text.clock(view.head, now) if view.clock and view.head else ""
    players = [Text.assemble((mark, STYLES[mark]), "  ", _name(view, mark)) for mark in "XO"]
    mine = view.state is State.MY_TURN
    status = Text(f" {view.status} " if mine else view.status, status_style(game) + (" reverse" if mine else ""))
    played, score, clock_text = moves(game), Text(view.score), Text(clock, "dim")
    if beside:
        return _wrapped([*players, Text(), status, Text(), played, score, clock_text], width)
    status = Text(" · ").join([status, clock_text]) if clock else status
    lines = [status, Text("  ").join(players), played, *([score] if view.score else [])]
    return _wrapped(lines, width)


def _name(view: View, mark: str) -> Text:
    return Text(view.player(mark), "bold" if view.game.turn == mark else "")


def _below(places: Places, width: int, height: int) -> list[Text]:
    """The messages and the question; at the bottom the transaction's progress and the keys, if there is room."""
    state = places.view.state
    if places.question:
        keys = output_text.answers(places.view.chosen)
    else:
        keys = output_text.PAGE_KEYS if places.page else output_text.keys(state, width)
    asked = _wrapped([*places.messages, *([Text(places.question, "bold")] if places.question else [])], width)
    lines = asked[-height:] if places.question else asked[:height]
    bottom: list[Text] = []
    for text in (places.progress or places.view.progress, keys):
        more = _wrapped([Text(text, "dim")], width) if text else []
        if len(lines) + len(bottom) + len(more) <= height:
            bottom += more
    return [*lines, *[Text()] * (height - len(lines) - len(bottom)), *bottom]


_RULER = Console(width=WIDTH, color_system=None)


def _wrapped(texts: list[Text], width: int) -> list[Text]:
    return [line for text in texts for line in text.wrap(_RULER, width)]
