"""Every failure of the commands is a sentence with an exit code, and never a traceback."""

import pytest
from ape.exceptions import ConfigError
from ape.logging import logger

from tests.support.commands import Command
from tictactoe import Table
from tictactoe.node import Node
from tictactoe.terminal.command import translated_error


def test_unexpected_error__shows_where_in_debug_mode(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def unexpected(_node: Node, _address: str | None) -> Table:
        raise RuntimeError("a bug")

    monkeypatch.setattr("tictactoe.terminal.watch.find_table", unexpected)
    for options in ([], ["-v", "DEBUG"]):
        monkeypatch.setattr("sys.argv", ["ape", "run", "watch", *options])
        if options:
            logger.set_level("DEBUG")
        done = command("watch")
        assert (done.code, "Unexpected error (RuntimeError: a bug). `-v DEBUG` shows where." in done.err) == (1, True)
        assert ("in unexpected" in done.out + done.err) == bool(options)


def test_configuration_error__is_a_usage_error() -> None:
    error = translated_error(ConfigError("'nowhere' is no network."))
    assert error.exit_code == 2
    assert error.message == "'nowhere' is no network. See ape-config.yaml."
