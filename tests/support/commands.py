"""The commands as a person runs them: with a keyboard, a screen and an exit code."""

from __future__ import annotations

import multiprocessing
import os
import pty
import resource
import signal
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pyte

from tests.support import PATIENCE, wait_until

ROOT = Path(__file__).parents[2]
APE = Path(sys.executable).parent / "ape"


@dataclass
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str


def environment(**more: str) -> dict[str, str]:
    """
    A plain terminal's environment: this venv's tools, no forced colours, and Python's own defaults. If its output is
    not buffered, Python loses what a signal keeps it from writing.
    """
    keep = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON") and k not in ("FORCE_COLOR", "NO_COLOR")}
    keep["PATH"] = f"{APE.parent}{os.pathsep}{keep.get('PATH', '')}"
    return keep | {"COLUMNS": "100", "PYTHONUTF8": "1", "TERM": "xterm-256color"} | more


def run(command: list[str], keys: str = "", env: Mapping[str, str] | None = None) -> Done:
    """A program in a process that has loaded nothing, with these keys piped in, to its end."""
    done = subprocess.run(
        command, input=keys, capture_output=True, text=True, cwd=ROOT, env=environment(**env or {}), timeout=PATIENCE
    )
    return Done(done.returncode, done.stdout, done.stderr)


def lines(keys: str) -> str:
    """`"14 2"` as the lines of a pipe."""
    return "".join(f"{key}\n" for key in keys if not key.isspace())


def keys_for(cells: Iterable[int]) -> str:
    return "".join(str(cell + 1) for cell in cells)


# -- ape run -----------------------------------------------------------------------------------

COPIES = multiprocessing.get_context("forkserver")
COPIES.set_forkserver_preload(["tests.support.loaded", __name__])

# Of memory, in the unit of `ru_maxrss`.
MEGABYTE = 2**20 if sys.platform == "darwin" else 2**10


def _grown() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // MEGABYTE


def _hurry(times: float) -> None:
    """For the command's clock, each sleep lasts so many times as long as it asked for. Nothing else is faster."""
    slept, monotonic, sleep = [0.0], time.monotonic, time.sleep

    def short_sleep(seconds: float) -> None:
        sleep(min(seconds, 0.05))
        slept[0] += seconds * times

    time.sleep, time.monotonic = short_sleep, lambda: monotonic() + slept[0]


def _run(args: tuple[str, ...], keys: str | None, files: list[str], env: dict[str, str], hurry: float) -> None:
    """In the copy. A command that needs 100 MB more than what is loaded fails."""
    import ape
    from ape._cli import cli

    if hurry > 1:
        _hurry(hurry)
    if keys is None:
        os.setsid()  # the first terminal that a new session opens is its own
        streams = [os.open(files[0], os.O_RDWR)] * 3
        if files[1:]:
            streams[1] = os.open(files[1], os.O_WRONLY)
    else:
        reading, typing = os.pipe()
        os.write(typing, keys.encode())
        os.close(typing)
        streams = [reading, *(os.open(file, os.O_WRONLY) for file in files)]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    encoding = env.get("PYTHONIOENCODING", "utf-8")
    sys.stdin = os.fdopen(0, encoding="utf-8")
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding=encoding) for number in (1, 2))
    os.environ.clear()
    os.environ.update(env)
    ape.config.DATA_FOLDER = Path(env.get("APE_DATA_FOLDER", ape.config.DATA_FOLDER))
    sys.argv = ["ape", "run", *args]
    before = _grown()
    try:
        cli(sys.argv[1:])
    finally:
        assert _grown() - before < 100, f"it grew by {_grown() - before} MB"


