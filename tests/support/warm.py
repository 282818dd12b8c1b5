"""
`ape run` in a copy of a process that has loaded ape: with a process, streams, signals and an exit code of its own, as
any other, but it begins after a tenth of a second.
"""

from __future__ import annotations

import multiprocessing
import os
import pty
import resource
import signal
import sys
import tempfile
import termios
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

from tests.support import wait_until
from tests.support.commands import Done, environment

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


def _command(
    args: tuple[str, ...], keys: str | None, streams: tuple[str, str], env: dict[str, str], hurry: float
) -> None:
    """Runs in the copy. A command that needs 100 MB more than what is loaded fails."""
    from ape._cli import cli

    if hurry > 1:
        _hurry(hurry)
    if keys is None:
        os.setsid()  # the first terminal that a new session opens is its own
        reading = os.open(streams[0], os.O_RDWR)
        writing = (reading, reading)
    else:
        reading, typing = os.pipe()
        os.write(typing, keys.encode())
        os.close(typing)
        writing = tuple(os.open(stream, os.O_WRONLY) for stream in streams)
    for number, stream in enumerate((reading, *writing)):
        os.dup2(stream, number)
    sys.stdin = os.fdopen(0, encoding="utf-8")
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8") for number in (1, 2))
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["ape", "run", *args]
    before = _grown()
    try:
        cli(sys.argv[1:])
    finally:
        assert _grown() - before < 100, f"it grew by {_grown() - before} MB"


class Warm:
    """A command with these keys piped in; without keys, in a terminal."""

    def __init__(
        self, *args: str, keys: str | None = None, env: Mapping[str, str] | None = None, hurry: float = 1
    ) -> None:
        self.terminal = keys is None
        self._printed = b""
        if self.terminal:
            self._master, self._slave = pty.openpty()
            termios.tcsetwinsize(self._slave, (40, 100))
            os.set_blocking(self._master, False)
            streams = (os.ttyname(self._slave),) * 2
        else:
            self._folder = tempfile.TemporaryDirectory()
            self._files = [Path(self._folder.name) / name for name in ("out", "err")]
            for file in self._files:
                file.touch()
            streams = (str(self._files[0]), str(self._files[1]))
        environ = environment(**{"TERM": "xterm-256color"} | dict(env or {}))
        self.process = COPIES.Process(target=_command, args=(args, keys, streams, environ, hurry), daemon=True)
        self.process.start()

    @property
    def out(self) -> str:
        """What it has printed; on a terminal, all of it."""
        if not self.terminal:
            return self._files[0].read_text()
        with suppress(BlockingIOError):
            while printed := os.read(self._master, 65536):
                self._printed += printed
        return self._printed.decode(errors="replace")

    @property
    def err(self) -> str:
        return "" if self.terminal else self._files[1].read_text()

    def wait_for(self, text: str, times: int = 1) -> None:
        """Until the text was printed so many times."""
        ended = object()

        def look() -> object:
            running = self.process.is_alive()
            return (self.out + self.err).count(text) >= times or (None if running else ended)

        assert wait_until(look, lambda: f"{text} is missing:\n{self.out}{self.err}") is not ended, self.out + self.err

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        os.kill(self.process.pid or 0, number)

    def echoes(self) -> bool:
        """Whether the terminal shows what is typed."""
        return bool(termios.tcgetattr(self._slave)[3] & termios.ECHO)

    def end(self) -> Done:
        """What it leaves, once it has ended by itself."""

        def look() -> bool:
            _ = self.out  # a terminal that is full would stop it
            return not self.process.is_alive()

        wait_until(look, lambda: f"it goes on:\n{self.out}{self.err}")
        self.process.join()
        assert self.process.exitcode is not None
        return Done(self.process.exitcode, self.out, self.err)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.join()
        if self.terminal:
            os.close(self._master)
            os.close(self._slave)
        else:
            self._folder.cleanup()


def ape_run(*args: str, keys: str = "", env: Mapping[str, str] | None = None, hurry: float = 1) -> Done:
    with Warm(*args, keys=keys, env=env, hurry=hurry) as command:
        return command.end()
