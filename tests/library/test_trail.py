"""The blocks that were read: what belongs to them, where the chain forked, and when a node is only late."""

import pytest

from tictactoe.node import Block
from tictactoe.trail import Lateness, Trail


def block(number: int, block_hash: str = "", parent: str = "") -> Block:
    return Block(number, block_hash or f"h{number}", parent or f"h{number - 1}", 0, None)


@pytest.fixture
def trail() -> Trail:
    """Blocks 3, 4 and 7."""
    trail = Trail()
    for number in (3, 4, 7):
        trail.add(number, f"h{number}")
    return trail


def test_empty_trail__has_no_blocks() -> None:
    trail = Trail()
    assert not trail
    assert trail.newest == -1
    assert trail.has(0, "anything")
    assert trail.fork(block(5), lambda _: "h") is None
    assert trail.forget_below(9) is None
    assert not trail.ends_with(block(5))


def test_trail__knows_its_blocks(trail: Trail) -> None:
    assert trail
    assert trail.newest == 7
    assert [trail.has(7, "h7"), trail.has(7, "other"), trail.has(5, "other")] == [True, False, True]
    assert [trail.ends_with(each) for each in (block(7), block(7, "other"), block(4))] == [True, False, False]


@pytest.mark.parametrize(
    ("head", "continues"),
    [(block(8), True), (block(8, parent="other"), False), (block(9, parent="h7"), False), (block(7), False)],
)
def test_next_block__continues_the_trail(trail: Trail, head: Block, continues: bool) -> None:
    assert trail.continues_with(head) == continues


@pytest.mark.parametrize(
    ("head", "hashes", "fork", "asked"),
    [
        (block(9), {7: "h7"}, 7, [7]),
        (block(9), {7: "x", 4: "h4"}, 4, [7, 4]),
        (block(9), {7: "x", 4: "x", 3: "h3"}, 3, [7, 4, 3]),
        (block(9), {7: "x", 4: "x", 3: "x"}, None, [7, 4, 3]),
        (block(7), {}, 7, []),
        (block(7, "x"), {4: "h4"}, 4, [4]),
        (block(5), {4: "h4"}, 4, [4]),
        (block(2), {}, None, []),
    ],
)
def test_fork__is_the_newest_block_in_both_branches(
    trail: Trail, head: Block, hashes: dict[int, str], fork: int | None, asked: list[int]
) -> None:
    """The head's hash is known already, and higher blocks are not asked for."""
    numbers: list[int] = []

    def hash_of(number: int) -> str:
        numbers.append(number)
        return hashes[number]

    assert trail.fork(head, hash_of) == fork
    assert numbers == asked


@pytest.mark.parametrize(("last", "newest"), [(7, 7), (6, 4), (4, 4), (3, 3), (2, -1)])
def test_cut__forgets_what_is_above(trail: Trail, last: int, newest: int) -> None:
    trail.cut(last)
    assert trail.newest == newest
    assert trail.has(3, "other") == (newest < 3)


@pytest.mark.parametrize(
    ("floor", "oldest", "kept"), [(2, None, {3, 4, 7}), (3, 3, {3, 4, 7}), (5, 4, {4, 7}), (7, 7, {7}), (9, 7, {7})]
)
def test_forget_below__keeps_one_block_at_or_below_the_floor(
    trail: Trail, floor: int, oldest: int | None, kept: set[int]
) -> None:
    assert trail.forget_below(floor) == oldest
    assert {number for number in (3, 4, 7) if not trail.has(number, "other")} == kept


def test_lower_head__is_late_twice_in_a_row() -> None:
    lateness = Lateness()
    heads = [9, 9, 9, 9, 10, 9, 9, 11, 9, 10, 9, 9, 9]
    late = [True, True, False, False, False, True, True, False, True, False, True, True, False]
    assert [lateness.is_late(head, 10) for head in heads] == late
