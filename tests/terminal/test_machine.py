"""The machine that the commands run on: its disk, streams and signals, and a hardware wallet."""

import errno
import os
import pty
import random
import signal
import time
from functools import partial
from types import SimpleNamespace

import ape
import click
import pytest
from ape.exceptions import ConfigError

import tictactoe
from tests.support.commands import APE, run
from tests.support.roles import Role
from tests.terminal.world import AS_X, O_SHORT

LOST = "Error: The output cannot be written: No space left on device.\n"


@pytest.mark.parametrize(
    ("typed", "code", "says"),
    [
        # Without a buffer, a full disk is not taken for a full folder of Ape's.
        ("$ape play >/dev/full", 1, LOST),
        ("$ape $deploys --expected-chain-id 31337 <&-", 2, "Error: There was no answer, so nothing was sent."),
        # A reader that stops, as `head` does, ends it silently.
        ("set -o pipefail; echo 5 | $ape play | true", 0, ""),
        ("set -o pipefail; $ape watch $at | true", 0, ""),
        ("set -o pipefail; $ape watch $at --json | true", 0, ""),
    ],
)
def test_stream_that_is_lost__ends_it(chain, typed, code, says):
    """Real processes. `failures.txt` has what is said if something was sent."""
    done = run(["bash", "-c", chain.filled(typed, ape=f"{APE} run")], env={"PYTHONUNBUFFERED": "1"})
    assert (done.code, done.err.startswith(says), bool(done.err), chain.node.sent) == (code, True, bool(says), [])


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


def test_ctrl_c_at_any_moment__leaves_the_terminal_as_it_was(chain):
    chance = random.Random(3)
    for _ in range(6):
        with chain.type(AS_X) as play:
            play.plays(("", "Your turn"), ("?x",))
            time.sleep(chance.random() * 0.3)
            play.signal()
            assert play.end().code == 130
            play.sees("Stopped. Nothing was sent.")
            assert play.left_as_it_was()


def test_terminal_that_is_closed__ends_it():
    """A real process: Python ends the copies of `Command` with 1 if it cannot write to their terminal."""
    process, terminal = pty.fork()
    if process == 0:
        os.execv(APE, [APE, "run", "play"])
    printed = b""
    while b"Player 1 to move" not in printed:
        printed += os.read(terminal, 65536)
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    assert os.waitstatus_to_exitcode(status) == 129


def nohup():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def test_nohup__keeps_sighup_ignored(chain):
    with chain.type(AS_X, first=nohup) as play:
        play.plays(("", "Your turn"), (lambda: play.signal(signal.SIGHUP),), ("5", "X5"), ("q",))
        assert play.end().code == 0


def plug_in():
    """A wallet as the plugins of hardware wallets make them: it prints while it signs."""
    account = Role.PLAYER_X.account

    def sign_transaction(request):
        click.echo("Confirm it on the device.")
        return account.sign_transaction(request)

    wallet = SimpleNamespace(alias="ledger", address=account.address, sign_transaction=sign_transaction)
    type(ape.accounts).aliases, type(ape.accounts).load = ["ledger"], lambda *_: wallet


def test_hardware_wallet__gets_lines_because_its_plugin_prints(chain):
    with chain.type("play $at --account ledger", first=plug_in) as play:
        play.plays(
            ("", "1-9 play"),
            ("5\r", "Confirm it on the device.", "move 1: mined in block 3", f"{O_SHORT} to move"),
        )
