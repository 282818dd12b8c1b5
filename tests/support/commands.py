"""The commands as a person runs them: with a keyboard, a screen and an exit code."""

import multiprocessing
import os
import pty
import signal
import subprocess
import sys
import tempfile
import termios
import time
from collections import Counter
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path

import pyte

from tests.support import PATIENCE, wait_until

ROOT = Path(__file__).parents[2]
APE = Path(sys.executable).parent / "ape"


def environment(more):
    """
    A plain terminal's environment: this venv's tools, no forced colours, and Python's own defaults. If its output is
    not buffered, Python loses what a signal keeps it from writing.
    """
    keep = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON") and k not in ("FORCE_COLOR", "NO_COLOR")}
    keep["PATH"] = f"{APE.parent}{os.pathsep}{keep.get('PATH', '')}"
    return keep | {"COLUMNS": "100", "PYTHONUTF8": "1", "TERM": "xterm-256color"} | dict(more)


def run(command, keys="", env=()):
    """A program in a process that has loaded nothing, with these keys piped in, to its end."""
    options = {"capture_output": True, "text": True, "cwd": ROOT, "timeout": PATIENCE}
    return subprocess.run(command, input=keys, env=environment(env), **options)


# -- ape run -----------------------------------------------------------------------------------

COPIES = multiprocessing.get_context("forkserver")
COPIES.set_forkserver_preload(["tests.support.loaded", __name__])


def hurry():
    """For the command's clock, each sleep lasts a hundred times as long as it asked for. Nothing else is faster."""
    slept, monotonic, sleep = [0.0], time.monotonic, time.sleep

    def short_sleep(seconds):
        sleep(min(seconds, 0.05))
        slept[0] += seconds * 100

    time.sleep, time.monotonic = short_sleep, lambda: monotonic() + slept[0]


def run_copy(args, files, env, first):
    """In the copy."""
    import ape
    from ape._cli import cli

    os.setsid()  # the first terminal that a new session opens is its own
    for number, file in enumerate(files):
        os.dup2(os.open(file, os.O_WRONLY if number else os.O_RDONLY), number)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # whatever runs the tests may ignore some, as nohup does
    encoding = env.get("PYTHONIOENCODING", "utf-8")
    sys.stdin = os.fdopen(0, encoding="utf-8")
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding=encoding) for number in (1, 2))
    os.environ.clear()
    os.environ.update(env)
    ape.config.DATA_FOLDER = Path(env.get("APE_DATA_FOLDER", ape.config.DATA_FOLDER))
    if first:
        first()
    sys.argv = ["ape", "run", *args]
    cli(sys.argv[1:])


class Command(AbstractContextManager):
    """
    `ape run ...` with these keys piped in, where stdout may be a file of one's own; without keys, in a terminal of this
    size. It runs in a copy of a process that has loaded ape, with streams, signals and an exit code of its own. Only
    the loading is missing, which takes seconds. `first` is a function that the copy calls before it begins.
    """

    def __init__(self, *args, keys=None, columns=80, rows=24, env=(), stdout="", first=None):
        self.args, self.screen = args, pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.printed, self.waited_for, self.at_last = bytearray(), Counter(), ExitStack()
        if keys is None:
            self.keyboard, self.terminal = pty.openpty()
            for end in (self.keyboard, self.terminal):
                self.at_last.callback(os.close, end)
            self.resize(columns, rows)
            os.set_blocking(self.keyboard, False)
            tty = os.ttyname(self.terminal)
            files = [tty, stdout or tty, tty]
        else:
            folder = Path(self.at_last.enter_context(tempfile.TemporaryDirectory()))
            self.terminal, self.files = None, (folder / "out", folder / "err")
            for file in self.files:
                file.touch()
            (folder / "in").write_text(keys)
            files = [folder / "in", stdout or folder / "out", folder / "err"]
        env = environment({"COLUMNS": str(columns), "LINES": str(rows)} | dict(env))
        self.process = COPIES.Process(target=run_copy, args=(args, files, env, first), daemon=True)
        self.process.start()

    # -- what it prints ----------------------------------------------------------------

    def read(self):
        """Whatever a terminal was sent, and draw it. A terminal that is full would stop the command."""
        with suppress(BlockingIOError):
            while self.terminal and (piece := os.read(self.keyboard, 65536)):
                self.printed += piece
                self.stream.feed(piece)

    @property
    def out(self):
        """What is on stdout so far; of a terminal, all."""
        self.read()
        return self.printed.decode(errors="replace") if self.terminal else self.files[0].read_text(errors="replace")

    @property
    def err(self):
        return "" if self.terminal else self.files[1].read_text(errors="replace")

    def wait_for(self, text):
        """Until this is printed, after all that was waited for before."""

        def look():
            for number, printed in enumerate((self.out, self.err)):
                if (found := printed.find(text, self.waited_for[number])) >= 0:
                    self.waited_for[number] = found + len(text)
                    return True
            return False

        wait_until(look, lambda: f"{text!r} is missing:\n{self.out}{self.err}", self.process.is_alive)

    # -- what is on the terminal's screen ----------------------------------------------

    @property
    def lines(self):
        self.read()
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self):
        """In one line: a sentence may be wrapped."""
        return " ".join(" ".join(self.lines).split())

    def sees(self, *sentences):
        """Waits until all of these are on the screen at once, and those that begin with "!" are not."""

        def look():
            text = self.text
            return all((each.lstrip("!") in text) is not each.startswith("!") for each in sentences)

        wait_until(look, lambda: f"{sentences} is missing:\n" + "\n".join(self.lines), self.process.is_alive)

    @property
    def bells(self):
        """The title of the window ends with the same character, and is not counted."""
        return self.out.count("\a") - self.out.count("\x1b]0;")

    def left_as_it_was(self):
        """Whether the terminal shows what is typed, and a cursor."""
        self.read()
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO) and not self.screen.cursor.hidden

    # -- what a person does ------------------------------------------------------------

    def press(self, keys):
        os.write(self.keyboard, keys.encode())

    def plays(self, *steps):
        """Each step is keys or something that happens, and what is on the screen then."""
        for step, *sentences in steps:
            self.press(step) if isinstance(step, str) else step()
            self.sees(*sentences)

    def resize(self, columns, rows):
        termios.tcsetwinsize(self.terminal, (rows, columns))
        self.screen.resize(rows, columns)

    def signal(self, number=signal.SIGINT):
        os.kill(self.process.pid, number)

    def end(self):
        """What it leaves, once it has ended by itself."""

        def ended():
            self.read()
            return not self.process.is_alive()

        wait_until(ended, lambda: f"it goes on:\n{self.out}{self.err}")
        self.process.join()
        return subprocess.CompletedProcess(self.args, self.process.exitcode, self.out, self.err)

    def close(self):
        """Close the terminal, and end the command if it goes on."""
        self.at_last.close()
        self.process.kill()
        self.process.join()

    def __exit__(self, *_):
        self.close()
