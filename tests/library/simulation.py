"""
A chain in this process, with a pool, and time that passes only when somebody sleeps.

The table on the chain plays by the model of the rules. The chain reorganises when a test wants it to. Its node is late,
fails, leaves logs out or answers with nonsense.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import ape
from ape.api.networks import NetworkAPI
from eth_account import Account
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak
from hexbytes import HexBytes
from web3 import Web3
from web3.providers import BaseProvider

from tests.rules import layout, model
from tests.rules.model import Model, Status
from tictactoe import Table
from tictactoe.node import Node
from tictactoe.table import runtime_code

if TYPE_CHECKING:
    from ape_ethereum.provider import Web3Provider
    from web3.types import RPCEndpoint, RPCResponse

TABLE, X, O, OTHER = (to_checksum_address("0x" + digits * 20) for digits in ("7a", "1b", "2c", "3d"))

FIRST_NONCE = 5

# What a transaction does to the game.
Step = Callable[[Model], Model]
Json = dict[str, Any]
# Gets the method's parameters and the true answer, and returns what the node says instead.
Lie = Callable[[Sequence[Any], Any], object]


class RefusedError(Exception):
    """The node answers with an error of its own. Code 3 is a revert's."""

    def __init__(self, message: str, code: int = -32000) -> None:
        super().__init__(message)
        self.code = code


def new_game(x: str = X, o: str = O) -> Step:
    return lambda game: game.new_game(int(x, 16), int(o, 16))


def move(cell: int) -> Step:
    return lambda game: game.move(game.mover, *divmod(cell, 3))


def forfeit(game: Model) -> Model:
    return game.forfeit(game.mover)


def moves(*cells: int) -> list[Step]:
    return [move(cell) for cell in cells]


def step_of(sender: str, data: bytes) -> Step:
    """What a call of the table does; nothing if it has no such method."""
    method, words = data[:4], [int.from_bytes(data[at : at + 32], "big") for at in range(4, len(data), 32)]
    rules: dict[bytes, Step] = {
        layout.selector("newGame(address,address,uint256)"): lambda game: game.new_game(*words),
        layout.selector("makeMove(uint8,uint8,uint256)"): lambda game: game.move(int(sender, 16), *words),
        layout.selector("forfeit(uint256)"): lambda game: game.forfeit(int(sender, 16), *words),
    }
    return rules.get(method, lambda game: game)


def status_word(status: Status) -> str:
    return status.name.lower()


@dataclass(frozen=True)
class Sent:
    """A transaction of the account, in the pool or in a block."""

    hash: str
    nonce: int
    step: Step = lambda game: game
    succeeds: bool = True


@dataclass(frozen=True)
class FakeBlock:
    number: int
    hash: str
    parent: str
    game: Model  # after it
    has_code: bool = True
    logs: list[Json] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)

    @property
    def json(self) -> Json:
        numbers = {"number": self.number, "timestamp": 1_700_000_000 + 12 * self.number, "baseFeePerGas": 100}
        return {"hash": self.hash, "parentHash": self.parent} | {name: hex(value) for name, value in numbers.items()}


class State:
    """What a node knows at one moment: the blocks, and a pool with the transactions of one account."""

    def __init__(self, blocks: list[FakeBlock], pool: list[Sent]) -> None:
        self.blocks, self.pool = blocks, pool

    @property
    def head(self) -> FakeBlock:
        return self.blocks[-1]

    @property
    def nonce(self) -> int:
        return FIRST_NONCE + sum(len(block.sent) for block in self.blocks)

    @property
    def pending(self) -> int:
        return self.nonce + len({each.nonce for each in self.pool if each.nonce >= self.nonce})

    def at(self, which: str) -> FakeBlock | None:
        """By number in hexadecimal, or by hash."""
        if which == "latest":
            return self.head
        if len(which) == 66:
            return next((block for block in self.blocks if block.hash == which), None)
        number = int(which, 16)
        return self.blocks[number] if number < len(self.blocks) else None

    def find(self, transaction: str) -> tuple[FakeBlock, Sent] | None:
        """The block that it is in, and itself."""
        every = ((block, each) for block in self.blocks for each in block.sent)
        return next((found for found in every if found[1].hash == transaction), None)

    def knows(self, transaction: str) -> bool:
        return self.find(transaction) is not None or transaction in [each.hash for each in self.pool]


