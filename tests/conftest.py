"""The roles that the tests speak of, and the table they sit at."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import compiler
from tests.support.progress import Printer, Progress
from tests.support.revm import RevmTable
from tictactoe import deploy

CONTRACT = Path(__file__).parents[1] / "contracts" / "TicTacToe.vy"


@pytest.fixture(scope="session")
def deployer(accounts: Any) -> Any:
    return accounts[0]


@pytest.fixture(scope="session")
def player_x(accounts: Any) -> Any:
    return accounts[1]


@pytest.fixture(scope="session")
def player_o(accounts: Any) -> Any:
    return accounts[2]


@pytest.fixture(scope="session")
def stranger(accounts: Any) -> Any:
    return accounts[3]


@pytest.fixture(scope="session")
def other(accounts: Any) -> Any:
    """Somebody else to play with."""
    return accounts[4]


@pytest.fixture
def table(deployer: Any) -> Any:
    """A table at which nobody has played yet."""
    return deploy(deployer).contract


@pytest.fixture
def game(table: Any, player_x: Any, player_o: Any) -> Any:
    """A table with the first game begun."""
    table.newGame(player_x, player_o, sender=player_x)
    return table


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--contract", type=Path, default=CONTRACT, help="test the source in this file (without ape)")


@pytest.fixture(scope="session")
def contract_source(pytestconfig: pytest.Config) -> str:
    return Path(pytestconfig.getoption("--contract")).read_text()


@pytest.fixture(scope="session")
def creation_code(contract_source: str) -> bytes:
    """The bytes that `deploy` sends, as a test in `tests/unit/test_interface.py` makes sure."""
    return compiler.creation_code(contract_source)


@pytest.fixture(scope="session")
def new_table(creation_code: bytes) -> Callable[[], RevmTable]:
    """Makes tables on the fast engine, from the bytes that `deploy` sends."""
    return lambda: RevmTable(creation_code)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI everything that a test needs is there: one that is skipped has not shown what it is for."""
    terminal = session.config.pluginmanager.getplugin("terminalreporter")
    skipped = len(terminal.stats.get("skipped", ())) + len(terminal.stats.get("xfailed", ()))
    if os.environ.get("CI") and skipped:
        terminal.write_line(f"\n{skipped} skipped: in CI that is a failure", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def printer(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Printer:
    """Prints the progress and the counts of long tests."""
    return Printer(request.config.pluginmanager.getplugin("terminalreporter"), capsys)


@pytest.fixture
def progress_of(printer: Printer) -> Callable[[str, int], Progress]:
    return printer.progress
