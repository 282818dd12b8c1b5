"""The roles that the tests speak of, and the table they sit at."""

from typing import Any

import pytest

from scripts.deploy import deploy

pytest_plugins = ["tests.evidence"]


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
    return deploy(deployer)


@pytest.fixture
def game(table: Any, player_x: Any, player_o: Any) -> Any:
    """A table with the first game begun."""
    table.newGame(player_x, player_o, sender=player_x)
    return table