class FakeChain(State):
    """Block 0 is empty. The table is deployed in block 1, or in a later one."""

    def __init__(self, chain_id: int = 31337, deployed: int = 1) -> None:
        super().__init__([], [])
        # It may raise, change the chain, or return the state that the node answers from if that is not the present one.
        self.before_answer: Callable[[str], State | None] = lambda _method: None
        self.lies: dict[str, Lie] = {}  # by JSON-RPC method
        self.asked: list[tuple[str, list[Any]]] = []
        self.raw: dict[str, bytes] = {}  # of the transactions that were sent, by hash
        self.chain_id = chain_id
        self.branch = 0  # makes the blocks after a reorg other ones
        self.removed: set[str] = set()  # the hashes of all blocks that a reorg has ever removed
        self.begin(deployed)

    def now(self) -> State:
        """Its state, to keep."""
        return State(self.blocks[:], self.pool[:])

    def begin(self, deployed: int) -> None:
        """Another chain, as after the restart of a node that keeps nothing."""
        self.become([])
        self.deployed = deployed
        self.blocks = [FakeBlock(0, self._hash(0), "0x" + "0" * 64, Model(), has_code=False)]
        self.mine_empty(deployed)

    def _hash(self, number: int, what: str = "block") -> str:
        return "0x" + keccak(text=f"{what} {number} of branch {self.branch}").hex()

    @property
    def logs(self) -> list[Json]:
        """All of them, in order."""
        return [log for block in self.blocks for log in block.logs]

    def mine(self, *blocks: Sequence[Step]) -> None:
        """These blocks, with a transaction for each step."""
        for steps in blocks:
            parent, number = self.head, len(self.blocks)
            has_code = number >= self.deployed
            block = FakeBlock(number, self._hash(number), parent.hash, parent.game, has_code)
            for index, step in enumerate(steps):
                before, after = block.game, step(block.game)
                block.logs.extend(self._logs(block, index, before, after))
                block = replace(block, game=after)
            self.blocks.append(block)

    def play(self, *steps: Step) -> None:
        """Each step in a block of its own."""
        self.mine(*([step] for step in steps))

    def mine_empty(self, count: int) -> None:
        self.mine(*([[]] * count))

    def reorg(self, depth: int, keep: bool = True) -> None:
        """Drop so many blocks, whose transactions wait again or are lost. Blocks mined next have other hashes."""
        waiting = [each for block in self.blocks[-depth:] for each in block.sent if keep]
        self.become(self.blocks[:-depth])
        for each in waiting:
            self.add(each)

    def become(self, blocks: list[FakeBlock]) -> None:
        """Replace the chain by another branch, or by another chain."""
        stays = {block.hash for block in blocks}
        self.removed |= {block.hash for block in self.blocks if block.hash not in stays}
        self.blocks = blocks[:]
        self.branch += 1

    def _logs(self, block: FakeBlock, index: int, before: Model, after: Model) -> list[Json]:
        place = {
            "address": TABLE,
            "blockNumber": hex(block.number),
            "blockHash": block.hash,
            "transactionHash": self._hash(block.number * 100 + index, "transaction"),
            "transactionIndex": hex(index),
            "removed": False,
        }
        first = len(block.logs) * 3  # other contracts have logs, too
        return [
            {
                **place,
                "logIndex": hex(first + each),
                "topics": ["0x" + topic.hex() for topic in topics],
                "data": "0x" + data.hex(),
            }
            for each, (topics, data) in enumerate(layout.logs(before, after))
        ]

    # -- transactions ------------------------------------------------------------------

    def take(self, raw: str) -> str:
        """Into the pool."""
        found = "0x" + keccak(hexstr=raw).hex()
        self.raw[found] = bytes.fromhex(raw[2:])
        self.add(Sent(found, *signed(raw)))
        return found

    def add(self, sent: Sent) -> None:
        """Into the pool, in the place of another one with its nonce."""
        self.pool = [*(each for each in self.pool if each.nonce != sent.nonce), sent]

    def drop(self) -> None:
        self.pool = []

    def mine_sent(self, succeeds: bool = True) -> None:
        """A block with the next transaction of the pool, if there is one."""
        nonce, game = self.nonce, self.head.game
        mined = [
            replace(each, succeeds=succeeds and allows(game, each.step)) for each in self.pool if each.nonce == nonce
        ]
        self.pool = [each for each in self.pool if each.nonce > nonce]
        self.mine([each.step for each in mined if each.succeeds])
        self.head.sent.extend(mined)

    # -- a connection to it ------------------------------------------------------------

    def node(self, named: bool = False, **network: Any) -> Node:
        """Networks have the attributes of ape's, by default those of a bare URL."""
        kind = NamedNetwork if named else FakeNetwork
        web3 = Web3(FakeProvider(self), middleware=[])  # web3's own take most of the time
        provider = SimpleNamespace(web3=web3, network=kind(self.chain_id, **network), name="node")
        return Node(cast("Web3Provider", provider))

    def table(self) -> Table:
        return Table(TABLE, self.node())


