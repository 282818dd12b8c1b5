"""The people, the contract and the games that the tests share."""

import pytest

# Options, order and the fixtures of the other engines: everything that is not plain Ape.
pytest_plugins = ["tests.support.plugin"]


@pytest.fixture(scope="session")
def deployer(accounts):
    return accounts[0]


@pytest.fixture(scope="session")
def player_x(accounts):
    return accounts[1]


@pytest.fixture(scope="session")
def player_o(accounts):
    return accounts[2]


@pytest.fixture(scope="session")
def stranger(accounts):
    """Somebody who is not in the game."""
    return accounts[3]


@pytest.fixture(scope="session")
def other(accounts):
    return accounts[4]


@pytest.fixture
def table(project, deployer):
    """A contract on which nobody has played."""
    return deployer.deploy(project.TicTacToe)


@pytest.fixture
def game(table, player_x, player_o):
    """The same contract with its first game started: X moves next."""
    table.newGame(player_x, player_o, sender=player_x)
    return table


@pytest.fixture
def play(player_x, player_o):
    """`play(game, (1, 1), (0, 0))`: X takes the centre, then O the top left corner. Returns the last receipt."""

    def play(game, *cells):
        for number, (row, col) in enumerate(cells):
            receipt = game.makeMove(row, col, sender=player_o if number % 2 else player_x)
        return receipt

    return play
