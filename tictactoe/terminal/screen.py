"""What a person sees of a game, and the keys that they press: in place on a terminal, elsewhere line by line."""

from __future__ import annotations

import math
import os
import re
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

from rich.console import Console
from rich.live import Live
from rich.text import Text

from tictactoe import errors
from tictactoe.formatting import short
from tictactoe.game import Game, mark_of
from tictactoe.node import Block
from tictactoe.terminal.command import QuietConsole, Quit, check_signals, signals_blocked
from tictactoe.transactions import OnPoll, Transaction

T = TypeVar("T")

# Colours of the 256 that no theme changes. Their contrast is as good on black as on white.
STYLES = {"X": "bold color(32)", "O": "bold color(166)", "": "dim"}
WON, ALARM = "bold color(28)", "color(160)"

LARGE = {"X": ("▀▄ ▄▀", "  █  ", "▄▀ ▀▄"), "O": ("▄▀▀▀▄", "█   █", "▀▄▄▄▀")}
LARGE_ASCII = {"X": ("\\   /", "  X  ", "/   \\"), "O": (" .-. ", "(   )", " '-' ")}

SMALLEST = (30, 20)  # columns and lines
USUAL = (80, 24)  # In a larger window only the messages get more room: what belongs together stays together.
BESIDE = 60  # columns for a board with facts beside it
GAP, SIDE = 3, 34  # columns between the two, and for the facts at least
CELLS = ((11, 5), (7, 3), (5, 1))  # columns and lines
SPARE = 3  # lines that a board leaves to messages
BELOW = 16  # lines of a board that is printed

TICK = 0.1  # seconds between two drawings
PATIENT = 1.0  # seconds; while something else is waited for, keys are dropped from then on

HELP = (
    "1-9  play that cell",
    "n    next game, with swapped seats",
    "s    next game, in the same seats",
    "f    forfeit",
    "q    quit",
    "?    this help",
)


@dataclass(frozen=True)
class View:
    """What there is to see. Without a title, it is only the line of `progress`."""

    game: Game = field(default_factory=Game)
    title: str = ""
    players: tuple[str, ...] = ()  # X and O
    status: str = ""
    score: str = ""
    clock: str = ""
    chosen: int | None = None  # the cell of a move that is not mined yet
    progress: str = ""
    keys: str = ""
    full: bool = False  # whether it takes the whole window
    page: tuple[str, ...] = ()  # in place of the board
    rings: bool = False  # whether the player is called


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


def troubled(error: errors.TicTacToeError) -> str:
    """In short, for somebody who has nothing to do about it."""
    unreachable = error.sentence == errors.OUT_OF_REACH
    return f"{'The node does not answer' if unreachable else error.sentence.rstrip('.')}; trying again. Ctrl-C stops."


def stage(each: Transaction, seconds: float | None = None) -> str:
    """How far a transaction has come; with the seconds so far for a line that is redrawn."""
    match each.stage:
        case "prepared" if seconds is not None:
            described = "signing…"
        case "sending":
            described = f"sending {each.hash if seconds is None else short(each.hash)}, not answered yet"
        case "sent" if seconds is not None:
            described = f"sent {short(each.hash)} · waiting for a block, {seconds:.0f} s"
        case "sent":
            described = f"sent {each.hash}"
        case "mined" | "confirmed":
            confirmed = f", {each.followed} of {each.confirmations} confirmations" if each.confirmations else ""
            described = f"mined in block {each.block}{confirmed}"
        case "taken back":
            described = "taken back by a reorg, may be mined again"
        case _:
            return ""
    return f"{each.label}: {described}"


# -- drawing -------------------------------------------------------------------------------


