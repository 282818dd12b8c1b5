"""Small changes to the contract's source, of the kinds that a person makes by mistake."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# What can stand in a thing's place. Each row is a family: every member may become every other one.
FAMILIES = (
    ("==", "!=", "<", ">", "<=", ">="),
    (" and ", " or "),
    (" & ", " | ", " ^ "),
    ("<<", ">>"),
    (" + ", " - ", " * "),
    ("unsafe_add", "unsafe_sub", "unsafe_mul"),
    ("NO_GAME", "IN_PROGRESS", "X_WON", "O_WON", "DRAW", "X_FORFEITED", "O_FORFEITED"),
    ("CELLS", "MOVES", "STATUS", "NUMBER"),
    ("DIGIT", "ADDRESS", "BELOW_NUMBER", "ODD", "LINE_SUMS", "LINE_ENDS"),
    ("msg.sender", "tx.origin"),
    ("playerX", "playerO", "msg.sender"),
    ("self.playerO", "empty(address)", "msg.sender"),
    ("row", "col"),
    ("|=", "="),
    ("range(3)", "range(2)"),
    ("range(1, 10)", "range(1, 9)", "range(2, 10)"),
    ("codesize", "balance"),
    ("uint8", "uint256", "uint16"),
    ("indexed(address)", "address"),
    ("indexed(uint256)", "uint256"),
)
STATEMENT = re.compile(
    r"^ {4,}(assert|log|self\.|word|marks|cells|status|winner|player|move|history|board|currentPlayer)\b"
)
TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Mutant:
    """One change: where, what it is, and the whole source with it."""

    line: int
    change: str
    source: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.change}"


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant once, in the order of the lines. Most compile; the compiler judges that."""
    lines = source.split("\n")
    seen = {source}

    def mutant(at: int, changed: list[str], change: str) -> Iterator[Mutant]:
        text = "\n".join(changed)
        if text not in seen:
            seen.add(text)
            yield Mutant(at + 1, change, text)

    for at in code_lines(lines):
        line = lines[at]
        for new, change in [*replaced(line), *counted(line), *reworded(line), *negated(line), *swapped(line)]:
            yield from mutant(at, [*lines[:at], new, *lines[at + 1 :]], change)
        for changed, change in [*deleted(lines, at), *reordered(lines, at)]:
            yield from mutant(at, changed, change)


def code_lines(lines: list[str]) -> Iterator[int]:
    """Lines of code alone: not comments, not documentation, not pragmas."""
    in_text = False
    for at, line in enumerate(lines):
        if line.strip() == '"""':
            in_text = not in_text
        elif not in_text and line.strip() and not line.lstrip().startswith("#"):
            yield at


def code_of(line: str) -> str:
    """A line up to its comment, its texts blanked, so that nothing in them is taken for code."""
    return re.sub(r'"[^"]*"', lambda text: "~" * len(text[0]), line).split("  #")[0]


def occurrences(line: str, word: str) -> Iterator[int]:
    pattern = re.escape(word)
    if word[0].isalpha():
        pattern = rf"(?<![\w.]){pattern}"
    if word[-1].isalnum():
        pattern = rf"{pattern}\b"
    if word == "=":
        pattern = r"(?<= )=(?= )"
    if word in "<>":
        pattern = rf"(?<= ){pattern}(?= )"
    for found in re.finditer(pattern, code_of(line)):
        yield found.start()


def replaced(line: str) -> Iterator[tuple[str, str]]:
    for family in FAMILIES:
        for old in family:
            for start in occurrences(line, old):
                for new in family:
                    if new != old:
                        yield line[:start] + new + line[start + len(old) :], f"`{old.strip()}` becomes `{new.strip()}`"


def counted(line: str) -> Iterator[tuple[str, str]]:
    """Every number one more, one less, and nothing; a negation or a call dropped."""
    for found in re.finditer(r"(?<![\w.])(\d+)\b", code_of(line)):
        value = int(found[1])
        for new in sorted({value + 1, max(value - 1, 0), 0} - {value}):
            yield line[: found.start()] + str(new) + line[found.end() :], f"`{value}` becomes `{new}`"
    for found in re.finditer(r"0x[0-9a-f]+", code_of(line)):
        for other in ("0xef0101", "0xef0000", "0x000000"):
            yield line[: found.start()] + other + line[found.end() :], f"`{found[0]}` becomes `{other}`"
    for start in occurrences(line, "~"):
        yield line[:start] + line[start + 1 :], "`~` goes"


def reworded(line: str) -> Iterator[tuple[str, str]]:
    for found in re.finditer(r'"([^"]+)"', line.split("  #")[0]):
        for new in (found[1] + ".", found[1][:-1], found[1].capitalize(), "not your turn"):
            yield line[: found.start(1)] + new + line[found.end(1) :], f"the reason becomes {new!r}"


def negated(line: str) -> Iterator[tuple[str, str]]:
    found = re.match(r"( +)(if|elif|assert) (.*?)(:|, \"[^\"]*\")$", line)
    if found:
        for new in (f"not ({found[3]})", "True", "False"):
            yield f"{found[1]}{found[2]} {new}{found[4]}", f"the condition becomes `{new}`"


def swapped(line: str) -> Iterator[tuple[str, str]]:
    """Two values of one event, struct or call changed over: `a=x, b=y` becomes `a=y, b=x`."""
    pairs = list(re.finditer(r"(\w+)=((?:[^,()]|\([^()]*\))+)", line))
    for i, one in enumerate(pairs):
        for two in pairs[i + 1 :]:
            new = line[: one.start(2)] + two[2] + line[one.end(2) : two.start(2)] + one[2] + line[two.end(2) :]
            yield new, f"`{one[2]}` and `{two[2]}` change places"
    for one in pairs:
        if "log " in line:
            yield (
                line[: one.start(2)]
                + f"empty({'address' if one[1] in ('player', 'winner') else 'uint256'})"
                + line[one.end(2) :],
                f"`{one[1]}` is empty",
            )
            yield line[: one.start(2)] + "0" + line[one.end(2) :], f"`{one[1]}` is 0"


def deleted(lines: list[str], at: int) -> Iterator[tuple[list[str], str]]:
    """A statement of one line gone; a decorator gone or another in its place."""
    line = lines[at]
    if STATEMENT.match(line) and not line.endswith(("(", ":")):
        indent = line[: len(line) - len(line.lstrip())]
        yield [*lines[:at], f"{indent}pass", *lines[at + 1 :]], f"`{line.strip()}` goes"
    if line == "@external":
        yield [*lines[:at], "@external", "@payable", *lines[at + 1 :]], "the function takes Ether"
        yield [*lines[:at], "@internal", *lines[at + 1 :]], "the function is internal"
    if line == "@view":
        yield [*lines[:at], *lines[at + 1 :]], "the function is no view"


def reordered(lines: list[str], at: int) -> Iterator[tuple[list[str], str]]:
    """A statement or a field after the one that follows it."""
    if at + 1 >= len(lines):
        return
    one, two = lines[at], lines[at + 1]
    same_depth = len(one) - len(one.lstrip()) == len(two) - len(two.lstrip()) > 0
    whole = all(('"' in line or not line.endswith((":", "(", ")", "["))) and line.strip() for line in (one, two))
    field = all(re.match(r" {4}\w+: [\w()\[\], 3]+$", line) for line in (one, two))
    if same_depth and (field or whole) and not two.lstrip().startswith("#"):
        yield [*lines[:at], two, one, *lines[at + 2 :]], f"`{one.strip()}` after `{two.strip()}`"
