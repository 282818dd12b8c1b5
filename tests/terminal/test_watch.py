"""`ape run watch`: a line for each past game, the present one, and its bar. `failures.txt` has the ways it ends."""

import json
import re
from functools import partial

import pytest

from tests.support import wait_until
from tests.terminal.lies import status
from tests.terminal.test_failures import documented
from tests.terminal.world import ANNA, FIRST_TABLE, O_SHORT, X_SHORT, X_WINS, X
from tictactoe.formatting import short


@pytest.mark.usefixtures("people")
def test_games__are_a_line_each_and_the_present_one_a_board(chain):
    """Anna's account is on this machine, so she is called by its name. A script reads the same as objects."""
    table, anna = chain.table, f"anna ({short(ANNA)})"
    chain.fund(ANNA)
    table.play("5")
    table.x = ANNA
    table.play(f"n{X_WINS}n1fn123546879n51")
    table.new_game(table.o, table.x)

    def watched(options):
        done = chain.run(f"watch $at --once {options}")
        assert (done.returncode, done.stderr) == (0, "")
        return [line.rstrip() for line in done.stdout.splitlines()]

    lines = watched("")
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
        "Caught up with block 26.",
        "6 games, 18 moves, 1 draw",
        f"     2 won by anna ({ANNA})",
    ]
    # A game that had ended before has no line. Game 4 ends in block 22.
    for first, games in ((22, ["Game 4: a draw.", "Game 5: unfinished."]), (23, ["Game 5: unfinished."])):
        past = [line for line in watched(f"--from-block {first}") if re.match("Game .:", line)]
        assert [line.partition(" X ")[0] for line in past] == games
    fields = {field for line in watched("--json") for field in json.loads(line)}
    assert fields == documented("integrating.md", "## Events as JSON")


def test_new_events__are_a_line_each_in_a_pipe(chain):
    """Through a reorg and a deep one. The score counts nothing twice, and nothing that is gone."""
    table = chain.table
    table.play(X_WINS[:4])
    with chain.type("watch $at", keys="") as watch:
        watch.wait_for("Caught up with block 6.")
        table.play(X_WINS[4])
        watch.wait_for("has won 1.")
        chain.reorg(1)
        watch.wait_for("Taken back by a reorg: X")
        table.play(f"{X_WINS[4]}n1fn1")
        watch.wait_for("move 1 of game 3")
        chain.mine(70)
        table.play("n")
        watch.wait_for("Game 4 starts")
        chain.reorg(76)
        watch.wait_for("Caught up")
        table.play("nf")
        watch.wait_for(f"{O_SHORT} has won 1.")
        chain.reorg(1)
        watch.wait_for("Taken back by a reorg: Game 2")
        watch.signal()
        done = watch.end()
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.partition("Caught up with block 6.\n")[2].splitlines()
    assert lines[:13] == [
        f"X {X_SHORT} takes cell 3, move 5 of game 1, block 7",
        f"Game 1: X wins. {X_SHORT} has won 1.",
        "Taken back by a reorg: Game 1: X wins.",
        f"Taken back by a reorg: X {X_SHORT} takes cell 3, move 5 of game 1, block 7",
        f"X {X_SHORT} takes cell 3, move 5 of game 1, block 8",
        f"Game 1: X wins. {X_SHORT} has won 1.",
        f"Game 2 starts: X {X_SHORT}, O {O_SHORT}",
        f"X {X_SHORT} takes cell 1, move 1 of game 2, block 10",
        f"Game 2: X wins, O forfeits. {X_SHORT} has won 2.",
        f"Game 3 starts: X {X_SHORT}, O {O_SHORT}",
        f"X {X_SHORT} takes cell 1, move 1 of game 3, block 13",
        f"Game 4 starts over game 3, unfinished: X {X_SHORT}, O {O_SHORT}",
        "The chain or its logs have changed: discard everything above. It is read again.",
    ]
    assert lines[-2:] == ["2 games, 5 moves, 0 draws", f"     1 won by {X}"]


def test_present_game__is_redrawn_in_place_on_a_terminal(chain):
    """After it was said how many blocks are read."""
    undone = f"Taken back by a reorg: X {X_SHORT} takes cell 5, move 1 of game 1, block 1003"
    away = "The node's web server failed: 502 Bad Gateway; trying again. q quits."
    past = f"Game 1: unfinished. X {X_SHORT}, O {O_SHORT}. Game 2 "
    chain.mine(1000)
    with chain.type("watch $at", columns=100, rows=40) as watch:
        watch.plays(
            ("", "Game 1", "X to move", "block 1002, ", "s ago · q quits"),
            ("\r\r5",),  # not shown
            (lambda: chain.table.play("5"), "[X]", "O to move", "X5", "block 1003, "),
            (lambda: chain.reorg(1), undone, "X to move", "!X5"),
            (lambda: chain.table.play("n"), undone, past, "block 1004, "),
            (partial(chain.node.wrong.update, {"eth_getLogs": status(502)}),),
            (lambda: chain.table.play("5"), away, "!s ago"),
        )
        # Heads alone are no sign that all is well.
        chain.node.asked.clear()
        wait_until(lambda: chain.node.asked.count("eth_getLogs") > 1, lambda: "it does not try again")
        watch.plays(("", away, "!X5"), (chain.node.wrong.clear, "X5", "!trying again"))
        assert re.search("block [0-9,]+ of 1,00", watch.out)
        assert sum("q quits" in line for line in watch.lines) == 1
        watch.press("q")
        assert watch.end().returncode == 0
        assert watch.left_as_it_was()
        watch.sees("!q quits")
        assert watch.text.endswith("2 games, 1 move, 0 draws")
        assert watch.text.count("O to move") == 1
