"""What each place of the screen shows: the view's texts, and whole frames line by line. No terminal is involved."""

from __future__ import annotations

import pytest
from rich.text import Text

from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tictactoe import Game
from tictactoe.game import ZERO_ADDRESS
from tictactoe.node import Block
from tictactoe.terminal.frame import Places, frame
from tictactoe.terminal.seats import State
from tictactoe.terminal.view import View

X, O = "0x" + "1" * 40, "0x" + "2" * 40
HEAD = Block(512, "0x0", "0x0", 1000, 7)
NEITHER: tuple[str, ...] = ()


def game(*moves: int, status: str = "in_progress", number: int = 1) -> Game:
    return Game(number, X, O, moves, status)


def view(game: Game, *own: str, **more: object) -> View:
    return View(game, own, **more)  # type: ignore[arg-type]


# -- the view ---------------------------------------------------------------------------------

ON, WON, DRAW = game(4), game(*WON_BY_X, status="x_won"), game(*DRAWN, status="draw")
FORFEITED = game(4, status="o_forfeits")


@pytest.mark.parametrize(
    ("shown", "x", "o", "both", "neither"),
    [
        (ON, "O to move", "Your turn", "Player 2 to move", "O to move"),
        (WON, "You won", "You lost", "Player 1 wins", "X wins"),
        (game(*WON_BY_O, status="o_won"), "You lost", "You won", "Player 2 wins", "O wins"),
        (DRAW, "A draw", "A draw", "A draw", "A draw"),
        (
            FORFEITED,
            "You won: O forfeits",
            "You lost: you forfeit",
            "Player 1 wins: Player 2 forfeits",
            "X wins: O forfeits",
        ),
        (Game(), "No game yet", "No game yet", "No game yet", "No game yet"),
    ],
)
def test_status__is_from_the_players_side(shown: Game, x: str, o: str, both: str, neither: str) -> None:
    assert [view(shown, *own).status for own in ((X,), (O,), (X, O), NEITHER)] == [x, o, both, neither]


@pytest.mark.parametrize(
    ("shown", "own", "state"),
    [
        (ON, (O,), State.MY_TURN),
        (ON, (X, O), State.MY_TURN),
        (ON, (X,), State.WAITING),
        (ON, NEITHER, State.WATCHING),
        (ON, ("0x" + "3" * 40,), State.WATCHING),
        (WON, (X,), State.NO_TURN),
        (Game(), (X,), State.NO_TURN),
    ],
)
def test_state__depends_on_who_is_at_the_keyboard(shown: Game, own: tuple[str, ...], state: State) -> None:
    assert view(shown, *own).state is state


def test_score__follows_the_players_through_the_seats() -> None:
    swapped = Game(2, O, X, WON_BY_X, "x_won")
    results = {1: WON, 2: swapped, 3: game(*DRAWN, status="draw", number=3)}
    assert view(WON, X).score == ""
    assert view(swapped, X, O, results=results).score == "Player 1: 1 · Player 2: 1 · draws: 1"
    assert view(swapped, X, results=results).score == "0x2222…2222: 1 · you: 1 · draws: 1"
    alone = Game(1, X, X, WON_BY_X, "x_won")
    assert view(alone, X, results={1: alone}).score == "X: 1 · O: 0 · draws: 0"
    assert view(alone, X).status == "X wins"


# -- frames -----------------------------------------------------------------------------------

USUAL = """
Game 1 · sepolia

           │           │
   ▄▀▀▀▄   │           │
   █   █   │     2     │     3
   ▀▄▄▄▀   │           │
           │           │              X you
───────────┼───────────┼───────────   O 0x2222…2222
           │           │
           │   ▀▄ ▄▀   │              O to move
     4     │     █     │     6
           │   ▄▀ ▀▄   │              X5 O1 X9
           │           │
───────────┼───────────┼───────────   block 512, 3 s ago
           │           │
           │           │   ▀▄ ▄▀
     7     │     8     │  [  █  ]
           │           │   ▄▀ ▀▄
           │           │

O played 1.


h history  ? help  q quit
"""

