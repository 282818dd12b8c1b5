"""Ape's data for the tests, apart from the developer's own, and a chain for each test."""

import signal
from collections.abc import Iterator
from pathlib import Path

import ape
import pytest

from tests.support.chain import Chain, new_chain
from tests.support.keyfiles import ANNA, BEN
from tictactoe.formatting import aliases


@pytest.fixture(scope="session", autouse=True)
def ape_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Ape's accounts and deployments. Processes started here share them."""
    folder = tmp_path_factory.mktemp("ape")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("APE_DATA_FOLDER", str(folder))
        patch.setattr(ape.config, "DATA_FOLDER", folder)
        # A test of another folder may have made ape look for accounts already, in the developer's own folder.
        vars(ape.accounts).pop("containers", None)
        yield folder
        vars(ape.accounts).pop("containers", None)


@pytest.fixture(scope="session", autouse=True)
def default_signals() -> Iterator[None]:
    """Processes started here inherit ignored signals, and whatever runs the tests may ignore some, as nohup does."""
    usual = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in usual.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def keyfiles(ape_data: Path) -> None:
    """Anna and Ben have accounts."""
    for keyfile in (ANNA, BEN):
        keyfile.write(ape_data / "accounts")
    aliases.cache_clear()


@pytest.fixture
def chain(creation_code: bytes) -> Iterator[Chain]:
    """X has the turn in game 1 at the first table of a chain that mines each transaction at once."""
    with new_chain() as chain:
        chain.add_table(creation_code, "")
        yield chain
