"""Draws a game for terminals of 40 columns or more, with or without colour, interactive or piped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.console import Console, Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from tictactoe.formatting import clean, short
from tictactoe.game import ZERO_ADDRESS, Game, mark_of
from tictactoe.terminal import text

STYLES = {"X": "bold bright_cyan", "O": "bold bright_yellow", "": "dim"}
WIDE = 72


def _plain(screen: Console) -> bool:
    return not (screen.encoding or "").lower().startswith("utf")


def board(game: Game, plain: bool = False) -> Text:
    """Three rows of three. Also without colour the last move stands in brackets and a winning line in stars."""
    bar, dash, cross = ("|", "-", "+") if plain else ("│", "─", "┼")
    marks, line = game.marks, game.line
    last = game.moves[-1] if game.moves else None
    drawn = Text()
    for row in range(3):
        for half in range(3):
            for col in range(3):
                cell = row * 3 + col
                mark, style = marks[cell], STYLES[marks[cell]]
                content = "       "
                if cell in line:
                    style += " reverse"
                if half == 1:
                    inside = mark or str(cell + 1)
                    if cell in line:
                        content = f"  *{inside}*  "
                    elif cell == last and mark:
                        content = f"  [{inside}]  "
                    else:
                        content = f"   {inside}   "
                drawn.append(content, style)
                if col < 2:
                    drawn.append(bar, "dim")
            drawn.append("\n")
        if row < 2:
            drawn.append(cross.join([dash * 7] * 3) + "\n", "dim")
    drawn.rstrip()
    return drawn


def moves(game: Game) -> Text:
    """`1 X5  2 O1  3 X9`: the cells in order."""
    drawn = Text()
    for i, cell in enumerate(game.moves):
        mark = mark_of(i + 1)
        drawn.append(f"{i + 1} " if not i else f"  {i + 1} ", "dim")
        drawn.append(f"{mark}{cell + 1}", STYLES[mark])
    return drawn if game.moves else Text("none yet", "dim")


def result(game: Game) -> Text:
    """Whose turn, or how it ended."""
    style = STYLES[game.turn or game.winner] if game.status not in ("draw", "no_game") else "bold"
    return Text(text.result(game), style)


def position(
    game: Game,
    screen: Console,
    *,
    who: Mapping[str, str] | None = None,
    score: str = "",
    notes: Iterable[str] = (),
) -> RenderableType:
    """Everything a player wants to see at once."""
    narrow = screen.width < WIDE
    facts = Grid.grid(padding=(0, 1))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for mark in "XO":
        address = game.player(mark)
        seat = Text(short(address) if narrow else address, "" if game.turn in (mark, "") else "dim")
        if address == ZERO_ADDRESS:
            seat = Text("nobody", "dim")
        label = (who or {}).get(mark)
        if label:
            seat.append(f"  {clean(label, 20)}", "bold" if game.turn == mark else "dim")
        facts.add_row(Text(mark, STYLES[mark]), seat)
    facts.add_row("moves", moves(game))
    if score:
        facts.add_row("score", score)
    facts.add_row("", "")
    facts.add_row("", result(game))

    picture = board(game, _plain(screen))
    title = Text(f"Game {game.number}" if game.number else "No game yet", "bold")
    body: RenderableType
    if narrow:
        body = Group(picture, Text(), facts)
    else:
        body = Grid.grid(padding=(0, 3))
        body.add_row(picture, Group(Text(), facts))
    lines: list[RenderableType] = [Text(), title, Text(), body, Text()]
    lines += [Text(clean(note), "yellow") for note in notes]
    return Group(*lines)
