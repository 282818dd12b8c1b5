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
from tests.support.chain import Chain
from tests.support.commands import keys_for
from tests.support.keyfiles import ANNA
from tests.support.local_table import FIRST_TABLE
from tests.support.roles import Role
from tictactoe import errors
from tictactoe.events import WINDOW
from tictactoe.formatting import short
from tictactoe.table import runtime_code

WATCHES = f"watch --network $node --table {FIRST_TABLE}"
X_SHORT, O_SHORT = short(Role.PLAYER_X.address), short(Role.PLAYER_O.address)


@pytest.mark.usefixtures("keyfiles")
def test_games__are_a_line_each_and_the_present_one_a_board(chain: Chain) -> None:
    """Anna's account is on this machine, so she is called by its name."""
    local, anna = chain.local, f"anna ({short(ANNA.address)})"
    chain.anvil.rpc("anvil_setBalance", ANNA.address, hex(10**18))
    chain.anvil.rpc("anvil_impersonateAccount", ANNA.address)
    local.play("5")
    local.x = ANNA.address
    for keys, forfeits in ((keys_for(WON_BY_X), False), ("1", True), (keys_for(DRAWN), False), ("51", False)):
        local.new_game()
        local.play(keys)
        if forfeits:
            local.forfeit()
    local.new_game(local.o, local.x)
    done = chain.run(f"{WATCHES} --once")
    assert done.code == 0, done.err
    lines = [line.rstrip() for line in done.out.splitlines()]
    assert lines[:8] == [
        f"Table {FIRST_TABLE} on custom, chain 31337.",
        f"Game 1: unfinished. X {X_SHORT}, O {O_SHORT}. 5",
        f"Game 2: X wins. X {anna}, O {O_SHORT}. 1 4 2 5 3",
        f"Game 3: X wins, O forfeits. X {anna}, O {O_SHORT}. 1",
        f"Game 4: a draw. X {anna}, O {O_SHORT}. 1 2 3 5 4 6 8 7 9",
        f"Game 5: unfinished. X {anna}, O {O_SHORT}. 5 1",
        "",
        "Game 6",
    ]
    assert lines[-3:] == [
        f"Caught up with block {chain.anvil.height}.",
        "6 games, 18 moves, 1 draw",
        f"     2 won by anna ({ANNA.address})",
    ]


def test_new_events__are_a_line_each_in_a_pipe(chain: Chain) -> None:
    local = chain.local
    with chain.type(WATCHES, keys="") as watch:
        watch.wait_for("Caught up with block 2.")
        local.play(keys_for(WON_BY_X))
        watch.wait_for("has won 1.")
        chain.anvil.rpc("anvil_reorg", 1, [])
        watch.wait_for("Taken back by a reorg: X")
        local.forfeit()
        local.new_game()
        local.new_game()
        watch.wait_for("Game 3 starts")
        watch.stop(signal.SIGTERM)
        done = watch.end()
    assert (done.code, done.err) == (143, "Stopped. Nothing was sent.\n")
    _, _, after = done.out.partition("Caught up with block 2.\n")
    assert after.splitlines() == [
        f"X {X_SHORT} takes cell 1, move 1 of game 1, block 3",
        f"O {O_SHORT} takes cell 4, move 2 of game 1, block 4",
        f"X {X_SHORT} takes cell 2, move 3 of game 1, block 5",
        f"O {O_SHORT} takes cell 5, move 4 of game 1, block 6",
        f"X {X_SHORT} takes cell 3, move 5 of game 1, block 7",
        f"Game 1: X wins. {X_SHORT} has won 1.",
        "Taken back by a reorg: Game 1: X wins.",
        f"Taken back by a reorg: X {X_SHORT} takes cell 3, move 5 of game 1, block 7",
        f"Game 1: O wins, X forfeits. {O_SHORT} has won 1.",
        f"Game 2 starts: X {X_SHORT}, O {O_SHORT}",
        f"Game 3 starts over game 2, unfinished: X {X_SHORT}, O {O_SHORT}",
        "3 games, 4 moves, 0 draws",
        f"     1 won by {local.o}",
    ]


def test_present_game__is_redrawn_in_place_on_a_terminal(chain: Chain) -> None:
    with chain.type(WATCHES, columns=100, rows=40) as watch:
        watch.sees("Game 1", "X to move", "block 2, ", "s ago · q leaves")
        watch.press("\r\r5")  # not shown
        chain.local.play("5")
        watch.sees("[X]", "O to move", "X5", "block 3, ")
        chain.anvil.rpc("anvil_reorg", 1, [])
        undone = f"Taken back by a reorg: X {X_SHORT} takes cell 5, move 1 of game 1, block 3"
        watch.sees(undone, "X to move", without="X5")
        chain.local.new_game()
        watch.sees(undone, f"Game 1: unfinished. X {X_SHORT}, O {O_SHORT}. Game 2 ", "block 4, ")
        assert sum("q leaves" in line for line in watch.lines) == 1
        watch.stop()
        assert watch.end().code == 0
        assert "q leaves" not in watch.text
        assert watch.text.endswith("2 games, 0 moves, 0 draws")
        assert (watch.screen.cursor.hidden, watch.echoes()) == (False, True)
        assert watch.text.count("X to move") == 1


