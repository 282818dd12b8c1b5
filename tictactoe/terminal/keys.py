"""Lines from a person or a pipe, without ever holding up the chain's news."""

from __future__ import annotations

import queue
import sys
import threading
from typing import TextIO


class Keyboard:
    """Reads lines in a thread of its own. After the last one, `ended` is true and there are no more."""

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
            # The terminal went away, or the bytes are no text: the same as the end for a player.
            pass
        self._lines.put(None)

    def line(self, timeout: float | None) -> str | None:
        """The next line; nothing when none came in time or none will ever come."""
        if self.ended:
            return None
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            return None
        self.ended = line is None
        return line
