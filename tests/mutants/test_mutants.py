"""The tests notice every small change of the contract that breaks a rule: a sample in each run, all with `--whole`."""

import json
import os
import re
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from multiprocessing import get_context
from tempfile import NamedTemporaryFile

import pytest

from tests.rules.positions import reachable
from tests.support.compiler import compiled
from tests.support.plugin import CONTRACT

SOURCE = CONTRACT.read_text()

# Without `--whole`, one change in this many.
EVERY = 223

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
    def _refuse(reason: String[27]):
the check that comes later refuses for the same reason, or undoes what came before
    self._check_person(playerO)
    if (word & X_TO_MOVE) == 0:
"""

# Every word of a row may become every other one.
ROWS = """
    == != < <= > >=
    and or
    & |
    << >>
    + - * // %
    ** *
    >>= <<= =
    |= &= =
    IN_PROGRESS X_WON O_WON DRAW X_FORFEITS O_FORFEITS
    NEXT_AT STATUS_AT PLAYER_X_AT NUMBER_AT
    DIGIT_MASK STATUS_MASK ADDRESS_MASK BELOW_NUMBER_MASK
    PLAYING X_TO_MOVE ONE_MOVE STATUS_MASK ONES LINE_SUMS LINE_ENDS
    word moveNumber nextMove place cell cells marks status gameId
    row col
    playerX playerO self.playerO msg.sender empty(address)
    player.codesize player.balance msg.sender.codesize
    unsafe_add unsafe_sub unsafe_mul
    uint8 uint16 uint256
    external internal
    0xef0100 0xef0101 0xef0000 0x000000
