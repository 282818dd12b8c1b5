"""What each choice of the contract is worth: the contract with that choice undone, by a small patch of its source."""

import re
from re import escape
from typing import NamedTuple

from tests.gas.measure import CONTRACT, PLAIN
from tests.rules.model import LINES

REASON = r'self\._refuse\((".+")\)'
SUM_OF_THREE = "(unsafe_add(unsafe_mul(marks & ONES, LINE_SUMS), LINE_ENDS) & (4 * LINE_ENDS)) != 0"
EIGHT_MASKS = " or ".join(f"(marks & {mask}) == {mask}" for mask in (sum(16**cell for cell in line) for line in LINES))
OFF_GRID = "(convert(row > 2, uint256) | convert(col > 2, uint256)) != 0"
REFUSE = """
@internal
@pure
def _refuse(reason: String[26]):
    raise reason
"""


class Choice(NamedTuple):
    name: str
    instead: str
    source: str
    pattern: str
    replacement: str

    def undone(self) -> str:
        """The source without this choice."""
        patched, found = re.subn(self.pattern, self.replacement, self.source)
        if not found:
            raise ValueError(f"the source has changed: it has no {self.pattern}")
        return patched


CHOICES = [
    Choice(
        "the game in one word of storage",
        "a struct in storage: the plain contract, with `_refuse`",
        PLAIN + REFUSE,
        r'assert (.+), (".+")',
        r"if not (\1):\n        self._refuse(\2)",
    ),
    Choice("reasons by `_refuse`", "`raise` with the reason, wherever there is one", CONTRACT, REASON, r"raise \1"),
    Choice("reasons at all", "`raise` without a reason", CONTRACT, REASON, "raise"),
    Choice(
        "all lines in one multiplication",
        "eight masks, joined with `or`",
        CONTRACT,
        escape(SUM_OF_THREE),
        EIGHT_MASKS,
    ),
    Choice(
        "`row > 2` and `col > 2`, joined with `\\|`",
        "joined with `or`",
        CONTRACT,
        escape(OFF_GRID),
        "row > 2 or col > 2",
    ),
    Choice(
        "the same",
        "`((7 >> row) & (7 >> col)) == 0`",
        CONTRACT,
        escape(OFF_GRID),
        "((7 >> row) & (7 >> col)) == 0",
    ),
    Choice(
        "`gameId` may be left out", "it must be given, and may be 0", CONTRACT, "gameId: uint256 = 0", "gameId: uint256"
    ),
]
