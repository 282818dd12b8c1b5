"""A person at a terminal, for a command in the test's own process: answers each question after it was asked."""

import io
import re
import sys
import time

# What the commands print before they read a line.
PROMPTS = re.compile(r"\[y/N\] |for help\): |to quit: ")


class Person(io.BytesIO):
    """The standard input of click's runner. Each line is read after another prompt; then the input ends."""

    def __init__(self, *lines: str) -> None:
        super().__init__()
        self.lines = iter(lines)
        self.answered = 0
        self.gone = False

    def isatty(self) -> bool:
        return True

    def read1(self, _size: int | None = -1) -> bytes:
        while not self.gone:
            printed = [getattr(stream.buffer, "getvalue", bytes)() for stream in (sys.stdout, sys.stderr)]
            shown = b"".join(printed).decode(errors="replace")
            if len(PROMPTS.findall(shown)) > self.answered:
                self.answered += 1
                return next(self.lines, "").encode()
            time.sleep(0.01)
        return b""
