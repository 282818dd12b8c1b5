"""What the tests need of pytest beyond Ape: options, order, a strict CI, and the contract on pyrevm."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.support import compiler
from tests.support.revm import RevmTable

TESTS = Path(__file__).parents[1]
CONTRACT = TESTS.parent / "contracts" / "TicTacToe.vy"

# The files with the longest tests, the first only with `--whole`. They begin first, so that no worker is left with one
# of them at the end.
LONGEST = ("mutants/test_mutants.py", "proof/test_proof.py", "terminal/test_failures.py", "engines/test_ethereumjs.py")


def pytest_addoption(parser):
    parser.addoption("--contract", type=Path, default=CONTRACT, help="test the source in this file (without ape)")
    parser.addoption("--whole", action="store_true", help="leave out nothing: also what takes too long for every day")


def pytest_configure():
    """Ctrl-C ends the tests as pytest ends them: ape's own handler would make it report an error of its own."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers(config):
    """Two processes; none beside this one for a single file."""
    return 0 if [Path(argument.split("::")[0]).suffix for argument in config.args] == [".py"] else 2


def pytest_collection_modifyitems(items):
    places = {TESTS / file: place for place, file in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


def pytest_sessionfinish(session):
    """In CI nothing may be skipped."""
    terminal = session.config.pluginmanager.getplugin("terminalreporter")
    if not terminal:
        return  # one of xdist's workers
    skipped = len(terminal.stats.get("skipped", ())) + len(terminal.stats.get("xfailed", ()))
    if os.environ.get("CI") and skipped:
        terminal.write_line(f"\n{skipped} skipped: in CI this is a failure", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def whole(pytestconfig):
    """Whether to try everything. Otherwise the longest tests try less, and say so."""
    return bool(pytestconfig.getoption("--whole"))


@pytest.fixture(scope="session")
def print_counts(pytestconfig):
    """From within a test: past pytest, which captures what tests print, and past xdist, to stderr."""
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")

    def print_counts(what, counted):
        counts = ", ".join(f"{number:,} {name}" for name, number in counted.most_common())
        with capture.global_and_fixture_disabled():
            print(f"\n{what}: {counts}", file=sys.stderr, flush=True)  # noqa: T201

    return print_counts


@pytest.fixture(scope="session")
def contract_source(pytestconfig):
    return Path(pytestconfig.getoption("--contract")).read_text()


@pytest.fixture(scope="session")
def creation_code(contract_source):
    """The creation code without the compiler's metadata, which holds a hash of the source."""
    return compiler.creation_code(contract_source)


@pytest.fixture(scope="session")
def new_table(creation_code):
    """Makes tables on pyrevm."""
    return lambda: RevmTable(creation_code)
