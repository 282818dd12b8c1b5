"""The screen: which key counts for what, and what the terminal gets. The screen's thread runs, without a session."""

from __future__ import annotations

import io
import re
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, cast

import pyte
import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from tests.support import wait_until
from tictactoe import Game
from tictactoe.node import Node
from tictactoe.terminal.screen import Screen
from tictactoe.terminal.view import View
from tictactoe.transactions import Transaction

X, O = "0x" + "1" * 40, "0x" + "2" * 40
GAME = Game(1, X, O, (), "in_progress")
MINE, THEIRS = View(GAME, (X,)), View(GAME, (O,))
NETWORK = cast(Node, SimpleNamespace(embedded=False, symbol="ETH"))


class Paper(io.StringIO):
    """What the screen prints, and what a terminal shows of it."""

    encoding = "utf-8"

    def __init__(self) -> None:
        super().__init__()
        self.raw = ""
        self.terminal = pyte.Screen(80, 24)
        self._stream = pyte.Stream(self.terminal)

    def write(self, printed: str) -> int:
        self.raw += printed
        self._stream.feed(printed)
        return len(printed)


class Seat:
    """A screen, its keyboard, and what is to be seen."""

    def __init__(self, keyboard: PipeInput) -> None:
        self.keyboard, self.paper = keyboard, Paper()
        self.screen = Screen(NETWORK, keyboard, Vt100_Output(self.paper, lambda: Size(24, 80), "xterm"))
        self.asker = ThreadPoolExecutor(1)

    def sees(self, text: str) -> None:
        paper = self.paper.terminal
        wait_until(lambda: any(text in line for line in paper.display), lambda: "\n".join(paper.display))

    def settle(self) -> None:
        """Until every key that was pressed has been read: the screen's thread goes round twice."""
        for word in ("one", "two"):
            self.screen.say(word)
            self.sees(word)

    def press(self, keys: str) -> None:
        self.keyboard.send_text(keys)

    def pressed_and_waited(self, keys: str) -> str | None:
        self.press(keys)
        return self.screen.key(10)

    def asked(self, question: str = "Sure?") -> Future[bool]:
        answer = self.asker.submit(self.screen.ask, question)
        self.sees(f"{question} [y/N]")
        return answer


@pytest.fixture
def seat() -> Iterator[Seat]:
    with create_pipe_input() as keyboard:
        seat = Seat(keyboard)
        with seat.screen:
            yield seat
        seat.asker.shutdown()


@pytest.mark.parametrize(
    ("pressed", "key"),
    [
        ("5", "5"),
        ("N", "n"),
        ("\x1b[A\r", "5"),  # the first arrow shows the cursor, in the middle
        ("\x1b[A\x1b[A ", "2"),
        ("\x1b[B\x1b[D\x1b[D\x1b[D\r", "4"),  # it stops at the edge
        ("\x1b[C\x1b[B\x1b[C\x1b[B\r", "9"),
    ],
)
def test_one_key__is_one_action(seat: Seat, pressed: str, key: str) -> None:
    seat.screen.show(MINE)
    seat.sees("Your turn")
    seat.press(pressed)
    assert seat.screen.key(10) == key


def test_arrows__choose_nothing_while_others_move(seat: Seat) -> None:
    seat.screen.show(THEIRS)
    seat.sees("X to move")
    seat.press("\x1b[A\r")
    assert seat.screen.key(10) == "enter"


def test_key_before_the_first_board__does_not_count(seat: Seat) -> None:
    seat.press("1")
    seat.settle()
    seat.screen.show(MINE)
    seat.sees("Your turn")
    seat.press("2")
    assert seat.screen.key(10) == "2"


