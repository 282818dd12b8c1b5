"""`ape run watch`: a line for each past game, the present one, its bar, a node that restarts, and the ways it ends."""

import json
import shlex
import signal
import subprocess
from pathlib import Path

import pexpect
import pytest

from tests.rules.games import DRAWN, WON_BY_X
from tests.support import PATIENCE
from tests.support.commands import APE, ROOT, Command, Running, environment, keys_for
from tests.support.keyfiles import ANNA
from tests.support.local_table import LocalTable
from tests.support.terminal import Terminal
from tictactoe.formatting import short
from tictactoe.terminal import output_text


def test_games__are_a_line_each_and_the_present_one_a_board(
    command: Command,
    local: LocalTable,
    keyfiles: None,  # noqa: ARG001
) -> None:
    """Anna's account is on this machine, so she is called by its name."""
    local.x, o = ANNA.address, short(local.o)
    local.anvil.rpc("anvil_setBalance", ANNA.address, hex(10**18))
    local.anvil.rpc("anvil_impersonateAccount", ANNA.address)
    for keys, forfeits in ((keys_for(WON_BY_X), False), ("1", True), (keys_for(DRAWN), False), ("51", False)):
        local.new_game()
        local.play(keys)
        if forfeits:
            local.forfeit()
    local.new_game(local.o, local.x)
    done = command("watch", *local.options, "--once")
    assert done.code == 0, done.err
    lines = [line.rstrip() for line in done.out.splitlines()]
    anna = f"anna ({short(ANNA.address)})"
    assert lines[:7] == [
        f"Table {local.address} on custom, chain 31337.",
        f"Game 1: X wins. X {anna}, O {o}. 1 4 2 5 3",
        f"Game 2: X wins: O forfeits. X {anna}, O {o}. 1",
        f"Game 3: a draw. X {anna}, O {o}. 1 2 3 5 4 6 8 7 9",
        f"Game 4: unfinished. X {anna}, O {o}. 5 1",
        "",
        "Game 5",
    ]
    assert lines[-3:] == [
        f"Caught up with block {local.anvil.height}.",
        "5 games, 17 moves, 1 draw",
        f"     2 won by anna ({ANNA.address})",
    ]


def test_new_events__are_a_line_each_in_a_pipe(local: LocalTable) -> None:
    local.new_game()
    x, o = short(local.x), short(local.o)
    with Running("watch", *local.options) as watch:
        watch.wait_for("Caught up with block 2.")
        local.play(keys_for(WON_BY_X))
        watch.wait_for("has won 1.")
        local.anvil.rpc("anvil_reorg", 1, [])
        watch.wait_for("Taken back by a reorg: X")
        local.forfeit()
        local.new_game()
        local.new_game()
        watch.wait_for("Game 3 starts")
        watch.interrupt()
        assert watch.end() == 0
    _, _, after = watch.text.replace("\r", "").partition("Caught up with block 2.\n")
    assert after.splitlines() == [
        f"X {x} takes cell 1, move 1 of game 1, block 3",
        f"O {o} takes cell 4, move 2 of game 1, block 4",
        f"X {x} takes cell 2, move 3 of game 1, block 5",
        f"O {o} takes cell 5, move 4 of game 1, block 6",
        f"X {x} takes cell 3, move 5 of game 1, block 7",
        f"Game 1: X wins. {x} has won 1.",
        "Taken back by a reorg: Game 1: X wins.",
        f"Taken back by a reorg: X {x} takes cell 3, move 5 of game 1, block 7",
        f"Game 1: O wins: X forfeits. {o} has won 1.",
        f"Game 2 starts: X {x}, O {o}",
        f"Game 3 starts over game 2, unfinished: X {x}, O {o}",
        "3 games, 4 moves, 0 draws",
        f"     1 won by {local.o}",
    ]


