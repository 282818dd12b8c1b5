"""
A chain in this process, with a pool, and time that passes only when somebody sleeps.

The table on the chain plays by the model of the rules. The chain reorganises when a test wants it to. Its node is late,
fails, leaves logs out or answers with nonsense.
"""

from dataclasses import dataclass, field, replace
from functools import cache
from types import SimpleNamespace

import ape
from ape.api.networks import NetworkAPI
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak
from hexbytes import HexBytes
from web3 import Web3
from web3.providers import BaseProvider

from tests.rules import layout
from tests.rules.model import Model
from tictactoe import Table
from tictactoe.node import Node
from tictactoe.table import runtime_code

TABLE, X, O, OTHER = (to_checksum_address("0x" + digits * 20) for digits in ("7a", "1b", "2c", "3d"))

FIRST_NONCE = 5


class RefusedError(Exception):
    """The node answers with an error of its own. Code 3 is a revert's."""

    def __init__(self, message, code=-32000):
        super().__init__(message)
        self.code = code


# -- steps: what a transaction of somebody does to the game ------------------------------


def new_game(x=X, o=O):
    return lambda game: game.new_game(int(x, 16), int(o, 16))


def move(cell):
    return lambda game: game.move(game.mover, *divmod(cell, 3))


def moves(*cells):
    return [move(cell) for cell in cells]


def forfeit(game):
    return game.forfeit(game.mover)


@cache
def fields(raw):
    """Those of a signed transaction."""
    return TypedTransaction.from_bytes(HexBytes(raw)).as_dict()


@dataclass(frozen=True)
class Sent:
    """A transaction of the account, in the pool or in a block."""

    hash: str
    nonce: int = FIRST_NONCE
    succeeds: bool = True


# -- the chain ---------------------------------------------------------------------------


@dataclass(frozen=True)
class FakeBlock:
    number: int
    hash: str
    parent: str
    game: Model  # after it
    logs: list = field(default_factory=list)
    sent: list = field(default_factory=list)

    @property
    def json(self):
        numbers = {"number": self.number, "timestamp": 1_700_000_000 + 12 * self.number, "baseFeePerGas": 100}
        return {"hash": self.hash, "parentHash": self.parent} | {name: hex(value) for name, value in numbers.items()}


class FakeChain:
    """
    Block 0 is empty. The table is deployed in block 1, or in a later one. The pool has transactions of one account.

    The lists of blocks and of the pool are never changed, only replaced: so a copy of the chain is its state now.
    """

    def __init__(self, chain_id=31337, deployed=1):
        # Gets the method. It may raise, change the chain, or return an earlier copy, from which the node then answers.
        self.before_answer = lambda _method: None
        # What the node says instead, by JSON-RPC method: an answer, an error, or a function of the parameters and of
        # the true answer.
        self.lies = {}
        self.asked = []  # methods, each with its parameters
        self.chain_id = chain_id
        self.blocks, self.pool = [], []
        self.branch = 0  # makes the blocks after a reorg other ones
        self.removed = set()  # the hashes of all blocks that a reorg has ever removed
        self.begin(deployed)

    def begin(self, deployed):
        """Another chain, as after the restart of a node that keeps nothing."""
        self.become([])
        self.deployed = deployed
        self.blocks = [FakeBlock(0, self._hash(0), "0x" + "0" * 64, Model())]
        self.mine_empty(deployed)

    @property
    def head(self):
        return self.blocks[-1]

    @property
    def logs(self):
        """All of them, in order."""
        return [log for block in self.blocks for log in block.logs]

    @property
    def nonce(self):
        return FIRST_NONCE + sum(len(block.sent) for block in self.blocks)

    @property
    def pending(self):
        return self.nonce + len({each.nonce for each in self.pool if each.nonce >= self.nonce})

    def at(self, which):
        """The block with this number in hexadecimal, if there is one."""
        number = self.head.number if which == "latest" else int(which, 16)
        return self.blocks[number] if number < len(self.blocks) else None

    def find(self, transaction):
        """The block that it is in, and itself."""
        every = ((block, each) for block in self.blocks for each in block.sent)
        return next((found for found in every if found[1].hash == transaction), None)

    def knows(self, transaction):
        return self.find(transaction) is not None or transaction in [each.hash for each in self.pool]

    def say(self, **answers):
        """Lies, with numbers as they are."""
        self.lies |= {method: hex(answer) if type(answer) is int else answer for method, answer in answers.items()}

    def raw(self):
        """The signed transactions that the node was given, in hexadecimal."""
        return [params[0] for method, params in self.asked if method == "eth_sendRawTransaction"]

    def mine(self, *blocks):
        """These blocks, each with these steps."""
        for steps in blocks:
            number, game, logs = len(self.blocks), self.head.game, []
            for index, step in enumerate(steps):
                before, game = game, step(game)
                logs += self._logs(number, index, len(logs), layout.logs(before, game))
            self.blocks = [*self.blocks, FakeBlock(number, self._hash(number), self.head.hash, game, logs)]

    def play(self, *steps):
        """Each step in a block of its own."""
        self.mine(*([step] for step in steps))

    def mine_empty(self, count):
        self.mine(*([[]] * count))

    def reorg(self, depth, keep=True):
        """Drop so many blocks, whose transactions wait again or are lost. Blocks mined next have other hashes."""
        waiting = [each for block in self.blocks[-depth:] for each in block.sent if keep]
        self.become(self.blocks[:-depth])
        for each in waiting:
            self.add(each)

    def become(self, blocks):
        """Replace the chain by another branch, or by another chain."""
        stays = {block.hash for block in blocks}
        self.removed |= {block.hash for block in self.blocks if block.hash not in stays}
        self.blocks = blocks
        self.branch += 1

    def _hash(self, number, what="block"):
        return "0x" + keccak(text=f"{what} {number} of branch {self.branch}").hex()

    def _logs(self, number, index, earlier, logs):
        """Those of one transaction, as a node returns them. In its block are logs of other contracts, too."""
        transaction = self._hash(number * 100 + index, "transaction")
        place = {"address": TABLE, "blockNumber": hex(number), "blockHash": self._hash(number), "removed": False}
        place |= {"transactionHash": transaction, "transactionIndex": hex(index)}
        return [
            place
            | {"logIndex": hex(3 * earlier + each)}
            | {"topics": ["0x" + topic.hex() for topic in topics], "data": "0x" + data.hex()}
            for each, (topics, data) in enumerate(logs)
        ]

    # -- its pool ----------------------------------------------------------------------

    def add(self, sent):
        """In the place of another one with its nonce."""
        self.pool = [*(each for each in self.pool if each.nonce != sent.nonce), sent]

    def drop(self):
        self.pool = []

    def mine_sent(self, succeeds=True):
        """A block with the next transaction of the pool, if there is one."""
        mined = [replace(each, succeeds=succeeds) for each in self.pool if each.nonce == self.nonce]
        self.pool = [each for each in self.pool if each.nonce > self.nonce]
        self.mine([])
        self.head.sent.extend(mined)

    # -- a connection to it ------------------------------------------------------------

    def node(self, named=False, provider="node", **network):
        web3 = Web3(FakeProvider(self), middleware=[])  # web3's own take most of the time
        connected = (NamedNetwork if named else FakeNetwork)(**{"chain_id": self.chain_id} | network)
        return Node(SimpleNamespace(web3=web3, network=connected, name=provider))

    def table(self):
        return Table(TABLE, self.node())


