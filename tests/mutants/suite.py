"""What the suite itself says of a contract: in a copy of the project, with that for its contract."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
COPIED = ("ape-config.yaml", "pyproject.toml", "README.md", "contracts", "scripts", "tests")
MADE_BY_TOOLS = shutil.ignore_patterns("node_modules", "__pycache__", ".*")
# The tests of the contract, the quick ones first. Not `tests/gas`: it also compares what the deployment costs, in which
# the source's hash has a part, so that it can fail by chance; the other figures the judge has compared.
TESTS = ("tests/unit", "tests/exhaustive")

# ape looks for the compiler on the path.
ENVIRONMENT = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

PASSED, FAILED = 0, 1


def failing_test(source: str, tests: tuple[str, ...] = TESTS, progress: Callable[[int], None] | None = None) -> str:
    """The first test that a contract fails; empty if it passes all. `progress` hears how far it is, in percent."""
    with project_with(source) as project:
        command = [sys.executable, "-m", "pytest", "-x", "-v", "--tb=no", "-p", "no:cacheprovider", *tests]
        with subprocess.Popen(
            command, cwd=project, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as running:
            assert running.stdout is not None
            failed, last = "", deque[str](maxlen=40)
            for line in running.stdout:
                last.append(line)
                if told := re.match(r"(tests/.*::.*) (?:PASSED|(FAILED|ERROR)) +\[ *(\d+)%\]$", line):
                    test, bad, percent = told.groups()
                    failed = failed or (test if bad else "")
                    if progress:
                        progress(int(percent))
    if (running.returncode, bool(failed)) not in ((PASSED, False), (FAILED, True)):
        raise RuntimeError(f"pytest ended with {running.returncode} and no verdict:\n{''.join(last)}")
    return failed


@contextmanager
def project_with(source: str) -> Iterator[Path]:
    """A copy of the project that knows no other contract than this."""
    with tempfile.TemporaryDirectory() as folder:
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, Path(folder, name), ignore=MADE_BY_TOOLS)
            else:
                shutil.copy(ROOT / name, folder)
        Path(folder, "contracts", "TicTacToe.vy").write_text(source)
        yield Path(folder)
