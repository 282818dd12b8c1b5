"""`ape run watch`: a line for each past game, the present one, its bar, a node that restarts, and the ways it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scripts.watch import watch
from tests.library.simulation import Clock, FakeChain, O, forfeit, move, moves, new_game
from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.support.commands import Command, ape_run, keys_for
from tests.support.keyfiles import ANNA
from tests.support.local_table import LocalTable
from tictactoe import errors
from tictactoe.events import WINDOW
from tictactoe.formatting import short


@pytest.mark.usefixtures("keyfiles")
def test_games__are_a_line_each_and_the_present_one_a_board(local: LocalTable) -> None:
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
    done = ape_run("watch", *local.options, "--once")
    assert done.code == 0, done.err
    lines = [line.rstrip() for line in done.out.splitlines()]
    anna = f"anna ({short(ANNA.address)})"
    assert lines[:7] == [
        f"Table {local.address} on custom, chain 31337.",
        f"Game 1: X wins. X {anna}, O {o}. 1 4 2 5 3",
        f"Game 2: X wins, O forfeits. X {anna}, O {o}. 1",
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
    with Command("watch", *local.options, keys="") as watch:
        watch.wait_for("Caught up with block 2.")
        local.play(keys_for(WON_BY_X))
        watch.wait_for("has won 1.")
        local.anvil.rpc("anvil_reorg", 1, [])
        watch.wait_for("Taken back by a reorg: X")
        local.forfeit()
        local.new_game()
        local.new_game()
        watch.wait_for("Game 3 starts")
        watch.stop()
        done = watch.end()
    assert done.code == 0
    _, _, after = done.out.partition("Caught up with block 2.\n")
    assert after.splitlines() == [
        f"X {x} takes cell 1, move 1 of game 1, block 3",
        f"O {o} takes cell 4, move 2 of game 1, block 4",
        f"X {x} takes cell 2, move 3 of game 1, block 5",
        f"O {o} takes cell 5, move 4 of game 1, block 6",
        f"X {x} takes cell 3, move 5 of game 1, block 7",
        f"Game 1: X wins. {x} has won 1.",
        "Taken back by a reorg: Game 1: X wins.",
        f"Taken back by a reorg: X {x} takes cell 3, move 5 of game 1, block 7",
        f"Game 1: O wins, X forfeits. {o} has won 1.",
        f"Game 2 starts: X {x}, O {o}",
        f"Game 3 starts over game 2, unfinished: X {x}, O {o}",
        "3 games, 4 moves, 0 draws",
        f"     1 won by {local.o}",
    ]


@pytest.mark.parametrize("leave", ["q", "ctrl-c"])
def test_present_game__is_redrawn_in_place_on_a_terminal(local: LocalTable, leave: str) -> None:
    local.new_game()
    with Command("watch", *local.options, columns=100, rows=40) as watch:
        watch.sees("Game 1", "X to move", "block 2, ", "s ago · q leaves")
        watch.press("\r\r5")  # not shown
        local.play("5")
        watch.sees("[X]", "O to move", "X5", "block 3, ")
        local.anvil.rpc("anvil_reorg", 1, [])
        undone = f"Taken back by a reorg: X {short(local.x)} takes cell 5, move 1 of game 1, block 3"
        watch.sees(undone, "X to move", without="X5")
        local.new_game()
        watch.sees(undone, f"Game 1: unfinished. X {short(local.x)}, O {short(local.o)}. Game 2 ", "block 4, ")
        assert sum("q leaves" in line for line in watch.lines) == 1
        if leave == "q":
            watch.press("q")
        else:
            watch.stop()
        assert watch.end().code == 0
        assert "q leaves" not in watch.text
        assert watch.text.endswith("2 games, 0 moves, 0 draws")
        assert (watch.screen.cursor.hidden, watch.echoes()) == (False, True)
        assert watch.text.count("X to move") == 1


def test_outage__is_one_line_that_goes(local: LocalTable, tmp_path: Path) -> None:
    local.new_game()
    local.anvil.keep_state(tmp_path / "state.json")
    with Command("watch", *local.options) as watch:
        watch.sees("block 2, ")
        local.anvil.stop()
        watch.sees("The node does not answer; trying again. Ctrl-C stops.", without="s ago")
        local.anvil.start()
        watch.sees("block 2, ", without="does not answer")


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["for people", "json"])
def test_long_chain__shows_how_far_it_is(local: LocalTable, form: tuple[str, ...]) -> None:
    """On the terminal, and not with --json."""
    local.new_game()
    local.anvil.rpc("anvil_mine", hex(1000))
    local.play("5")
    with Command("watch", *local.options, *form) as watch:
        watch.wait_for('"event": "CaughtUp"' if form else "block 1003, ")
        assert bool(re.search(r"block [0-9,]+ of 1,00\d", watch.out)) == (not form)


def test_json__is_right_through_reorgs_an_outage_and_a_restart(local: LocalTable, tmp_path: Path) -> None:
    local.new_game()
    # A reorg that goes back to before anvil's start would lose the table.
    local.anvil.keep_state(tmp_path / "state.json")
    local.play("51")
    with Command("watch", *local.options, "--json", keys="") as watch:
        watch.wait_for("CaughtUp")
        local.anvil.rpc("anvil_reorg", 2, [])
        for _ in range(2):
            watch.wait_for('"takenBack": true')
        local.anvil.rpc("anvil_mine", hex(10))
        local.play("9")
        local.anvil.rpc("anvil_mine", hex(88))
        local.play("3")
        watch.wait_for('"sequenceNumber": 2')
        local.anvil.rpc("anvil_reorg", 92, [])
        watch.wait_for("Restarted")
        watch.wait_for("CaughtUp")
        local.play("46")
        watch.wait_for('"sequenceNumber": 2')
        local.anvil.stop()
        watch.wait_for("trying again")
        local.anvil.start()
        local.play("7")
        watch.wait_for('"sequenceNumber": 3')
        watch.stop()
        done = watch.end()
    assert done.code == 0
    kept: list[dict[str, Any]] = []
    kinds: list[str] = []
    for line in map(json.loads, done.out.splitlines()):
        kinds.append("-" * line.get("takenBack", False) + line["event"])
        if line["event"] == "Restarted":
            kept.clear()
        elif line.get("takenBack"):
            assert kept.pop() | {"takenBack": True} == line
        elif "transaction" in line:
            kept.append(line)
    moved = ["MoveMade", "MoveMade"]
    before = ["GameCreated", *moved, "CaughtUp", "-MoveMade", "-MoveMade", *moved]
    assert kinds == [*before, "Restarted", "GameCreated", "CaughtUp", *moved, "MoveMade"]
    assert [(line["transaction"], line["logIndex"]) for line in kept] == local.logs()


# -- in this process, on the simulated chain --------------------------------------------------


class Printed(NamedTuple):
    out: str
    err: str


Watch = Callable[..., Printed]


@pytest.fixture
def chain() -> FakeChain:
    return FakeChain()


@pytest.fixture
def watching(chain: FakeChain, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Watch:
    """`watch` on this chain. One of the steps happens at each pause, and after the last one comes Ctrl-C."""
    clock = Clock()
    monkeypatch.setattr(sys.modules["tictactoe.events"], "time", clock)

    def run(
        *steps: Callable[[], object], from_block: int | None = None, once: bool = False, as_json: bool = False
    ) -> Printed:
        pending = iter(steps)

        def pause(_slept: float) -> None:
            step = next(pending, None)
            if step is None:
                raise KeyboardInterrupt
            step()

        clock.on_sleep = pause
        watch(chain.table(), from_block, once, as_json)
        return Printed(*capsys.readouterr())

    return run


def away(_method: str) -> None:
    raise ConnectionError("closed")


def test_json_in_an_outage__is_all_there_is_on_stdout(chain: FakeChain, watching: Watch) -> None:
    chain.play(new_game(), move(4))

    def come_back() -> None:
        chain.before_answer = lambda _method: None
        chain.play(move(0))

    printed = watching(lambda: setattr(chain, "before_answer", away), *[lambda: None] * 20, come_back, as_json=True)
    kinds = [json.loads(line)["event"] for line in printed.out.splitlines()]
    assert kinds == ["GameCreated", "MoveMade", "CaughtUp", "MoveMade"]
    assert printed.err == "The node does not answer; trying again. Ctrl-C stops.\n"


def test_once__ends_when_the_node_stays_away(chain: FakeChain, watching: Watch) -> None:
    """After a minute."""
    questions = count()
    chain.before_answer = lambda method: away(method) if next(questions) > 3 else None
    pauses: list[None] = []
    with pytest.raises(errors.NodeUnreachable):
        watching(*[lambda: pauses.append(None)] * 1000, once=True)
    assert 30 <= len(pauses) <= 35


def test_score__counts_nothing_twice_and_nothing_that_is_gone(chain: FakeChain, watching: Watch) -> None:
    """X wins, which a reorg takes back. O wins, and a draw follows. A deep reorg leaves one win of O and a move."""
    chain.play(new_game(), *moves(*WON_BY_X))

    def small() -> None:
        chain.reorg(len(WON_BY_X))
        chain.play(*moves(*WON_BY_O), new_game(), *moves(*DRAWN))
        chain.mine_empty(WINDOW)

    def deep() -> None:
        chain.reorg(WINDOW + len(DRAWN))
        chain.play(move(4))
        chain.mine_empty(WINDOW + len(DRAWN))

    lines = watching(small).out.splitlines()
    assert lines[-2:] == [
        "2 games, 15 moves, 1 draw",
        f"     1 won by {O}",
    ]
    lines = watching(deep).out.splitlines()
    assert "A deep reorg: discard everything above, it is read again." in lines
    assert lines[-2:] == ["2 games, 7 moves, 0 draws", f"     1 won by {O}"]


def test_chain_with_another_contract__ends_it_after_the_restart(chain: FakeChain, watching: Watch) -> None:
    chain.play(new_game())

    def restart() -> None:
        chain.begin(1)
        chain.mine([], [])
        chain.lies["eth_getCode"] = lambda _params, code: code[:-2] + "00"

    with pytest.raises(errors.NoTable):
        watching(restart, lambda: None)


def test_from_block_that_is_not_mined__shows_no_board_before_it_is(chain: FakeChain, watching: Watch) -> None:
    chain.play(new_game(), move(4))
    says = "Block 5 of --from-block is not mined yet: the newest block is 3."
    assert watching(from_block=5, once=True).out.splitlines()[1:] == [says, "0 games, 0 moves, 0 draws"]
    lines = watching(lambda: chain.play(move(0)), lambda: chain.play(move(8)), from_block=5).out.splitlines()
    assert lines[1:4] == [says, "", "Game 1"]
    assert lines[-2:] == ["Caught up with block 5.", "0 games, 1 move, 0 draws"]


@pytest.mark.parametrize(("first", "past"), [(14, []), (12, ["Game 2: a draw."])])
def test_game_that_ended_before_from_block__has_no_line(
    chain: FakeChain, watching: Watch, first: int, past: list[str]
) -> None:
    """Game 2 ends in block 13, and game 3 begins in block 14."""
    chain.mine([new_game(), forfeit], [new_game()], *([step] for step in moves(*DRAWN)), [], [new_game()], [move(4)])
    lines = watching(from_block=first, once=True).out.splitlines()
    assert [line[:15] for line in lines if line.startswith("Game 2")] == past
    assert [line for line in lines if line.startswith("Game 1")] == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGHUP, 129), (signal.SIGTERM, 143)])
def test_signal__ends_it_with_the_score(local: LocalTable, number: signal.Signals, code: int) -> None:
    local.new_game()
    with Command("watch", *local.options, keys="") as watch:
        watch.wait_for("Caught up with block 2.")
        watch.stop(number)
        done = watch.end()
    assert (done.code, done.err) == (code, "Stopped. Nothing was sent.\n")
    assert done.out.endswith("1 game, 0 moves, 0 draws\n")


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["for people", "json"])
def test_reader_that_stops__ends_it_silently(local: LocalTable, tmp_path: Path, form: tuple[str, ...]) -> None:
    """As `| head` does: it reads one line and closes the pipe."""
    local.new_game()
    os.mkfifo(pipe := str(tmp_path / "pipe"))
    with Command("watch", *local.options, *form, keys="", stdout=pipe) as watch:
        with open(pipe) as reader:
            while "CaughtUp" not in (line := reader.readline()) and "Caught up" not in line:
                assert line
        local.play("5")
        done = watch.end()
    assert (done.code, done.err) == (0, "")