"""
# A name, a number or an operator. Not a name that is being declared, nor the name of a keyword argument.
WORD = r"(?:empty\(address\)|(?<![\w.])[\w.]+)(?!: |=|[\w.])|(?<=\s)[^\w\s\"(\[]+(?=\s)|\*\*"

BRACKETS = r"\([^()]*\)"
for _ in range(4):
    BRACKETS = rf"\((?:[^()]|{BRACKETS})*\)"
OPERAND = rf"(?:~?\w[\w.*]*(?:{BRACKETS})?|{BRACKETS})"
OPERATOR = r"(?:[=!<>]=|<<|>>|//|[<>&|^+*%-]|and|or)"
VALUE = rf"(?:[^(),\n]|{BRACKETS})+"
# A statement at the indentation `in`, with the lines below that are part of it.
STATEMENT = r"(?! |elif|else|\))\S.*\n(?:(?P=in)(?: |elif|else|\)).*\n)*"
CHECK = rf"(?=if |self\._check){STATEMENT}"

# What each match may become.
PATTERNS = {
    # one operand alone; a sum that is not checked; no complement
    rf"(?<![\w.~)*])({OPERAND}) {OPERATOR} ({OPERAND})": (r"\1", r"\2"),
    rf"(?<![\w.~)*])({OPERAND}) \+ ({OPERAND})": (r"unsafe_add(\1, \2)",),
    r"~": ("",),
    # one of two values; two arguments change places; an empty argument; another reason
    rf"(?<=, )({VALUE}) if (.+?) else ({VALUE})": (r"\1", r"\3", r"\3 if \2 else \1"),
    rf"(?<!unsafe_add\()(?<!unsafe_mul\()(?<=[(,])( ?)({VALUE}), ({VALUE})(?=[,)])": (r"\1\3, \2",),
    rf"(?<==)({VALUE})(,\s+\w+=)({VALUE})(?=[,)])": (r"\3\2\1",),
    rf"(?<=\w=)({VALUE})(?=[,)])": ("0", "empty(address)"),
    r'"(.)(.+)(.)"': ('""', r'"\1\2"', r'"\2\3"', r'"\1\2\3."', '"not your turn"'),
    # another condition, or one of two
    r"(?<=if )(.+)(?=:\n)": (r"not (\1)", "True", "False"),
    r"(?<=if )(.+) or (.+)(?=:\n)": (r"\1", r"\2"),
    # a statement is missing; a check comes after the next one
    rf"^(?P<in> +){STATEMENT}": ("\\1pass\n",),
    rf"^((?P<in> +){CHECK})((?:(?P=in){STATEMENT})*?(?P=in){CHECK})": (r"\3\1",),
    # another interface: what takes Ether, what only reads, the storage, the fields of events and structs
    r"^@(external|deploy)\n": ("@\\1\n@payable\n",),
    r"^@(view|pure)\n": ("",),
    r"^@deploy\n.+\n.+\n": ("",),
    r"^(game: .+\n)(playerO: .+\n)": (r"\2\1",),
    r"^(game|playerO): (\w+)": (r"\1: public(\2)",),
    r"^    (\w+): ([^=\n]+)\n": ("    \\1s: \\2\n", "    \\1: indexed(\\2)\n"),
    r"indexed\((\w+)\)": (r"\1",),
}


def without_comments(source):
    """The pragmas, and the contract without comments, docstrings and empty lines."""
    head, code = source.split("# -- events", 1)
    code = re.sub(r'(?<=\n) *"""[\s\S]*?"""\n| *#.*', "", "#" + code)
    return head, re.sub(r"\n\s*\n", "\n", code)


def mutants(source):
    """Every changed source once. Some do not compile."""
    head, code = without_comments(source)
    changed = (head + code[:start] + new + code[end:] for start, end, new in edits(code) if new != code[start:end])
    return list(dict.fromkeys(changed))


def edits(code):
    for word in re.finditer(WORD, code):
        others = {other for row in ROWS.splitlines() if word[0] in row.split() for other in row.split()}
        if word[0].isdigit():
            others = {str(number) for number in (int(word[0]) + 1, abs(int(word[0]) - 1), 0, 1)}
        for other in sorted(others - {word[0]}):
            yield *word.span(), other
    for pattern, templates in PATTERNS.items():
        regex, start = re.compile(pattern, re.MULTILINE), 0
        while match := regex.search(code, start):
            start = match.start() + 1  # matches may overlap
            for template in templates:
                yield *match.span(), match.expand(template)


def first_new_line(changed):
    before = "".join(without_comments(SOURCE)).splitlines()
    return next(new.strip() for old, new in zip(before, changed.splitlines(), strict=False) if old != new)


def contract(source):
    """Sources with the same code and interface are the same contract."""
    outputs = compiled(source)
    return json.dumps([outputs["bytecode"], outputs["abi"]])


def judge(source):
    """The contract, and the file of the first test that fails with it. For a process that ends afterwards."""
    try:
        made = contract(source)
    except Exception:  # noqa: BLE001
        return None, ""  # Some crash the compiler with errors that are not its own.
    if made == contract(SOURCE):
        return made, ""
    with NamedTemporaryFile("w", suffix=".vy") as file:
        file.write(source)
        file.flush()
        return made, first_failure("--contract", file.name)


def first_failure(*options):
    """Runs the tests in this process, without Ape. The file of the one that failed, if one did."""
    with redirect_stdout(StringIO()) as output, redirect_stderr(output):
        quick = ("-n0", "-x", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", "-p", "no:ape_test")
        ended = pytest.main([*quick, *TESTS, *options])
    failed = re.search(r"^(?:FAILED|ERROR) (.*?)::", output.getvalue(), re.MULTILINE)
    assert (ended, bool(failed)) in ((0, False), (1, True)), f"no verdict:\n{output.getvalue()[-4000:]}"
    return failed[1] if failed else ""


def test_every_small_change__is_noticed(whole, printer):
    changes = mutants(SOURCE)
    sources = changes[:: 1 if whole else EVERY]
    progress = printer.progress("changes of the contract", len(sources))
    # Import and compute what the processes share that are forked from this one.
    first_failure("--collect-only")
    original, _ = contract(SOURCE), reachable()

    invalid, same, first = 0, 0, {}
    with get_context("fork").Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        for done, (made, failed) in enumerate(pool.imap(judge, sources), 1):
            invalid += made is None
            same += made == original
            if made not in (None, original):
                first.setdefault(made, (sources[done - 1], failed))
            progress(done)
    printer.line(
        f"{len(sources):,} of {len(changes):,} changes of the contract (all with --whole): {invalid:,} do not compile, "
        f"{same:,} make the same code, the others {len(first):,} different contracts"
    )
    printer.counts("noticed first by", Counter(failed or "no test" for _, failed in first.values()))
    survivors = Counter(first_new_line(source) for source, failed in first.values() if not failed)
    explained = Counter(re.findall(r"^ +(.+)", SURVIVORS, re.MULTILINE))
    assert not survivors - explained
    assert not whole or survivors == explained