def board(view: View, width: int, height: int, large: bool, ascii_only: bool) -> list[Text]:
    """With cells of this size. The last move is in brackets and a winning line in asterisks, for want of colours."""
    upright, dash, cross = ("|", "-", "+") if ascii_only else ("│", "─", "┼")
    bar, rule = Text(upright, "dim"), Text(cross.join([dash * width] * 3), "dim")
    lines: list[Text] = []
    for row in range(3):
        cells = [_cell(view, row * 3 + col, width, height, large, ascii_only) for col in range(3)]
        lines += [rule] * bool(row) + [bar.join(each[line] for each in cells) for line in range(height)]
    return lines


def _cell(view: View, cell: int, width: int, height: int, large: bool, ascii_only: bool) -> list[Text]:
    game = view.game
    mark, signs, style = game.marks[cell], "  ", STYLES[game.marks[cell]]
    if cell == view.chosen and not mark:
        mark, signs, style = game.turn, "??", f"dim {STYLES[game.turn]}"
    elif cell in game.line:
        signs, style = "**", WON
    elif game.moves and cell == game.moves[-1]:
        signs = "[]"
    drawn = [mark or str(cell + 1)]
    if large and mark:
        drawn = list((LARGE_ASCII if ascii_only else LARGE)[mark])
    drawn[len(drawn) // 2] = signs[0] + drawn[len(drawn) // 2] + signs[1]
    above = (height - len(drawn)) // 2
    lines = [""] * above + drawn + [""] * (height - above - len(drawn))
    return [Text(f"{line:^{width}}", style) for line in lines]


def position(view: View, width: int, height: int, large: bool = True, ascii_only: bool = False) -> list[Text]:
    """The title, the largest board that fits, and the facts: beside it, or in a narrow window the most important."""
    game, beside = view.game, width >= BESIDE
    status = Text(view.status[:1].upper() + view.status[1:], STYLES[game.turn or game.winner] or "bold")
    players = [Text.assemble((mark, STYLES[mark]), " ", name) for mark, name in zip("XO", view.players, strict=False)]
    played = Text(" ").join(Text(move, STYLES[move[0]]) for move in moves(game))
    score, clock = Text(view.score), Text(view.clock, "dim")
    if beside:
        facts = [*players, *[Text()] * bool(players), status, Text(), *filter(None, [played, score, clock])]
        room, used = width - GAP - SIDE, 2
    else:
        facts = _wrapped(filter(None, [status, Text("  ").join(players), score]), width)
        room, used = width, 1 + len(facts)
    fitting = (cell for cell in CELLS if 3 * cell[0] + 2 <= room and 3 * cell[1] + 2 + used <= height)
    columns, lines = next(fitting, CELLS[-1])
    drawn, title = board(view, columns, lines, large and lines > 1, ascii_only), Text(view.title, "bold")
    if not beside:
        return [title, *drawn, *facts]
    facts = _wrapped(facts, width - GAP - 3 * columns - 2)
    above = max(0, len(drawn) - 7) // 2  # X, O, status, moves, and lines between them
    side = [Text()] * above + facts + [Text()] * len(drawn)
    return [title, Text(), *(line + " " * GAP + fact for line, fact in zip(drawn, side, strict=False))]


def frame(
    view: View, messages: list[Text], question: str, width: int, height: int, ascii_only: bool = False
) -> list[Text]:
    """The whole window. The question and the keys are always on it; messages get what is left, the newest first."""
    if width < SMALLEST[0] or height < SMALLEST[1]:
        return [Text(f"{SMALLEST[0]} x {SMALLEST[1]} needed"[:width])]
    across, above = min(width, USUAL[0]), max(0, height - USUAL[1]) // 2
    room, usual = height - above, min(height - above, USUAL[1])
    keys = view.keys.split("  ")
    while len(keys) > 3 and len("  ".join(keys)) > across:
        del keys[1]
    last = _wrapped(filter(None, [Text(question, "bold"), Text("  ".join(keys), "dim")]), across)[-room:]
    upper = _wrapped(map(Text, view.page), across)
    if not upper:
        upper = position(view, across, usual - len(last) - SPARE, ascii_only=ascii_only)
    if len(upper) > room - len(last):
        upper = upper[: room - len(last)][:1]
    below = _newest([*messages, Text(view.progress, "dim")], across, room - len(upper) - len(last))
    between = [Text()] * (usual - len(upper) - len(below) - len(last))
    lines = [*upper, *between, *below, *last]
    for line in lines:
        line.truncate(across)
        line.pad_left((width - across) // 2)
    return [Text()] * above + lines


def _newest(texts: list[Text], width: int, room: int) -> list[Text]:
    """As many of the last ones as fit."""
    lines: list[Text] = []
    for text in filter(None, reversed(texts)):
        more = _wrapped([text], width)
        if len(lines) + len(more) > room:
            return lines or more[:room]
        lines = more + lines
    return lines


_RULER = Console(width=USUAL[0], color_system=None)


def _wrapped(texts: Iterable[Text], width: int) -> list[Text]:
    return [line for text in texts for line in text.wrap(_RULER, width)]


# -- keys ----------------------------------------------------------------------------------


ESCAPES = re.compile(r"\x1b(\[[0-?]*[@-~]|O.|.)?")  # a key that has no letter, such as an arrow


class Keyboard:
    """Keys without Enter if `raw`, otherwise lines. Nothing is read before somebody asks for it."""

    def __init__(self, raw: bool) -> None:
        self.raw, self._typed, self._at_end = raw, "", False
        self._usual: list[Any] | None = None

    @property
    def _fd(self) -> int:
        return sys.stdin.fileno()

    def open(self) -> None:
        if self.raw and self._usual is None:
            self._usual = termios.tcgetattr(self._fd)
            tty.setcbreak(self._fd, termios.TCSADRAIN)

    def close(self) -> None:
        if self._usual is not None:
            with suppress(termios.error):  # the terminal was closed
                termios.tcsetattr(self._fd, termios.TCSADRAIN, self._usual)
            self._usual = None

    def next(self, timeout: float) -> str | None:
        """The next key or line, in small letters; None if there is none in time, or if the input has ended."""
        if not self._complete(timeout):
            return None
        if self.raw:
            line, self._typed = self._typed[0], self._typed[1:]
        else:
            line, _, self._typed = self._typed.partition("\n")
        return line.strip().lower() or "enter"

    @property
    def ended(self) -> bool:
        """Whether there will be no more."""
        return not self._complete(0) and self._at_end

    def forget(self) -> None:
        """Drop what was typed on a terminal before now."""
        if sys.stdin.isatty():
            self._typed = ""
            termios.tcflush(self._fd, termios.TCIFLUSH)

    def _complete(self, timeout: float) -> bool:
        """Whether a key or line is there, or comes in time."""

        def is_there() -> bool:
            return bool(self._typed) and (self.raw or self._at_end or "\n" in self._typed)

        if not is_there() and not self._at_end and select.select([self._fd], [], [], timeout)[0]:
            self._read()
        return is_there()

    def _read(self) -> None:
        chunk = b""
        with suppress(OSError):  # the terminal was closed
            chunk = os.read(self._fd, 4096)
        self._at_end = not chunk
        text = chunk.decode(errors="ignore")
        if self.raw:
            # Without Enter, Ctrl-D is a character.
            text, end, _ = ESCAPES.sub("", text).partition("\x04")
            self._at_end |= bool(end)
        self._typed += text


# -- both ----------------------------------------------------------------------------------


class Screen:
    """
    Shows what `view` returns, and what is said; reads keys, and answers to questions.

    On a terminal it stays in place: in the whole window if the view is `full`, otherwise below what is printed. It uses
    no thread: from `with` on, a timer draws.
    """

    def __init__(self, view: Callable[[], View], *, plain: bool = False, stderr: bool = False) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)  # of `say_if_slow`
        self.view = view
        self.console = QuietConsole(stderr)
        # Whether somebody reads it and can answer.
        self.interactive = sys.stdin.isatty() and self.console.is_terminal
        self.in_place = self.interactive and not plain and not self.console.is_dumb_terminal
        self.keyboard = Keyboard(self.in_place)
        self.messages: list[Text] = []
        self.sending: Transaction | None = None
        self._since = 0.0
        self._waiting_since: float | None = None
        self._question = ""
        self._helping = False
        self._live: Live | None = None
        self._drawn: tuple[View, list[Text], str, os.terminal_size] | None = None
        self._shown: View | None = None  # the last one with a board
        self._titled = ""  # the status in the window's title
        self._at_prompt = False
        self._ascii_only = not self.console.encoding.startswith("utf")

    def __enter__(self) -> Self:
        if self.in_place:
            signal.signal(signal.SIGTSTP, self._suspend)
            signal.signal(signal.SIGALRM, self._tick)
            signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
        return self

    def __exit__(self, *_: object) -> None:
        """The last board and the score stay in the terminal, however one leaves."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.close()
        if self.in_place and self._shown is not None:
            with suppress(OSError):  # the terminal was closed
                self.print_board(self._shown)

    def close(self) -> None:
        """Leave the terminal as it was, until something is drawn again."""
        self._end_line()
        with signals_blocked(), suppress(OSError):
            if self._live is not None:
                self._live.stop()
                self._live, self._drawn, self._titled = None, None, ""
                self.console.set_window_title("")
            self.keyboard.close()

    def _suspend(self, *_: object) -> None:
        """Ctrl-Z."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.close()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        self.__enter__()

    def _tick(self, *_: object) -> None:
        self.draw()
        if self._waiting_since is not None and time.monotonic() - self._waiting_since > PATIENT:
            self.drop()

    # -- what is shown -----------------------------------------------------------------

    def say(self, sentence: str, style: str = "", wrap: bool = True) -> None:
        """In the whole window a message, which later ones replace; otherwise a line."""
        if self.in_place and self.view().full:
            self.messages.append(Text(sentence, style))
            self.draw()
            return
        self._end_line()
        with signals_blocked():
            self.console.print(sentence, style=style, soft_wrap=not wrap or self.console.soft_wrap)

    def show(self) -> None:
        """Line by line, a board is printed when it has changed."""
        if self.in_place:
            self.draw()
        elif (view := self.view()).title and (self._shown is None or self._shown.game != view.game):
            self._shown = view
            self._end_line()
            self.print_board(view)

    def print_board(self, view: View) -> None:
        lines = self._printed(replace(view, clock=""), self.console.width, BELOW)
        for line in lines:
            line.rstrip()
        with signals_blocked():
            self.console.print(Text("\n").join([Text(), *lines, Text()]), soft_wrap=True)

    def _printed(self, view: View, width: int, height: int) -> list[Text]:
        return position(view, width, height, large=False, ascii_only=self._ascii_only)

    def draw(self) -> None:
        if self.in_place:
            with signals_blocked():
                self._draw()

    def _draw(self) -> None:
        view, size = self.view(), os.get_terminal_size(self.console.file.fileno())
        if self._question:
            again = "" if view.chosen is None else f", Enter or {view.chosen + 1}"
            view = replace(view, keys=f"y{again}: yes  any other key: no")
        elif self._helping:
            view = replace(view, page=HELP, keys="Any key: back to the game")
        if self.sending is not None and not self.sending.node.embedded:
            view = replace(view, progress=stage(self.sending, time.monotonic() - self._since))
        drawn = (view, [*self.messages], self._question, size)
        if self._drawn == drawn:
            return
        if self._live is not None and self._drawn is not None and self._drawn[0].full is not view.full:
            self._live.stop()
            self._live = None
        self._drawn, self.console.size = drawn, size
        if self._live is None:
            self.keyboard.open()
            self._live = Live(
                console=self.console,
                screen=view.full,
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        self._live.update(Text("\n", no_wrap=True, overflow="crop").join(self._lines(view, *size)), refresh=True)
        if view.title:
            if view.rings and self._shown is not None and not self._shown.rings:
                self.console.bell()
            if self._titled != view.status:
                self._titled = view.status
                self.console.set_window_title(f"{view.status[:1].upper()}{view.status[1:]} - tic-tac-toe")
            self._shown = view

    def _lines(self, view: View, width: int, height: int) -> list[Text]:
        if view.full:
            return frame(view, self.messages, self._question, width, height, self._ascii_only)
        line = Text(self._question or view.progress, "dim")
        line.truncate(width - 1)
        return [Text(), *self._printed(view, width, min(height - 3, BELOW)), Text(), line] if view.title else [line]

    def _end_line(self) -> None:
        if self._at_prompt:
            self._at_prompt = False
            self.console.print()

    # -- what is typed -----------------------------------------------------------------

    def key(self, timeout: float | None, prompt: str = "") -> str | None:
        """The next key or line; None if there is none in time, or if the input has ended."""
        if prompt and self.interactive and not self.in_place and not self._at_prompt:
            self.console.print(prompt, end="", soft_wrap=True)
            self._at_prompt = True
        end = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            check_signals()
            self.draw()
            left = end - time.monotonic()
            pressed = self.keyboard.next(max(0, min(left, 1.0)))
            if pressed is None:
                if self.keyboard.ended or left <= 0:
                    return None
            elif not self._turns_page(pressed):
                self._at_prompt = False  # Enter has ended the line
                self.messages.clear()
                return pressed

    def ask(self, question: str, still: Callable[[], bool] = lambda: True) -> bool:
        """
        One key on a terminal, a line elsewhere. What was typed before the question does not answer it. False also as
        soon as it is not `still` to be answered. The lines before the last are what is to be known.
        """
        self.keyboard.forget()
        chosen, answer = self.view().chosen, None
        below = not (self.in_place and self.view().full)
        if below:
            *facts, question = question.split("\n")
            for fact in facts:
                self.say(fact)
        self._question = f"{question} [y/N]"
        if not self.interactive:
            self.say(self._question)
        try:
            while answer is None and still() and not self.keyboard.ended:
                answer = self.key(1.0, f"{self._question} ")
        finally:
            question, self._question = self._question, ""
            if self.in_place and below:
                self.keyboard.forget()  # an Enter
                self.close()
                self.say(f"{question} {answer or ''}")
        if answer is None and self.keyboard.ended:
            raise errors.UsageError("There was no answer, so nothing was sent.", "A script can use `deploy --yes`.")
        return answer in ("y", "yes") or (chosen is not None and answer in ("enter", str(chosen + 1)))

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """While the block waits for the node or a transaction, keys are dropped with the bell; but `q` and `?` work."""
        self._waiting_since = time.monotonic()
        try:
            yield
        finally:
            self._waiting_since = None

    def drop(self) -> None:
        """What was typed meanwhile was not meant for what is shown now. A pipe's keys are kept."""
        if not self.in_place:
            return
        while (pressed := self.keyboard.next(0)) is not None:
            if pressed == "q":
                raise Quit
            if not self._turns_page(pressed):
                self.console.bell()
        if self.keyboard.ended:
            raise Quit

    def _turns_page(self, pressed: str) -> bool:
        """Whether this key shows or leaves the help."""
        turns = (self._helping or pressed == "?") and self.in_place and self.view().full and not self._question
        if turns:
            self._helping = not self._helping
        return turns

    # -- a transaction -----------------------------------------------------------------

    def send(self, transaction: Transaction, work: Callable[[OnPoll], T]) -> T:
        """Shows how far the transaction comes while `work` sends it."""
        self.sending, self._since, said = transaction, time.monotonic(), ""

        def report(each: Transaction) -> None:
            nonlocal said
            check_signals()
            # The chain inside the program mines at once.
            if not (self.in_place or each.node.embedded) and (line := stage(each)) not in ("", said):
                said = line
                self.say(line, "dim")

        try:
            with self.waiting():
                return work(report)
        finally:
            report(transaction)
            # Before the end is shown.
            try:
                self.drop()
            finally:
                self.sending = None
