"""`ape run watch`: a line for each past game, the present one, its bar, a node that restarts, and the ways it ends."""

import json
import os
import re

import pytest

from tests.support.local_table import FIRST_TABLE
from tests.terminal.test_failures import documented
from tests.terminal.world import ANNA, AT, DRAW, O_SHORT, X_SHORT, X_WINS, X
from tictactoe.formatting import short

WATCHES = f"watch {AT}"
AWAY = "The node does not answer; trying again."
JSON = pytest.mark.parametrize("form", ["", " --json"], ids=["for people", "json"])


@pytest.mark.usefixtures("keyfiles")
def test_games__are_a_line_each_and_the_present_one_a_board(chain):
    """Anna's account is on this machine, so she is called by its name."""
    table, anna = chain.table, f"anna ({short(ANNA.address)})"
    chain.anvil.fund(ANNA.address)
    table.play("5")
    table.x = ANNA.address
    table.play(f"n{X_WINS}n1fn{DRAW}n51")
    table.new_game(table.o, table.x)
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


def test_new_events__are_a_line_each_in_a_pipe_and_an_object_each_for_a_script(chain):
    """Through a reorg, a deep one and an outage. The score counts nothing twice, and nothing that is gone."""
    table, typed = chain.table, WATCHES.replace("$node", "$url")
    with chain.type(typed, keys="") as person, chain.type(f"{typed} --json", keys="") as script:

        def both_print(line, found):
            person.wait_for(line)
            script.wait_for(found)

        both_print("Caught up with block 2.", "CaughtUp")
        table.play(X_WINS)
        both_print("has won 1.", "GameEnded")
        chain.reorg(1)
        both_print("Taken back by a reorg: X", '"takenBack": true')
        table.play("3n1fn1")
        both_print("move 1 of game 3", '"gameId": 3')
        chain.mine(70)
        table.play("n")
        both_print("Game 4 starts", '"gameId": 4')
        chain.reorg(76)
        both_print("A deep reorg", "Restarted")
        both_print("Caught up", "CaughtUp")
        chain.anvil.stop()
        both_print("trying again", "trying again")
        chain.anvil.start()
        table.play("n")
        both_print("Game 2 starts", '"gameId": 2')
        person.signal()
        script.signal()
        done, printed = person.end(), script.end()
    assert (done.code, printed.code, printed.err) == (0, 0, f"{AWAY} Ctrl-C stops.\n")
    _, _, after = done.out.partition("Caught up with block 2.\n")
    lines = after.splitlines()
    assert lines[:17] == [
        f"X {X_SHORT} takes cell 1, move 1 of game 1, block 3",
        f"O {O_SHORT} takes cell 4, move 2 of game 1, block 4",
        f"X {X_SHORT} takes cell 2, move 3 of game 1, block 5",
        f"O {O_SHORT} takes cell 5, move 4 of game 1, block 6",
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
        "A deep reorg: discard everything above, it is read again.",
    ]
    assert lines[-2:] == ["2 games, 5 moves, 0 draws", f"     1 won by {X}"]

    objects, kept, undone = [json.loads(line) for line in printed.out.splitlines()], [], 0
    assert {field for line in objects for field in line} == documented("integrating.md", "## Events as JSON")
    for line in objects:
        if line["event"] == "Restarted":
            kept.clear()
        elif line.get("takenBack"):
            undone += 1
            assert kept.pop() | {"takenBack": True} == line
        elif "transaction" in line:
            kept.append(line)
    assert undone == 2
    assert [(line["transaction"], line["logIndex"]) for line in kept] == table.logs()


