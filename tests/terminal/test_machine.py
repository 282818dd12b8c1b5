"""The machine that the commands run on: its disk, streams and signals, and what a friend pastes on another one."""

from __future__ import annotations

import errno
import random
import signal
import time
from types import SimpleNamespace
from typing import Any

import ape
import pytest
from ape.exceptions import ConfigError

from tests.support.chain import Chain
from tests.support.commands import APE, run
from tests.support.local_table import FIRST_TABLE
from tictactoe.terminal import command
from tictactoe.terminal.play import page_query, play_command

PLAYS = f"play --network $node --table {FIRST_TABLE} --account TEST::1"
DEPLOYS = "deploy --network $node --account TEST::0 --yes --expected-chain-id 31337 --confirmations 0 --json"
LOST = "Error: The output cannot be written: No space left on device."


# -- the disk and the streams ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        (PLAYS, ""),
        (f"watch --network $node --table {FIRST_TABLE} --json", ""),
        (f"{PLAYS} --move 5 --json", " Mined: move 1."),
        (DEPLOYS, " Mined: table at 0x"),
    ],
)
def test_output_on_a_full_disk__ends_it_and_lists_what_was_sent(chain: Chain, typed: str, sent: str) -> None:
    done = chain.run(typed, stdout="/dev/full")
    assert (done.code, len(chain.node.sent)) == (1, bool(sent))
    assert done.err.splitlines()[-1].startswith(f"{LOST}{sent}")


def test_full_disk_without_a_buffer__is_not_taken_for_a_full_folder_of_ape() -> None:
    done = run(["bash", "-c", f"{APE} run play >/dev/full"], env={"PYTHONUNBUFFERED": "1"})
    assert (done.code, done.err) == (1, f"{LOST}\n")


def test_closed_stdin__is_the_end_of_the_input(chain: Chain) -> None:
    asks = DEPLOYS.replace("--yes", "").replace("$node", chain.node.url)
    done = run(["bash", "-c", f"{APE} run {asks} <&-"])
    assert (done.code, "There was no answer" in done.err, chain.node.sent) == (2, True, [])


def test_question__is_not_asked_if_its_figures_are_not_seen(chain: Chain) -> None:
    """The output goes into a file, and the person at the keyboard is not shown what it costs."""
    chain.node.wrong = {"eth_maxPriorityFeePerGas": hex(10**13)}
    with chain.type(DEPLOYS.replace("--yes", "").replace("--json", ""), stdout="/dev/null") as deploy:
        deploy.press("y\r")
        done = deploy.end()
    assert (done.code, chain.node.sent) == (7, [])


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 1, "cannot be written: No space left on device."),
        (ConfigError("'nowhere' is no network."), 2, "'nowhere' is no network. See ape-config.yaml."),
        (RuntimeError("a bug"), 1, "Unexpected error (RuntimeError: a bug). `-v DEBUG` shows where."),
    ],
)
def test_error_of_ape__is_a_sentence(error: Exception, code: int, sentence: str) -> None:
    node: Any = SimpleNamespace(sent=[])
    found, said = command.ending(error, node)
    assert (found, said.endswith(sentence)) == (code, True)
    if isinstance(error, OSError):
        assert f"Error: Ape's folder {ape.config.DATA_FOLDER} " in said


# -- signals -----------------------------------------------------------------------------------


def test_ctrl_c_at_any_moment__leaves_the_terminal_as_it_was(chain: Chain) -> None:
    chance = random.Random(3)
    for _ in range(6):
        with chain.type(PLAYS) as play:
            play.sees("Your turn")
            play.press("?x")
            time.sleep(chance.random() * 0.3)
            play.stop()
            assert play.end().code == 130
            assert "Stopped. Nothing was sent." in play.text
            assert (play.echoes(), play.screen.cursor.hidden) == (True, False)


def test_nohup__keeps_sighup_ignored() -> None:
    usual = {number: signal.getsignal(number) for number in command.ENDINGS}
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        command.handle_signals()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is not usual[signal.SIGTERM]
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)


# -- accounts ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("keyfiles")
def test_account_that_is_not_named__is_asked_for(chain: Chain) -> None:
    with chain.type(f"play --network $node --table {FIRST_TABLE} --against {chain.local.x}") as play:
        play.wait_for("Which account do you play with? (anna, ben):")
        play.press("ben\r")
        play.wait_for("Passphrase of 'ben': ")


def test_hardware_wallet__gets_lines_because_its_plugin_prints() -> None:
    wallet: Any = SimpleNamespace(alias="ledger")
    assert command.asks_by_itself(wallet)
    assert not command.asks_by_itself(ape.accounts.test_accounts[0])


# -- what a friend pastes ----------------------------------------------------------------------

KEY = "0123456789abcdef0123456789abcdef"


def node(network: str, chain_id: int) -> Any:
    """As `--network` names it, without a connection."""
    provider = ape.networks.get_provider_from_choice(network)
    public = {1: "ethereum:mainnet", 11155111: "ethereum:sepolia"}.get(chain_id, "")
    named = provider.network.name in ("sepolia", "mainnet")
    facts = {"provider": provider, "network": provider.network, "chain_id": chain_id}
    return SimpleNamespace(**facts, chosen_by_name=named, public_choice=public)


@pytest.mark.parametrize(
    ("typed", "chain_id", "shown"),
    [
        # ape-config.yaml has a node for Sepolia, but a friend has that, too.
        ("ethereum:sepolia", 11155111, "ethereum:sepolia"),
        (f"ethereum:sepolia:https://example.org/v3/{KEY}", 11155111, "ethereum:sepolia"),
        ("ethereum:local:node", 31337, "ethereum:local:node"),
        ("ethereum:local:http://127.0.0.1:8545", 31337, "ethereum:local:http://127.0.0.1:8545"),
        (f"ethereum:local:https://example.org/{KEY}", 7, "NODE-OF-CHAIN-7"),
        ("https://ethereum-sepolia-rpc.publicnode.com", 11155111, "https://ethereum-sepolia-rpc.publicnode.com"),
        (f"https://example.org/v3/{KEY}", 1, "ethereum:mainnet"),
        (f"https://example.org/?key={KEY}", 7, "NODE-OF-CHAIN-7"),
        (f"https://{KEY}.eth.example.org", 7, "NODE-OF-CHAIN-7"),
        ("https://anna:pw@example.org", 11155111, "ethereum:sepolia"),
        ("https://:pw@example.org", 7, "NODE-OF-CHAIN-7"),
    ],
)
def test_line_and_link__have_no_key(typed: str, chain_id: int, shown: str) -> None:
    expected = f"uv run ape run play --network {shown} --table 0x34 --against 0x12"
    assert play_command(node(typed, chain_id), "0x34", against="0x12") == expected
    assert page_query(node(typed, chain_id), "0x34", "0x12") == f"?chain={chain_id}&table=0x34&with=0x12"


def test_line__is_quoted_for_a_shell() -> None:
    assert play_command(node("ethereum:sepolia", 11155111), "0x34", account="$(reboot)").endswith("'$(reboot)'")
