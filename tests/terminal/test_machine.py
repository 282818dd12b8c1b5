"""The machine that the commands run on: its disk, streams and wallets, and what a friend pastes on another one."""

import errno
from functools import partial

import ape
import click
import pytest
from ape.api.accounts import AccountAPI
from ape.exceptions import ConfigError

import tictactoe
from tests.support.commands import APE, run
from tests.support.roles import Role
from tests.support.wrong_node import KEY
from tests.terminal.world import AS_X, AT, O_SHORT, UNASKED, O, new_chain

LOST = "Error: The output cannot be written: No space left on device."


# -- the disk and the streams ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        (AS_X, ""),
        (f"watch {AT} --json", ""),
        (f"{AS_X} --move 5 --json", " Mined: move 1."),
        (f"{UNASKED} --json", " Mined: table at 0x"),
    ],
)
def test_output_on_a_full_disk__ends_it_and_lists_what_was_sent(chain, typed, sent):
    done = chain.run(typed, stdout="/dev/full")
    assert (done.code, len(chain.node.sent)) == (1, bool(sent))
    assert done.err.splitlines()[-1].startswith(f"{LOST}{sent}")


def test_full_disk_without_a_buffer__is_not_taken_for_a_full_folder_of_ape():
    done = run(["bash", "-c", f"{APE} run play >/dev/full"], env={"PYTHONUNBUFFERED": "1"})
    assert (done.code, done.err) == (1, f"{LOST}\n")


def test_closed_stdin__is_the_end_of_the_input(empty_chain):
    asks = UNASKED.replace("--yes", "").replace("$node", empty_chain.node.url)
    done = run(["bash", "-c", f"{APE} run {asks} <&-"])
    assert (done.code, "There was no answer" in done.err, empty_chain.node.sent) == (2, True, [])


def fail(error):
    def state(*_):
        raise error

    tictactoe.Table.state = state


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (OSError(errno.ENOSPC, "No space left"), 1, "Error: Ape's folder $folder cannot be written: No space left.\n"),
        (OSError(errno.EPERM, "Not permitted"), 1, "Error: Ape's folder $folder cannot be written: Not permitted.\n"),
        (ConfigError("'nowhere' is no network."), 2, "Error: 'nowhere' is no network. See ape-config.yaml.\n"),
        (RuntimeError("a bug"), 1, "Error: Unexpected error (RuntimeError: a bug). `-v DEBUG` shows where.\n"),
    ],
)
def test_other_error__is_a_sentence(chain, ape_data, error, code, sentence):
    done = chain.run(AS_X, first=partial(fail, error))
    assert (done.code, done.err) == (code, sentence.replace("$folder", str(ape_data)))


# -- hardware wallets --------------------------------------------------------------------------


class Wallet(AccountAPI):
    """As the plugins of hardware wallets make them: it prints while it signs."""

    @property
    def alias(self):
        return "ledger"

    @property
    def address(self):
        return Role.PLAYER_X.account.address

    def sign_message(self, msg, **_):
        raise NotImplementedError

    def sign_transaction(self, txn, **_):
        click.echo("Confirm it on the device.")
        return Role.PLAYER_X.account.sign_transaction(txn)


def plug_in():
    type(ape.accounts).aliases = ["ledger"]
    type(ape.accounts).load = lambda _self, _alias: Wallet()


def test_hardware_wallet__gets_lines_because_its_plugin_prints(chain):
    with chain.type(f"play {AT} --account ledger", first=plug_in) as play:
        play.plays(
            ("", "1-9 play"),
            ("5\r", "Confirm it on the device.", "move 1: mined in block 3", f"{O_SHORT} to move"),
        )


# -- what a friend pastes ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("network", "chain_id", "shown"),
    [
        ("$url", 31337, "$url"),
        ("$node", 31337, "NODE-OF-CHAIN-31337"),
        ("$node", 1, "ethereum:mainnet"),
        ("ethereum:sepolia:$url", 11155111, "ethereum:sepolia:$url"),
        ("ethereum:sepolia:$node", 11155111, "ethereum:sepolia"),
        ("ethereum:local:$url", 1337, "ethereum:local:$url"),
        ("$url/?k=1", 31337, "NODE-OF-CHAIN-31337"),
        ("http://anna:pw@$host", 11155111, "ethereum:sepolia"),
        ("http://:pw@$host", 31337, "NODE-OF-CHAIN-31337"),
    ],
)
def test_pasted_line__has_no_key(creation_code, network, chain_id, shown):
    with new_chain(chain_id) as chain:
        chain.add_table(creation_code)
        url, host = chain.anvil.url, chain.anvil.url.removeprefix("http://")
        done = chain.run(f"play {AT} --account TEST::2".replace("$node", network.replace("$host", host)))
    line = f"uv run ape run play --network {shown.replace('$url', url)} --table {chain.table.address} --against {O}"
    assert (done.code, line in done.out.splitlines()) == (0, True), done
    assert KEY not in done.out
