"""The players, the table and the bytes that the tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support import compiler
from tests.support.progress import Printer
from tests.support.revm import RevmTable
from tests.support.roles import Role
from tictactoe import deploy

if TYPE_CHECKING:
    from ape.api.accounts import TestAccountAPI
    from ape.contracts.base import ContractInstance

CONTRACT = Path(__file__).parents[1] / "contracts" / "TicTacToe.vy"


def account_of(role: Role) -> Callable[[Sequence[TestAccountAPI]], TestAccountAPI]:
    """A fixture with the role's name."""

    @pytest.fixture(scope="session", name=role.name.lower())
    def account(accounts: Sequence[TestAccountAPI]) -> TestAccountAPI:
        return accounts[role]

    return account


deployer, player_x, player_o, stranger, other = map(account_of, Role)


@pytest.fixture
def table(deployer: TestAccountAPI) -> ContractInstance:
    """A new table."""
    return deploy(deployer).contract


@pytest.fixture
def game(table: ContractInstance, player_x: TestAccountAPI, player_o: TestAccountAPI) -> ContractInstance:
    """A table with the first game started."""
    table.newGame(player_x, player_o, sender=player_x)
    return table


def pytest_configure() -> None:
    """Ctrl-C ends the tests as pytest ends them: ape's own handler would make it report an error of its own."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--contract", type=Path, default=CONTRACT, help="test the source in this file (without ape)")
    parser.addoption("--whole", action="store_true", help="leave out nothing: also what takes too long for every day")


@pytest.fixture(scope="session")
def whole(pytestconfig: pytest.Config) -> bool:
    """Whether to try everything. Otherwise the longest tests try less, and say so."""
    return bool(pytestconfig.getoption("--whole"))


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two processes; none beside this one for a single file."""
    return 0 if [Path(argument.split("::")[0]).suffix for argument in config.args] == [".py"] else 2


# The files with the longest tests. They begin first, so that no worker is left with one of them at the end.
LONGEST = ("page/test_page.py", "proof/test_proof.py", "engines/test_ethereumjs.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {Path(__file__).parent / file: place for place, file in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


@pytest.fixture(scope="session")
def contract_source(pytestconfig: pytest.Config) -> str:
    return Path(pytestconfig.getoption("--contract")).read_text()


@pytest.fixture(scope="session")
def creation_code(contract_source: str) -> bytes:
    """The bytes that `deploy` sends; a test in `tests/unit/test_interface.py` compares them."""
    return compiler.creation_code(contract_source)


@pytest.fixture(scope="session")
def new_table(creation_code: bytes) -> Callable[[], RevmTable]:
    """Makes tables on pyrevm, from the bytes that `deploy` sends."""
    return lambda: RevmTable(creation_code)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI nothing may be skipped."""
    terminal = session.config.pluginmanager.getplugin("terminalreporter")
    if not terminal:
        return  # one of xdist's workers
    skipped = len(terminal.stats.get("skipped", ())) + len(terminal.stats.get("xfailed", ()))
    if os.environ.get("CI") and skipped:
        terminal.write_line(f"\n{skipped} skipped: in CI this is a failure", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def printer(pytestconfig: pytest.Config) -> Printer:
    """Prints the progress and the counts of long tests."""
    return Printer(pytestconfig)
