"""What is on the screen, in windows of many sizes: a script of keys, exact pictures, and what happened at the table."""

import signal
from functools import partial

import pytest

from tests.support import wait_until
from tests.support.commands import Command
from tests.terminal.lies import others_wait, status
from tests.terminal.world import AS_X, O_SHORT, Chain

# What is pressed, and what is then on the screen.
SCRIPT = [
    ("", "Game 1", "Player 1 to move"),
    ("5", "Player 2 to move"),
    ("?", "Game 1", "this help"),
    ("\r", "Player 2 to move", "!this help"),
    ("1", "Player 1 to move"),
    ("fy", "Forfeit game 1 as X?", "any other key: no"),  # what was typed before a question does not answer it
    ("5", "Player 1 to move", "!: yes"),
    ("2", "Player 2 to move"),
    ("4", "Player 1 to move"),
    ("8", "Player 1 wins", "Player 1: 1 · Player 2: 0", "n next game"),
    ("n", "Game 2", "Player 2 to move"),  # seats swap: Player 2 has X
    ("f", "Forfeit game 2 as X?"),
    ("y", "Player 1 wins, Player 2 forfeits", "Player 1: 2 · Player 2: 0", "!: yes"),
    ("s", "Game 3", "Player 2 to move"),
    ("5", "Player 1 to move"),
    ("5", "That cell is taken."),
]


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (60, 24), (30, 20)])
def test_script_of_keys(columns, rows):
    with Command("play", columns=columns, rows=rows) as play:
        for keys, *shown in SCRIPT:
            play.plays((keys, *shown))
            wait_until(lambda: play.lines[-1].endswith(("? help  q quit", "any other key: no")), lambda: play.text)
        # An arrow is no key. Others that do nothing ring, and wipe nothing.
        play.press("\x1b[Axy")
        wait_until(lambda: play.bells == 3, lambda: f"{play.bells} bells")
        assert "That cell is taken." in play.text
        play.press("q")
        assert play.end().returncode == 0
        assert play.left_as_it_was()
        assert play.out.startswith(f"Starting...\r{'':11}\r")  # it is wiped
        # The last board and the score stay, once the window is as it was before the game.
        left = play.out.rpartition("\x1b[?1049l")[2]
        assert ("Game 3" in left, "Player 1: 2" in left) == (True, True)


NARROW = """
            Game 1
    X Player 1  O Player 2
  .'''.  |         |
 [#   #] |    2    |    3
  '...'  |         |
---------+---------+---------
         |  '. .'  |
    4    |    #    |    6
         |  .' '.  |
---------+---------+---------
         |         |
    7    |    8    |    9
         |         |
       Player 1 to move
            X5 O1



     Forfeit game 1 as X?
  y: yes  any other key: no""".splitlines()[1:]


SIZES = [(31, 22), (36, 50), (59, 24), (60, 21), (63, 25), (71, 30), (72, 20), (120, 24), (200, 50), (80, 24)]


