"""Judges a mutant of the contract by the project's own tests.

The quick tests come first. They need only the contract's source and bytes, and run in a process forked from one that
has imported everything. A mutant that passes them is given to all tests of the contract, in a copy of the project.
"""

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest
from vyper.compiler import compile_code

from tests.support.npm import npm_package

ROOT = Path(__file__).parents[2]
CONTRACT = ROOT / "contracts" / "TicTacToe.vy"

# The quickest first: most mutants fail in the first second.
QUICK = (
    "tests/unit/test_interface.py",
    "tests/exhaustive/test_positions.py",
    "tests/exhaustive/test_limits.py",
)
WHOLE = ("tests/gas", "tests/unit", "tests/exhaustive")

# Without the locks: they notice any change of the bytes, which says nothing about the tests of the rules.
OPTIONS = ("-n0", "--tb=no", "-p", "no:ape_test", "-p", "no:cacheprovider", "-m", "not lock")

# ape's fixtures, and programs from npm. A test that uses one needs more than the contract's bytes.
SLOW_FIXTURES = {"accounts", "chain", "project", "networks", "ethereumjs"}

COPIED = ("ape-config.yaml", "pyproject.toml", "README.md", "contracts", "tictactoe", "scripts", "tests", "docs")
MADE_BY_TOOLS = shutil.ignore_patterns("node_modules", "__pycache__", ".*")


@dataclass(frozen=True)
class Compiled:
    """A contract's bytes and ABI: two sources with equal ones are the same contract."""

    code: bytes
    abi: str

    @property
    def mark(self) -> str:
        return hashlib.sha256(self.code + self.abi.encode()).hexdigest()[:16]


def compiled(source: str) -> Compiled | None:
    """The contract that a source compiles to, if it does."""
    try:
        out = compile_code(source, output_formats=["bytecode", "abi"], no_bytecode_metadata=True)
    except Exception:  # noqa: BLE001
        # Some mutants crash the compiler with errors that are not its own.
        return None
    return Compiled(bytes.fromhex(out["bytecode"][2:]), json.dumps(out["abi"], sort_keys=True))


class FirstFailure:
    """A pytest plugin that leaves out the tests that need ape or npm, and remembers the first failure."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if not SLOW_FIXTURES & set(getattr(item, "fixturenames", ()))]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed += report.when == "call" and report.passed
        if report.failed and not self.failed:
            self.failed = report.nodeid


def warm_up() -> None:
    """Imports what the quick tests need, for the processes that are forked from this one."""
    with redirect_stdout(io.StringIO()):
        pytest.main(["--collect-only", "-q", *OPTIONS, *QUICK])


def quick_verdict(source: str) -> str:
    """The first quick test that fails with this contract; empty if all pass. For a process that ends afterwards."""
    with tempfile.NamedTemporaryFile("w", suffix=".vy") as file, open(os.devnull, "w") as nowhere:
        file.write(source)
        file.flush()
        sys.stdout = sys.stderr = nowhere
        os.chdir(ROOT)
        plugin = FirstFailure()
        outcome = pytest.main(["-x", *OPTIONS, "--contract", file.name, *QUICK], plugins=[plugin])
    if (outcome, bool(plugin.failed)) not in ((pytest.ExitCode.OK, False), (pytest.ExitCode.TESTS_FAILED, True)):
        raise RuntimeError(f"pytest ended with {outcome!r} and no verdict")
    if not plugin.failed and not plugin.passed:
        raise RuntimeError("no test ran")
    return plugin.failed


def whole_verdict(source: str, tests: tuple[str, ...] = WHOLE) -> str:
    """The first test that fails with this contract in a copy of the project; empty if all pass."""
    with copy_with(source) as project:
        command = [sys.executable, "-m", "pytest", "-n0", "-x", "-v", "--tb=no", "-m", "not lock", *tests]
        # ape looks for the compiler on the path.
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        ran = subprocess.run(
            command, cwd=project, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False
        )
    failed = re.search(r"^(tests/.*::.*) (?:FAILED|ERROR)", ran.stdout, re.MULTILINE)
    if (ran.returncode, bool(failed)) not in ((0, False), (1, True)):
        raise RuntimeError(f"pytest ended with {ran.returncode} and no verdict:\n{ran.stdout[-4000:]}")
    return failed.group(1) if failed else ""


@contextmanager
def copy_with(source: str) -> Iterator[Path]:
    """A copy of the project with this contract in it."""
    with tempfile.TemporaryDirectory() as folder:
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, Path(folder, name), ignore=MADE_BY_TOOLS)
            else:
                shutil.copy(ROOT / name, folder)
        Path(folder, "tests", "node_modules").symlink_to(npm_package())
        Path(folder, "contracts", CONTRACT.name).write_text(source)
        yield Path(folder)
