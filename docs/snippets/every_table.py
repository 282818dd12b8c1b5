"""Every game at every table of a chain, with web3.py."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from web3 import Web3
from web3.exceptions import BlockNotFound
from web3.types import FilterParams

DEPTH = 64  # no reorg is expected to replace more blocks than this
RANGE = 1_000  # blocks in one question, because nodes limit it


class News(NamedTuple):
    event: Any  # as web3.py decodes it: event, args, address (the table), blockNumber, transactionHash ...
    removed: bool  # a reorg removed this event


class Block(NamedTuple):
    number: int
    hash: bytes
    events: list[Any]


class EveryTable:
    def __init__(self, url: str, abi: list[dict[str, Any]], code_hash: bytes, from_block: int = 0) -> None:
        self.web3 = Web3(Web3.HTTPProvider(url))
        contract: Any = self.web3.eth.contract(abi=abi)
        self.events = {event.topic: event for event in contract.events}
        self.new_game = contract.events.GameCreated.topic
        self.code_hash = code_hash
        self.tables: dict[str, int] = {}  # each with the block in which it proved to be one
        self.next = from_block
        self.blocks: list[Block] = []  # the newest ones, which a reorg may remove

    def news(self) -> Iterator[News]:
        """What happened since the last call. Read it to its end, wait a second, and call again."""
        yield from self._removed()
        head = self.web3.eth.block_number
        while self.next <= head - DEPTH:
            last = min(self.next + RANGE - 1, head - DEPTH)
            events = self._events({"fromBlock": self.next, "toBlock": last})
            self.next, self.blocks = last + 1, []
            yield from (News(event, removed=False) for event in events)
        while self.next <= head:
            block = self.web3.eth.get_block(self.next)
            if self.blocks and block["parentHash"] != self.blocks[-1].hash:
                return  # a reorg meanwhile: the next call handles it
            events = self._events({"blockHash": block["hash"]})
            self.blocks = [*self.blocks[-DEPTH:], Block(self.next, block["hash"], events)]
            self.next += 1
            yield from (News(event, removed=False) for event in events)

    def _removed(self) -> Iterator[News]:
        """The events of replaced blocks, the newest first."""
        while self.blocks and self._hash(self.blocks[-1].number) != self.blocks[-1].hash:
            block = self.blocks.pop()
            self.next = block.number
            self.tables = {table: proved for table, proved in self.tables.items() if proved < block.number}
            yield from (News(event, removed=True) for event in reversed(block.events))
            if not self.blocks:
                raise RuntimeError(f"A reorg of more than {DEPTH} blocks: begin again, with nothing.")

    def _hash(self, number: int) -> bytes | None:
        try:
            return self.web3.eth.get_block(number)["hash"]
        except BlockNotFound:
            return None

    def _events(self, where: FilterParams) -> list[Any]:
        logs = self.web3.eth.get_logs({**where, "topics": [list(self.events)]})
        return [self.events[log["topics"][0].to_0x_hex()].process_log(log) for log in logs if self._from_table(log)]

    def _from_table(self, log: Any) -> bool:
        """Whether the contract's code emitted the log.

        A constructor can emit any event and fill the storage before it returns this code. A new game leaves nothing of
        that. So a table counts from its first game whose transaction was sent to it, because then it had its code.
        """
        table = log["address"]
        if table not in self.tables and log["topics"][0].to_0x_hex() == self.new_game:
            sent_to = self.web3.eth.get_transaction(log["transactionHash"]).get("to")
            if sent_to == table and Web3.keccak(self.web3.eth.get_code(table)) == self.code_hash:
                self.tables[table] = log["blockNumber"]
        return table in self.tables
