"""The commands as a person runs them: processes with a keyboard, a screen and an exit code."""

import os
import subprocess
import sys
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


def ape_run(*args: str, keys: str = "", timeout: float = 120, **env: str) -> Done:
    """`ape run ...` with these keys piped in, to its end."""
    done = subprocess.run(
        [str(APE), "run", *args],
        input=keys,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(**env),
        timeout=timeout,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def press(cells: str) -> str:
    """`"14 2"` as the lines of a pipe."""
    return "".join(f"{key}\n" for key in cells if not key.isspace())
