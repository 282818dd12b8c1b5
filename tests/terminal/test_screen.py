"""What is on the screen, in windows of many sizes: a script of keys, exact pictures, and what happened at the table."""

import signal
from functools import partial

import pytest

from tests.support import wait_until
from tests.support.commands import Command
from tests.terminal.world import AS_X, O_SHORT, X_WINS, new_chain

# What is pressed, and what is then on the screen.
SCRIPT = [
    ("", "Game 1", "Player 1 to move"),
    ("5", "Player 2 to move"),
    ("5", "That cell is taken."),
    ("\x1b[A", "That cell is taken."),  # an arrow is no key
    ("?", "this help", "Any key: back to the game"),
    ("9", "Player 2 to move"),
    ("1", "Player 1 to move"),
    ("fy", "Forfeit game 1 as X? [y/N]", "any other key: no"),  # what was typed before a question does not answer it
    ("5", "Player 1 to move"),
    ("n", "Game 1 is not finished. Start a new game in its place? [y/N]"),
    ("n", "Player 1 to move"),
    ("2", "Player 2 to move"),
    ("4", "Player 1 to move"),
    ("8", "Player 1 wins", "Player 1: 1 · Player 2: 0", "n next game"),
    ("1", "No game is in progress at this table."),
    ("n", "Game 2", "Player 2 to move"),  # seats swap: Player 2 has X
    ("f", "Forfeit game 2 as X? [y/N]"),
    ("y", "Player 1 wins, Player 2 forfeits", "Player 1: 2 · Player 2: 0"),
    ("s", "Game 3", "Player 2 to move"),
    ("w", "'w' is not a key."),
    ("x", "'x' is not a key.", "!'w'"),
]


def contrast(colour):
    """With black or with white, whichever is less."""
    values = [int(colour[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values)
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
    return min(light / 0.05, 1.05 / light)


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (60, 24), (30, 20)])
def test_script_of_keys(columns, rows):
    colours = set()
    with Command("play", columns=columns, rows=rows) as play:
        for keys, *shown in SCRIPT:
            play.plays((keys, *shown, *([] if "[y/N]" in shown[0] else ["![y/N]"])))
            assert play.text.endswith(("q quit", "any other key: no", "back to the game")), play.text
            colours |= {cell.fg for line in play.screen.buffer.values() for cell in line.values()} - {"default"}
        play.press("q")
        assert play.end().code == 0
        assert play.left_as_it_was()
        assert play.out.startswith(f"Starting...\r{'':11}\r")  # it is wiped
        # The last board and the score stay, once the window is as it was before the game.
        left = play.out.rpartition("\x1b[?1049l")[2]
        assert ("Game 3" in left, "Player 1: 2" in left) == (True, True)
    # Of X, O, a winning line and a mistake. Three to one is what the WCAG ask for large letters.
    assert len(colours) == 4
    assert min(map(contrast, colours)) > 3


NARROW = """
Game 1
 .'''. |       |
[#   #]|   2   |   3
 '...' |       |
-------+-------+-------
       | '. .' |
   4   |   #   |   6
       | .' '. |
-------+-------+-------
       |       |
   7   |   8   |   9
       |       |
Player 1 to move
X Player 1  O Player 2




Forfeit game 1 as X? [y/N]
y: yes  any other key: no""".splitlines()[1:]


def shows(play, lines):
    wait_until(lambda: play.lines == lines, lambda: "\n".join(play.lines))


def test_smallest_window_of_a_plain_terminal():
    """docs/play.svg and docs/won.svg are the usual one."""
    with Command("play", columns=30, rows=20, env={"PYTHONIOENCODING": "ascii", "NO_COLOR": "1"}) as play:
        play.plays(("", "Player 1 to move"), ("5", "Player 2 to move"), ("1", "Player 1 to move"), ("f", "[y/N]"))
        shows(play, NARROW)
        assert play.out.isascii()
        assert {cell.fg for line in play.screen.buffer.values() for cell in line.values()} == {"default"}


def test_price__is_shown_where_coins_have_one(creation_code):
    """The first key chooses; Enter, `y` or the same key signs. It fits into the smallest window."""
    with new_chain(1) as chain:
        chain.add_table(creation_code, "")
        with chain.type(f"{AS_X} --expected-chain-id 1", columns=30, rows=20) as play:
            for key, answer, reply in (("5", "6", ""), ("5", "5", "1"), ("9", "\r", "2"), ("8", "y", "7")):
                play.plays(
                    ("", "Your turn", "![y/N]"),
                    (key, "Sign move ", " for about 0.0000", "ETH, at most 0.00", f"y, Enter or {key}: yes", "?"),
                    (answer, "to move" if reply else "Your turn", "![y/N]"),
                    (partial(chain.table.play, reply), "Your turn"),
                )
            play.plays(("f", "Forfeit game 1 as X for about 0.0000"), ("y", "You lost, you forfeit"))
    assert len(chain.node.sent) == 4