def test_question_and_keys__are_in_every_window():
    """On a terminal without colours and block characters. docs/play.svg and docs/won.svg are the usual one."""
    with Command("play", columns=30, rows=20, env={"PYTHONIOENCODING": "ascii", "NO_COLOR": "1"}) as play:

        def shows(lines):
            wait_until(lambda: play.lines == lines, lambda: "\n".join(play.lines))

        question = "Forfeit game 1 as X?"
        play.plays(("", "Player 1 to move"), ("5", "Player 2 to move"), ("1", "Player 1 to move"), ("f", question))
        shows(NARROW)
        assert play.out.isascii()
        assert {cell.fg for line in play.screen.buffer.values() for cell in line.values()} == {"default"}
        for columns, rows in ((29, 20), (30, 19), (1, 1), (200, 5)):
            play.resize(columns, rows)
            shows(["A larger window is needed."[:columns], *[""] * (rows - 1)])
        # Where nothing is shown, the question is not answered.
        play.press("y")
        wait_until(lambda: play.bells == 1, lambda: "no bell")
        for columns, rows in SIZES:
            play.resize(columns, rows)
            last = min(rows, (rows + 24) // 2) - 1
            wait_until(lambda last=last: play.lines[last].endswith("any other key: no"), lambda: play.text)
            play.sees("Game 1", "Player 1 to move", question)
        # In a large window, the usual one is in the middle.
        usual = play.lines
        play.resize(200, 50)
        shows([""] * 13 + [f"{'':60}{line}".rstrip() for line in usual] + [""] * 13)
        play.plays(("y", "Player 2 wins, Player 1 forfeits"))


def test_price__is_shown_where_coins_have_one(creation_code):
    """The first key chooses; Enter, `y` or the same key signs. It fits into the smallest window."""
    with Chain(1) as chain:
        chain.add_table(creation_code, "n")
        dear = {"eth_maxPriorityFeePerGas": hex(10**13)}
        with chain.type(AS_X, columns=30, rows=20) as play:
            # A question that does not fit is not answered.
            chain.node.wrong = dear | {"eth_getTransactionCount": others_wait}
            play.plays(("", "Your turn"), ("5", "A larger window is needed."), ("y",))
            wait_until(lambda: play.bells == 1, lambda: f"{play.bells} bells")
            play.plays((lambda: play.resize(30, 30), "claims to be on", "is waiting in the pool"), ("n", "!: yes"))
            chain.node.wrong = {}
            play.resize(30, 20)
            # A key that is pressed before the question, while the node estimates the gas, does not answer it.
            chain.node.after = {"eth_estimateGas": lambda _gas: play.press("5")}
            for key, answer, reply in (("5", "6", ""), ("5", "5", "1"), ("9", "\r", "2"), ("8", "y", "7")):
                play.plays(
                    ("", "Your turn", "!: yes"),
                    (key, "Sign move ", " for about 0.0000", "ETH, at most 0.00", f"y, Enter or {key}: yes", "?"),
                    (answer, "to move" if reply else "Your turn", "!: yes"),
                    (partial(chain.table.play, reply), "Your turn"),
                )
            play.plays(("f", "Forfeit game 1 as X for about 0.0000"), ("n", "!: yes"))
            # For a long question the board is small. In an outage, it is not even whole.
            asks = "high fee for move 7", "The cost is high", "y, Enter or 3: yes any other key: no"
            chain.node.wrong = dear
            play.plays(("3", "Game 1", "?X?", *asks))
            chain.node.wrong = {"*": status(502)}
            play.sees("trying again. q quits.", *asks, "!Game 1")
            # What was not sent is not on the last board.
            play.press("q")
            left = play.end().stdout.rpartition("\x1b[?1049l")[2]
    assert ("Your turn" in left, "?" in left, len(chain.node.sent)) == (True, False, 3)


def test_what_happened__is_said(chain):
    """X is asleep while two things happen at once: keys that are pressed elsewhere, and reorgs that are so deep."""
    with chain.type(AS_X) as play:
        play.sees("Your turn")
        for happens, *sentences in (
            (["51"], "You played 5.", f"{O_SHORT} played 1.", "Your turn"),
            ([2, "23"], "A reorg took back X5, O1.", "You played 2.", f"{O_SHORT} played 3."),
            # There is room for seven messages in place of the moves, and the newest stay.
            ([2, "12354687"], f"{O_SHORT} played 2.", f"{O_SHORT} played 7.", "!You played 1.", "!X1"),
            ([6], "A reorg took back X3, O5, X4, O6, X8, O7.", "X1 O2"),
            (["f"], "You lost, you forfeit", "!reorg"),
            ([1], "A reorg took back the end of game 1.", "Your turn"),
            (["n"], "Game 2 has started in place of game 1."),
            ([1], "A reorg took back game 2."),
            (["457"], "You won", "you: 1"),
            ([1], "A reorg took back X7.", "!You won", "!you: 1"),
            (["7"], "You won", "you: 1", "!reorg"),
            (["n5f"], "Game 2 has started.", "You won", "you: 2"),
            ([3], "A reorg took back game 2.", "you: 1"),
        ):
            play.signal(signal.SIGSTOP)
            for each in happens:
                chain.table.play(each) if isinstance(each, str) else chain.reorg(each)
            play.signal(signal.SIGCONT)
            play.sees(*sentences)
