"""The commands as a person runs them: processes with a keyboard, a screen and an exit code."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pexpect
from pexpect.popen_spawn import PopenSpawn

from tests.support import PATIENCE
from tictactoe import TicTacToeError

ROOT = Path(__file__).parents[2]
APE = Path(sys.executable).parent / "ape"


@dataclass
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    def failed_with(self, error: TicTacToeError) -> bool:
        return self.code == error.exit_code and error.message in self.err


# The command's name, its arguments, and its `keys`.
Command = Callable[..., Done]


def environment(**more: str) -> dict[str, str]:
    """
    A plain terminal's environment: this venv's tools, no forced colours, and Python's own defaults. If its output is
    not buffered, Python loses what a signal keeps it from writing.
    """
    keep = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON") and k not in ("FORCE_COLOR", "NO_COLOR")}
    keep["PATH"] = f"{APE.parent}{os.pathsep}{keep.get('PATH', '')}"
    return keep | {"COLUMNS": "100", "PYTHONUTF8": "1"} | more


def run(command: list[str], keys: str = "", env: Mapping[str, str] | None = None) -> Done:
    """A program with these keys piped in, to its end."""
    done = subprocess.run(
        command, input=keys, capture_output=True, text=True, cwd=ROOT, env=environment(**env or {}), timeout=PATIENCE
    )
    return Done(done.returncode, done.stdout, done.stderr)


def ape_run(*args: str, keys: str = "", env: Mapping[str, str] | None = None) -> Done:
    return run([str(APE), "run", *args], keys, env)


def lines(keys: str) -> str:
    """`"14 2"` as the lines of a pipe."""
    return "".join(f"{key}\n" for key in keys if not key.isspace())


def keys_for(cells: Iterable[int]) -> str:
    return "".join(str(cell + 1) for cell in cells)


def spawn_options(env: Mapping[str, str] | None) -> dict[str, Any]:
    """What pexpect takes for a process, with or without a terminal."""
    environ = environment(**{"TERM": "xterm-256color"} | dict(env or {}))
    return {"cwd": ROOT, "env": environ, "encoding": "utf-8", "codec_errors": "replace", "timeout": PATIENCE}


def in_terminal(*args: str, columns: int, rows: int, env: Mapping[str, str] | None = None) -> pexpect.spawn:
    """`ape run ...` in a pseudo-terminal of this size."""
    # pexpect asks the terminal for its size, so COLUMNS must not contradict it.
    size = {"COLUMNS": str(columns), "LINES": str(rows)}
    return pexpect.spawn(str(APE), ["run", *args], dimensions=(rows, columns), **spawn_options({**(env or {}), **size}))


class Running:
    """`ape run ...` while it goes on: in a pseudo-terminal, or with pipes, where stderr joins stdout."""

    def __init__(self, *args: str, terminal: bool = False, env: Mapping[str, str] | None = None) -> None:
        self._output = io.StringIO()
        self.terminal = terminal
        if terminal:
            self.child = in_terminal(*args, columns=100, rows=40, env=env)
        else:
            self.child = PopenSpawn([str(APE), "run", *args], **spawn_options(env))
            self.child.delayafterread = 0.01  # it polls, and by default every 0.1 ms
        self.child.logfile_read = self._output

    @property
    def text(self) -> str:
        """All that was printed, as far as it was read."""
        return self._output.getvalue()

    def wait_for(self, text: str, timeout: float = PATIENCE) -> None:
        """Read on until this text appears, after all that was waited for before."""
        self.child.expect_exact(text, timeout)

    def press(self, keys: str) -> None:
        self.child.send(keys)

    def interrupt(self) -> None:
        """Ctrl-C, as a signal: at the control character, a pseudo-terminal drops the output that was not read yet."""
        self.child.kill(signal.SIGINT)

    def end(self, timeout: float = PATIENCE) -> int:
        """The exit code, once the command has ended by itself."""
        self.child.expect(pexpect.EOF, timeout)
        code: int = self.child.wait()
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.terminal:
            self.child.close(force=True)
        else:
            with self.child.proc as process:
                process.kill()