SIZES = [(80, 24), (30, 20), (36, 50), (59, 24), (60, 21), (63, 25), (71, 30), (72, 20), (120, 24), (200, 50), (31, 22)]


def test_question_and_keys__are_in_every_window():
    with Command("play") as play:
        # The keys are drawn last.
        play.plays(("", "Player 1 to move"), ("5", "X5", "1-9 play"))
        usual = play.lines
        # In a large window, it is in the middle.
        play.resize(200, 50)
        shows(play, [""] * 13 + [f"{'':60}{line}".rstrip() for line in usual] + [""] * 13)
        for key, sentences, ends in (("", ["Player 2 to move"], "? help q quit"), ("f", [], "any other key: no")):
            question = ["Forfeit game 1 as O? [y/N]"] * (key == "f")
            play.plays((key, *question))
            for columns, rows in SIZES:
                play.resize(columns, rows)
                wait_until(lambda ends=ends: play.text.endswith(ends), lambda: "\n".join(play.lines))
                play.sees("Game 1", *sentences, *question)
                assert sum("q quit" in line for line in play.lines) <= 1
        for columns, rows in ((29, 20), (30, 19), (1, 1), (200, 5)):
            play.resize(columns, rows)
            shows(play, ["30 x 20 needed"[:columns], *[""] * (rows - 1)])
        # Where nothing is shown, the question is not answered.
        bells = play.bells
        play.press("y")
        wait_until(lambda: play.bells > bells, lambda: "no bell")
        play.resize(80, 24)
        play.plays(("", "Forfeit game 1 as O? [y/N]"), ("y", "Player 1 wins, Player 2 forfeits"))


def test_what_happened__is_said(chain):
    """X is asleep while two things happen at once."""
    table = chain.table
    with chain.type(AS_X) as play:

        def at_once(*happens):
            def act():
                play.signal(signal.SIGSTOP)
                for each in happens:
                    table.play(each) if isinstance(each, str) else each()
                play.signal(signal.SIGCONT)

            return act

        def reorg(depth):
            return lambda: chain.reorg(depth)

        play.plays(
            ("", "Your turn"),
            (at_once("5"), "You played 5.", f"{O_SHORT} to move"),
            (at_once("1"), f"{O_SHORT} played 1.", "!You played"),
            (reorg(1), "A reorg took back move 2 (O1).", f"{O_SHORT} to move"),
            (
                at_once(reorg(2), "23"),
                *("A reorg took back move 1 (X5).", "You played 2.", f"{O_SHORT} played 3.", "Your turn"),
            ),
            # There is room for four messages, and the newest stay.
            (at_once("45687"), f"{O_SHORT} played 5.", "You played 7.", "!You played 4.", "!reorg"),
            (reorg(6), "A reorg took back moves 2 (O3), 3 (X4), 4 (O5), 5 (X6), 6 (O8) and 7 (X7).", "X2"),
            (reorg(7), "A reorg took back move 1 (X2).", "Your turn"),
            (at_once("f"), "You lost, you forfeit", "!reorg"),
            (reorg(1), "A reorg took back the end of game 1.", "Your turn"),
            (at_once("n"), "Game 2 has started in place of game 1."),
            (reorg(1), "A reorg took back game 2."),
            (at_once(X_WINS), "You won", "you: 1"),
            (reorg(1), "A reorg took back move 5 (X3).", "!You won", "!you: 1"),
            (at_once("3"), "You won", "you: 1", "!reorg"),
            (at_once("n"), "Game 2 has started.", "Your turn"),
            (at_once("5f"), "You won", "you: 2"),
            (reorg(3), "A reorg took back game 2.", "you: 1"),
        )


def test_ctrl_z__gives_the_terminal_back_and_fg_takes_it(chain):
    """Nobody could continue it here, so the system lets it go on at once."""
    with chain.type(AS_X) as play:
        play.sees("Your turn")
        drawn = len(play.out)
        play.signal(signal.SIGTSTP)
        wait_until(
            lambda: "Your turn" in play.out[drawn:].partition("\x1b[?1049l\x1b]0;\x07")[2], lambda: play.out[drawn:]
        )
        play.plays(("5", "X5"))
