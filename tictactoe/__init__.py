"""
Tic-tac-toe at a table on Ethereum: deploy one, play at it, follow it.

    >>> from ape import networks
    >>> from tictactoe import Table, events
    >>> with networks.parse_network_choice("http://127.0.0.1:8545"):
    ...     table = Table("0x5FbDB2315678afecb367f032d93F642f64180aa3")
    ...     print(table.state())
    ...     for event in events(table, follow=False):
    ...         print(event.kind, event.game)

Importing the package is cheap, because `ape run` imports every script for every command. `import ape` loads ape's
managers only when they are used. web3, requests and eth_abi take most of a command's start-up time, so they are
imported inside the functions that need them. Everything else is imported at the top of its module.
"""

from tictactoe.errors import TicTacToeError
from tictactoe.events import Event, events
from tictactoe.game import Game
from tictactoe.table import Table, deploy, find_table

__all__ = ["Event", "Game", "Table", "TicTacToeError", "deploy", "events", "find_table"]
