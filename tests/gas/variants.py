"""What each choice of the contract is worth: the contract with that choice undone, by a small patch of its source."""

import re
from re import escape

from tests.gas.measure import CONTRACT, PLAIN
from tests.rules.model import LINES

REFUSE = """
@internal
@pure
def _refuse(reason: String[26]):
    raise reason
"""
REASON = r'self\._refuse\((".+")\)'
SUM_OF_THREE = escape("(unsafe_add(unsafe_mul(marks & ONES, LINE_SUMS), LINE_ENDS) & (4 * LINE_ENDS)) != 0")
EIGHT_MASKS = " or ".join(f"(marks & {mask}) == {mask}" for mask in (sum(16**cell for cell in line) for line in LINES))
OFF_GRID = escape("(convert(row > 2, uint256) | convert(col > 2, uint256)) != 0")


def patched(pattern, replacement, source=CONTRACT):
    source, found = re.subn(pattern, replacement, source)
    assert found, f"the source has changed: it has no {pattern}"
    return source


STRUCT = patched(r'assert (.+), (".+")', r"if not (\1):\n        self._refuse(\2)", PLAIN + REFUSE)

# What was chosen, what it replaces, and the contract with that instead.
CHOICES = [
    ("the game in one word of storage", "a struct in storage: the plain contract, with `_refuse`", STRUCT),
    ("reasons by `_refuse`", "`raise` with the reason, wherever there is one", patched(REASON, r"raise \1")),
    ("reasons at all", "`raise` without a reason", patched(REASON, "raise")),
    ("all lines in one multiplication", "eight masks, joined with `or`", patched(SUM_OF_THREE, EIGHT_MASKS)),
    ("`row > 2` and `col > 2`, joined with `\\|`", "joined with `or`", patched(OFF_GRID, "row > 2 or col > 2")),
    ("the same", "`((7 >> row) & (7 >> col)) == 0`", patched(OFF_GRID, "((7 >> row) & (7 >> col)) == 0")),
    ("`gameId` may be left out", "it must be given, and may be 0", patched("gameId: uint256 = 0", "gameId: uint256")),
]
