"""The machine that the commands run on: its disk, its streams, and a hardware wallet."""

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
from tests.terminal.world import AS_X, AT, O_SHORT, UNASKED

LOST = "Error: The output cannot be written: No space left on device.\n"


@pytest.mark.parametrize(
    ("typed", "code", "says"),
    [
        # Without a buffer, a full disk is not taken for a full folder of Ape's.
        ("play >/dev/full", 1, LOST),
        (f"{UNASKED.replace('--yes', '')} <&-", 2, "Error: There was no answer, so nothing was sent."),
    ],
)
def test_stream_that_is_lost__ends_it(empty_chain, typed, code, says):
    """Real processes. `failures.txt` has what is said if something was sent."""
    typed = typed.replace("$node", empty_chain.node.url)
    done = run(["bash", "-c", f"{APE} run {typed}"], env={"PYTHONUNBUFFERED": "1"})
    assert (done.code, done.err.startswith(says), empty_chain.node.sent) == (code, True, [])


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
