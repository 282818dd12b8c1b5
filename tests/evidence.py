"""What a run showed, as the table that the README prints: one row for each folder of tests.

What a row says comes from three places and none of it is typed twice: the sentence is the head of the folder's
`__init__.py`, the counts are the tests that passed and whatever they counted (`evidence(5478, "positions")`), and the
time is the run's own. `ape test --write-evidence` writes the table into the README; a run without it compares.
"""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

TESTS = Path(__file__).parent
README = TESTS.parent / "README.md"
BETWEEN = re.compile(r"(?<=<!-- evidence -->\n).*?(?=<!-- /evidence -->)", re.DOTALL)


@dataclass
class Row:
    """What one folder showed in this run."""

    folder: str
    passed: int = 0
    seconds: float = 0
    counts: dict[str, int] = field(default_factory=dict)
    files: set[Path] = field(default_factory=set)
    whole: bool = True  # every test of the folder was asked for, and passed

    @property
    def shows(self) -> str:
        try:
            text = ast.get_docstring(ast.parse((TESTS / self.folder / "__init__.py").read_text())) or ""
        except FileNotFoundError:
            text = ""
        return " ".join(text.split("\n\n")[0].split()).rstrip(".")

    @property
    def count(self) -> str:
        counted = [f"{number:,} {unit}" for unit, number in self.counts.items()]
        return ", ".join([f"{self.passed:,} test{'s' if self.passed != 1 else ''}", *counted])

    def __str__(self) -> str:
        return (
            f"| [`tests/{self.folder}`](tests/{self.folder}) | {self.shows} | {self.count} | {self.seconds:.0f} s |\n"
        )


class Evidence:
    """Listens to a session and keeps its rows, in the order in which the folders ran."""

    def __init__(self, config: pytest.Config) -> None:
        self.rows: dict[str, Row] = {}
        self.partial = any("::" in arg for arg in config.args)
        self.rewrites = bool(config.getoption("--write-evidence"))

    def row(self, nodeid: str) -> Row | None:
        """The row of a test, by its id; a test that lies in no folder of its own has none."""
        parts = Path(nodeid.split("::")[0]).parts
        if len(parts) < 3 or parts[0] != TESTS.name:
            return None
        row = self.rows.setdefault(parts[1], Row(parts[1]))
        row.files.add(TESTS.parent.joinpath(*parts))
        return row

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        for item in items:
            if row := self.row(item.nodeid):
                row.whole = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if row := self.row(report.nodeid):
            row.seconds += report.duration
            row.whole &= report.passed
            if report.when == "call" and report.passed:
                row.passed += 1
                for name, (unit, number) in cast("list[tuple[str, tuple[str, int]]]", report.user_properties):
                    if name == "evidence":
                        row.counts[unit] = row.counts.get(unit, 0) + number

    def whole_rows(self) -> list[Row]:
        """The rows of which this run ran everything that is on disk."""
        return [
            row
            for row in self.rows.values()
            if row.whole and not self.partial and row.files == set((TESTS / row.folder).rglob("test_*.py"))
        ]

    def differences(self) -> list[str]:
        """Where the README's table differs from this run. Times are no promise and are not compared."""
        if self.rewrites:
            return []
        written = readme_rows()
        told = []
        for row in self.whole_rows():
            name, shows, count, _ = str(row).strip("| \n").split(" | ")
            if written.get(name, (None, None))[:2] != (shows, count):
                told.append(f"{name}: this run shows {shows!r} by {count!r}; the README says {written.get(name)}")
        return [*told, *(f"{name}: there are no such tests" for name in written if not on_disk(name))]

    def write(self) -> None:
        text = README.read_text()
        if not BETWEEN.search(text):
            raise ValueError("README.md has no place for the table, `<!-- evidence -->` and `<!-- /evidence -->`")
        kept = {name: f"| {name} | {' | '.join(rest)} |\n" for name, rest in readme_rows().items() if on_disk(name)}
        for row in self.whole_rows():
            kept[str(row).strip("| \n").split(" | ")[0]] = str(row)
        head = "| kind | what it shows | count | time |\n| --- | --- | --: | --: |\n"
        README.write_text(BETWEEN.sub(lambda _: head + "".join(kept.values()), text))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.rows:
            return
        terminalreporter.section("evidence")
        for row in self.rows.values():
            terminalreporter.write_line(f"{row.folder:<10} {row.seconds:>5.0f} s  {row.count}")


def readme_rows() -> dict[str, tuple[str, ...]]:
    """The rows that stand in the README: what each kind shows, its count and its time."""
    found = BETWEEN.search(README.read_text())
    lines = found.group().splitlines()[2:] if found else []
    rows = [line.strip("| ").split(" | ") for line in lines]
    return {name: tuple(rest) for name, *rest in rows}


def on_disk(name: str) -> bool:
    """Whether there are tests in the folder that a row is about."""
    return any((TESTS.parent / name.split("`")[1]).rglob("test_*.py"))


SESSION = pytest.StashKey[Evidence]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-evidence", action="store_true", help="write this run's counts into the README's table")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SESSION] = Evidence(config)
    config.pluginmanager.register(config.stash[SESSION], "tictactoe-evidence")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The test of the table itself can only come after everything that the table speaks of.
    items.sort(key=lambda item: "session_evidence" in getattr(item, "fixturenames", ()))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    # A run that was interrupted has not shown what it would have.
    ran_through = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    if session.config.stash[SESSION].rewrites and ran_through:
        session.config.stash[SESSION].write()


@pytest.fixture
def evidence(request: pytest.FixtureRequest) -> Callable[[int, str], None]:
    """Count something for the README's table: `evidence(5478, "positions")`. It counts only if the test then passes."""

    def count(number: int, unit: str) -> None:
        request.node.user_properties.append(("evidence", (unit, number)))

    return count


@pytest.fixture
def session_evidence(request: pytest.FixtureRequest) -> Evidence:
    """Everything that this session has shown so far."""
    return request.config.stash[SESSION]
