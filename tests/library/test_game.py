"""A game as the library keeps it, against the model of the rules."""

import random
from dataclasses import replace

from tests.library.expected import as_game
from tests.library.simulation import OTHER, O, X
from tests.rules import model
from tests.rules.games import DRAWN, WON_BY_THE_NINTH
from tests.rules.model import Model, Refused, Status
from tictactoe.game import STATUSES, ZERO_ADDRESS, Game

MARKS = {model.EMPTY: "", model.X: "X", model.O: "O"}
PLAYERS = {int(X, 16): X, int(O, 16): O, 0: ZERO_ADDRESS}

BEGUN = Game(1, X, O, (), "in_progress")


def sequences():
    """Cells in some order, legal or not: the beginnings of games, and each with one more cell of any number."""
    chosen = random.Random(1)
    for cells in (DRAWN, WON_BY_THE_NINTH, *(chosen.sample(range(9), 9) for _ in range(100))):
        for length in range(10):
            yield tuple(cells[:length])
            yield (*cells[:length], chosen.randint(-1, 9))


def games(cells):
    """The model's games after these moves: none if it refuses one, and a second one if somebody can forfeit."""
    game = Model().new_game(int(X, 16), int(O, 16))
    try:
        for cell in cells:
            game = game.move(game.mover, *divmod(cell, 3))
    except Refused:
        return []
    return [game, game.forfeit(game.mover)] if game.status is Status.IN_PROGRESS else [game]


def test_game__is_the_model_s():
    """Its properties, and of every sequence with every status whether it is possible."""
    for cells in sequences():
        expected = {as_game(game): game for game in games(cells)}
        for game, each in expected.items():
            playing = each.status is Status.IN_PROGRESS
            full = [line for line in model.LINES if {each.board[cell] for cell in line} in ({model.X}, {model.O})]
            assert game.marks == tuple(MARKS[mark] for mark in each.board)
            assert (game.in_progress, game.over) == (playing, not playing)
            assert game.turn == (MARKS[each.current_player] if playing else "")
            assert game.player(game.winner) == PLAYERS[each.winner]
            assert game.line == tuple(sorted({cell for line in full for cell in line}))
        for status in STATUSES:
            game = Game(1, X, O, cells, status)
            assert game.is_possible == (game in expected), game


def test_number_players_and_status__are_bounded():
    assert replace(BEGUN, number=2**52 - 1, player_o=X).is_possible
    for fields in (
        *({"number": number} for number in (-1, 0, 2**52)),
        *({seat: ZERO_ADDRESS} for seat in ("player_x", "player_o")),
        {"status": "unknown"},
    ):
        assert not replace(BEGUN, **fields).is_possible, fields


def test_no_game__has_nothing():
    game = Game()
    assert (game.is_possible, game.in_progress, game.over) == (True, False, False)
    assert (game.turn, game.winner, game.line) == ("", "", ())
    for fields in ({"moves": (4,)}, {"number": 1}, {"player_x": X}, {"player_o": O}):
        assert not replace(game, **fields).is_possible


def test_seats__are_those_of_the_address():
    assert [BEGUN.seats(address) for address in (X, O, OTHER)] == ["X", "O", ""]
    assert (replace(BEGUN, player_o=X).seats(X), Game().seats(ZERO_ADDRESS)) == ("XO", "")
    assert [BEGUN.player(mark) for mark in ("X", "O", "")] == [X, O, ZERO_ADDRESS]
