"""Ape's data for the tests, apart from the developer's own, and a chain for each test."""

import ape
import pytest

from tests.terminal.world import PEOPLE, Chain, write_account
from tictactoe.formatting import aliases


@pytest.fixture(scope="session", autouse=True)
def ape_data(tmp_path_factory):
    """Ape's accounts and deployments. Processes started here share them."""
    folder = tmp_path_factory.mktemp("ape")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("APE_DATA_FOLDER", str(folder))
        patch.setattr(ape.config, "DATA_FOLDER", folder)
        # A test of another folder may have made ape look for accounts already, in the developer's own folder.
        vars(ape.accounts).pop("containers", None)
        yield folder
        vars(ape.accounts).pop("containers", None)


@pytest.fixture(scope="session")
def people(ape_data):
    """Anna and Ben have accounts."""
    for alias in PEOPLE:
        write_account(ape_data, alias)
    aliases.cache_clear()


@pytest.fixture
def chain(creation_code):
    """X has the turn in game 1. It mines each transaction at once."""
    with Chain() as chain:
        chain.add_table(creation_code, "n")
        yield chain
