"""A game as the library keeps it, against the model of the rules."""

from dataclasses import replace

from tests.library.expected import as_game
from tests.library.simulation import O, X
from tests.rules import model
from tests.rules.model import Status
from tests.rules.positions import forfeited, reachable
from tictactoe.game import STATUSES, ZERO_ADDRESS, Game

MARKS = {model.EMPTY: "", model.X: "X", model.O: "O"}

BEGUN = Game(1, X, O, (), "in_progress")


def test_game__is_the_model_s():
    """Every position; every eleventh with every status, and with a cell that cannot be taken."""
    expected = {as_game(each): each for each in [*reachable(), *forfeited(reachable())]}
    for game, each in expected.items():
        playing = each.status is Status.IN_PROGRESS
        full = [line for line in model.LINES if {each.board[cell] for cell in line} in ({model.X}, {model.O})]
        assert game.marks == tuple(MARKS[mark] for mark in each.board)
        assert (game.in_progress, game.over) == (playing, not playing)
        assert game.turn == (MARKS[each.current_player] if playing else "")
        assert int(game.player(game.winner), 16) == each.winner
        assert game.line == tuple(sorted({cell for line in full for cell in line}))
        assert game.is_possible
    for game in [*expected][::11]:
        with_each_status = [replace(game, status=status) for status in STATUSES]
        assert [each.is_possible for each in with_each_status] == [each in expected for each in with_each_status]
        for cell in (-1, 9, *(range(9) if game.line else game.moves)):
            longer = replace(game, moves=(*game.moves, cell))
            assert not any(replace(longer, status=status).is_possible for status in STATUSES), longer


def test_number_players_and_status__are_bounded():
    assert replace(BEGUN, number=2**52, player_o=X).is_possible
    for fields in (
        *({"number": number} for number in (-1, 0)),
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


def test_players__have_marks():
    assert [BEGUN.player(mark) for mark in ("X", "O", "")] == [X, O, ZERO_ADDRESS]
