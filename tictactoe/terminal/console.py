"""The console that the commands print to."""

from __future__ import annotations

import codecs
import sys

from rich.console import Console

_ASCII = {"…": "..", "·": "-"}


def _ascii(err: UnicodeError) -> tuple[str, int]:
    """Replaces what an ASCII terminal cannot show."""
    if not isinstance(err, UnicodeEncodeError):
        raise err
    return "".join(_ASCII.get(c, "?") for c in err.object[err.start : err.end]), err.end


codecs.register_error("tictactoe", _ascii)


class PipedConsole(Console):
    def on_broken_pipe(self) -> None:
        """Rich would exit with 1. A reader that stops, as `| head` does, is no failure: the command ends with 0."""
        raise BrokenPipeError


def console(stderr: bool = False) -> Console:
    """Rich's console with its guesses switched off: no highlighting, no markup; no escape codes in a pipe."""
    stream = sys.stderr if stderr else sys.stdout
    if not (getattr(stream, "encoding", None) or "utf").lower().startswith("utf") and hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="tictactoe")
    return PipedConsole(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)
