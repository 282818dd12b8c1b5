"""A node for each test, the table on it, and the commands inside the test's own process."""

import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import ape
import pytest
from ape.logging import logger
from click.testing import CliRunner

from scripts.deploy import cli as deploy
from scripts.play import cli as play
from scripts.watch import cli as watch
from tests.support.anvil import Anvil
from tests.support.commands import Command, Done
from tests.support.keyfiles import ANNA, BEN
from tests.support.local_table import LocalTable
from tests.support.person import Person
from tests.support.proxy import Behaviour, Proxy
from tictactoe import Table
from tictactoe.formatting import aliases
from tictactoe.node import Node
from tictactoe.terminal import lines
from tictactoe.terminal.signals import ENDINGS

COMMANDS = {"play": play, "deploy": deploy, "watch": watch}


@pytest.fixture(scope="session", autouse=True)
def ape_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """ape's accounts and deployments, apart from the developer's own. Processes started here share them."""
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
def anvil() -> Iterator[Anvil]:
    with Anvil() as node:
        yield node


@pytest.fixture
def local(anvil: Anvil, creation_code: bytes) -> LocalTable:
    """A table on a real node that mines each transaction at once."""
    return LocalTable(anvil, creation_code)


@pytest.fixture
def connect() -> Iterator[Callable[[str], Node]]:
    """Connects to a node as the commands do."""
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
def through(connect: Callable[[str], Node], local: LocalTable) -> Iterator[Callable[[Behaviour], Table]]:
    """The same table, seen through a node that misbehaves."""
    proxies = []

    def see(behaviour: Behaviour) -> Table:
        proxies.append(Proxy(local.anvil.url, behaviour))
        return Table(local.address, connect(proxies[-1].url))

    yield see
    for proxy in proxies:
        proxy.__exit__()


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Iterator[Command]:
    """
    `command("play", keys=...)`, on the embedded chain unless `--network` names another. `answers` are those of a
    person at a terminal, one for each prompt.
    """

    def run(name: str, *args: str, keys: str = "", answers: Sequence[str] | None = None, **env: str) -> Done:
        network = [] if "--network" in args else ["--network", "ethereum:local:test"]
        person = None if answers is None else Person(*answers)
        if person:
            # Rich takes the runner's output for a terminal.
            env |= {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
            monkeypatch.setattr(lines, "discard_typed", lambda: None)
        result = CliRunner(mix_stderr=False).invoke(
            COMMANDS[name], [*network, *args], input=person or keys, env={"COLUMNS": "100"} | env
        )
        if person:
            person.gone = True
        return Done(result.exit_code, result.stdout, result.stderr)

    # The commands silence ape, and handle signals.
    level, handlers = logger.level, {number: signal.getsignal(number) for number in ENDINGS}
    with warnings.catch_warnings():
        yield run
    logger.set_level(level)
    for number, handler in handlers.items():
        signal.signal(number, handler)
