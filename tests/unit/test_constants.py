"""The constants of the contract, derived a second time and in another way."""

import ast
import re
from collections.abc import Callable
from itertools import pairwise, product

import pytest

from tests.rules.layout import call
from tests.rules.model import LINES, Status
from tests.support.revm import RevmTable

WORD = 2**256


@pytest.fixture(scope="module")
def constants(contract_source: str) -> dict[str, int]:
    """The contract's constants by name. Python can evaluate them, because its arithmetic is Vyper's here."""
    found: dict[str, int] = {}
    for name, text in re.findall(
        r"^([A-Z_]+): constant\(\w+\) = (\(.*?^\)|.*?$)", contract_source, re.DOTALL | re.MULTILINE
    ):
        tree = ast.parse(text, mode="eval")
        found[name] = eval(compile(tree, name, "eval"), {"__builtins__": {}}, found)  # noqa: S307
    return found


def test_statuses__are_the_specifications(constants: dict[str, int]) -> None:
    names = ["IN_PROGRESS", "X_WON", "O_WON", "DRAW", "X_FORFEITS", "O_FORFEITS"]
    assert [constants[name] for name in names] == list(Status)[1:] == list(range(1, 7))


def test_fields__fill_the_word(constants: dict[str, int]) -> None:
    begins = [0, *(constants[f"{name}_AT"] for name in ("MOVE", "STATUS", "PLAYER_X", "NUMBER")), 256]
    digits = [9, 1, 1, 40, 13]  # cells, move, status, X's address, number, as drawn at the head of the contract
    assert [(end - begin) // 4 for begin, end in pairwise(begins)] == digits
    assert constants["DIGIT_MASK"] == 0xF
    assert constants["ADDRESS_MASK"] == int("f" * 40, 16)
    assert constants["STATUS_MASK"] == int("f" + "0" * sum(digits[:2]), 16)
    assert constants["BELOW_NUMBER_MASK"] == int("f" * sum(digits[:4]), 16)
    assert constants["PLAYING"] == int("1" + "0" * sum(digits[:2]), 16)
    assert constants["ONE_MOVE"] == constants["X_TO_MOVE"] == int("1" + "0" * digits[0], 16)
    assert int("1" * 9, 16) == constants["ODD"]


def test_two_shifts__find_the_cells_on_the_grid() -> None:
    """This is how the contract checks a row and a col."""
    on_grid = {(row, col) for row in range(256) for col in range(256) if 7 >> row & 7 >> col}
    assert on_grid == {(row, col) for row in range(3) for col in range(3)}


def test_one_addition__finds_the_marks_of_o(constants: dict[str, int]) -> None:
    """The even digits above zero. Only after O's moves: a digit 9, X's last move, would carry into the next cell."""
    for digits in product(range(9), repeat=3):
        word = sum(digit * 16**cell for cell, digit in enumerate(digits)) + (0x18 << constants["MOVE_AT"])
        marks = (word + 7 * constants["ODD"]) >> 3 & ~word & constants["ODD"]
        assert marks == sum(16**cell for cell, digit in enumerate(digits) if digit in (2, 4, 6, 8)), digits


def test_example_in_the_drawing__is_what_a_table_stores(
    new_table: Callable[[], RevmTable], contract_source: str
) -> None:
    """Plays the two moves of the example at the head of the contract and reads the slots."""
    drawing = contract_source.split('"""')[1]
    word = re.search(r"0x([0-9a-f]{64})$", drawing, re.MULTILINE)
    assert word
    digits = re.findall(r"^ {10}([0-9a-f]+)  +\S", drawing, re.MULTILINE)
    assert "".join(digits[-5:]) == word.group(1)

    table, player_x, player_o = new_table(), int(digits[-4], 16), 0xB0B
    table.send(player_o, call("newGame(address,address)", player_x, player_o))
    table.send(player_x, call("makeMove(uint8,uint8)", 1, 1))
    table.send(player_o, call("makeMove(uint8,uint8)", 0, 0))
    assert table.storage() == (int(word.group(1), 16), player_o)


def test_delegation__is_eip_7702s_designator(constants: dict[str, int]) -> None:
    assert constants["DELEGATION"] == 0xEF0100
    assert constants["DELEGATION_SIZE"] == len(bytes.fromhex("ef0100")) + 20


def test_line_ends__are_the_last_cells_of_the_lines(constants: dict[str, int]) -> None:
    """Each distance between the cells of a line has 16 digits of the product, and a line has its last cell's digit."""
    ends = [16 * (line[1] - line[0] - 1) + line[2] for line in LINES]
    assert all(first + third == 2 * second for first, second, third in LINES)
    assert constants["LINE_ENDS"] == sum(16**end for end in ends)


def test_one_multiplication__finds_every_line(
    constants: dict[str, int],
) -> None:
    """For all 512 sets of marks, the contract's formula agrees with a look at the board."""
    for chosen in range(512):
        cells = {cell for cell in range(9) if chosen >> cell & 1}
        marks = sum(16**cell for cell in cells)
        sums = marks * constants["LINE_SUMS"] % WORD
        found = (sums + constants["LINE_ENDS"]) % WORD & (4 * constants["LINE_ENDS"]) != 0
        assert found == any(cells.issuperset(line) for line in LINES)
