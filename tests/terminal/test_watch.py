"""`ape run watch`: a line for each past game, the present one, its bar, a node that restarts, and the ways it ends."""

import json
import re

import pytest

from tests.support.local_table import FIRST_TABLE
from tests.terminal.test_failures import documented
from tests.terminal.world import ANNA, DRAW, O_SHORT, X_SHORT, X_WINS, X
from tictactoe.formatting import short

WATCHES = "watch --network $url --table $table"  # without a node that fails in its own way
AWAY = "The node does not answer; trying again."


@pytest.mark.usefixtures("keyfiles")
def test_games__are_a_line_each_and_the_present_one_a_board(chain):
    """Anna's account is on this machine, so she is called by its name."""
    table, anna = chain.table, f"anna ({short(ANNA.address)})"
    chain.fund(ANNA.address)
    table.play("5")
    table.x = ANNA.address
    table.play(f"n{X_WINS}n1fn{DRAW}n51")
    table.new_game(table.o, table.x)

    def watched(options=""):
        done = chain.run(f"watch $at --once {options}")
        assert done.code == 0, done.err
        return [line.rstrip() for line in done.out.splitlines()]

    lines = watched()
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
        f"     2 won by anna ({ANNA.address})",
    ]
    # A game that had ended before has no line. Game 4 ends in block 22.
    for first, games in ((22, ["Game 4: a draw.", "Game 5: unfinished."]), (23, ["Game 5: unfinished."])):
        past = [line for line in watched(f"--from-block {first}") if re.match("Game .:", line)]
        assert [line.partition(" X ")[0] for line in past] == games


def test_new_events__are_a_line_each_in_a_pipe_and_an_object_each_for_a_script(chain):
    """Through a reorg, a deep one and an outage. The score counts nothing twice, and nothing that is gone."""
    table = chain.table
    table.play(X_WINS[:4])
    with chain.type(WATCHES, keys="") as person, chain.type(f"{WATCHES} --json", keys="") as script:

        def both_print(line, found):
            person.wait_for(line)
            script.wait_for(found)

        both_print("Caught up with block 6.", "CaughtUp")
        table.play(X_WINS[4])
        both_print("has won 1.", "GameEnded")
        chain.reorg(1)
        both_print("Taken back by a reorg: X", '"takenBack": true')
        table.play(f"{X_WINS[4]}n1fn1")
        both_print("move 1 of game 3", '"gameId": 3')
        chain.mine(70)
        table.play("n")
        both_print("Game 4 starts", '"gameId": 4')
        chain.reorg(76)
        both_print("A deep reorg", "Restarted")
        both_print("Caught up", "CaughtUp")
        chain.stop()
        both_print("trying again", "trying again")
        chain.start()
        table.play("n")
        both_print("Game 2 starts", '"gameId": 2')
        person.signal()
        script.signal()
        done, printed = person.end(), script.end()
    assert (done.code, printed.code, printed.err) == (0, 0, f"{AWAY} Ctrl-C stops.\n")
    lines = done.out.partition("Caught up with block 6.\n")[2].splitlines()
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
        "A deep reorg: discard everything above, it is read again.",
    ]
    assert lines[-2:] == ["2 games, 5 moves, 0 draws", f"     1 won by {X}"]

    objects, kept = [json.loads(line) for line in printed.out.splitlines()], []
    assert {field for line in objects for field in line} == documented("integrating.md", "## Events as JSON")
    for line in objects:
        if line["event"] == "Restarted":
            kept.clear()
        elif line.get("takenBack"):
            assert kept.pop() | {"takenBack": True} == line
        elif "transaction" in line:
            kept.append(line)
    logs = chain.rpc("eth_getLogs", {"address": table.address, "fromBlock": "0x0", "toBlock": "latest"})
    found = [(log["transactionHash"], int(log["logIndex"], 16)) for log in logs]
    assert [(line["transaction"], line["logIndex"]) for line in kept] == found


def test_present_game__is_redrawn_in_place_on_a_terminal(chain):
    """After it was said how many blocks are read."""
    undone = f"Taken back by a reorg: X {X_SHORT} takes cell 5, move 1 of game 1, block 1003"
    past = f"Game 1: unfinished. X {X_SHORT}, O {O_SHORT}. Game 2 "
    chain.mine(1000)
    with chain.type(WATCHES, columns=100, rows=40) as watch:
        watch.plays(
            ("", "Game 1", "X to move", "block 1002, ", "s ago · q quits"),
            ("\r\r5",),  # not shown
            (lambda: chain.table.play("5"), "[X]", "O to move", "X5", "block 1003, "),
            (lambda: chain.reorg(1), undone, "X to move", "!X5"),
            (lambda: chain.table.play("n"), undone, past, "block 1004, "),
            (chain.stop, f"{AWAY} q quits.", "!s ago"),
            (chain.start, "block 1004, ", "!does not answer"),
        )
        assert re.search("block [0-9,]+ of 1,00", watch.out)
        assert sum("q quits" in line for line in watch.lines) == 1
        watch.press("q")
        assert watch.end().code == 0
        assert watch.left_as_it_was()
        watch.sees("!q quits")
        assert watch.text.endswith("2 games, 0 moves, 0 draws")
        assert watch.text.count("X to move") == 1


def test_chain_without_the_table__ends_it_after_the_restart(chain):
    """anvil has forgotten everything, and begins with the same block, as it does in the same second."""
    with chain.type("watch $at", keys="") as watch:
        watch.wait_for("Caught up")
        first = chain.rpc("eth_getBlockByNumber", "0x0", False)
        chain.stop()
        del chain.options["state"]
        chain.options["timestamp"] = int(first["timestamp"], 16)
        chain.start()
        assert chain.rpc("eth_getBlockByNumber", "0x0", False) == first
        done = watch.end()
    assert (done.code, f"There is no contract at {FIRST_TABLE}" in done.err) == (5, True), done
