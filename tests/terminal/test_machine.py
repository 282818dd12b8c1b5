"""The machine that the commands run on: its disk, streams and signals, and a hardware wallet."""

import errno
import os
import pty
import select
import signal
import termios
import time
from functools import partial
from types import SimpleNamespace

import ape
import click
import pytest
from ape.exceptions import ConfigError
from rich.console import Console

from tests.support import PATIENCE
from tests.support.commands import APE, run
from tests.support.roles import Role
from tests.terminal.world import AS_X, O_SHORT
from tictactoe.terminal import command

NO_COMPILER = "Cannot compile the contract: `vyper` is not on the PATH. Put `uv run` before the command."
LOST = "Error: The output cannot be written: No space left on device.\n"


@pytest.mark.parametrize(
    ("typed", "code", "says"),
    [
        # Without a buffer, a full disk is not taken for a full folder of Ape's.
        ("$ape play >/dev/full", 1, LOST),
        ("$ape $deploys --expected-chain-id 31337 <&-", 2, "Error: There was no answer, so nothing was sent."),
        # A reader that stops, as `head` does, ends it silently.
        ("set -o pipefail; $ape watch $at | true", 0, ""),
        ("set -o pipefail; $ape watch $at --json | true", 0, ""),
    ],
)
def test_stream_that_is_lost__ends_it(chain, typed, code, says):
    """Real processes. `failures.txt` has what is said if something was sent."""
    done = run(["bash", "-c", chain.filled(typed, ape=f"{APE} run")], env={"PYTHONUNBUFFERED": "1"})
    assert (done.returncode, bool(done.stderr), chain.node.sent) == (code, bool(says), [])
    assert done.stderr.startswith(says)


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (OSError(errno.ENOSPC, "No space left"), 1, "Error: Ape's folder $folder cannot be written: No space left."),
        (ConfigError("'nowhere' is no network."), 2, "Error: 'nowhere' is no network. See ape-config.yaml."),
        (AttributeError("vyper 0.4.3 has not been installed"), 2, f"Error: {NO_COMPILER}"),
        (RuntimeError("a bug"), 1, "Error: Unexpected error (RuntimeError: a bug). `-v DEBUG` shows where."),
    ],
)
def test_other_error__is_a_sentence(ape_data, monkeypatch, error, code, sentence):
    if isinstance(error, AttributeError):
        monkeypatch.setenv("PATH", "")
    assert command.ending(error, SimpleNamespace(sent=[])) == (code, sentence.replace("$folder", str(ape_data)))


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


def interrupt_drawing():
    """Ctrl-C comes in the middle of it."""
    set_alt_screen = Console.set_alt_screen

    def interrupted(console, enable=True):
        if enable:
            os.kill(os.getpid(), signal.SIGINT)
        return set_alt_screen(console, enable)

    Console.set_alt_screen = interrupted


def test_ctrl_c_while_it_draws__leaves_the_terminal_as_it_was(chain):
    with chain.type(AS_X, first=interrupt_drawing) as play:
        assert play.end().returncode == 130
        assert play.left_as_it_was()
        play.sees("Stopped. Nothing was sent.")


def in_bash(*steps):
    """What is typed in an interactive shell, and what is printed then."""
    shell, keyboard = pty.fork()
    if shell == 0:
        os.environ.update(PS1="$ ", HISTFILE="/dev/null", APE=str(APE))
        os.execvp("bash", ["bash", "--norc", "-i"])
    termios.tcsetwinsize(keyboard, (24, 80))
    for keys, *shown in steps:
        os.write(keyboard, keys.encode())
        printed = ""
        while not all(each in printed for each in shown):
            assert select.select([keyboard], [], [], PATIENCE)[0], printed
            printed += os.read(keyboard, 65536).decode(errors="ignore")
    os.write(keyboard, b"exit\r")
    os.waitpid(shell, 0)
    os.close(keyboard)


def test_ctrl_z__stops_the_whole_job_and_fg_continues_it():
    """With a process between it and the shell, as `uv run` is. It ignores SIGHUP, as with nohup."""
    in_bash(
        ("sh -c 'trap \"\" HUP; $APE run play; exit 7'\r", "Player 1 to move"),
        ("\x1a", "\x1b[?1049l\x1b]0;\x07", "Stopped"),
        ("kill -HUP %1\r", "$ "),
        ("stty -a\r", "susp = ^Z"),
        ("fg\r", "Player 1 to move"),
        ("5", "Player 2 to move"),
        ("q", "$ "),
        ("echo ended $?\r", "ended 7"),
    )


def test_command_in_the_background__leaves_the_terminal_alone(chain):
    """It would be stopped. What is sent is mined at once."""
    move = chain.filled("$APE run play $at $as_x --move 5 --json", APE="$APE")
    in_bash((f"{move} >/dev/null & wait %1; echo ended $?\r", "ended 0"))


def repeat_the_signal():
    """`timeout` sends it to the whole group, and `uv run` passes it on: so another one comes while it ends."""
    ending = command.ending

    def repeated(*arguments):
        os.kill(os.getpid(), signal.SIGTERM)
        return ending(*arguments)

    command.ending = repeated


def test_second_signal__is_too_late(chain):
    with chain.type("watch $at", keys="", first=repeat_the_signal) as watch:
        watch.wait_for("Caught up")
        watch.signal(signal.SIGTERM)
        done = watch.end()
    assert (done.returncode, done.stderr) == (143, "Stopped. Nothing was sent.\n")


def plug_in(device=lambda: None):
    """A wallet as the plugins of hardware wallets make them: it prints while it signs."""
    account = Role.PLAYER_X.account

    def sign_transaction(request):
        click.echo("Confirm it on the device.")
        device()
        return account.sign_transaction(request)

    wallet = SimpleNamespace(alias="ledger", address=account.address, sign_transaction=sign_transaction)
    type(ape.accounts).aliases, type(ape.accounts).load = ["ledger"], lambda *_: wallet


def test_hardware_wallet__can_be_stopped_while_it_waits_for_its_device(chain):
    with chain.type(
        "deploy $there --account ledger --yes --expected-chain-id 31337",
        first=partial(plug_in, partial(time.sleep, PATIENCE)),
    ) as deploy:
        deploy.wait_for("Confirm it on the device.")
        deploy.signal()
        assert deploy.end().returncode == 130
        deploy.sees("Stopped. Nothing was sent.")


def test_hardware_wallet__gets_lines_because_its_plugin_prints(chain):
    with chain.type("play $at --account ledger", first=plug_in) as play:
        play.plays(
            ("", "1-9 play"),
            ("5\r", "Confirm it on the device.", "move 1: mined in block 3", f"{O_SHORT} to move"),
        )
