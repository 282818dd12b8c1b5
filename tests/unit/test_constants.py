"""Every constant of the contract that can be derived, derived again, by another way than the contract's."""

import ast
import re
from itertools import pairwise
from typing import Any

import pytest

from tests.rules.model import LINES, Status

WORD = 2**256


@pytest.fixture(scope="module")
def constants(project: Any) -> dict[str, int]:
    """The contract's constants by name. Vyper's arithmetic is Python's here, so Python can evaluate the source."""
    source = (project.path / "contracts" / "TicTacToe.vy").read_text()
    found: dict[str, int] = {}
    for name, text in re.findall(r"^([A-Z_]+): constant\(\w+\) = (\(.*?^\)|.*?$)", source, re.DOTALL | re.MULTILINE):
        tree = ast.parse(text, mode="eval")
        found[name] = eval(compile(tree, name, "eval"), {"__builtins__": {}}, found)  # noqa: S307
    return found


def test_statuses__are_the_specifications(constants: dict[str, int]) -> None:
    names = ["NO_GAME", "IN_PROGRESS", "X_WON", "O_WON", "DRAW", "X_FORFEITS", "O_FORFEITS"]
    assert [constants[name] for name in names] == list(Status) == list(range(7))


def test_fields__follow_each_other_and_fill_the_word(constants: dict[str, int]) -> None:
    begins = [0, constants["CELLS"], constants["MOVES"], constants["STATUS"], constants["NUMBER"], 256]
    digits = [40, 9, 1, 1, 13]  # address, cells, moves, status, number, as drawn at the head of the contract
    assert [(end - begin) // 4 for begin, end in pairwise(begins)] == digits
    assert constants["ADDRESS"] == int("f" * 40, 16)
    assert constants["BELOW_NUMBER"] == int("f" * sum(digits[:4]), 16)
    assert constants["DIGIT"] == 0xF
    assert int("1" * 9, 16) == constants["ODD"]


def test_delegation__is_eip_7702s_designator(constants: dict[str, int]) -> None:
    assert constants["DELEGATION"] == 0xEF0100
    assert constants["DELEGATION_SIZE"] == len(bytes.fromhex("ef0100")) + 20


def test_line_ends__are_the_last_cells_of_the_lines(constants: dict[str, int]) -> None:
    """Each line has its digit: its last cell's, in the stretch of 16 digits that belongs to its distance."""
    stretch = {1: 0, 2: 1, 3: 2, 4: 3}
    ends = [16 * stretch[line[1] - line[0]] + line[2] for line in LINES]
    assert all(first + third == 2 * second for first, second, third in LINES)
    assert constants["LINE_ENDS"] == sum(16**end for end in ends)


def test_line_sums__by_one_multiplication__find_a_line_in_exactly_the_marks_that_have_one(
    constants: dict[str, int],
) -> None:
    """All 512 sets of marks, as the contract computes it and as a person looks at it."""
    for chosen in range(512):
        cells = {cell for cell in range(9) if chosen >> cell & 1}
        marks = sum(16**cell for cell in cells)
        sums = marks * constants["LINE_SUMS"] % WORD
        found = (sums + constants["LINE_ENDS"]) % WORD & (4 * constants["LINE_ENDS"]) != 0
        assert found == any(cells.issuperset(line) for line in LINES)