def test_present_game__is_redrawn_in_place_on_a_terminal(chain):
    undone = f"Taken back by a reorg: X {X_SHORT} takes cell 5, move 1 of game 1, block 3"
    past = f"Game 1: unfinished. X {X_SHORT}, O {O_SHORT}. Game 2 "
    with chain.type(WATCHES.replace("$node", "$url"), columns=100, rows=40) as watch:
        watch.plays(
            ("", "Game 1", "X to move", "block 2, ", "s ago · q leaves"),
            ("\r\r5",),  # not shown
            (lambda: chain.table.play("5"), "[X]", "O to move", "X5", "block 3, "),
            (lambda: chain.reorg(1), undone, "X to move", "!X5"),
            (lambda: chain.table.play("n"), undone, past, "block 4, "),
            (chain.anvil.stop, f"{AWAY} q quits.", "!s ago"),
            (chain.anvil.start, "block 4, ", "!does not answer"),
        )
        assert sum("q leaves" in line for line in watch.lines) == 1
        watch.press("q")
        assert watch.end().code == 0
        assert watch.left_as_it_was()
        watch.sees("!q leaves")
        assert watch.text.endswith("2 games, 0 moves, 0 draws")
        assert watch.text.count("X to move") == 1


@JSON
def test_long_chain__shows_how_far_it_is(chain, form):
    """On the terminal, and not with --json."""
    chain.mine(1000)
    chain.table.play("5")
    with chain.type(WATCHES + form) as watch:
        watch.wait_for('"event": "CaughtUp"' if form else "block 1003, ")
        assert bool(re.search(r"block [0-9,]+ of 1,00\d", watch.out)) == (not form)


@JSON
def test_reader_that_stops__ends_it_silently(chain, tmp_path, form):
    """As `| head` does: it reads one line and closes the pipe."""
    os.mkfifo(pipe := str(tmp_path / "pipe"))
    with chain.type(WATCHES + form, keys="", stdout=pipe) as watch:
        with open(pipe) as reader:
            while "CaughtUp" not in (line := reader.readline()) and "Caught up" not in line:
                assert line
        chain.table.play("5")
        done = watch.end()
    assert (done.code, done.err) == (0, "")


def test_chain_without_the_table__ends_it_after_the_restart(chain):
    """anvil has forgotten everything, and begins with the same block, as it does in the same second."""
    with chain.type(WATCHES.replace("$node", "$url"), keys="") as watch:
        watch.wait_for("Caught up")
        first = chain.anvil.rpc("eth_getBlockByNumber", "0x0", False)
        chain.anvil.stop()
        del chain.anvil.options["state"]
        chain.anvil.options["timestamp"] = int(first["timestamp"], 16)
        chain.anvil.start()
        assert chain.anvil.rpc("eth_getBlockByNumber", "0x0", False) == first
        done = watch.end()
    assert (done.code, f"There is no contract at {FIRST_TABLE}" in done.err) == (5, True), done


def test_from_block_that_is_not_mined__shows_no_board_before_it_is(chain):
    chain.table.play("5")
    says = "Block 5 of --from-block is not mined yet: the newest block is 3."
    done = chain.run(f"{WATCHES} --from-block 5 --once")
    assert done.out.splitlines()[1:] == [says, "0 games, 0 moves, 0 draws"]
    with chain.type(f"{WATCHES} --from-block 5", keys="") as watch:
        watch.wait_for(says)
        chain.table.play("19")
        watch.wait_for("Caught up with block 5.")
        watch.signal()
        lines = watch.end().out.splitlines()
    assert lines[1:4] == [says, "", "Game 1"]
    assert lines[-1] == "0 games, 1 move, 0 draws"


@pytest.mark.parametrize(("first", "past"), [(13, []), (12, [f"Game 2: a draw. X {X_SHORT}"])])
def test_game_that_ended_before_from_block__has_no_line(chain, first, past):
    """Game 2 begins in block 3 and ends in block 12; game 3 begins in block 13."""
    chain.table.play(f"n{DRAW}n5")
    lines = chain.run(f"{WATCHES} --from-block {first} --once").out.splitlines()
    assert [line.partition(", O")[0] for line in lines if line.startswith("Game 2:")] == past
    assert not any(line.startswith("Game 1") for line in lines)
