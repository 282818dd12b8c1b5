"""How a game looks in a terminal: from 40 columns up, in colour or without, on paper or alive."""

from __future__ import annotations

import codecs
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from rich.console import Console, Group, RenderableType
from rich.status import Status
from rich.table import Table as Grid
from rich.text import Text

from scripts._faults import clean
from scripts._game import NOBODY, Game
from scripts._transactions import Sent, Stage, what_hash

if TYPE_CHECKING:
    from scripts._chain import Node

STYLES = {"X": "bold bright_cyan", "O": "bold bright_yellow", "": "dim"}
WIDE = 72

# For whoever leaves in a hurry: what came of a transaction, for every stage there is.
OUTCOMES = {
    "Mined": (Stage.MINED, Stage.CONFIRMED),
    "Mined, paid for and refused": (Stage.FAILED,),
    "Sent and not yet mined, it may still be": (Stage.SENDING, Stage.SENT, Stage.WAITING),
    "Taken back by a reorganisation, it may be mined again": (Stage.TAKEN_BACK,),
    "Another transaction of yours was mined in its place": (Stage.REPLACED,),
    "Dropped by the network": (Stage.DROPPED,),
    "Not sent": (Stage.SIGNING, Stage.DECLINED, Stage.NOT_SIGNED, Stage.NOT_SENT),
}


def _stand_in(err: UnicodeError) -> tuple[str, int]:
    """For terminals that know only ASCII."""
    if not isinstance(err, UnicodeEncodeError):
        raise err
    stand_ins = {"…": "..", "·": "-"}
    return "".join(stand_ins.get(c, "?") for c in err.object[err.start : err.end]), err.end


codecs.register_error("tictactoe", _stand_in)


class Screen(Console):
    def on_broken_pipe(self) -> None:
        """Rich would end the process with 1. Whoever has read enough did nothing wrong: the command ends with 0."""
        raise BrokenPipeError


def console(file: TextIO | None = None, stderr: bool = False) -> Console:
    """Rich's console without its guesses: nothing coloured that we did not colour, no codes where no terminal is."""
    stream = file or (sys.stderr if stderr else sys.stdout)
    if not (getattr(stream, "encoding", None) or "utf").lower().startswith("utf") and hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="tictactoe")
    return Screen(file=file, stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)


def short(address: str) -> str:
    return address[:6] + "…" + address[-4:]


def _plain(screen: Console) -> bool:
    return not (screen.encoding or "").lower().startswith("utf")


def board(game: Game, plain: bool = False) -> Text:
    """Three rows of three. Also without colour the last move stands in brackets and a winning line in stars."""
    bar, dash, cross = ("|", "-", "+") if plain else ("│", "─", "┼")
    marks, line = game.marks, game.line
    last = game.cells[-1] if game.cells else None
    text = Text()
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
                text.append(content, style)
                if col < 2:
                    text.append(bar, "dim")
            text.append("\n")
        if row < 2:
            text.append(cross.join([dash * 7] * 3) + "\n", "dim")
    text.rstrip()
    return text


def moves(game: Game) -> Text:
    """`1 X5  2 O1  3 X9`: the cells in order."""
    text = Text()
    for i, cell in enumerate(game.cells):
        mark = "XO"[i % 2]
        text.append(f"{i + 1} " if not i else f"  {i + 1} ", "dim")
        text.append(f"{mark}{cell + 1}", STYLES[mark])
    return text if game.cells else Text("none yet", "dim")


def result(game: Game) -> Text:
    """Whose turn, or how it ended."""
    style = STYLES[game.turn or game.winner] if game.status not in ("draw", "no_game") else "bold"
    return Text(game.result, style)


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
        if address == NOBODY:
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


@contextmanager
def undivided() -> Iterator[None]:
    """Ctrl-C waits for the end of this: what rich keeps moving cannot be stopped if its start was cut in two."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, _frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if pressed:
        signal.raise_signal(signal.SIGINT)


class Stages:
    """A transaction's way from signing to confirmed. A terminal sees the seconds pass; paper gets a line a stage."""

    def __init__(self, screen: Console, node: Node) -> None:
        self.screen = screen
        self.node = node
        self.alive = screen.is_terminal
        self._status: Status | None = None
        self._told: set[tuple[str, str, str]] = set()

    def show(self, sent: Sent, waited: float) -> None:
        hash_ = short(sent.hash) if self.alive and sent.hash else sent.hash
        where = f", at {sent.contract}" if sent.contract else ""
        text = {
            Stage.SIGNING: f"{sent.what}: signing…",
            Stage.SENDING: f"{sent.what}: sending {hash_}; the node does not answer, it may have arrived",
            Stage.SENT: f"{sent.what}: sent {hash_}",
            Stage.MINED: f"{sent.what}: mined in block {sent.block}, {sent.gas:,} gas{where}",
            Stage.FAILED: f"{sent.what}: failed in block {sent.block}",
            Stage.TAKEN_BACK: f"{sent.what}: no longer in the chain, it may be mined again",
        }.get(sent.stage, f"{sent.what}: {sent.stage}")
        passing = sent.stage in (Stage.SIGNING, Stage.SENT)
        if self.node.embedded and passing:
            return
        key = (sent.what, sent.hash, sent.stage)
        if self.alive and (passing or key in self._told):
            self.spin(text + (f" · waiting for a block, {waited:.0f} s" if sent.stage is Stage.SENT else ""))
            return
        if key not in self._told:
            self._told.add(key)
            self.close()
            self.screen.print(text, style="dim", soft_wrap=True)
            link = self.node.explorer_link("tx", sent.hash) if sent.hash else ""
            # On paper the link stands with the first line that has a hash, in a terminal with the last.
            if link and sent.stage is (Stage.MINED if self.alive else Stage.SENT):
                self.screen.print(link, style="dim", soft_wrap=True)

    def spin(self, text: str) -> None:
        if self._status is None:
            with undivided():
                self._status = self.screen.status(text)
                self._status.start()
        else:
            self._status.update(text)

    def close(self) -> None:
        if self._status is not None:
            with undivided():
                self._status.stop()
                self._status = None


def what_was_sent(sent: Iterable[Sent]) -> str:
    """What reached the network, what became of it, and what did not."""
    names: dict[Stage, list[str]] = {stage: [] for stage in Stage}
    for one in sent:
        names[one.stage].append(_name(one))
    told = {outcome: [name for stage in stages for name in names[stage]] for outcome, stages in OUTCOMES.items()}
    parts = [f"{outcome}: {', '.join(those)}." for outcome, those in told.items() if those]
    return "Stopped. " + (" ".join(parts) or "Nothing was sent.")


def _name(sent: Sent) -> str:
    if sent.contract:
        return f"{sent.what} at {sent.contract}"
    final = sent.stage in (Stage.MINED, Stage.CONFIRMED)
    return what_hash(sent) if sent.hash and not final else sent.what