@pytest.mark.parametrize(
    ("chosen", "key", "yes"),
    [
        (None, "y", True),
        (None, "n", False),
        (None, "\r", False),
        (None, "5", False),
        (None, "\x1b", False),
        (4, "y", True),
        (4, "\r", True),
        (4, "5", True),
        (4, "6", False),
        (4, "\x1b", False),
        (4, "\x04", False),
    ],
)
def test_question__is_answered_by_one_key(seat: Seat, chosen: int | None, key: str, yes: bool) -> None:
    seat.screen.show(View(GAME, (X,), chosen=chosen))
    answer = seat.asked()
    seat.press(key)
    assert answer.result(10) is yes


def test_answer_typed_before_the_question__does_not_count(seat: Seat) -> None:
    seat.screen.show(MINE)
    seat.sees("Your turn")
    seat.press("yy")
    seat.settle()
    answer = seat.asked()
    seat.press("n")
    assert answer.result(10) is False


def test_answer_pressed_twice__does_not_answer_the_next_question(seat: Seat) -> None:
    seat.screen.show(MINE)
    answer = seat.asked("First?")
    seat.press("yy")
    assert answer.result(10) is True
    answer = seat.asked("Second?")
    seat.press("n")
    assert answer.result(10) is False


def test_key_while_a_transaction_is_on_its_way__is_refused_with_a_bell(seat: Seat) -> None:
    seat.screen.show(MINE)
    nothing = cast(Any, None)
    mine = Transaction(NETWORK, nothing, "move 1", nothing, 0, 0, 0, 0, "", stage="sent", hash="0x" + "a" * 64)
    seat.screen.progress(mine, 3)
    seat.sees("move 1: sent 0xaaaa…aaaa · waiting for a block, 3 s")
    bells = seat.paper.raw.count("\a")
    seat.press("5")
    seat.settle()
    assert seat.paper.raw.count("\a") == bells + 1
    seat.screen.show(THEIRS)
    seat.sees("X to move")
    seat.press("7")
    assert seat.screen.key(10) == "7"


def test_page__is_left_with_any_key(seat: Seat) -> None:
    seat.screen.show(MINE)
    seat.screen.page(["line 1", "line 2"])
    seat.sees("line 2")
    seat.press("5")
    seat.sees("Your turn")
    seat.press("6")
    assert seat.screen.key(10) == "6"


def test_messages__stay_until_a_key_or_the_next_board(seat: Seat) -> None:
    moved = View(Game(1, X, O, (4,), "in_progress"), (O,))
    seat.screen.show(THEIRS)
    seat.screen.say("The node is back.")
    seat.screen.say("X played 5.")
    seat.screen.show(moved)
    seat.sees("X played 5.")
    seat.sees("The node is back.")
    seat.press("h")
    assert seat.screen.key(10) == "h"
    seat.screen.say("later")
    seat.sees("later")
    assert not any("played" in line for line in seat.paper.terminal.display)
    seat.screen.show(moved)
    seat.settle()
    seat.sees("later")


def test_turn_that_comes__rings_and_is_in_the_title(seat: Seat) -> None:
    seat.screen.show(View(Game(1, X, O, (4,), "in_progress"), (X,)))
    seat.sees("O to move")
    seat.screen.show(View(Game(1, X, O, (4, 0), "in_progress"), (X,)))
    seat.sees("Your turn")
    seat.settle()
    titles = r"\x1b]2;O to move - tic-tac-toe\a.*\a\x1b]2;Your turn - tic-tac-toe\a"
    assert re.search(titles, seat.paper.raw, re.DOTALL)


@pytest.mark.parametrize("end", ["ctrl-d", "closed"])
def test_end_of_the_input__ends_the_session(seat: Seat, end: str) -> None:
    seat.screen.show(MINE)
    if end == "closed":
        seat.keyboard.close()
    else:
        seat.press("\x04")
    assert seat.screen.key(10) is None
    assert seat.screen.ended


def test_ctrl_c__interrupts_the_main_thread(seat: Seat) -> None:
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        seat.screen.show(MINE)
        seat.sees("Your turn")
        with pytest.raises(KeyboardInterrupt):
            seat.pressed_and_waited("\x03")
    finally:
        signal.signal(signal.SIGINT, usual)
