"""The tests notice every small change of the contract that breaks a rule: a sample in each run, all with `--whole`."""

import os
import re
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from multiprocessing import get_context
from tempfile import NamedTemporaryFile

import pytest
from vyper import ast as vy
from vyper.ast.parse import parse_to_ast

from tests.rules.positions import reachable
from tests.support.compiler import compiled
from tests.support.plugin import CONTRACT

SOURCE = CONTRACT.read_text()

# What judges a change: all that needs only the contract's source. The quickest first: most changes are noticed in the
# first second. The gas of fixed games notices changes that follow the rules at another price.
TESTS = (
    "tests/unit/test_interface.py::test_interface__is_the_specification",
    "tests/unit/test_interface.py::test_storage__is_two_slots",
    "tests/exhaustive/test_codes.py",
    "tests/exhaustive/test_positions.py",
    "tests/exhaustive/test_limits.py",
    "tests/exhaustive/test_calldata.py",
    "tests/gas/test_gas.py::test_tables__have_the_measured_figures",
)

# The first new line of each change that no test can notice, below the reason why.
SURVIVORS = """
`marks` has the value of `word` here: a draw comes with X's move
    marks = (unsafe_add(marks, 7 * ONES) >> 3) & ~word
    marks = (unsafe_add(word, 7 * ONES) >> 3) & ~marks
    self._end(marks, DRAW, empty(address))
6 differs from 7 only for odd digits, and `& ~word` removes those
    marks = (unsafe_add(word, 6 * ONES) >> 3) & ~word
it also looks at the last digits of the product, which are too small to reach the bits
    (17**2 + 16**5 + 16**8) + 2**64 * 16**6 + 2**128 * (16**6 + 16**7 + 16**8) + 2**192 * 16**8
there is no tenth move, no reason of 27 characters, and no word of 0 after the first game
    if moveNumber >= 9:
    for moveNumber: uint8 in range(1, 11):
    if word != 0:
    def _refuse(reason: String[27]):  # the length of the longest reason
"""

# Each word or operator of a row may become every other one.
ROWS = """
    == != < <= > >=
    and or
    & |
    << >>
    + - * // %
    ** *
    IN_PROGRESS X_WON O_WON DRAW X_FORFEITS O_FORFEITS
    NEXT_AT STATUS_AT PLAYER_X_AT NUMBER_AT
    DIGIT_MASK STATUS_MASK ADDRESS_MASK BELOW_NUMBER_MASK
    PLAYING X_TO_MOVE ONE_MOVE STATUS_MASK ONES LINE_SUMS LINE_ENDS
    word moveNumber nextMove place cell cells marks status gameId
    row col
    playerX playerO self.playerO msg.sender
    player.codesize player.balance msg.sender.codesize
    unsafe_add unsafe_sub unsafe_mul
    view pure nonpayable payable
    0xef0100 0xef0101 0xef0000 0x000000
"""


def mutants():
    """Every changed source once. Some do not compile."""
    changed = [
        SOURCE[: start(node)] + new + SOURCE[end(node) :]
        for node in parse_to_ast(SOURCE).get_descendants()
        for new in alternatives(node)
    ]
    return [source for source in dict.fromkeys(changed) if source != SOURCE]


def start(node):
    return int(node.src.split(":")[0])


def end(node):
    return start(node) + int(node.src.split(":")[1])


def text(node):
    return SOURCE[start(node) : end(node)]


def others(word):
    return sorted({other for row in ROWS.splitlines() if word in row.split() for other in row.split()} - {word})


def alternatives(node):
    """What may stand in the source instead of a node."""
    match node:
        case vy.Int(value=number):
            yield from map(str, (number + 1, abs(number - 1), 0, 1))
        case vy.Str(value=words):
            yield from (f'"{words[1:]}"', f'"{words}."', '"not your turn"')
        case vy.Name() | vy.Attribute() | vy.Hex():
            yield from others(text(node))
        case vy.BinOp(left=left, right=right) | vy.Compare(left=left, right=right) | vy.BoolOp(values=[left, right]):
            # One operand alone, or another operator.
            yield from (text(left), text(right))
            between = SOURCE[end(left) : start(right)]
            operator = between.strip("() \n")
            for new in (between.replace(operator, other) for other in others(operator)):
                yield SOURCE[start(node) : end(left)] + new + SOURCE[start(right) : end(node)]
        case vy.If(test=test):
            before, after = SOURCE[start(node) : start(test)], SOURCE[end(test) : end(node)]
            yield from (before + new + after for new in (f"not ({text(test)})", "True", "False"))
    if isinstance(node, (vy.Assign, vy.AugAssign, vy.Expr, vy.If, vy.Log, vy.Return)):
        yield "pass"


def first_new_line(changed):
    pairs = zip(SOURCE.splitlines(), changed.splitlines(), strict=False)
    return next(new.strip() for old, new in pairs if old != new)


def verdict(source):
    """What notices the change first. For a process that ends afterwards."""
    try:
        if compiled(source) == compiled(SOURCE):
            return "nothing: the same code"
    except Exception:  # noqa: BLE001 - for some changes the compiler raises errors that are not its own
        return "the compiler"
    with NamedTemporaryFile("w", suffix=".vy") as file:
        file.write(source)
        file.flush()
        return first_failure("--contract", file.name)


def first_failure(*options):
    """Runs the tests in this process, without Ape. The file of the one that failed, if one did."""
    with redirect_stdout(StringIO()) as output, redirect_stderr(output):
        quick = ("-n0", "-x", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", "-p", "no:ape_test")
        ended = pytest.main([*quick, *TESTS, *options])
    failed = re.search(r"^(?:FAILED|ERROR) (.*?)::", output.getvalue(), re.MULTILINE)
    assert (ended, bool(failed)) in ((0, False), (1, True)), f"no verdict:\n{output.getvalue()[-4000:]}"
    return failed[1] if failed else "no test"


def test_every_small_change__is_noticed(whole, print_counts):
    changes = mutants()
    sources = changes[:: 1 if whole else 200]
    # Import, compile and compute what the processes share that are forked from this one.
    first_failure("--collect-only")
    compiled(SOURCE)
    reachable()

    tally, survivors = Counter(), Counter()
    with get_context("fork").Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        for source, noticed_by in zip(sources, pool.imap(verdict, sources), strict=True):
            tally[noticed_by] += 1
            survivors[first_new_line(source)] += noticed_by == "no test"
    print_counts(f"{len(sources):,} of {len(changes):,} changes (all with --whole), noticed first by", tally)
    explained = Counter(re.findall(r"^ +(.+)", SURVIVORS, re.MULTILINE))
    assert +survivors == explained if whole else +survivors <= explained