def test_outage__is_one_line_that_goes(chain: Chain, tmp_path: Path) -> None:
    chain.anvil.keep_state(tmp_path / "state.json")
    with chain.type(WATCHES.replace("$node", chain.anvil.url)) as watch:
        watch.sees("block 2, ")
        chain.anvil.stop()
        watch.sees("The node does not answer; trying again. Ctrl-C stops.", without="s ago")
        chain.anvil.start()
        watch.sees("block 2, ", without="does not answer")
        watch.press("q")
        assert watch.end().code == 0


@pytest.mark.parametrize("form", ["", " --json"], ids=["for people", "json"])
def test_long_chain__shows_how_far_it_is(chain: Chain, form: str) -> None:
    """On the terminal, and not with --json."""
    chain.anvil.rpc("anvil_mine", hex(1000))
    chain.local.play("5")
    with chain.type(WATCHES + form) as watch:
        watch.wait_for('"event": "CaughtUp"' if form else "block 1003, ")
        assert bool(re.search(r"block [0-9,]+ of 1,00\d", watch.out)) == (not form)


@pytest.mark.parametrize("form", ["", " --json"], ids=["for people", "json"])
def test_reader_that_stops__ends_it_silently(chain: Chain, tmp_path: Path, form: str) -> None:
    """As `| head` does: it reads one line and closes the pipe."""
    os.mkfifo(pipe := str(tmp_path / "pipe"))
    with chain.type(WATCHES + form, keys="", stdout=pipe) as watch:
        with open(pipe) as reader:
            while "CaughtUp" not in (line := reader.readline()) and "Caught up" not in line:
                assert line
        chain.local.play("5")
        done = watch.end()
    assert (done.code, done.err) == (0, "")


def test_json_at_a_real_node__is_right_through_reorgs_an_outage_and_a_restart(chain: Chain, tmp_path: Path) -> None:
    local, anvil = chain.local, chain.anvil
    # A reorg that goes back to before anvil's start would lose the table.
    anvil.keep_state(tmp_path / "state.json")
    local.play("51")
    with chain.type(f"{WATCHES.replace('$node', anvil.url)} --json", keys="") as watch:
        watch.wait_for("CaughtUp")
        anvil.rpc("anvil_reorg", 2, [])
        for _ in range(2):
            watch.wait_for('"takenBack": true')
        anvil.rpc("anvil_mine", hex(10))
        local.play("9")
        anvil.rpc("anvil_mine", hex(88))
        local.play("3")
        watch.wait_for('"sequenceNumber": 2')
        anvil.rpc("anvil_reorg", 92, [])
        watch.wait_for("Restarted")
        watch.wait_for("CaughtUp")
        local.play("46")
        watch.wait_for('"sequenceNumber": 2')
        anvil.stop()
        watch.wait_for("trying again")
        anvil.start()
        local.play("7")
        watch.wait_for('"sequenceNumber": 3')
        watch.stop()
        done = watch.end()
    assert done.code == 0
    kinds = ["-" * line.get("takenBack", False) + line["event"] for line in map(json.loads, done.out.splitlines())]
    moved = ["MoveMade", "MoveMade"]
    before = ["GameCreated", *moved, "CaughtUp", "-MoveMade", "-MoveMade", *moved]
    after = ["GameCreated", "CaughtUp", *moved, "MoveMade"]
    assert kinds == [*before, "Restarted", *after]
    kept = [json.loads(line) for line in done.out.splitlines()[-len(after) :]]
    assert [(line["transaction"], line["logIndex"]) for line in kept if "transaction" in line] == local.logs()


# -- in this process, on the simulated chain --------------------------------------------------


class Printed(NamedTuple):
    out: str
    err: str


Watch = Callable[..., Printed]


@pytest.fixture
def fake() -> FakeChain:
    runtime_code()  # compiles, if nothing has; Ape prints that
    return FakeChain()


