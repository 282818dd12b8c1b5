"""`forfeit`: the other player wins. `test_refusals.py` has when it is refused."""

import ape

from tests.rules.model import O, Status, X


def test_forfeit_by_x__wins_for_o(game, player_x, player_o):
    tx = game.forfeit(sender=player_x)
    assert tx.events == [game.GameEnded(gameId=1, winner=player_o, status=Status.X_FORFEITS)]
    state = game.gameState()
    assert (state.currentPlayer, state.status) == (X, Status.X_FORFEITS)


def test_forfeit_by_o__wins_for_x_and_keeps_the_board(game, play, player_x, player_o):
    play(game, (1, 1))
    before = game.gameState()
    tx = game.forfeit(sender=player_o)
    assert tx.events == [game.GameEnded(gameId=1, winner=player_x, status=Status.O_FORFEITS)]
    state = game.gameState()
    assert (state.currentPlayer, state.status) == (O, Status.O_FORFEITS)
    assert (state.board, state.moveHistory) == (before.board, before.moveHistory)


def test_forfeit_that_names_its_game__ends_no_other(game, player_x, player_o):
    game.newGame(player_x, player_o, sender=player_o)
    with ape.reverts("not the current game"):
        game.forfeit(1, sender=player_x)
    tx = game.forfeit(2, sender=player_x)
    assert tx.events == [game.GameEnded(gameId=2, winner=player_o, status=Status.X_FORFEITS)]
