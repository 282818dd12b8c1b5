"""
The pool of a chain, for one account: what can happen to a transaction after it was sent.

A state never changes; what happens makes another one. So a test can ask afterwards what was true at any moment, and a
node can be late.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, cast

from eth_account.typed_transactions.typed_transaction import TypedTransaction
from eth_utils.crypto import keccak
from hexbytes import HexBytes
from web3 import Web3
from web3.providers import BaseProvider

from tests.library.simulation import FakeNetwork, RefusedError
from tictactoe.node import Node

FIRST_NONCE = 5


@dataclass(frozen=True)
class Sent:
    hash: str
    nonce: int
    succeeds: bool = True


@dataclass(frozen=True)
class Mined:
    hash: str
    transactions: tuple[Sent, ...] = ()


@dataclass(frozen=True)
class State:
    blocks: tuple[Mined, ...]
    pool: tuple[Sent, ...] = ()

    @property
    def head(self) -> int:
        return len(self.blocks) - 1

    @property
    def mined(self) -> list[Sent]:
        return [each for block in self.blocks for each in block.transactions]

    @property
    def nonce(self) -> int:
        return FIRST_NONCE + len(self.mined)

    @property
    def pending(self) -> int:
        return self.nonce + len({each.nonce for each in self.pool if each.nonce >= self.nonce})

    def find(self, transaction: str) -> tuple[int, Sent] | None:
        """Its block, and itself."""
        for number, block in enumerate(self.blocks):
            for each in block.transactions:
                if each.hash == transaction:
                    return number, each
        return None

    def waits(self, transaction: str) -> bool:
        return transaction in [each.hash for each in self.pool]

    def knows(self, transaction: str) -> bool:
        return self.find(transaction) is not None or self.waits(transaction)


class Pool(BaseProvider):
    """What happens, and the node that reports it. `view` chooses the state that an answer is given from."""

    def __init__(self) -> None:
        super().__init__()
        self.branch = 0
        self.state = State((self._block(0), self._block(1)))
        self.history = [self.state]
        self.view: Callable[[str], State] = lambda _method: self.state  # may raise, or make something happen
        self.on_send: Callable[[str], object] = self.take
        self.raw: dict[str, bytes] = {}
        self.asked: list[str] = []

    def node(self) -> Node:
        provider = SimpleNamespace(web3=Web3(self, middleware=[]), network=FakeNetwork(31337), name="node")
        return Node(cast(Any, provider))

    # -- what happens ----------------------------------------------------------------

    def become(self, state: State) -> None:
        self.state = state
        self.history.append(state)

    def _block(self, number: int, *transactions: Sent) -> Mined:
        name = f"{self.branch} {number} {[each.hash for each in transactions]}"
        return Mined("0x" + keccak(text=name).hex(), transactions)

    def take(self, transaction: str) -> str:
        """Into the pool, in the place of another one with its nonce."""
        nonce = int(TypedTransaction.from_bytes(HexBytes(self.raw[transaction])).as_dict()["nonce"])
        self.add(Sent(transaction, nonce))
        return transaction

    def add(self, sent: Sent) -> None:
        kept = tuple(each for each in self.state.pool if each.nonce != sent.nonce)
        self.become(replace(self.state, pool=(*kept, sent)))

    def drop(self) -> None:
        self.become(replace(self.state, pool=()))

    def mine(self, succeeds: bool = True) -> None:
        """A block with the next transaction of the pool, if there is one."""
        state = self.state
        now = [replace(each, succeeds=succeeds) for each in state.pool if each.nonce == state.nonce]
        pool = tuple(each for each in state.pool if each.nonce > state.nonce)
        self.become(State((*state.blocks, self._block(state.head + 1, *now)), pool))

    def mine_empty(self, count: int = 1) -> None:
        for _ in range(count):
            self.become(replace(self.state, blocks=(*self.state.blocks, self._block(self.state.head + 1))))

    def reorg(self, depth: int, length: int, keep: bool = True) -> None:
        """Replace so many blocks by others, which are empty. What they held waits again, or is lost."""
        blocks, gone = self.state.blocks[:-depth], self.state.blocks[-depth:]
        again = tuple(each for block in gone for each in block.transactions) if keep else ()
        self.branch += 1
        new = tuple(self._block(len(blocks) + number) for number in range(length))
        kept = tuple(each for each in self.state.pool if each.nonce not in {other.nonce for other in again})
        self.become(State(blocks + new, kept + again))

    # -- what the node answers ---------------------------------------------------------

    def make_request(self, method: Any, params: Any) -> Any:
        self.asked.append(method)
        answers: dict[str, Callable[..., object]] = {
            "eth_chainId": lambda _state: hex(31337),
            "eth_getBalance": lambda *_: hex(10**18),
            "eth_getTransactionCount": self._count,
            "eth_getBlockByNumber": self._block_at,
            "eth_sendRawTransaction": self._send,
            "eth_getTransactionByHash": lambda state, hash_: {"hash": hash_} if state.knows(hash_) else None,
            "eth_getTransactionReceipt": self._receipt,
        }
        try:
            answer = answers[method](self.view(method), *params)
        except RefusedError as error:
            return {"jsonrpc": "2.0", "id": 0, "error": {"code": error.code, "message": str(error)}}
        return {"jsonrpc": "2.0", "id": 0, "result": answer}

    def _count(self, state: State, _address: str, which: str) -> str:
        return hex(state.pending if which == "pending" else state.nonce)

    def _block_at(self, state: State, which: str, _full: bool) -> object:
        number = state.head if which == "latest" else int(which, 16)
        if number > state.head:
            return None
        parent = state.blocks[number - 1].hash if number else "0x" + "00" * 32
        numbers = {"number": hex(number), "timestamp": hex(12 * number)}
        return {"hash": state.blocks[number].hash, "parentHash": parent, "baseFeePerGas": hex(100)} | numbers

    def _send(self, _state: State, raw: str) -> object:
        transaction = "0x" + keccak(hexstr=raw).hex()
        self.raw[transaction] = bytes.fromhex(raw[2:])
        return self.on_send(transaction)

    def _receipt(self, state: State, transaction: str) -> object:
        if (found := state.find(transaction)) is None:
            return None
        number, sent = found
        return {
            "transactionHash": transaction,
            "blockNumber": hex(number),
            "blockHash": state.blocks[number].hash,
            "status": hex(sent.succeeds),
            "gasUsed": hex(40_000),
            "effectiveGasPrice": hex(102),
            "contractAddress": None,
        }