@pytest.fixture
def watching(fake: FakeChain, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Watch:
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
        capsys.readouterr()
        watch(fake.table(), from_block, once, as_json)
        return Printed(*capsys.readouterr())

    return run


def away(_method: str) -> None:
    raise ConnectionError("closed")


def nothing() -> None:
    """A pause."""


def test_json__is_the_story_through_reorgs_and_an_outage(fake: FakeChain, watching: Watch) -> None:
    fake.play(new_game(), *moves(4, 0))

    def small() -> None:
        fake.reorg(2)
        fake.play(move(8))

    def leave() -> None:
        fake.before_answer = away

    def come_back() -> None:
        fake.before_answer = lambda _method: None
        fake.play(move(0))

    def deep() -> None:
        fake.reorg(WINDOW + 1)
        fake.mine_empty(WINDOW + 2)

    steps = [small, leave, *[nothing] * 20, come_back, lambda: fake.mine_empty(WINDOW), deep, nothing]
    printed = watching(*steps, as_json=True)
    kept: list[dict[str, Any]] = []
    kinds: list[str] = []
    for line in map(json.loads, printed.out.splitlines()):
        kinds.append("-" * line.get("takenBack", False) + line["event"])
        if line["event"] == "Restarted":
            kept.clear()
        elif line.get("takenBack"):
            assert kept.pop() | {"takenBack": True} == line
        elif "transaction" in line:
            kept.append(line)
    before = ["GameCreated", "MoveMade", "MoveMade", "CaughtUp", "-MoveMade", "-MoveMade", "MoveMade", "MoveMade"]
    assert kinds == [*before, "Restarted", "GameCreated", "MoveMade", "CaughtUp"]
    logs = [(log["transactionHash"], int(log["logIndex"], 16)) for log in fake.logs]
    assert [(line["transaction"], line["logIndex"]) for line in kept] == logs
    assert printed.err == "The node does not answer; trying again. Ctrl-C stops.\n"


def test_once__ends_when_the_node_stays_away(fake: FakeChain, watching: Watch) -> None:
    """After a minute."""
    questions = count()
    fake.before_answer = lambda method: away(method) if next(questions) > 3 else None
    pauses: list[None] = []
    with pytest.raises(errors.NodeUnreachable):
        watching(*[lambda: pauses.append(None)] * 1000, once=True)
    assert 30 <= len(pauses) <= 35


def test_score__counts_nothing_twice_and_nothing_that_is_gone(fake: FakeChain, watching: Watch) -> None:
    """X wins, which a reorg takes back. O wins, and a draw follows. A deep reorg leaves one win of O and a move."""
    fake.play(new_game(), *moves(*WON_BY_X))

    def small() -> None:
        fake.reorg(len(WON_BY_X))
        fake.play(*moves(*WON_BY_O), new_game(), *moves(*DRAWN))
        fake.mine_empty(WINDOW)

    def deep() -> None:
        fake.reorg(WINDOW + len(DRAWN))
        fake.play(move(4))
        fake.mine_empty(WINDOW + len(DRAWN))

    assert watching(small).out.splitlines()[-2:] == ["2 games, 15 moves, 1 draw", f"     1 won by {O}"]
    lines = watching(deep).out.splitlines()
    assert "A deep reorg: discard everything above, it is read again." in lines
    assert lines[-2:] == ["2 games, 7 moves, 0 draws", f"     1 won by {O}"]


def test_chain_with_another_contract__ends_it_after_the_restart(fake: FakeChain, watching: Watch) -> None:
    fake.play(new_game())

    def restart() -> None:
        fake.begin(1)
        fake.mine([], [])
        fake.lies["eth_getCode"] = lambda _params, code: code[:-2] + "00"

    with pytest.raises(errors.NoTable):
        watching(restart, nothing)


def test_from_block_that_is_not_mined__shows_no_board_before_it_is(fake: FakeChain, watching: Watch) -> None:
    fake.play(new_game(), move(4))
    says = "Block 5 of --from-block is not mined yet: the newest block is 3."
    assert watching(from_block=5, once=True).out.splitlines()[1:] == [says, "0 games, 0 moves, 0 draws"]
    lines = watching(lambda: fake.play(move(0)), lambda: fake.play(move(8)), from_block=5).out.splitlines()
    assert lines[1:4] == [says, "", "Game 1"]
    assert lines[-2:] == ["Caught up with block 5.", "0 games, 1 move, 0 draws"]


@pytest.mark.parametrize(("first", "past"), [(14, []), (12, ["Game 2: a draw."])])
def test_game_that_ended_before_from_block__has_no_line(
    fake: FakeChain, watching: Watch, first: int, past: list[str]
) -> None:
    """Game 2 ends in block 13, and game 3 begins in block 14."""
    fake.mine([new_game(), forfeit], [new_game()], *([step] for step in moves(*DRAWN)), [], [new_game()], [move(4)])
    lines = watching(from_block=first, once=True).out.splitlines()
    assert [line[:15] for line in lines if line.startswith("Game 2")] == past
    assert [line for line in lines if line.startswith("Game 1")] == []
