"""The screen of `play`: the board stays in its place, and one key is one action."""

from __future__ import annotations

import io
import os
import queue
import signal
import threading
import time
from contextlib import suppress
from dataclasses import replace

import click
from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.output import Output
from rich.console import Console
from rich.text import Text

from tictactoe.node import Node
from tictactoe.terminal import output_text
from tictactoe.terminal.board import is_ascii
from tictactoe.terminal.frame import Places, frame
from tictactoe.terminal.seats import State
from tictactoe.terminal.signals import defer_signals
from tictactoe.terminal.view import View
from tictactoe.transactions import Transaction

ARROWS = {Keys.Up: -3, Keys.Down: 3, Keys.Left: -1, Keys.Right: 1}
ENTER, SPACE = Keys.ControlM, " "


class Screen:
    """
    The session calls it from the main thread. The panel's thread draws and reads keys meanwhile, so it never waits for
    a node. A key belongs to what was on the screen when it was pressed.
    """

    interactive = True

    def __init__(self, node: Node, keyboard: Input | None = None, terminal: Output | None = None) -> None:
        self.node = node
        self.ended = False
        self._panel = Panel(keyboard, terminal)
        self._fresh: list[Text] = []  # messages about the board that comes next
        self._questions = 0

    def __enter__(self) -> Screen:
        self._panel.start()
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        self._panel.stop()
        if failure is None:
            # The screen is gone, and with it the board.
            for line in output_text.history(self._panel.places.view.game):
                click.echo(line)

    def show(self, view: View) -> None:
        """The new board, with the messages that came since the last one."""
        old = self._panel.places
        moved = view.game != old.view.game
        self._panel.change(
            view=view,
            progress="",
            asked=0,
            messages=tuple(self._fresh) if moved else old.messages,
            cursor=old.cursor if view.state is State.MY_TURN else None,
        )
        self._fresh.clear()

    def say(self, sentence: str, style: str = "") -> None:
        self._fresh.append(Text(sentence, style))
        self._panel.change(messages=(*self._panel.places.messages, self._fresh[-1]))

    def page(self, lines: list[str]) -> None:
        """Show these lines in place of the board until a key is pressed."""
        self._panel.change(page=tuple(lines))

    def progress(self, sent: Transaction, waited: float) -> None:
        if not self.node.embedded and sent.stage in output_text.PASSING:
            self._panel.change(progress=output_text.progress(sent, waited))

    def key(self, timeout: float | None) -> str | None:
        """The next key; None if there is none within the timeout, or if there will be none."""
        pressed = self._next(0, timeout)
        if pressed is not None:
            self._forget_messages()
        return pressed

    def ask(self, question: str) -> bool:
        """Only a key that is pressed while the question is on the screen answers it."""
        self._questions += 1
        chosen = self._panel.places.view.chosen
        yes = {"y"} if chosen is None else {"y", "enter", str(chosen + 1)}
        self._panel.change(question=output_text.QUESTION.format(question=question), asked=self._questions)
        answer = self._next(self._questions, None)
        self._forget_messages()
        self._panel.change(question="", asked=0)
        return answer in yes

    def _forget_messages(self) -> None:
        self._fresh.clear()
        self._panel.change(messages=())

    def _next(self, asked: int, timeout: float | None) -> str | None:
        """The next key that was pressed while this question, or with 0 none, was on the screen."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self.ended:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                pressed = self._panel.keys.get(timeout=left)
            except queue.Empty:
                return None
            if pressed is None:
                self.ended = True
            elif pressed[1] == asked:
                return pressed[0]
        return None


class Panel:
    """A thread that owns the terminal: it draws the places, and reads keys. The main thread changes and takes them."""

    def __init__(self, keyboard: Input | None = None, terminal: Output | None = None) -> None:
        self.places = self._drawn = Places(asked=-1)  # no key counts before the first board
        # Each key with the number of the question that was on the screen when it was pressed. None is the end.
        self.keys: queue.SimpleQueue[tuple[str, int] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()  # both threads change the places
        self._title = ""
        self._app: Application[None] = Application(
            layout=Layout(Window(FormattedTextControl(self._draw, show_cursor=False), always_hide_cursor=True)),
            key_bindings=self._bindings(),
            full_screen=True,
            refresh_interval=1.0,  # for the clock
            after_render=self._after_render,
            input=keyboard,
            output=terminal,
        )
        self._app.ttimeoutlen = 0.05  # how long Esc may be the beginning of another key
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        with defer_signals():
            self._thread.start()
            self._started.wait()

    def stop(self) -> None:
        """Leave the terminal as it was."""

        def leave() -> None:
            if self._app.is_running:
                self._app.exit()

        with defer_signals():
            # The application may have ended by itself, with its terminal.
            with suppress(RuntimeError):
                if self._app.loop is not None:
                    self._app.loop.call_soon_threadsafe(leave)
            self._thread.join()

    def change(self, **places: object) -> None:
        with self._lock:
            self.places = replace(self.places, **places)  # type: ignore[arg-type]
        self._app.invalidate()

    # -- in its own thread --------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._app.run(handle_sigint=False, set_exception_handler=False)
            self._app.output.clear_title()
            self._app.output.flush()
        except (EOFError, OSError):
            pass  # The terminal was closed.
        finally:
            self.keys.put(None)
            self._started.set()

    def _draw(self) -> ANSI:
        self._drawn = self.places
        size, ascii_only = self._app.output.get_size(), is_ascii(self._app.output.encoding())
        lines = frame(self._drawn, size.columns, size.rows, time.time(), ascii_only)
        drawn = io.StringIO()
        painter = Console(file=drawn, width=size.columns, force_terminal=True, color_system="standard", no_color=False)
        painter.print(Text("\n").join(lines), end="", no_wrap=True, overflow="crop")
        return ANSI(drawn.getvalue().encode("ascii", "tictactoe").decode() if ascii_only else drawn.getvalue())

    def _after_render(self, app: Application[None]) -> None:
        self._started.set()
        view = self._drawn.view
        title = output_text.WINDOW_TITLE.format(status=view.status)
        if title != self._title and view.game.number:
            # At one keyboard every turn is here.
            if self._title and view.state is State.MY_TURN and view.my_mark:
                app.output.bell()
            app.output.set_title(title)
            app.output.flush()
            self._title = title

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        bindings.add(Keys.Any)(self._pressed)
        bindings.add(Keys.Escape)(self._pressed)
        bindings.add(Keys.ControlC)(_interrupt)
        bindings.add(Keys.SIGINT)(_interrupt)
        bindings.add(Keys.ControlD)(lambda _event: self.keys.put(None))
        bindings.add(Keys.ControlZ)(lambda _event: run_in_terminal(_suspend))
        for arrow in ARROWS:
            bindings.add(arrow)(self._move_cursor)
        return bindings

    def _pressed(self, event: KeyPressEvent) -> None:
        key, drawn = event.key_sequence[0].key, self._drawn
        if drawn.page:
            self.change(page=())
        elif drawn.progress:
            # A transaction is on its way: what is pressed now is not for the board that comes.
            event.app.output.bell()
        elif key in (ENTER, SPACE) and not drawn.asked and (cell := self.places.cursor) is not None:
            self.keys.put((str(cell + 1), 0))
        else:
            self.keys.put(("enter" if key == ENTER else key.lower(), drawn.asked))

    def _move_cursor(self, event: KeyPressEvent) -> None:
        drawn = self._drawn
        if drawn.view.state is State.MY_TURN and not drawn.asked:
            # Arrows may come faster than frames.
            step, cell = ARROWS[Keys(event.key_sequence[0].key)], self.places.cursor
            if cell is None:
                self.change(cursor=4)
            elif 0 <= cell + step < 9 and (abs(step) == 3 or cell // 3 == (cell + step) // 3):
                self.change(cursor=cell + step)


def _suspend() -> None:
    """Ctrl-Z. The signal stops all threads, but a moment later: the terminal must stay as it is until then."""
    os.kill(0, signal.SIGTSTP)
    time.sleep(0.2)


def _interrupt(_event: KeyPressEvent) -> None:
    """Ctrl-C is a key while the screen is on. The main thread gets the signal, wherever it waits."""
    main = threading.main_thread().ident
    assert main is not None  # noqa: S101 - it runs
    signal.pthread_kill(main, signal.SIGINT)
