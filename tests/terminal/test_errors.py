"""Every failure of the commands is a sentence with an exit code, and never a traceback."""

import re
from collections.abc import Callable

import pytest
from ape.exceptions import ConfigError
from ape.logging import logger

from tests.support.anvil import Anvil, free_port
from tests.support.commands import ROOT, Command, ape_run
from tests.support.keyfiles import ANNA
from tests.support.roles import Role
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


# -- the network and the node --------------------------------------------------------------


@pytest.mark.parametrize("name", ["play", "watch", "deploy"])
def test_no_node__is_reported(command: Command, name: str) -> None:
    assert command(name, "--network", f"http://127.0.0.1:{free_port()}").failed_with(errors.NodeUnreachable())


def test_network_forgotten__names_the_option(command: Command, keyfiles: None) -> None:  # noqa: ARG001
    """On the chain inside the program, neither a faucet nor a deployment helps."""
    no_funds = command("play", "--account", ANNA.alias)
    assert no_funds.code == errors.InsufficientFunds.exit_code
    # `ape run` adds -v to every command.
    no_table_known = ape_run("watch", "-v", "DEBUG")
    no_contract = command("watch", "--table", NOTHING_THERE)
    assert no_table_known.code == no_contract.code == errors.NoTable.exit_code
    for done in (no_funds, no_table_known, no_contract):
        assert "--network" in done.err
        assert "faucet" not in done.err
        assert "ape run deploy" not in done.err


def test_unknown_network__is_one_line(command: Command) -> None:
    done = command("watch", "--network", "foo")
    assert done.code == 2
    assert "No ecosystem named 'foo'. `ape networks list` shows all." in done.err.splitlines()[-1]


def test_network_with_a_node_of_another_chain__is_reported(command: Command, anvil: Anvil) -> None:
    done = command("play", "--network", f"ethereum:sepolia:{anvil.url}")
    assert done.code == errors.WrongChain.exit_code
    assert "connected to chain ID '31337'" in done.err
    assert "Are you connected to 'sepolia'? Nothing was sent." in done.err


# -- the table -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["play", "watch"])
def test_address_without_a_contract__is_reported(
    command: Command, anvil: Anvil, connect: Callable[[str], Node], name: str
) -> None:
    done = command(name, "--network", anvil.url, "--table", NOTHING_THERE)
    assert done.failed_with(errors.NoContract(connect(anvil.url), NOTHING_THERE))


# -- options -------------------------------------------------------------------------------


def test_opponent_on_the_embedded_chain__is_a_usage_error(command: Command) -> None:
    assert command("play", "--against", Role.OTHER.address).failed_with(
        errors.WrongOptions(errors.OPPONENT_OUT_OF_REACH)
    )