NARROW = """
Game 1 · sepolia
       │       │
   1   │   2   │   3
       │       │
───────┼───────┼───────
       │ ▀▄ ▄▀ │
   4   │[  █  ]│   6
       │ ▄▀ ▀▄ │
───────┼───────┼───────
       │       │
   7   │   8   │   9
       │       │
Your turn
X 0x1111…1111  O you
X5
Sign move 2? [y/N]



y: yes  any other key: no
"""

ASCII = r"""
Game 1
  .-.  |       |
?(   )?|   2   |   3
  '-'  |       |
-------+-------+-------
       | \   / |
   4   |[  X  ]|   6
       | /   \ |
-------+-------+-------
       |       |
   7   |   8   |  >9<
       |       |
Your turn
X 0x1111…1111  O you
X5




1-9 play  ? help  q quit
"""

PAGE = """
Game 1
X5


Any key: back to the game
"""


def drawn(places: Places, width: int, height: int, **look: bool) -> str:
    lines = frame(places, width, height, now=1003, **look)
    assert len(lines) <= height
    assert all(line.cell_len <= width for line in lines)
    return "".join(f"\n{line.plain.rstrip()}" for line in lines) + "\n"


def test_frame__of_a_usual_terminal() -> None:
    shown = view(game(4, 0, 8), X, network="sepolia", head=HEAD)
    assert drawn(Places(shown, (Text("O played 1."),)), 80, 24) == USUAL


def test_frame__of_30_columns() -> None:
    places = Places(view(ON, O, network="sepolia"), question="Sign move 2? [y/N]", asked=1)
    assert drawn(places, 30, 20) == NARROW


def test_frame__in_ascii_with_a_cursor_and_a_chosen_cell() -> None:
    assert drawn(Places(view(ON, O, chosen=0), cursor=8), 40, 20, ascii_only=True) == ASCII


def test_frame__of_a_page() -> None:
    assert drawn(Places(view(ON, O), page=("Game 1", "X5")), 40, 5) == PAGE


@pytest.mark.parametrize("width", [1, 9, *range(20, 130, 7)])
@pytest.mark.parametrize("height", [1, 5, 10, 16, 20, 24, 50])
def test_frame__fits_and_names_the_turn(width: int, height: int) -> None:
    shown = view(game(*DRAWN[:8]), X, network="sepolia", head=HEAD, results={1: WON})
    long = Text("A sentence that is much longer than the screen is wide, " * 5)
    assert ("Your turn" in drawn(Places(shown, (long,)), width, height)) is (width >= 9 and height >= 10)


@pytest.mark.parametrize(
    ("places", "width", "keys"),
    [
        (Places(view(ON, O)), 80, "1-9 play  arrows and Enter too  f forfeit  h history  ? help  q quit"),
        (Places(view(ON, O)), 40, "1-9 play  ? help  q quit"),
        (Places(view(ON, X)), 80, "h history  ? help  q quit"),
        (Places(view(WON, X)), 80, "n next game  s same seats  h history  ? help  q quit"),
        (Places(view(WON, X)), 30, "n next game  ? help  q quit"),
        (Places(view(ON, O), progress="move 2: signing…"), 80, "Ctrl-C stop"),
        (Places(view(ON, O, chosen=8), question="Sign? [y/N]"), 80, "y, Enter or 9: yes  any other key: no"),
    ],
)
def test_keys__are_those_that_make_sense_now(places: Places, width: int, keys: str) -> None:
    assert drawn(places, width, 24).splitlines()[-1].strip() == keys


def test_no_player__has_a_name() -> None:
    assert ZERO_ADDRESS[:6] not in drawn(Places(view(Game(), X)), 80, 24)
