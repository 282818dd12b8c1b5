"""A game as the library keeps it, against the model of the rules."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.library.simulation import OTHER, O, X, status_word
from tests.rules import model
from tests.rules.games import DRAWN, WON_BY_THE_NINTH
from tests.rules.model import Model, RefusedError, Status
from tictactoe.game import LAST_NUMBER, LINES, STATUSES, ZERO_ADDRESS, Game, mark_of

MARKS = {model.EMPTY: "", model.X: "X", model.O: "O"}
PLAYERS = {int(X, 16): X, int(O, 16): O, 0: ZERO_ADDRESS}


def sequences() -> Iterator[tuple[int, ...]]:
    """Cells in some order, legal or not: all that are short, every shared game with its beginnings, and random ones."""
    yield ()
    for cell in range(-1, 10):
        yield (cell,)
        yield from ((cell, other) for other in range(-1, 10))
    won: list[tuple[int, ...]] = []
    for a, b, c in model.LINES:
        p, q, _, r, *_ = (cell for cell in range(9) if cell not in (a, b, c))
        won += [(a, p, b, q, c), (p, a, q, b, r, c)]  # X fills the line, or O does
    for cells in (DRAWN, WON_BY_THE_NINTH, *won):
        yield from (cells[:length] for length in range(len(cells) + 1))
        yield (*cells, next((cell for cell in range(9) if cell not in cells), 0))
    chosen = random.Random(1)
    for _ in range(80):
        cells = tuple(chosen.sample(range(9), 9))
        yield from (cells[:length] for length in range(3, 10))
        yield cells[:6] + cells[:1]


def played(cells: tuple[int, ...]) -> Model | None:
    """The model's game after these moves; None if it refuses one."""
    game = Model().new_game(int(X, 16), int(O, 16))
    try:
        for cell in cells:
            game = game.move(game.mover, *divmod(cell, 3))
    except RefusedError:
        return None
    return game


def same(game: Model) -> Game:
    return Game(1, X, O, game.moves, status_word(game.status))


@pytest.fixture(scope="module")
def games() -> list[Model]:
    """Everything the model can reach by these sequences, and by a forfeit after them."""
    found = [Model()]
    for cells in sequences():
        if (game := played(cells)) is not None:
            found.append(game)
            if game.status is Status.IN_PROGRESS:
                found.append(game.forfeit(game.mover))
    return found


def test_every_property__is_the_model_s(games: list[Model]) -> None:
    for expected in games[1:]:
        game = same(expected)
        playing = expected.status is Status.IN_PROGRESS
        assert game.marks == tuple(MARKS[mark] for mark in expected.board)
        assert (game.in_progress, game.over) == (playing, not playing)
        assert game.turn == (MARKS[expected.current_player] if playing else "")
        assert game.player(game.winner) == PLAYERS[expected.winner]
        lines = [line for line in model.LINES if len({expected.board[cell] for cell in line} | {0}) == 2]
        lines = [line for line in lines if model.EMPTY not in {expected.board[cell] for cell in line}]
        assert game.line == tuple(sorted({cell for line in lines for cell in line}))


def test_no_game__is_neither_over_nor_in_progress() -> None:
    game = Game()
    assert (game.number, game.player_x, game.player_o, game.moves) == (0, ZERO_ADDRESS, ZERO_ADDRESS, ())
    assert (game.in_progress, game.over, game.turn, game.winner, game.line) == (False, False, "", "", ())
    assert game.marks == ("",) * 9
    assert game.is_possible


def test_possible_games__are_those_that_the_model_reaches() -> None:
    """Every sequence with every status. The model knows the only ones that belong to it."""
    for cells in sequences():
        game = played(cells)
        possible = set() if game is None else {game.status}
        if game is not None and game.status is Status.IN_PROGRESS:
            possible.add(game.forfeit(game.mover).status)
        for status in Status:
            assert Game(1, X, O, cells, status_word(status)).is_possible == (status in possible), (cells, status)


@pytest.mark.parametrize(
    ("game", "possible"),
    [
        (Game(1, X, O, (), "in_progress"), True),
        (Game(LAST_NUMBER, X, O, (), "in_progress"), True),
        (Game(1, X, X, (), "in_progress"), True),
        (Game(0, X, O, (), "in_progress"), False),
        (Game(LAST_NUMBER + 1, X, O, (), "in_progress"), False),
        (Game(1, ZERO_ADDRESS, O, (), "in_progress"), False),
        (Game(1, X, ZERO_ADDRESS, (), "in_progress"), False),
        (Game(1, X, O, (), "no_game"), False),
        (Game(moves=(4,)), False),
        (Game(number=1), False),
        (Game(player_x=X), False),
        (Game(player_o=O), False),
        (Game(1, X, O, (), "unknown"), False),
    ],
)
def test_number_and_players__are_bounded(game: Game, possible: bool) -> None:
    assert game.is_possible == possible


def test_last_number__fills_52_bits() -> None:
    assert LAST_NUMBER == 4_503_599_627_370_495


def test_seats__are_those_of_the_address() -> None:
    game = Game(1, X, O, (), "in_progress")
    assert [game.seats(address) for address in (X, O, OTHER)] == ["X", "O", ""]
    assert replace(game, player_o=X).seats(X) == "XO"
    assert Game().seats(ZERO_ADDRESS) == ""
    assert [game.player(mark) for mark in ("X", "O", "")] == [X, O, ZERO_ADDRESS]


def test_constants__are_the_model_s() -> None:
    assert tuple(status_word(status) for status in Status) == STATUSES
    assert LINES == model.LINES
    assert [mark_of(move) for move in range(1, 10)] == list("XOXOXOXOX")
    assert ZERO_ADDRESS == "0x0000000000000000000000000000000000000000"
