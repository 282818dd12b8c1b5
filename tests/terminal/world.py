"""Two people with accounts, and a new chain with a node in front of it whose answers may be wrong."""

import json
from contextlib import contextmanager
from dataclasses import dataclass
from string import Template

from eth_account import Account

from tests.support.anvil import Anvil
from tests.support.commands import Command
from tests.support.local_table import FIRST_TABLE, LocalTable
from tests.support.roles import Role
from tests.support.wrong_node import WrongNode
from tictactoe.formatting import short

PASSPHRASE = "correct-horse"
X, O = Role.PLAYER_X.address, Role.PLAYER_O.address
X_SHORT, O_SHORT = short(X), short(O)

# What is typed. `$node` is the URL of the node.
AT = f"--network $node --table {FIRST_TABLE}"
AS_X, AS_O = f"play {AT} --account TEST::1", f"play {AT} --account TEST::2"
UNASKED = "deploy --network $node --account TEST::0 --confirmations 0 --yes --expected-chain-id 31337"

# The keys of a game that X wins, and of a draw.
X_WINS, DRAW = "14253", "123546879"

# What is said of a table that may be there.
LOOK = f"The table's address is {FIRST_TABLE}: look there before you deploy another (`ape run watch --table`)."


@dataclass(frozen=True)
class Keyfile:
    """An account of ape's own kind, locked by a passphrase."""

    alias: str
    key: bytes

    @property
    def address(self):
        return str(Account.from_key(self.key).address)

    @property
    def unlocked(self):
        """The environment in which ape opens the account without a question."""
        return {f"APE_ACCOUNTS_{self.alias}_PASSPHRASE": PASSPHRASE}

    def write(self, data_folder):
        path = data_folder / "accounts" / f"{self.alias}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        # Few rounds: the tests are about the questions, not the cipher.
        path.write_text(json.dumps(Account.encrypt(self.key, PASSPHRASE, kdf="pbkdf2", iterations=2)))


ANNA, BEN = Keyfile("anna", b"\x0a" * 32), Keyfile("ben", b"\x0b" * 32)


class Chain:
    """`table` is there if it was added."""

    def __init__(self, anvil):
        self.anvil, self.node = anvil, WrongNode(anvil)

    def add_table(self, creation_code, keys=None):
        """With keys, a game is in progress there, and these moves were made."""
        self.table = LocalTable(self.anvil, creation_code)
        self.table.play("" if keys is None else f"n{keys}")

    def type(self, typed, **more):
        typed = Template(typed).safe_substitute(node=self.node.url, url=self.anvil.url)
        return Command(*typed.split(), **more)

    def run(self, typed, keys="", **more):
        """With these keys piped in, to its end."""
        with self.type(typed, keys=keys, **more) as command:
            return command.end()

    def mine(self, blocks=1):
        self.anvil.rpc("anvil_mine", hex(blocks))

    def mine_by_hand(self, by_hand=True):
        self.anvil.rpc("evm_setAutomine", not by_hand)

    @contextmanager
    def put_back(self):
        """Afterwards the chain is as it was."""
        snapshot = self.anvil.rpc("evm_snapshot")
        try:
            yield
        finally:
            self.anvil.rpc("anvil_dropAllTransactions")
            self.mine_by_hand(False)
            assert self.anvil.rpc("evm_revert", snapshot)

    def reorg(self, depth):
        """The newest blocks become empty ones."""
        self.anvil.rpc("anvil_reorg", depth, [])


@contextmanager
def new_chain(chain_id=31337, **options):
    with Anvil(chain_id=chain_id, **options) as anvil:
        chain = Chain(anvil)
        with chain.node:
            yield chain
