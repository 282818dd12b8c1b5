"""`ape run watch` as a process: its bar, a node that restarts, and the ways it ends."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.rules.games import WON_BY_X
from tests.support.commands import APE, ROOT, Running, environment, keys_for
from tests.support.local_table import LocalTable
from tictactoe.terminal import text


def test_long_chain__shows_how_far_it_is(local: LocalTable) -> None:
    local.new_game()
    local.anvil.rpc("anvil_mine", hex(2_000))
    local.play("5")
    with Running("watch", *local.options, terminal=True) as watch:
        watch.wait_for("Caught up with block 2003")
        watch.interrupt()
        assert watch.end() == 0
    bars = re.findall(r"blocks .*?(\d+)/(\d+)", watch.text)
    assert bars
    assert all(int(done) <= int(total) for done, total in bars)


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
        watch.wait_for(text.NODE_IS_BACK)
        watch.wait_for('"sequenceNumber": 3')
        watch.interrupt()
        assert watch.end() == 0
    events = [json.loads(line) for line in watch.text.splitlines() if line.startswith("{")]
    seen = [(event["transaction"], event["logIndex"]) for event in events if "transaction" in event]
    assert seen == local.logs()


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
        assert watch.wait(60) == 0
        assert watch.stderr.read() == ""


def test_ctrl_c__ends_it_with_the_score(local: LocalTable) -> None:
    local.new_game()
    local.play(keys_for(WON_BY_X))
    with Running("watch", *local.options) as watch:
        watch.wait_for("Caught up with block")
        local.anvil.rpc("anvil_reorg", 1, [])
        watch.wait_for("Taken back by a reorg: Game 1")
        watch.wait_for("Taken back by a reorg: X")
        watch.interrupt()
        assert watch.end() == 0
    assert "1 games, 4 moves, 0 draws" in watch.text
    assert "Traceback" not in watch.text
