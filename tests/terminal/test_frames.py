"""What the screen shows, line by line, and the sentences about what happened. No terminal is involved."""

from __future__ import annotations

import pytest
from rich.console import Console
from rich.text import Text

from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tictactoe import Game
from tictactoe.terminal.command import ASCII
from tictactoe.terminal.play import changes
from tictactoe.terminal.screen import ALARM, STYLES, WON, View, frame, outcome

X, O, OTHER = "0x" + "1" * 40, "0x" + "2" * 40, "0x" + "3" * 40


def game(*moves: int, status: str = "in_progress", number: int = 1) -> Game:
    return Game(number, X, O, moves, status)


USUAL = """
Game 1 · sepolia

           │           │
   ▄▀▀▀▄   │           │
   █   █   │     2     │     3
   ▀▄▄▄▀   │           │
           │           │
───────────┼───────────┼───────────   X you
           │           │              O ben
           │   ▀▄ ▄▀   │
     4     │     █     │     6        Ben to move
           │   ▄▀ ▀▄   │
           │           │              X5 O1 X9
───────────┼───────────┼───────────   you: 1 · ben: 0 · draws: 0
           │           │              block 512, 3 s ago
           │           │   ▀▄ ▄▀
     7     │     8     │  [  █  ]
           │           │   ▄▀ ▀▄
           │           │
An older message.
The result has 2 confirmations.
Ben played 1.
The node does not answer; trying again.
? help  q quit
"""

NARROW = r"""
Game 1 - sepolia
 .'''. |       |
?#   #?|   2   |   3
 '...' |       |
-------+-------+-------
       | '. .' |
   4   |[  #  ]|   6
       | .' '. |
-------+-------+-------
       |       |
   7   |   8   |   9
       |       |
Your turn
X ben  O you



Forfeit game 1 as O? [y/N]
y, Enter or 1: yes  any other
key: no
"""


def drawn(view: View, messages: list[str], question: str, width: int, height: int) -> str:
    lines = frame(view, [Text(each) for each in messages], question, width, height)
    assert len(lines) <= height
    assert all(line.cell_len <= width for line in lines)
    return "".join(f"\n{line.plain.rstrip()}" for line in lines) + "\n"


def test_frame__of_a_usual_terminal() -> None:
    view = View(
        game(4, 0, 8),
        "Game 1 · sepolia",
        ("you", "ben"),
        "ben to move",
        "you: 1 · ben: 0 · draws: 0",
        "block 512, 3 s ago",
        progress="The node does not answer; trying again.",
        keys="? help  q quit",
    )
    messages = ["The oldest message.", "An older message.", "The result has 2 confirmations.", "Ben played 1."]
    assert drawn(view, messages, "", 80, 24) == USUAL


def test_frame__of_30_columns_in_ascii() -> None:
    keys = "y, Enter or 1: yes  any other key: no"
    view = View(game(4), "Game 1 · sepolia", ("ben", "you"), "your turn", chosen=0, keys=keys)
    assert drawn(view, [], "Forfeit game 1 as O? [y/N]", 30, 20).translate(str.maketrans(ASCII)) == NARROW


@pytest.mark.parametrize("width", [30, 36, *range(59, 64), 71, 72, 80, 120, 200])
@pytest.mark.parametrize("height", [20, 21, 24, 25, 30, 50])
@pytest.mark.parametrize("question", ["", "Forfeit game 1 as X? [y/N]", "Another payment of yours waits. " * 5])
def test_question_and_keys__are_on_every_screen(width: int, height: int, question: str) -> None:
    view = View(game(*DRAWN[:8]), "Game 1", ("you", "ben"), "your turn", keys="1-9 play  f forfeit  ? help  q quit")
    text = " ".join(drawn(view, ["A message " * 20] * 9, question, width, height).split())
    assert question.strip() in text
    assert text.endswith("? help q quit")
    if len(question) < width:
        assert "Your turn" in text
        assert "A message" in text


def test_large_window__has_room_for_messages_and_the_board_in_the_middle() -> None:
    view = View(game(4), "Game 1", ("you", "ben"), "ben to move", keys="q quit")
    few, many = (drawn(view, ["A message."] * count, "", 200, 50).splitlines() for count in (1, 20))
    assert few[14] == many[14] == f"{'':60}Game 1"
    assert (few.count(f"{'':60}A message."), many.count(f"{'':60}A message.")) == (1, 17)


@pytest.mark.parametrize(("width", "height"), [(29, 20), (30, 19), (1, 1), (200, 5)])
def test_window_that_is_too_small__says_so(width: int, height: int) -> None:
    assert drawn(View(game()), ["message"], "question", width, height) == f"\n{'30 x 20 needed'[:width]}\n"


def brightness(style: str) -> float:
    color = Console().get_style(style).color
    assert color is not None
    values = [value / 255 for value in color.get_truecolor()]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("style", [STYLES["X"], STYLES["O"], WON, ALARM])
def test_colours__are_readable_on_black_and_on_white(style: str) -> None:
    """Three to one is what the WCAG ask for large letters."""
    light = brightness(style) + 0.05
    assert min(light / 0.05, 1.05 / light) > 3


# -- sentences ---------------------------------------------------------------------------------

ON, WON_X, DRAW = game(4), game(*WON_BY_X, status="x_won"), game(*DRAWN, status="draw")
FORFEITED = game(4, status="o_forfeits")


@pytest.mark.parametrize(
    ("shown", "neither", "x", "o"),
    [
        (ON, "O to move", "O to move", "your turn"),
        (WON_X, "X wins", "you won", "you lost"),
        (game(*WON_BY_O, status="o_won"), "O wins", "you lost", "you won"),
        (DRAW, "a draw", "a draw", "a draw"),
        (FORFEITED, "X wins, O forfeits", "you won, O forfeits", "you lost, you forfeit"),
        (Game(), "no game yet", "no game yet", "no game yet"),
    ],
)
def test_outcome__is_from_the_players_side(shown: Game, neither: str, x: str, o: str) -> None:
    assert (outcome(shown), outcome(shown, x="you"), outcome(shown, o="you")) == (neither, x, o)


@pytest.mark.parametrize(
    ("old", "new", "taken_back", "news"),
    [
        (ON, ON, [], []),
        (ON, game(4, 0), [], ["ben played 1."]),
        (game(4, 0), game(4), ["A reorg took back move 2 (O1)."], []),
        (game(4, 0, 1), game(), ["A reorg took back moves 1 (X5), 2 (O1) and 3 (X2)."], []),
        (game(4, 0), game(4, 1, 0), ["A reorg took back move 2 (O1)."], ["ben played 2.", "anna played 1."]),
        (WON_X, game(*WON_BY_X[:-1]), ["A reorg took back move 5 (X3)."], []),
        (FORFEITED, ON, ["A reorg took back the end of game 1."], []),
        (ON, FORFEITED, [], []),
        (game(number=2), ON, ["A reorg took back game 2."], []),
        (ON, Game(), ["A reorg took back game 1."], []),
        (WON_X, game(number=2), [], ["Game 2 has started."]),
        (WON_X, Game(2, O, X, (), "in_progress"), [], ["Game 2 has started."]),
        (ON, game(number=2), [], ["Game 2 has started, over game 1, which was not finished."]),
        (WON_X, Game(2, X, OTHER, (), "in_progress"), [], ["Game 2 between anna and carl has started."]),
    ],
)
def test_changes__are_sentences(old: Game, new: Game, taken_back: list[str], news: list[str]) -> None:
    assert changes(old, new, {X: "anna", O: "ben", OTHER: "carl"}.__getitem__) == (taken_back, news)
