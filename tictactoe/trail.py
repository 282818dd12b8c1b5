"""The blocks that have been read lately, by their hashes: how a reorg is noticed, and how far back it goes."""

from __future__ import annotations

from collections.abc import Callable

from tictactoe.node import Block

# Accept a lower head only after this many polls in a row.
POLLS = 3


class Lateness:
    """Tells a node that is late from a reorg: behind a load balancer, one node may not know the newest blocks yet."""

    def __init__(self) -> None:
        self._lower = 0  # polls in a row

    def is_late(self, head: int, newest: int) -> bool:
        """Whether to ignore this head. Call it once for each poll."""
        self._lower = self._lower + 1 if head < newest else 0
        return 0 < self._lower < POLLS


class Trail:
    """The numbers and hashes of blocks, in ascending order and with gaps."""

    def __init__(self) -> None:
        self._hashes: dict[int, str] = {}

    def __bool__(self) -> bool:
        return bool(self._hashes)

    @property
    def newest(self) -> int:
        return next(reversed(self._hashes), -1)

    def ends_with(self, block: Block) -> bool:
        return self.newest == block.number and self._hashes[block.number] == block.hash

    def continues_with(self, block: Block) -> bool:
        """Whether the block is the next one, on the same branch."""
        return block.number == self.newest + 1 and self.has(self.newest, block.parent)

    def has(self, number: int, block_hash: str) -> bool:
        """False only if another block of this number has been read."""
        return self._hashes.get(number, block_hash) == block_hash

    def fork(self, head: Block, hash_of: Callable[[int], str]) -> int | None:
        """The newest block that is still in the chain that ends with `head`."""
        for number in reversed(self._hashes):
            if number <= head.number:
                found = head.hash if number == head.number else hash_of(number)
                if found == self._hashes[number]:
                    return number
        return None

    def add(self, number: int, block_hash: str) -> None:
        self._hashes[number] = block_hash

    def cut(self, last: int) -> None:
        """Forget the blocks above `last`."""
        self._hashes = {number: each for number, each in self._hashes.items() if number <= last}

    def forget_below(self, floor: int) -> int | None:
        """Forget all but the newest block at or below the floor; returns that block, if there is one."""
        below = [number for number in self._hashes if number <= floor]
        for number in below[:-1]:
            del self._hashes[number]
        return below[-1] if below else None
