"""Draws a game for terminals of 40 columns or more, with or without colour, interactive or piped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.console import Console, Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from tictactoe.formatting import clean, short
from tictactoe.game import ZERO_ADDRESS, Game, key_of, mark_of
from tictactoe.terminal import output_text

STYLES = {"X": "bold bright_cyan", "O": "bold bright_yellow", "": "dim"}
WIDE = 72


def position(
    game: Game,
    console: Console,
    *,
    who: Mapping[str, str] | None = None,
    score: str = "",
    notes: Iterable[str] = (),
) -> RenderableType:
    """The board, and beside or below it everything else a player wants to see. `who` labels the marks."""
    narrow = console.width < WIDE
    plain = not (console.encoding or "").lower().startswith("utf")
    facts = _facts(game, narrow, who or {}, score)
    body: RenderableType
    if narrow:
        body = Group(board(game, plain), Text(), facts)
    else:
        body = Grid.grid(padding=(0, 3))
        body.add_row(board(game, plain), Group(Text(), facts))
    lines: list[RenderableType] = [Text(), Text(output_text.title(game), "bold"), Text(), body, Text()]
    lines += [Text(clean(note), "yellow") for note in notes]
    return Group(*lines)


def board(game: Game, plain: bool = False) -> Text:
    """Three rows of three. The last move is in brackets and a winning line in stars, for terminals without colour."""
    bar, dash, cross = ("|", "-", "+") if plain else ("│", "─", "┼")
    drawn = Text()
    for row in range(3):
        if row:
            drawn.append(cross.join([dash * 7] * 3) + "\n", "dim")
        for line in range(3):
            for col in range(3):
                content, style = _cell(game, row * 3 + col)
                drawn.append(f"{content if line == 1 else '':^7}", style)
                drawn.append(bar if col < 2 else "\n", "dim" if col < 2 else "")
    drawn.rstrip()
    return drawn


def _cell(game: Game, cell: int) -> tuple[str, str]:
    """What is in a cell, and its style."""
    mark = game.marks[cell]
    if cell in game.line:
        return f"*{mark}*", STYLES[mark] + " reverse"
    if game.moves and cell == game.moves[-1]:
        return f"[{mark}]", STYLES[mark]
    return mark or key_of(cell), STYLES[mark]


def _facts(game: Game, narrow: bool, who: Mapping[str, str], score: str) -> Grid:
    facts = Grid.grid(padding=(0, 1))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for mark in "XO":
        facts.add_row(Text(mark, STYLES[mark]), _player(game, mark, narrow, who.get(mark, "")))
    facts.add_row(output_text.MOVES, _moves(game))
    if score:
        facts.add_row(output_text.SCORE, score)
    facts.add_row("", "")
    ended_or_on = game.status not in ("draw", "no_game")
    facts.add_row("", Text(output_text.result(game), STYLES[game.turn or game.winner] if ended_or_on else "bold"))
    return facts


def _player(game: Game, mark: str, narrow: bool, label: str) -> Text:
    address = game.player(mark)
    if address == ZERO_ADDRESS:
        player = Text(output_text.NO_PLAYER, "dim")
    else:
        player = Text(short(address) if narrow else address, "" if game.turn in (mark, "") else "dim")
    if label:
        player.append(f"  {clean(label, 20)}", "bold" if game.turn == mark else "dim")
    return player


def _moves(game: Game) -> Text:
    """For example `1 X5  2 O1  3 X9`."""
    drawn = Text()
    for number, cell in enumerate(game.moves, start=1):
        mark = mark_of(number)
        drawn.append(f"{number} " if number == 1 else f"  {number} ", "dim")
        drawn.append(mark + key_of(cell), STYLES[mark])
    return drawn if game.moves else Text(output_text.NO_MOVES, "dim")
