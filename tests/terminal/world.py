"""Two people with accounts, a table on a chain whose node may answer wrongly, and what is typed there."""

import json
from contextlib import contextmanager
from string import Template

from eth_account import Account

from tests.rules.layout import call
from tests.support.anvil import SEPOLIA, Anvil
from tests.support.commands import Command
from tests.support.roles import Role
from tests.support.wrong_node import WrongNode
from tictactoe.formatting import short

PASSPHRASE = "correct-horse"
X, O = Role.PLAYER_X.address, Role.PLAYER_O.address
X_SHORT, O_SHORT = short(X), short(O)

# The address of the first contract that the deployer creates on a new chain.
FIRST_TABLE = "0x5FbDB2315678afecb367f032d93F642f64180aa3"

# What is typed, with words of `Chain`.
AS_X, AS_O = "play $at $as_x", "play $at $as_o"

X_WINS = "14253"  # the keys of a game

# Two people with accounts of ape's own kind, locked by the passphrase.
PEOPLE = {"anna": Account.from_key(b"\x0a" * 32), "ben": Account.from_key(b"\x0b" * 32)}
ANNA, BEN = (account.address for account in PEOPLE.values())


def write_account(data_folder, alias):
    path = data_folder / "accounts" / f"{alias}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    # Few rounds: the tests are about the questions, not the cipher.
    path.write_text(json.dumps(PEOPLE[alias].encrypt(PASSPHRASE, kdf="pbkdf2", iterations=2)))


class Table:
    """Transactions from outside the commands, each mined in its own block. `x` and `o` play."""

    def __init__(self, anvil, creation_code, deployer=Role.DEPLOYER, x=X, o=O):
        self.anvil, self.address, self.x, self.o = anvil, anvil.create(deployer.address, creation_code), x, o

    def send(self, sender, signature, *arguments):
        self.anvil.send(sender, call(signature, *arguments), self.address)

    def new_game(self, x, o):
        self.send(x, "newGame(address,address)", int(x, 16), int(o, 16))

    def play(self, keys):
        """The moves that these keys, 1 to 9, make in the terminal; `f` forfeits, and `n` starts a game."""
        for key in keys:
            state = self.anvil.rpc("eth_call", {"to": self.address, "data": f"0x{call('gameState()').hex()}"}, "latest")
            # After the tuple's offset, the number, two players and nine cells comes whose turn it is.
            sender = self.o if int(state[2 + 64 * 13 : 2 + 64 * 14], 16) == 2 else self.x
            if key == "n":
                self.new_game(self.x, self.o)
            elif key == "f":
                self.send(sender, "forfeit()")
            else:
                self.send(sender, "makeMove(uint8,uint8)", *divmod(int(key) - 1, 3))


class Chain(Anvil):
    """Commands ask its `node`. `table` is there if it was added. `words` has what the words in commands mean."""

    def __init__(self, chain_id=31337, **options):
        super().__init__(chain_id=chain_id, **options)
        self.node = WrongNode(self)
        self.words = {
            "node": self.node.url,
            "there": f"--network {'ethereum:sepolia:' * (chain_id == SEPOLIA)}$node",
            "at": "$there --table $table",
            "as_x": "--account TEST::1",
            "as_o": "--account TEST::2",
            "deploys": "deploy $there --account TEST::0",
        }

    def filled(self, text, **more):
        while (filled := Template(text).substitute(self.words | more)) != text:
            text = filled
        return text

    def add_table(self, creation_code, keys=""):
        self.table = Table(self, creation_code)
        self.words["table"] = self.table.address
        self.table.play(keys)

    def type(self, typed, **more):
        return Command(*self.filled(typed).split(), **more)

    def run(self, typed, keys="", **more):
        """With these keys piped in, to its end."""
        with self.type(typed, keys=keys, **more) as command:
            return command.end()

    def mine(self, blocks=1):
        self.rpc("anvil_mine", hex(blocks))

    def mine_by_hand(self, by_hand=True):
        self.rpc("evm_setAutomine", not by_hand)

    def reorg(self, depth):
        """The newest blocks become empty ones."""
        self.rpc("anvil_reorg", depth, [])

    @contextmanager
    def put_back(self):
        """Afterwards the chain is as it was."""
        snapshot = self.rpc("evm_snapshot")
        try:
            yield
        finally:
            self.rpc("anvil_dropAllTransactions")
            self.mine_by_hand(False)
            assert self.rpc("evm_revert", snapshot)

    def __exit__(self, *_):
        self.node.__exit__()
        super().__exit__()
