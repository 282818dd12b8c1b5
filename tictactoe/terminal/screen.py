"""What a person sees of a game, and the keys that they press: in place on a terminal, elsewhere line by line."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Self

from rich.align import Align
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.segment import Segment, SegmentLines
from rich.text import Text

from tictactoe import errors
from tictactoe.formatting import clean, short
from tictactoe.game import Game, mark_of
from tictactoe.node import TICK, Block, Node
from tictactoe.terminal.command import QuietConsole, Stopped, check_signals, starting
from tictactoe.transactions import PATIENCE, Transaction, send

# Colours of the 256 that no theme changes. Their contrast is as good on black as on white.
STYLES = {"X": "bold color(32)", "O": "bold color(166)", "": "dim"}
WON, ALARM = "bold color(28)", "color(160)"

LARGE = {"X": ("▀▄ ▄▀", "  █  ", "▄▀ ▀▄"), "O": ("▄▀▀▀▄", "█   █", "▀▄▄▄▀")}

SMALLEST = (30, 20)  # columns and lines
USUAL = 24  # lines; in a higher window, only the messages get more room: what belongs together stays together

SLOW = 5.0  # seconds without an answer of the node, after which that is said

KEYS = ("enter", *"123456789nsfq?")
ALWAYS = "? help  q quit"  # what the keys do that act at any time
HELP = """\
1-9  play that cell
n    next game, seats swapped
s    next game, same seats
f    forfeit
q    quit
?    this help"""


@dataclass(frozen=True)
class View:
    """What there is to see: with `keys` in the whole window; without a title, only the line of `progress`."""

    game: Game = field(default_factory=Game)
    title: str = ""
    players: tuple[str, ...] = ()  # X and O
    status: str = ""
    score: str = ""
    clock: str = ""
    chosen: int | None = None  # the cell of a move that is not mined yet
    progress: str = ""
    keys: str = ""
    messages: tuple[Text, ...] = ()
    question: str = ""


# -- sentences -----------------------------------------------------------------------------


def moves(game: Game) -> list[str]:
    """For example X5, O1 and X9."""
    return [f"{mark_of(number)}{cell + 1}" for number, cell in enumerate(game.moves, start=1)]


def outcome(game: Game, x: str = "X", o: str = "O") -> str:
    """Whose turn it is, or how the game ended. A player may be `you`."""
    names = {"X": x, "O": o}
    if game.turn:
        return "your turn" if names[game.turn] == "you" else f"{names[game.turn]} to move"
    if not game.winner:
        return "a draw" if game.number else "no game yet"
    winner, loser = names[game.winner], names["O" if game.winner == "X" else "X"]
    won = "you won" if winner == "you" else "you lost" if loser == "you" else f"{winner} wins"
    if not game.status.endswith("forfeits"):
        return won
    return f"{won}, {loser} {'forfeit' if loser == 'you' else 'forfeits'}"


def age(head: Block) -> str:
    """The newest block, to show that the program is alive."""
    return f"block {head.number}, {max(0, time.time() - head.time):.0f} s ago"


def stage(each: Transaction, seconds: float | None = None) -> str:
    """How far a transaction has come; with the seconds so far for a line that is redrawn."""
    waits = "" if seconds is None else f" · waiting for a block, {seconds:.0f} s"
    shown = short(each.hash) if waits else each.hash
    mined = f"mined in block {each.block}"
    if each.confirmations:
        mined += f", {each.followed} of {each.confirmations} confirmations"
    described = {
        "prepared": "signing…" if waits else "",
        "sending": f"sending {shown}, not answered yet",
        "sent": f"sent {shown}{waits}",
        "mined": mined,
        "confirmed": mined,
        "taken back": "taken back by a reorg, may be mined again",
    }.get(each.stage, "")
    return f"{each.label}: {described}" if described else ""


# -- drawing -------------------------------------------------------------------------------


def board(view: View, large: bool) -> Text:
    """The last move is in brackets and a winning line in asterisks, for want of colours."""
    bar = Text.assemble(("│", "dim"))  # `join` gives a style of the whole text to what it joins
    rule = Text("┼".join(["─" * (9 if large else 5)] * 3), "dim")
    lines: list[Text] = []
    for row in range(3):
        cells = [_cell(view, row * 3 + col, large) for col in range(3)]
        lines += [rule] * bool(row) + [bar.join(parts) for parts in zip(*cells, strict=True)]
    return Text("\n").join(lines)


def _cell(view: View, cell: int, large: bool) -> list[Text]:
    """Its three lines, or its only one."""
    game = view.game
    mark, signs = game.marks[cell], "  "
    style = STYLES[mark]
    if cell == view.chosen and not mark:
        mark, signs, style = game.turn, "??", f"dim {STYLES[game.turn]}"
    elif cell in game.line:
        signs, style = "**", WON
    elif game.moves and cell == game.moves[-1]:
        signs = "[]"
    if not large:
        return [Text(f" {signs[0]}{mark or cell + 1}{signs[1]} ", style)]
    above, middle, below = LARGE.get(mark, ("", f"{cell + 1:^5}", ""))
    return [Text(f"{line:^9}", style) for line in (above, signs[0] + middle + signs[1], below)]


def position(view: View, large: bool, gap: Iterable[Text] = ()) -> list[Text]:
    """The board, and what nobody could play without."""
    players = [Text.assemble((mark, STYLES[mark]), " ", name) for mark, name in zip("XO", view.players, strict=False)]
    status = Text(view.status[:1].upper() + view.status[1:], STYLES[view.game.turn or view.game.winner])
    return [Text(view.title, "bold"), Text("  ").join(players), *gap, board(view, large), *gap, status]


def facts(view: View) -> list[Text]:
    played = Text(" ").join(Text(move, STYLES[move[0]]) for move in moves(view.game))
    return [*filter(None, [Text(view.clock, "dim"), played, Text(view.score, justify="center")])]


def printed(view: View) -> Text:
    """Below what is printed: a small board if there is one, and the progress."""
    shown = [Text(), *position(view, large=False), *facts(view), Text()] if view.title else []
    return Text("\n").join([*shown, *filter(None, [Text(view.progress, "dim")])])


def frame(view: View, console: Console) -> RenderableType | None:
    """
    The whole window; None if it is too small. The question and the keys are always on it. Where room is short, facts
    and older messages go, and at last the board becomes small.
    """
    width, height = console.size

    def centred(texts: Iterable[Text]) -> list[list[Segment]]:
        return console.render_lines(Group(*map(Align.center, texts)))

    shown = view.keys.split("  ")
    if len(view.keys) > width:
        del shown[1:-2]  # The help has them all.
    keys = Text("  ".join(shown), "dim", justify="center")
    last = centred(filter(None, [Text(view.question, "bold", justify="center"), keys]))
    gap, room = [Text(" ")] * (height >= USUAL), height - len(last)
    upper = centred(position(view, True, gap))
    older = [*facts(view), *gap, *view.messages[:-1]]
    newest = [*view.messages[-1:], *filter(None, [Text(view.progress, "dim", justify="center")])]
    while older and len(upper) + len(centred(older + newest)) > room:
        del older[0]
    below = centred(older + newest)
    if len(upper) + len(below) > room:
        upper = centred(position(view, False))
    between = [[Segment("")]] * (min(height, USUAL) - len(upper) - len(below) - len(last))
    lines = [*upper, *below, *between, *last][-height:]
    if width < SMALLEST[0] or height < max(SMALLEST[1], len(last)):
        return None
    return Align.center(SegmentLines(lines, new_lines=True), vertical="middle", height=height)


# -- keys ----------------------------------------------------------------------------------


ESCAPES = re.compile(r"\x1b(\[[0-?]*[@-~]|O.|.)?")  # a key that has no letter, such as an arrow


class Keyboard:
    """
    Keys without Enter if `raw`, otherwise lines, in small letters. Nothing is read before it is asked for.

    If `raw`, Ctrl-Z is a key, which calls `suspend`: a signal would stop `uv run` before the terminal is as it was. The
    key that ends a program with SIGQUIT has no effect: it would leave the terminal in our mode.
    """

    def __init__(self, raw: bool, suspend: Callable[[], object]) -> None:
        self.raw, self.suspend, self._at_end = raw, suspend, False
        self._terminal = sys.stdin.isatty()
        self._usual: list[Any] | None = None  # how the terminal was, while it is changed
        self._keys: list[str] = []
        self._line = ""  # as far as it has come

    def open(self) -> None:
        if self.raw and self._usual is None:
            self._usual = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin, termios.TCSADRAIN)
            mode = termios.tcgetattr(sys.stdin)
            for key in (termios.VSUSP, termios.VQUIT):
                mode[tty.CC][key] = bytes([os.fpathconf(sys.stdin.fileno(), "PC_VDISABLE")])
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, mode)

    def close(self) -> None:
        with suppress(OSError, termios.error):  # it was closed
            if self._usual is not None and self._in_foreground():
                termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._usual)
        self._usual = None

    def _in_foreground(self) -> bool:
        """Whether the terminal is ours. If it is not, a change of it would stop us."""
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()

    def next(self, timeout: float) -> str | None:
        """The next key or line; None if there is none in time, or if the input has ended."""
        self._read(timeout)
        return self._keys.pop(0) if self._keys else None

    @property
    def ended(self) -> bool:
        """Whether there will be no more."""
        self._read(0)
        return self._at_end and not self._keys

    def holds(self, key: str) -> bool:
        self._read(0)
        return key in self._keys

    def forget(self) -> None:
        """Drop what was typed on a terminal before now."""
        with suppress(OSError, termios.error):  # it was closed
            if self._terminal and self._in_foreground():
                self._keys, self._line = [], ""
                termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def _read(self, timeout: float) -> None:
        """Read what is typed within the time, or if there is a key or a line already, by now."""
        if self._at_end:
            return
        self.open()
        if not select.select([sys.stdin], [], [], 0 if self._keys else timeout)[0]:
            return
        chunk = b""
        with suppress(OSError):  # the terminal was closed
            chunk = os.read(sys.stdin.fileno(), 4096)
        if not chunk and self._terminal and not sys.stdin.isatty():
            os.kill(os.getpid(), signal.SIGHUP)  # the terminal was closed, and the system's signal may come later
        text = self._line + chunk.decode(errors="ignore")
        if self.raw:
            # Without Enter, Ctrl-D is a character.
            text, end, _ = ESCAPES.sub("", text).partition("\x04")
            if "\x1a" in text:
                self.suspend()
            keys, self._at_end = [*text.replace("\x1a", "")], bool(end) or not chunk
        else:
            *keys, self._line = text.split("\n")
            if not chunk:
                keys, self._at_end = [*filter(None, [text])], True
        self._keys += [key.strip().lower() or "enter" for key in keys]


# -- both ----------------------------------------------------------------------------------


class Screen:
    """
    Shows what `view` returns, and what is said; reads keys, and answers to questions.

    On a terminal it stays in place: in the whole window if the view has keys, otherwise below what is printed. Whatever
    waits calls `tick` every 0.1 s, which draws, and notices keys and signals.
    """

    def __init__(self, view: Callable[[], View], *, plain: bool = False, stderr: bool = False) -> None:
        starting()
        self.view = view
        self.console = QuietConsole(stderr)
        # Whether somebody reads it and can answer.
        self.interactive = sys.stdin.isatty() and self.console.is_terminal
        self.in_place = self.interactive and not plain and not self.console.is_dumb_terminal
        self.keyboard = Keyboard(self.in_place, self._suspend)
        self.messages: list[Text] = []
        self.sending: Transaction | None = None
        self.listens = False  # while it does not, keys are dropped
        self._since = 0.0  # the transaction waits since then
        self._trouble = ""  # with the node
        self._slow = False  # whether it has not answered for long
        self._question = ""
        self._live: Live | None = None
        self._drawn: object = None
        self._too_small = False  # for what there is to see
        self._shown = View()  # the last one with a board

    def __enter__(self) -> Self:
        if self.in_place:
            Node.idle = self.tick
        return self

    def __exit__(self, *_: object) -> None:
        """The last board and the score stay in the terminal, however one leaves."""
        self.close()
        if self.in_place and (view := self.view()).title:
            with suppress(OSError):  # the terminal was closed
                self.print_board(view)
        check_signals()

    def close(self) -> None:
        """Leave the terminal as it was, until something is drawn again."""
        with suppress(OSError):
            if self._live is not None:
                self._live.stop()
                self._live = self._drawn = None
                self.console.set_window_title("")
            self.keyboard.close()
        Node.idle = None

    def _suspend(self) -> None:
        """Stop, with `uv run` and whatever else the shell has started with us, until it continues us."""
        self.close()
        os.kill(0, signal.SIGTSTP)
        self.__enter__()

    def tick(self, awaited: float = 0.0) -> None:
        """`awaited`: seconds since the question to the node, if there is one."""
        check_signals()
        self._slow = awaited > SLOW
        self.draw()
        if not self.in_place:
            return
        if self.trouble or not self.listens:
            self.drop()
        elif not self._question and self.keyboard.holds("q"):
            raise Stopped

    def wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.tick()
            time.sleep(min(left, TICK))

    # -- what is shown -----------------------------------------------------------------

    @property
    def trouble(self) -> str:
        if self._slow and not self._trouble:
            return "The node has not answered yet; waiting. q quits."
        return self._trouble

    @property
    def full(self) -> bool:
        return self.in_place and bool(self.view().keys)

    def say(self, sentence: str, style: str = "", wrap: bool = True) -> None:
        """In the whole window a message, which later ones replace; otherwise a line."""
        if self.full:
            # The help is a table.
            self.messages.append(Text(sentence, style, justify="left" if "\n" in sentence else "center"))
        else:
            self.console.print(sentence, style=style, soft_wrap=not wrap or self.console.soft_wrap)

    def say_trouble(self, sentence: str) -> None:
        """In short, because nobody has to act. An empty sentence says that all is well: in place, the trouble goes."""
        problem, stops = sentence.partition(". ")[0].rstrip("."), "q quits" if self.in_place else "Ctrl-C stops"
        trouble = problem and f"{problem}; trying again. {stops}."
        if self._trouble:
            self.drop()
        if bool(trouble) is not bool(self._trouble) and not self.in_place:
            self.say(trouble or "The node answers again.")
        self._trouble = trouble

    def show(self) -> None:
        """In place, what has changed is drawn. Line by line, a board is printed if it has changed, with the keys."""
        self.listens = self.full
        if self.in_place:
            self.draw()
        elif (view := self.view()).title and (view.game != self._shown.game or not self._shown.title):
            self._shown = view
            self.drop()
            self.print_board(view)
            if self.interactive:
                self.say(view.keys, "dim")

    def print_board(self, view: View) -> None:
        """Below what is printed, without what passes. A move that was chosen may never be sent."""
        self.console.print(printed(replace(view, clock="", progress="", chosen=None)))

    def draw(self) -> None:
        """In place, if anything has changed."""
        view = self._view()
        if not self.in_place or (view == View() and self._live is None):
            return
        drawn = view, os.get_terminal_size(self.console.file.fileno())
        if self._drawn == drawn:
            return
        self._drawn, self.console.size = drawn, drawn[1]
        shown = frame(view, self.console) if view.keys else printed(view)
        self._too_small = shown is None
        larger = Text("A larger window is needed.", no_wrap=True, overflow="crop")
        self._open(full=bool(view.keys)).update(shown or larger, refresh=True)
        if view.title:
            if view.status == "your turn" and self._shown.status not in ("", view.status):
                self.console.bell()
            self.console.set_window_title(f"{view.status[:1].upper()}{view.status[1:]} - tic-tac-toe")
            self._shown = view

    def _view(self) -> View:
        """With what the screen itself knows."""
        view = self.view()
        progress, keys = self.trouble or view.progress, view.keys
        if self.sending is not None and not self.sending.node.embedded:
            progress = "\n".join([stage(self.sending, time.monotonic() - self._since), *filter(None, [self.trouble])])
        if self._question:
            again = "" if view.chosen is None else f", Enter or {view.chosen + 1}"
            keys = f"y{again}: yes  any other key: no"
        elif keys and (self.trouble or not self.listens):
            progress, keys = progress or "asking the node…", ALWAYS
        return replace(view, progress=progress, keys=keys, messages=(*self.messages,), question=self._question)

    def _open(self, full: bool) -> Live:
        if self._live is None or self.console.is_alt_screen is not full:
            if self._live is not None:
                self._live.stop()
            self.keyboard.open()
            self._live = Live(console=self.console, screen=full, auto_refresh=False, transient=True)
            self._live.start()
        return self._live

    # -- what is typed -----------------------------------------------------------------

    def key(self, timeout: float, answers: bool = False) -> str | None:
        """
        The next of `KEYS`, or whatever answers a question; None if there is none in time, or if the input has ended.
        """
        end = time.monotonic() + timeout
        self.listens = True
        self.tick()
        while (pressed := self.keyboard.next(TICK)) is None and not self.keyboard.ended and time.monotonic() < end:
            self.tick()
        if pressed is None:
            return None
        acts = answers or pressed in KEYS
        # In a window that is too small, nobody would see what a key does. While a friend is awaited, there is no game.
        if self.in_place and pressed != "q" and (not acts or self._too_small or not (answers or self.full)):
            self.console.bell()
        elif not acts:
            self.say(f"{clean(pressed, 20)!r} is not a key.")
        else:
            self.messages.clear()
            return pressed
        return None

    def ask(self, question: str, still: Callable[[], bool]) -> bool:
        """
        One key on a terminal, a line elsewhere. What was typed before the question does not answer it. False also as
        soon as it is not `still` to be answered.
        """
        chosen = self.view().chosen
        if not still():
            return False
        self.drop()
        if self.full:
            self._question = question
        else:
            self.say(f"{question} [y/N]")
        try:
            while (answer := self.key(1.0, answers=True)) is None and not self.keyboard.ended and still():
                pass
        finally:
            self._question, self.listens = "", False
        if answer is None and self.keyboard.ended:
            raise errors.UsageError("There was no answer, so nothing was sent.", "Answer y to agree.")
        again = ("enter", str(chosen + 1)) if self.full and chosen is not None else ()
        return answer in ("y", "yes", *again)

    def drop(self) -> None:
        """What was typed meanwhile was not meant for what is shown now. A pipe's keys are kept."""
        if not self.in_place:
            self.keyboard.forget()
            return
        while (pressed := self.keyboard.next(0)) is not None:
            if pressed == "q":
                raise Stopped
            if pressed in ("?", "enter") and self.full:
                self.messages[:] = [Text(HELP)] * (pressed == "?")
            else:
                self.console.bell()
        if self.keyboard.ended:
            raise Stopped

    def send(self, transaction: Transaction, confirmations: int, patience: float = PATIENCE) -> None:
        """Send it, and show how far it comes. What it came to stays on the screen until `sending` is reset."""
        said = ""

        def say_stage(each: Transaction) -> None:
            nonlocal said
            self.say_trouble(each.trouble)
            self.tick()
            # The chain inside the program mines at once.
            if not (self.in_place or each.node.embedded) and (line := stage(each)) not in ("", said):
                said = line
                self.say(line, "dim")

        self.sending, self._since = transaction, time.monotonic()
        try:
            send(transaction, say_stage, confirmations=confirmations, patience=patience)
        finally:
            say_stage(transaction)
