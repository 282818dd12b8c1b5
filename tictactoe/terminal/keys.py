"""Reads keys from a person or a pipe while the session goes on."""

from __future__ import annotations

import queue
import sys
import threading
from typing import TextIO


class Keyboard:
    """Reads lines in a thread of its own. `ended` becomes true after the last one."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stdin
        self.is_terminal = self.stream.isatty()
        self.ended = False
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            for line in self.stream:
                self._lines.put(line.strip())
        except (OSError, ValueError):
            # The terminal is gone, or the bytes are not text: treat both as the end.
            pass
        self._lines.put(None)

    def line(self, timeout: float | None) -> str | None:
        """The next line; None if there is none within the timeout, or if the input has ended."""
        if self.ended:
            return None
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            return None
        self.ended = line is None
        return line

    def forget(self) -> None:
        """Drop the lines that were typed before a question was on the screen: they do not answer it."""
        while self.line(0) is not None:
            pass
