"""The commands as a person runs them: processes with a keyboard, a screen and an exit code."""

import os
import pty
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
APE = Path(sys.executable).parent / "ape"


@dataclass
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str


def environment(**more: str) -> dict[str, str]:
    """A plain terminal's environment: this venv's tools, no colours forced, and Python's own habits."""
    keep = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "FORCE_COLOR", "NO_COLOR")}
    keep["PATH"] = f"{APE.parent}{os.pathsep}{keep.get('PATH', '')}"
    return keep | {"COLUMNS": "100", "PYTHONUTF8": "1"} | more


def ape_run(*args: str, keys: str = "", timeout: float = 120, env: dict[str, str] | None = None) -> Done:
    """`ape run ...` with these keys piped in, to its end."""
    done = subprocess.run(
        [str(APE), "run", *args],
        input=keys,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(**env or {}),
        timeout=timeout,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def press(cells: str) -> str:
    """`"14 2"` as the lines of a pipe."""
    return "".join(f"{key}\n" for key in cells if not key.isspace())


class Running:
    """A command that goes on: what it prints is collected, and awaited. With `terminal`, it believes in a person."""

    def __init__(self, *args: str, terminal: bool = False, env: dict[str, str] | None = None) -> None:
        self.text = ""
        self._news = threading.Condition()
        self._closed = False
        command, variables = (
            [str(APE), "run", *args],
            environment(PYTHONUNBUFFERED="1", TERM="xterm-256color", **env or {}),
        )
        if terminal:
            self._own, theirs = pty.openpty()
            self.process = subprocess.Popen(
                command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, env=variables, start_new_session=True
            )
            os.close(theirs)
            self._keys = self._own
        else:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=ROOT,
                env=variables,
            )
            assert self.process.stdin is not None
            assert self.process.stdout is not None
            self._own, self._keys = self.process.stdout.fileno(), self.process.stdin.fileno()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                chunk = os.read(self._own, 65536)
            except OSError:  # how a pseudo-terminal says that the other side is gone
                chunk = b""
            with self._news:
                self.text += chunk.decode(errors="replace")
                self._closed = not chunk
                self._news.notify_all()
            if not chunk:
                return

    def wait_for(self, text: str, timeout: float = 60, count: int = 1) -> None:
        with self._news:
            found = self._news.wait_for(lambda: self.text.count(text) >= count or self._closed, timeout)
        assert found, f"no {text!r} within {timeout} s in:\n{self.text[-3000:]}"
        assert self.text.count(text) >= count, f"no {text!r} before the end of:\n{self.text[-3000:]}"

    def press(self, keys: str) -> None:
        os.write(self._keys, keys.encode())

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def end(self, timeout: float = 60) -> int:
        """Wait for it to end by itself."""
        code = self.process.wait(timeout)
        with self._news:
            self._news.wait_for(lambda: self._closed, 10)
        return code

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
