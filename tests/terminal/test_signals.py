"""Signals at every moment: the exit code, what was sent, and a terminal as it was."""

import os
import pty
import random
import signal
import time
from signal import SIGHUP, SIGINT, SIGTERM

import pytest

from tests.support import wait_until
from tests.support.commands import APE
from tests.terminal.lies import silent
from tests.terminal.world import AS_X, AT, LOOK, UNASKED

STOPPED = "Stopped. Nothing was sent."
DEPLOYING = f"Stopped. Sent but not mined yet: table ($sent). {LOOK}"
MOVING = "Stopped. Sent but not mined yet: move 1 ($sent)."
PERHAPS = "Stopped. Perhaps sent, but the node did not answer: table (0x"
UNLOCKS = f"play {AT} --account anna"

# What is typed; keys in a pipe, or none at a terminal; the question that the node does not answer; what is printed;
# signals and exit codes; and what is said.
ENDINGS = {SIGINT: 130, SIGTERM: 143, SIGHUP: 129}
MOMENTS = [
    (UNASKED, None, "", "waiting for a block", ENDINGS, DEPLOYING),
    (UNASKED, "", "", "table: sent 0x", [SIGTERM], DEPLOYING),
    (UNASKED, None, "eth_sendRawTransaction", "table: sending 0x", [SIGINT], PERHAPS),
    (UNASKED, "", "eth_getBalance", "", ENDINGS, STOPPED),
    (AS_X, None, "", "waiting for a block", ENDINGS, MOVING),
    (UNLOCKS, None, "", "unlock 'anna': ", [SIGHUP], STOPPED),
    (f"watch {AT}", "", "", "Caught up", [SIGTERM], STOPPED),
]
ROWS = [(*moment[:4], number, moment[5]) for moment in MOMENTS for number in moment[4]]


@pytest.mark.usefixtures("keyfiles")
@pytest.mark.parametrize(("typed", "keys", "unanswered", "printed", "number", "says"), ROWS)
def test_signal__ends_it_and_lists_what_was_sent(
    empty_chain, creation_code, typed, keys, unanswered, printed, number, says
):
    if typed != UNASKED:
        empty_chain.add_table(creation_code, "")
    empty_chain.mine_by_hand()
    empty_chain.node.wrong = {unanswered: silent}
    with empty_chain.type(typed, keys=keys, columns=200) as command:
        if typed == AS_X:
            command.plays(("", "Your turn"), ("5", "Move 1 is on its way"))
        command.wait_for(printed)
        wait_until(lambda: unanswered in ["", *empty_chain.node.asked], lambda: "the node was not asked")
        command.signal(number)
        done = command.end()
        said = " ".join((done.out + done.err).split())
        assert says.replace("$sent", "".join(empty_chain.node.sent)) in said
        assert (done.code, "Traceback" in said) == (ENDINGS[number], False)
        if keys is None:
            assert command.left_as_it_was()
        if typed == AS_X:
            assert "Move 1 is on its way" in command.out.rpartition("\x1b[?1049l")[2]  # the board stays
        if says is PERHAPS:
            assert "waiting for a block" not in said


def test_ctrl_c_at_any_moment__leaves_the_terminal_as_it_was(chain):
    chance = random.Random(3)
    for _ in range(6):
        with chain.type(AS_X) as play:
            play.plays(("", "Your turn"), ("?x",))
            time.sleep(chance.random() * 0.3)
            play.signal()
            assert play.end().code == 130
            play.sees(STOPPED)
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
    signal.signal(SIGHUP, signal.SIG_IGN)


def test_nohup__keeps_sighup_ignored(chain):
    with chain.type(AS_X, first=nohup) as play:
        play.plays(("", "Your turn"), (lambda: play.signal(SIGHUP),), ("5", "X5"), ("q",))
        assert play.end().code == 0
