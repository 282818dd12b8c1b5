"""A table on a real node, and transactions to it from outside the commands."""

from tests.rules.layout import call
from tests.rules.model import O
from tests.support.roles import Role

# The address of the first contract that the deployer creates on a new chain.
FIRST_TABLE = "0x5FbDB2315678afecb367f032d93F642f64180aa3"


class LocalTable:
    """The contract on anvil. `x` and `o` play at it; each of their transactions is mined in its own block."""

    def __init__(self, anvil, creation_code, deployer=Role.DEPLOYER, x=Role.PLAYER_X.address, o=Role.PLAYER_O.address):
        self.anvil, self.address = anvil, anvil.create(deployer.address, creation_code)
        self.x, self.o = x, o

    def send(self, sender, signature, *arguments):
        self.anvil.send(sender, call(signature, *arguments), self.address)

    def new_game(self, x=None, o=None):
        x, o = x or self.x, o or self.o
        self.send(x, "newGame(address,address)", int(x, 16), int(o, 16))

    def play(self, keys):
        """The moves that these keys, 1 to 9, make in the terminal; `f` forfeits, and `n` starts a game."""
        for key in keys:
            sender = self.o if self.current_player() == O else self.x
            if key == "n":
                self.new_game()
            elif key == "f":
                self.send(sender, "forfeit()")
            else:
                self.send(sender, "makeMove(uint8,uint8)", *divmod(int(key) - 1, 3))

    def current_player(self):
        state = self.anvil.rpc("eth_call", {"to": self.address, "data": f"0x{call('gameState()').hex()}"}, "latest")
        # After the tuple's offset come the number, two players and nine cells.
        return int(state[2 + 64 * 13 : 2 + 64 * 14], 16)
