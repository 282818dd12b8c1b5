"""A node for each test, the table on it, and the commands inside the test's own process."""

import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import ape
import pytest
from ape.logging import logger
from click.testing import CliRunner
from eth_account import Account

from scripts.deploy import cli as deploy
from scripts.play import cli as play
from scripts.watch import cli as watch
from tests.support.anvil import Anvil
from tests.terminal.chain import LocalTable
from tests.terminal.terminal import Done
from tictactoe import Table
from tictactoe.node import Node
from tictactoe.table import creation_code

COMMANDS = {"play": play, "deploy": deploy, "watch": watch}


@pytest.fixture(scope="session", autouse=True)
def ape_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """ape's memory of accounts and deployments: not the developer's own. Processes started here share it."""
    folder = tmp_path_factory.mktemp("ape")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("APE_DATA_FOLDER", str(folder))
        patch.setattr(ape.config, "DATA_FOLDER", folder)
        yield folder


@pytest.fixture
def anvil() -> Iterator[Anvil]:
    with Anvil() as node:
        yield node


@pytest.fixture
def local(anvil: Anvil) -> LocalTable:
    """A table on a real node that mines at once."""
    return LocalTable(anvil, creation_code().hex())


PASSPHRASE = "correct horse"


@pytest.fixture(scope="session")
def keyfiles(ape_data: Path) -> dict[str, str]:
    """Two people with accounts of ape's own kind, locked by a passphrase. Addresses by alias."""
    people = {}
    for alias, key in (("anna", b"\x0a" * 32), ("ben", b"\x0b" * 32)):
        path = ape_data / "accounts" / f"{alias}.json"
        path.parent.mkdir(exist_ok=True)
        # Few rounds: what is tested is the asking, not the cipher.
        path.write_text(json.dumps(Account.encrypt(key, PASSPHRASE, kdf="pbkdf2", iterations=2)))
        people[alias] = str(Account.from_key(key).address)
    return people


@pytest.fixture
def connect() -> Iterator[Callable[[str], Node]]:
    """Connect to a node the way the commands do."""
    contexts = []

    def to(url: str) -> Node:
        context = ape.networks.parse_network_choice(url)
        context.__enter__()
        contexts.append(context)
        return Node(ape.networks.active_provider)

    yield to
    for context in reversed(contexts):
        context.__exit__(None, None, None)


@pytest.fixture
def table(local: LocalTable, connect: Callable[[str], Node]) -> Table:
    return Table(local.address, connect(local.anvil.url))


@pytest.fixture
def command() -> Iterator[Callable[..., Done]]:
    """`command("play", keys=...)`, on the embedded chain unless told otherwise. What it silences is heard again."""

    def run(name: str, *args: str, keys: str = "", **env: str) -> Done:
        network = [] if "--network" in args else ["--network", "ethereum:local:test"]
        result = CliRunner(mix_stderr=False).invoke(
            COMMANDS[name], [*network, *args], input=keys, env={"COLUMNS": "100"} | env
        )
        return Done(result.exit_code, result.stdout, result.stderr)

    level = logger.level
    with warnings.catch_warnings():
        yield run
    logger.set_level(level)
