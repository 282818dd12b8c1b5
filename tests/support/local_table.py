"""A table on a real node, and transactions to it from outside the commands."""

from tests.rules.layout import call
from tests.rules.model import O
from tests.support.anvil import Anvil
from tests.support.roles import Role

# The address of the first contract that the deployer creates on a new chain.
FIRST_TABLE = "0x5FbDB2315678afecb367f032d93F642f64180aa3"


class LocalTable:
    """The contract on anvil. `x` and `o` play at it; each of their transactions is mined in its own block."""

    def __init__(self, anvil: Anvil, creation_code: bytes, deployer: Role = Role.DEPLOYER) -> None:
        self.anvil = anvil
        self.x, self.o = Role.PLAYER_X.address, Role.PLAYER_O.address
        self.address = anvil.create(deployer.address, creation_code)

    @property
    def options(self) -> tuple[str, ...]:
        """How a command finds this table."""
        return "--network", self.anvil.url, "--table", self.address

    def send(self, sender: str, data: bytes) -> None:
        receipt = self.anvil.send(sender, data, self.address)
        assert receipt["status"] == "0x1"

    def new_game(self, x: str | None = None, o: str | None = None) -> None:
        x, o = x or self.x, o or self.o
        self.send(x, call("newGame(address,address)", int(x, 16), int(o, 16)))

    def play(self, keys: str) -> None:
        """The moves that these keys, 1 to 9, make in the terminal. Each is sent by the player whose turn it is."""
        for key in keys:
            row, col = divmod(int(key) - 1, 3)
            sender = self.o if self.current_player() == O else self.x
            self.send(sender, call("makeMove(uint8,uint8)", row, col))

    def forfeit(self) -> None:
        self.send(self.o if self.current_player() == O else self.x, call("forfeit()"))

    def current_player(self) -> int:
        state = self.anvil.rpc("eth_call", {"to": self.address, "data": f"0x{call('gameState()').hex()}"}, "latest")
        # After the tuple's offset come the number, two players and nine cells.
        return int(state[2 + 64 * 13 : 2 + 64 * 14], 16)

    def logs(self) -> list[tuple[str, int]]:
        """Every log in the chain, as (transaction, index)."""
        found = self.anvil.rpc("eth_getLogs", {"address": self.address, "fromBlock": "0x0", "toBlock": "latest"})
        return [(log["transactionHash"], int(log["logIndex"], 16)) for log in found]
