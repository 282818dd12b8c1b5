"""The contract's events as a node returns them: asked for, checked and decoded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypedDict, cast

from tictactoe import errors
from tictactoe.game import STATUSES, ZERO_ADDRESS, mark_of
from tictactoe.node import Block, to_hex, to_number
from tictactoe.table import Table

if TYPE_CHECKING:
    from web3.contract.contract import ContractEvent
    from web3.types import FilterParams, LogReceipt


class Arguments(TypedDict, total=False):
    """Of all three events, as the contract names them."""

    gameId: int
    playerX: str
    playerO: str
    player: str
    sequenceNumber: int
    row: int
    col: int
    winner: str
    status: int


class Place(TypedDict):
    number: int
    block: int
    block_hash: str
    transaction: str
    index: int


@dataclass(frozen=True, kw_only=True)
class Log:
    """An event of the contract, and where it is in the chain."""

    number: int  # of the game
    block: int
    block_hash: str
    transaction: str
    index: int

    @property
    def kind(self) -> str:
        """The event's name in the contract."""
        return type(self).__name__

    @property
    def json_fields(self) -> dict[str, object]:
        """What only this kind of event has, as `watch --json` prints it."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class GameCreated(Log):
    player_x: str
    player_o: str

    @property
    def json_fields(self) -> dict[str, object]:
        return {"playerX": self.player_x, "playerO": self.player_o}


@dataclass(frozen=True, kw_only=True)
class MoveMade(Log):
    player: str
    move: int  # from 1
    cell: int

    @property
    def mark(self) -> str:
        return mark_of(self.move)

    @property
    def json_fields(self) -> dict[str, object]:
        row, col = divmod(self.cell, 3)
        return {"player": self.player, "mark": self.mark, "sequenceNumber": self.move, "row": row, "col": col}


@dataclass(frozen=True, kw_only=True)
class GameEnded(Log):
    winner: str  # the zero address for a draw
    status: str

    @property
    def json_fields(self) -> dict[str, object]:
        return {"winner": None if self.winner == ZERO_ADDRESS else self.winner, "status": self.status}


class LogReader:
    """Reads a table's logs. Nodes are not trusted: a log that does not belong in the answer is an error."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.node = table.node
        contract_events = [table.web3_contract.events[name]() for name in ("GameCreated", "MoveMade", "GameEnded")]
        self._decoders: dict[str, ContractEvent] = {event.topic: event for event in contract_events}

    def in_range(self, first: int, last: int) -> list[Log]:
        """The logs of these blocks, in order."""
        return self._read({"fromBlock": first, "toBlock": last}, lambda log: first <= log.block <= last)

    def in_block(self, block: Block) -> list[Log]:
        """The logs of this very block: after a reorg, there may be another one of its number."""
        if self.node.embedded:
            # The embedded chain has no query by hash, and never reorganises.
            return self.in_range(block.number, block.number)
        return self._read({"blockHash": block.hash}, lambda log: log.block_hash == block.hash)

    def _read(self, where: dict[str, object], asked_for: Callable[[Log], bool]) -> list[Log]:
        raw = self.node.logs(cast("FilterParams", {"address": self.table.address, **where}))

        def decode() -> list[Log]:
            logs = sorted((self._decode(log) for log in raw), key=lambda log: (log.block, log.index))
            for log in logs:
                if not asked_for(log):
                    raise errors.ContradictoryAnswer(f"an event of another block than asked for, {log.block}")
            for log, following in pairwise(logs):
                if (log.block, log.index) == (following.block, following.index):
                    raise errors.ContradictoryAnswer(f"the same event of block {log.block} twice")
            return logs

        return self.node.ask(decode)

    def _decode(self, raw: LogReceipt) -> Log:
        decoder = self._decoders.get(to_hex(raw["topics"][0]))
        if decoder is None:
            raise ValueError("an event that this contract does not have")
        if raw["address"] != self.table.address:
            raise errors.ContradictoryAnswer(f"an event of another contract, {raw['address']}")
        if raw.get("removed"):
            raise errors.ContradictoryAnswer(
                f"an event of block {raw['blockNumber']} that it marks as removed by a reorg"
            )
        # web3 reads missing data as zeros.
        if len(raw["data"]) != 32 * sum(not each["indexed"] for each in decoder.abi["inputs"]):
            raise ValueError("an event with missing or additional data")
        data = decoder.process_log(raw)
        arguments = cast("Arguments", data["args"])
        place: Place = {
            "number": arguments["gameId"],
            "block": to_number(raw["blockNumber"]),
            "block_hash": to_hex(raw["blockHash"]),
            "transaction": to_hex(raw["transactionHash"]),
            "index": to_number(raw["logIndex"]),
        }
        match data["event"]:
            case "GameCreated":
                return GameCreated(**place, player_x=arguments["playerX"], player_o=arguments["playerO"])
            case "MoveMade":
                move, row, col = arguments["sequenceNumber"], arguments["row"], arguments["col"]
                if not (1 <= move <= 9 and row <= 2 and col <= 2):
                    raise ValueError("a move that no board has")
                return MoveMade(**place, player=arguments["player"], move=move, cell=row * 3 + col)
            case _:
                if not 2 <= arguments["status"] < len(STATUSES):
                    raise ValueError("an end that no game has")
                return GameEnded(**place, winner=arguments["winner"], status=STATUSES[arguments["status"]])
