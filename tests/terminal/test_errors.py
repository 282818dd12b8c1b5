"""Every failure of the commands is a sentence with an exit code, and never a traceback."""

import re

import pytest
from ape.exceptions import ConfigError
from ape.logging import logger

from tests.support.commands import ROOT, Command
from tictactoe import Table, errors
from tictactoe.errors import REASONS, Reverted
from tictactoe.formatting import clean
from tictactoe.node import Node
from tictactoe.terminal.command import translated_error

NOTHING_THERE = "0x" + "12" * 20


def test_reasons_of_the_contract__each_have_a_sentence() -> None:
    source = (ROOT / "contracts" / "TicTacToe.vy").read_text()
    assert set(re.findall(r'_refuse\("([^"]+)"\)', source)) == set(REASONS)
    for reason, sentence in REASONS.items():
        assert Reverted(reason).message == sentence
        assert sentence.endswith(".")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\nb\tc", "a b c"),
        ("bell\x07 null\x00 del\x7f c1\x9b2J", "bell null del c12J"),
        ("\u202eevil\u2066", "evil"),
        ("x" * 400, "x" * 299 + "…"),
    ],
)
def test_text_from_outside__loses_its_control_codes(text: str, plain: str) -> None:
    assert clean(text) == plain


def test_unexpected_error__shows_where_in_debug_mode(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def unexpected(_node: Node, _address: str | None) -> Table:
        raise RuntimeError("a bug")

    monkeypatch.setattr("tictactoe.terminal.watch.find_table", unexpected)
    for options in ([], ["-v", "DEBUG"]):
        monkeypatch.setattr("sys.argv", ["ape", "run", "watch", *options])
        if options:
            logger.set_level("DEBUG")
        done = command("watch")
        assert done.failed_with(errors.UnexpectedError(RuntimeError("a bug")))
        assert ("in unexpected" in done.out + done.err) == bool(options)


def test_configuration_error__is_a_usage_error() -> None:
    error = translated_error(ConfigError("'nowhere' is no network."))
    assert error.exit_code == 2
    assert error.message == "'nowhere' is no network. See ape-config.yaml."
