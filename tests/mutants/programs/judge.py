"""Judges a change by the tests of its module, in a process forked from one that has imported everything else."""

import gc
import importlib.abc
import importlib.machinery
import io
import os
import resource
import signal
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from types import ModuleType

import pytest

from tests.mutants.programs.record import ROOT

# Without what takes longer than the tests: other plugins, and collecting garbage five times.
OPTIONS = [
    *("-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:unraisableexception"),
    *("-p", "xdist.plugin", "-o", "addopts=--import-mode=importlib"),  # tests/conftest.py names one of xdist's hooks
]
OURS = {"tictactoe", "tests", "scripts"}
# Of CPU, for the tests of one module, which take some seconds at most.
SECONDS = 12
GIGABYTE = 2**30


@dataclass(frozen=True)
class Case:
    """A source of a module, and the tests that judge it."""

    module: str
    source: str
    tests: tuple[str, ...]


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a source in memory."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def find_spec(
        self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(name, self) if name == self.case.module else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.case.source, f"<{self.case.module}>", "exec"), vars(module))  # noqa: S102


def warm_up(tests: Sequence[str]) -> None:
    """Import what the tests need."""
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    with redirect_stdout(io.StringIO()):
        pytest.main([*OPTIONS, *tests])
    gc.freeze()


def verdict(case: Case) -> str:
    """`noticed` if a test fails, `unnoticed` if none does, `endless` if they do not end."""
    child = os.fork()
    if child == 0:
        os._exit(_run(case))
    _, status = os.waitpid(child, 0)
    if status and os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM):
        return "endless"
    return "noticed" if status else "unnoticed"


def _run(case: Case) -> int:
    """The exit code of the tests."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    signal.alarm(40 * SECONDS)  # for a change that waits, without CPU
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_DATA, (2 * GIGABYTE, 2 * GIGABYTE))
    for name in list(sys.modules):
        if name.split(".")[0] in OURS and name != __name__:
            del sys.modules[name]
    sys.meta_path.insert(0, Changed(case))
    try:
        return int(pytest.main([*OPTIONS, *case.tests]))
    except BaseException:  # noqa: BLE001 - a change may make anything fail
        return 1