@cache
def signed(raw: str) -> tuple[int, Step]:
    """A transaction's nonce, and what it does."""
    fields = TypedTransaction.from_bytes(HexBytes(raw)).as_dict()
    return fields["nonce"], step_of(Account.recover_transaction(raw), bytes(fields["data"]))


def allows(game: Model, step: Step) -> bool:
    try:
        step(game)
    except model.RefusedError:
        return False
    return True


class FakeProvider(BaseProvider):
    """web3's way to the chain, without HTTP."""

    def __init__(self, chain: FakeChain) -> None:
        super().__init__()
        self.chain = chain
        self.methods: dict[str, Callable[..., object]] = {
            "eth_chainId": lambda _state: hex(chain.chain_id),
            "eth_getBlockByNumber": self._block,
            "eth_getBlockByHash": self._block,
            "eth_getCode": self._code,
            "eth_call": self._game_state,
            "eth_getLogs": self._logs,
            "eth_gasPrice": lambda _state: hex(90),
            "eth_maxPriorityFeePerGas": lambda _state: hex(2),
            "eth_feeHistory": lambda *_: {"baseFeePerGas": ["0x50"] * 4, "reward": [["0x1"]] * 3},
            "eth_getBalance": lambda *_: hex(10**18),
            "eth_estimateGas": self._estimate,
            "eth_getTransactionCount": lambda state, _address, which: hex(
                state.pending if which == "pending" else state.nonce
            ),
            "eth_sendRawTransaction": lambda _state, raw: chain.take(raw),
            "eth_getTransactionByHash": lambda state, found: {"hash": found} if state.knows(found) else None,
            "eth_getTransactionReceipt": self._receipt,
        }

    def make_request(self, method: RPCEndpoint, params: Any) -> RPCResponse:
        chain = self.chain
        chain.asked.append((method, list(params)))
        try:
            answer = self.methods[method](chain.before_answer(method) or chain, *params)
            if method in chain.lies:
                answer = chain.lies[method](params, answer)
        except RefusedError as error:
            return {"jsonrpc": "2.0", "id": 0, "error": {"code": error.code, "message": str(error)}}
        return {"jsonrpc": "2.0", "id": 0, "result": answer}

    def _estimate(self, state: State, call: Json, _which: str) -> str:
        try:
            step_of(call.get("from", "0x0"), bytes.fromhex(call.get("data", "0x")[2:]))(state.head.game)
        except model.RefusedError as refused:
            raise RefusedError(f"execution reverted: {refused}", code=3) from refused
        return hex(50_000)

    def _block(self, state: State, which: str, _full: bool) -> Json | None:
        block = state.at(which)
        return block.json if block else None

    def _code(self, state: State, address: str, which: str) -> str:
        block = state.at(which)
        return "0x" + runtime_code().hex() if address == TABLE and block is not None and block.has_code else "0x"

    def _game_state(self, state: State, _call: Json, which: str) -> str:
        block = state.at(which)
        assert block is not None
        return "0x" + layout.game_state(block.game).hex() if block.has_code else "0x"

    def _logs(self, state: State, where: Json) -> list[Json]:
        first, last = int(where["fromBlock"], 16), int(where["toBlock"], 16)
        return [log for block in state.blocks[first : last + 1] for log in block.logs]

    def _receipt(self, state: State, transaction: str) -> Json | None:
        if (found := state.find(transaction)) is None:
            return None
        block, sent = found
        place = {"transactionHash": transaction, "blockNumber": hex(block.number), "blockHash": block.hash}
        cost = {"gasUsed": hex(40_000), "effectiveGasPrice": hex(102)}
        return {"status": hex(sent.succeeds), "contractAddress": None} | place | cost


class FakeNetwork:
    """One that has no chain ID of its own."""

    chain_id: Any = NetworkAPI.chain_id
    block_time, required_confirmations, is_local, name = 4, 2, False, "node"

    def __init__(self, _chain_id: int, /, **attributes: Any) -> None:
        self.ecosystem = ape.networks.get_ecosystem("ethereum")
        vars(self).update(attributes)


class NamedNetwork(FakeNetwork):
    chain_id = 0

    def __init__(self, chain_id: int, /, **attributes: Any) -> None:
        super().__init__(chain_id, **{"chain_id": chain_id} | attributes)


class Clock:
    """In place of the module `time`: it passes only in `sleep`. `on_sleep` is called with the time slept so far."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self.on_sleep: Callable[[float], object] = lambda _so_far: None

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        assert len(self.slept) < 5000, "it does not end"
        self.now += seconds
        self.on_sleep(self.now - 1000)
