"""`forfeit`: only on your own turn and while the game is in progress; the other player wins."""

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


def test_forfeit_out_of_turn__is_refused(game, play, player_x, player_o, stranger):
    for account in (player_o, stranger):
        with ape.reverts("not your turn"):
            game.forfeit(sender=account)
    play(game, (1, 1))
    for account in (player_x, stranger):
        with ape.reverts("not your turn"):
            game.forfeit(sender=account)


def test_forfeit_before_the_first_game__is_refused(table, player_x):
    with ape.reverts("no game in progress"):
        table.forfeit(sender=player_x)


def test_forfeit_with_several_mistakes__gets_the_first_reason(game, player_x, stranger):
    with ape.reverts("not the current game"):
        game.forfeit(7, sender=stranger)
    game.forfeit(sender=player_x)
    for account in (player_x, stranger):
        with ape.reverts("no game in progress"):
            game.forfeit(7, sender=account)