def test_present_game__is_redrawn_in_place_on_a_terminal(local: LocalTable) -> None:
    local.new_game()
    with Terminal("watch", *local.options, columns=100, rows=40) as watch:
        watch.wait_for("Game 1", "X to move", "block 2, ", "s ago · Ctrl-C leaves")
        local.play("5")
        watch.wait_for("[X]", "O to move", "X5", "block 3, ")
        local.anvil.rpc("anvil_reorg", 1, [])
        undone = f"Taken back by a reorg: X {short(local.x)} takes cell 5, move 1 of game 1, block 3"
        watch.wait_for(undone, "X to move", output_text.NO_MOVES)
        local.new_game()
        watch.wait_for(undone, f"Game 1: unfinished. X {short(local.x)}, O {short(local.o)}. Game 2 ", "block 4, ")
        assert sum("Ctrl-C leaves" in line for line in watch.lines) == 1
        watch.child.kill(signal.SIGINT)
        assert watch.end() == 0
        assert "Ctrl-C leaves" not in watch.text
        assert watch.text.endswith("2 games, 0 moves, 0 draws")
        assert not watch.screen.cursor.hidden
        assert watch.text.count("X to move") == 1


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["for people", "json"])
def test_long_chain__shows_how_far_it_is(local: LocalTable, tmp_path: Path, form: tuple[str, ...]) -> None:
    """On the terminal; with --json, all that is printed goes into the file."""
    local.new_game()
    local.anvil.rpc("anvil_mine", hex(1000))
    local.play("5")
    command = shlex.join([str(APE), "run", "watch", *local.options, *form])
    if form:
        command += f" --once > {tmp_path / 'events'}"
    env = environment(TERM="xterm-256color")
    with pexpect.spawn("bash", ["-c", command], cwd=ROOT, env=env, encoding="utf-8", timeout=PATIENCE) as watch:
        if form:
            watch.expect(pexpect.EOF)
            events = [json.loads(line)["event"] for line in (tmp_path / "events").read_text().splitlines()]
            assert (events, watch.before) == (["GameCreated", "MoveMade", "CaughtUp"], "")
        else:
            watch.expect("block ([0-9,]+) of ([0-9,]+)")
            done, total = (int(number.replace(",", "")) for number in watch.match.groups())
            assert 0 < done <= total <= 1003
            watch.expect_exact("block 1003, ")


def test_node_restarted__no_event_is_missed(local: LocalTable, tmp_path: Path) -> None:
    local.new_game()
    local.play("5")
    local.anvil.keep_state(tmp_path / "state.json")
    with Running("watch", *local.options, "--json") as watch:
        watch.wait_for("CaughtUp")
        local.anvil.stop()
        watch.wait_for("Trying again")
        local.anvil.start()
        local.play("19")
        watch.wait_for(output_text.NODE_IS_BACK)
        watch.wait_for('"sequenceNumber": 3')
        watch.interrupt()
        assert watch.end() == 0
    events = [json.loads(line) for line in watch.text.splitlines() if line.startswith("{")]
    seen = [(event["transaction"], event["logIndex"]) for event in events if "transaction" in event]
    assert seen == local.logs()


def test_closed_terminal__ends_it_with_the_score(local: LocalTable) -> None:
    """Ctrl-C ends the tests above; `test_interrupts.py` has the codes of all signals."""
    local.new_game()
    with Running("watch", *local.options) as watch:
        watch.wait_for("Caught up with block 2.")
        watch.child.kill(signal.SIGHUP)
        assert watch.end() == 129
    assert "1 game, 0 moves, 0 draws" in watch.text


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["for people", "json"])
def test_reader_that_stops__ends_it_well(local: LocalTable, form: tuple[str, ...]) -> None:
    """As `| head` does: it reads one line and closes the pipe."""
    local.new_game()
    command = [str(APE), "run", "watch", *local.options, *form]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment()
    ) as watch:
        assert watch.stdout is not None
        assert watch.stderr is not None
        while "CaughtUp" not in (line := watch.stdout.readline()) and "Caught up" not in line:
            assert line
        watch.stdout.close()
        local.play("5")
        assert watch.wait(PATIENCE) == 0
        assert watch.stderr.read() == ""
