"""Ctrl-C at any moment leaves nothing moving on the screen, and the cursor shown."""

import random
import signal
import sys
import time

import click
import pexpect
import pytest
from ape.cli import network_option
from click.testing import CliRunner

from tests.support import PATIENCE
from tests.support.commands import ROOT, environment, run
from tictactoe.terminal.command import TableCommand

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"  # the cursor
INTERRUPTS = 40

# Starts, updates and stops a live line or a live board until Ctrl-C. Then it does so again.
PROGRAM = """
import signal, sys, threading, time
from tictactoe import Event
from tictactoe.terminal.lines import Lines
from tictactoe.terminal.watch import Story

signal.signal(signal.SIGINT, signal.default_int_handler)
new = {"line": lambda: Lines(None), "board": lambda: Story(Lines(None))}[sys.argv[1]]
move = {
    "line": lambda lines, done: lines.spin(f"waiting, {done} s"),
    "board": lambda story, done: story.tell(Event("CaughtUp", done, "")),
}[sys.argv[1]]
close = {"line": Lines.end_line, "board": Story.close}[sys.argv[1]]
shown = new()
while True:
    try:
        while True:
            shown = new()
            for done in (1, 2):
                move(shown, done)
            close(shown)
    except KeyboardInterrupt:
        close(shown)
        deadline = time.monotonic() + 300
        while threading.active_count() > 1 and time.monotonic() < deadline:
            time.sleep(0.001)
        print("threads left:", threading.active_count() - 1)
"""


@pytest.mark.parametrize("kind", ["line", "board"])
def test_ctrl_c_while_rich_starts_or_stops__ends_the_animation(kind: str) -> None:
    chance = random.Random(3)
    env = environment(TERM="xterm-256color")
    child = pexpect.spawn(sys.executable, ["-c", PROGRAM, kind], cwd=ROOT, env=env, encoding="utf-8", timeout=PATIENCE)
    for _ in range(INTERRUPTS):
        child.expect_exact(HIDE)
        time.sleep(chance.random() * 0.02)
        child.kill(signal.SIGINT)
        child.expect_exact("threads left: 0")
        assert child.before.rindex(SHOW) > child.before.rfind(HIDE)
    child.close(force=True)


# The exception of a handler that raises would be lost in this callback.
LOST = """
import os, sys, time
from tictactoe.terminal.signals import end_at_once

class Callback:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[1]))
        time.sleep(1)

end_at_once()
Callback()
print("it goes on")
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signal_while_libraries_load__is_not_lost(number: signal.Signals, code: int) -> None:
    done = run([sys.executable, "-c", LOST, str(int(number))])
    assert (done.code, done.out, done.err) == (code, "", "Stopped. Nothing was sent.\n")


def test_command_that_loads__ends_at_once_and_later_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    phases: list[str] = []
    for name in ("end_at_once", "handle_signals"):
        monkeypatch.setattr(f"tictactoe.terminal.command.{name}", lambda name=name: phases.append(name))

    @click.command(cls=TableCommand)
    @network_option()
    def program() -> None:
        phases.append("program")

    assert CliRunner().invoke(program, ["--network", "ethereum:local:test"]).exit_code == 0
    assert phases == ["end_at_once", "handle_signals", "program"]