class FakeNetwork:
    """It has the attributes of Ape's networks, by default those of a bare URL: no chain ID of its own."""

    chain_id = NetworkAPI.chain_id
    block_time, required_confirmations, is_local, name = 4, 2, False, "node"

    def __init__(self, **attributes):
        self.ecosystem = ape.networks.get_ecosystem("ethereum")
        vars(self).update(attributes)


class NamedNetwork(FakeNetwork):
    chain_id = 0


class FakeProvider(BaseProvider):
    """web3's way to the chain, without HTTP."""

    def __init__(self, chain):
        super().__init__()
        self.chain = chain
        self.methods = {
            "eth_chainId": lambda _state: hex(chain.chain_id),
            "eth_getBlockByNumber": lambda state, which, _full: (block := state.at(which)) and block.json,
            "eth_getCode": self._code,
            "eth_call": self._game_state,
            "eth_getLogs": self._logs,
            "eth_gasPrice": lambda _state: hex(90),
            "eth_maxPriorityFeePerGas": lambda _state: hex(2),
            "eth_feeHistory": lambda *_: {"baseFeePerGas": ["0x50"] * 4, "reward": [["0x1"]] * 3},
            "eth_getBalance": lambda *_: hex(10**18),
            "eth_estimateGas": lambda *_: hex(50_000),
            "eth_getTransactionCount": lambda state, _address, which: hex(
                state.pending if which == "pending" else state.nonce
            ),
            "eth_sendRawTransaction": self._take,
            "eth_getTransactionByHash": lambda state, found: {"hash": found} if state.knows(found) else None,
            "eth_getTransactionReceipt": self._receipt,
        }

    def make_request(self, method, params):
        chain = self.chain
        chain.asked.append((method, list(params)))
        try:
            truth = self.methods[method](chain.before_answer(method) or chain, *params)
            lie = chain.lies.get(method, truth)
            answer = lie(params, truth) if callable(lie) else lie
            if isinstance(answer, Exception):
                raise answer
        except RefusedError as error:
            return {"jsonrpc": "2.0", "id": 0, "error": {"code": error.code, "message": str(error)}}
        return {"jsonrpc": "2.0", "id": 0, "result": answer}

    def _code(self, state, address, which):
        block = state.at(which)
        there = address == TABLE and block and block.number >= self.chain.deployed
        return "0x" + runtime_code().hex() if there else "0x"

    def _game_state(self, state, _call, which):
        block = state.at(which)
        return "0x" + layout.game_state(block.game).hex() if block.number >= self.chain.deployed else "0x"

    def _logs(self, state, where):
        first, last = int(where["fromBlock"], 16), int(where["toBlock"], 16)
        return [log for block in state.blocks[first : last + 1] for log in block.logs]

    def _take(self, _state, raw):
        transaction = "0x" + keccak(hexstr=raw).hex()
        self.chain.add(Sent(transaction, fields(raw)["nonce"]))
        return transaction

    def _receipt(self, state, transaction):
        if (found := state.find(transaction)) is None:
            return None
        block, sent = found
        place = {"transactionHash": transaction, "blockNumber": hex(block.number), "blockHash": block.hash}
        cost = {"gasUsed": hex(40_000), "effectiveGasPrice": hex(102)}
        return {"status": hex(sent.succeeds), "contractAddress": None} | place | cost


class Finished(Exception):  # noqa: N818
    """How a test ends what would sleep for ever."""


class Clock:
    """In place of the module `time`: it passes only in `sleep`."""

    def __init__(self):
        self.now = 1000.0
        self.slept = []
        self.on_sleep = lambda: None

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        assert len(self.slept) < 5000, "it does not end"
        self.now += seconds
        self.on_sleep()
