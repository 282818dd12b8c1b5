"""A terminal with a screen: what a person sees of a command, line by line, at any moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import pexpect
import pyte

from tests.support import PATIENCE
from tests.support.commands import in_terminal


class Terminal:
    """`ape run ...` in a terminal of this size."""

    def __init__(self, *args: str, columns: int = 80, rows: int = 24, env: Mapping[str, str] | None = None) -> None:
        self.raw = ""  # all that was printed
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        self.child = in_terminal(*args, columns=columns, rows=rows, env=env)

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        """What is on the screen, in one line: a sentence may be wrapped."""
        return " ".join(" ".join(self.lines).split())

    def press(self, keys: str) -> None:
        self.child.send(keys)

    def read(self, seconds: float = 0.05) -> bool:
        """What the command has printed meanwhile. False once it has ended."""
        try:
            printed = self.child.read_nonblocking(65536, seconds)
            self.raw += printed
            self._stream.feed(printed)
        except pexpect.TIMEOUT:
            pass
        except pexpect.EOF:
            return False
        return True

    def until(self, seen: Callable[[str], bool], what: object, timeout: float = PATIENCE) -> None:
        deadline = time.monotonic() + timeout
        while not seen(self.text):
            running = self.read()
            assert seen(self.text) or (running and time.monotonic() < deadline), f"{what} is missing:\n" + "\n".join(
                self.lines
            )

    def wait_for(self, *sentences: str) -> None:
        """Until all of these are on the screen at once."""
        self.until(lambda text: all(each in text for each in sentences), sentences)

    def end(self, timeout: float = PATIENCE) -> int:
        """The exit code, once the command has ended by itself."""
        deadline = time.monotonic() + timeout
        while self.read():
            assert time.monotonic() < deadline, "it goes on:\n" + "\n".join(self.lines)
        code: int = self.child.wait()
        return code

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.close(force=True)
