"""A table on a real node, played on directly: what the commands see happen without them."""

import time
from typing import Any

from eth_abi.abi import encode
from eth_utils.crypto import keccak

from tests.support.anvil import Anvil

ZERO = "0x" + "0" * 40


def calldata(signature: str, *values: object) -> str:
    kinds = signature[signature.index("(") + 1 : -1]
    return "0x" + (keccak(text=signature)[:4] + encode(kinds.split(",") if kinds else [], values)).hex()


class LocalTable:
    """A table of the project's contract; anvil's own accounts play at it. `move` mines a block of its own."""

    def __init__(self, anvil: Anvil, code: str) -> None:
        self.anvil = anvil
        self.people: list[str] = anvil.rpc("eth_accounts")
        self.x, self.o = self.people[:2]
        receipt = self.send(self.x, None, "0x" + code.removeprefix("0x"))
        self.address: str = receipt["contractAddress"]

    def send(self, sender: str, to: str | None, data: str, **more: str) -> Any:
        fields = {"from": sender, "data": data, "gas": hex(2_000_000 if to is None else 200_000)} | more
        if to is not None:
            fields["to"] = to
        hash_ = self.anvil.rpc("eth_sendTransaction", fields)
        return self.receipt(hash_)

    def receipt(self, hash_: str) -> Any:
        """Mined at once, but known a moment later."""
        deadline = time.monotonic() + 30
        while (receipt := self.anvil.rpc("eth_getTransactionReceipt", hash_)) is None:
            assert time.monotonic() < deadline, f"{hash_} is not mined"
            time.sleep(0.005)
        return receipt

    def new_game(self, x: str | None = None, o: str | None = None) -> None:
        x, o = x or self.x, o or self.o
        receipt = self.send(x, self.address, calldata("newGame(address,address)", x, o))
        assert receipt["status"] == "0x1"

    def move(self, *cells: int) -> None:
        """Cells 1 to 9, by whoever's turn it is at a game of our two."""
        for cell in cells:
            row, col = divmod(cell - 1, 3)
            sender = self.x if self.turn() == 1 else self.o
            receipt = self.send(sender, self.address, calldata("makeMove(uint8,uint8)", row, col))
            assert receipt["status"] == "0x1"

    def turn(self) -> int:
        answer = self.anvil.rpc("eth_call", {"to": self.address, "data": calldata("gameState()")}, "latest")
        # A tuple's offset, the number, two players and nine cells stand before the mark to move.
        return int(answer[2 + 64 * 13 : 2 + 64 * 14], 16)

    def logs(self) -> list[tuple[str, int]]:
        """Every log there is now, as (transaction, index): what a follower must have told, no more and no less."""
        found = self.anvil.rpc("eth_getLogs", {"address": self.address, "fromBlock": "0x0", "toBlock": "latest"})
        return [(log["transactionHash"], int(log["logIndex"], 16)) for log in found]