class Command:
    """
    `ape run ...` with these keys piped in, where stdout may be a file of one's own; without keys, in a terminal of this
    size. It runs in a copy of a process that has loaded ape, with streams, signals and an exit code of its own. Only
    the loading is missing, which takes seconds.
    """

    def __init__(
        self,
        *args: str,
        keys: str | None = None,
        columns: int = 80,
        rows: int = 24,
        env: Mapping[str, str] | None = None,
        hurry: float = 1,
        stdout: str = "",
    ) -> None:
        self._closed_at_last = ExitStack()
        self.screen = pyte.Screen(columns, rows)
        self._drawing, self._drawn = pyte.ByteStream(self.screen), 0
        if keys is None:
            master, self._terminal = pty.openpty()
            self.resize(columns, rows)
            os.set_blocking(master, False)
            self._streams, files = [master], [os.ttyname(self._terminal), *filter(None, [stdout])]
            self._closed_at_last.callback(os.close, self._terminal)
        else:
            folder = self._closed_at_last.enter_context(tempfile.TemporaryDirectory())
            files = [stdout or f"{folder}/out", f"{folder}/err"]
            self._streams = [os.open(os.devnull if file == stdout else file, os.O_CREAT) for file in files]
        for stream in self._streams:
            self._closed_at_last.callback(os.close, stream)
        self._printed = [bytearray() for _ in files]
        self._waited_for = [0 for _ in files]
        environ = environment(**{"COLUMNS": str(columns), "LINES": str(rows)} | dict(env or {}))
        self.process = COPIES.Process(target=_run, args=(args, keys, files, environ, hurry), daemon=True)
        self.process.start()

    # -- what it prints ----------------------------------------------------------------

    def _read(self) -> None:
        for stream, printed in zip(self._streams, self._printed, strict=False):
            with suppress(BlockingIOError):
                while piece := os.read(stream, 65536):
                    printed += piece

    @property
    def out(self) -> str:
        """On stdout; in a terminal, all."""
        self._read()
        return self._printed[0].decode(errors="replace")

    @property
    def err(self) -> str:
        self._read()
        return b"".join(self._printed[1:]).decode(errors="replace")

    def wait_for(self, text: str) -> None:
        """Until this is printed, after all that was waited for before."""

        def look() -> bool:
            running = self.process.is_alive()
            self._read()
            for number, printed in enumerate(self._printed):
                if (found := printed.find(text.encode(), self._waited_for[number])) >= 0:
                    self._waited_for[number] = found + len(text.encode())
                    return True
            assert running, f"it ended without {text!r}:\n{self.out}{self.err}"
            return False

        wait_until(look, lambda: f"{text!r} is missing:\n{self.out}{self.err}")

    # -- what is on the terminal's screen ----------------------------------------------

    @property
    def lines(self) -> list[str]:
        self._read()
        self._drawing.feed(bytes(self._printed[0][self._drawn :]))
        self._drawn = len(self._printed[0])
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        """In one line: a sentence may be wrapped."""
        return " ".join(" ".join(self.lines).split())

    def sees(self, *sentences: str, without: str = "\0") -> str:
        """Waits until all of these are on the screen at once, and this is not. Returns the text."""

        def missing() -> str:
            return f"{sentences} is missing:\n" + "\n".join(self.lines)

        def look() -> str:
            running, text = self.process.is_alive(), self.text
            seen = without not in text and all(each in text for each in sentences)
            assert seen or running, missing()
            return text if seen else ""

        return wait_until(look, missing)

    @property
    def bells(self) -> int:
        """The title of the window ends with the same character, and is not counted."""
        return self.out.count("\a") - self.out.count("\x1b]0;")

    # -- what a person does ------------------------------------------------------------

    def press(self, keys: str) -> None:
        os.write(self._streams[0], keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        termios.tcsetwinsize(self._terminal, (rows, columns))
        self.screen.resize(rows, columns)

    def echoes(self) -> bool:
        """Whether the terminal shows what is typed."""
        return bool(termios.tcgetattr(self._terminal)[3] & termios.ECHO)

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        os.kill(self.process.pid or 0, number)

    def end(self) -> Done:
        """What it leaves, once it has ended by itself."""

        def look() -> bool:
            self._read()  # a terminal that is full would stop it
            return not self.process.is_alive()

        wait_until(look, lambda: f"it goes on:\n{self.out}{self.err}")
        self.process.join()
        assert self.process.exitcode is not None
        return Done(self.process.exitcode, self.out, self.err)

    def close(self) -> None:
        """Close the terminal, and end the command if it goes on."""
        self._streams.clear()
        self._closed_at_last.close()
        self.process.kill()
        self.process.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ape_run(*args: str, keys: str = "", **more: object) -> Done:
    with Command(*args, keys=keys, **more) as command:  # type: ignore[arg-type]
        return command.end()
