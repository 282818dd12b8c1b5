"""The same commands inside the test's own process, where starting one takes no two seconds."""

import warnings
from collections.abc import Callable, Iterator

import pytest
from ape.logging import logger
from click.testing import CliRunner

from scripts.play import cli as play
from tests.scripts.terminal import Done

COMMANDS = {"play": play}


@pytest.fixture
def command() -> Iterator[Callable[..., Done]]:
    """`command("play", keys=...)` on the embedded chain; what it silences is heard again afterwards."""

    def run(name: str, *args: str, keys: str = "", **env: str) -> Done:
        result = CliRunner(mix_stderr=False).invoke(
            COMMANDS[name], ["--network", "ethereum:local:test", *args], input=keys, env={"COLUMNS": "100"} | env
        )
        return Done(result.exit_code, result.stdout, result.stderr)

    level = logger.level
    with warnings.catch_warnings():
        yield run
    logger.set_level(level)
