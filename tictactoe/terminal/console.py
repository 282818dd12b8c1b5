"""The console that the commands print to."""

from __future__ import annotations

import codecs
import sys
from typing import TextIO

from rich.console import Console


def _stand_in(err: UnicodeError) -> tuple[str, int]:
    """For terminals that know only ASCII."""
    if not isinstance(err, UnicodeEncodeError):
        raise err
    stand_ins = {"…": "..", "·": "-"}
    return "".join(stand_ins.get(c, "?") for c in err.object[err.start : err.end]), err.end


codecs.register_error("tictactoe", _stand_in)


class Screen(Console):
    def on_broken_pipe(self) -> None:
        """Rich would end the process with 1. Whoever has read enough did nothing wrong: the command ends with 0."""
        raise BrokenPipeError


def console(file: TextIO | None = None, stderr: bool = False) -> Console:
    """Rich's console without its guesses: nothing coloured that we did not colour, no codes where no terminal is."""
    stream = file or (sys.stderr if stderr else sys.stdout)
    if not (getattr(stream, "encoding", None) or "utf").lower().startswith("utf") and hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="tictactoe")
    return Screen(file=file, stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)
