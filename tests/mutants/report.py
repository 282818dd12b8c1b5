"""What a run over the mutants came to: a summary, and the page that is checked in."""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.mutate import Mutant

ROOT = Path(__file__).parent.parent.parent
CONTRACT = ROOT / "contracts" / "TicTacToe.vy"
REPORT = ROOT / "docs" / "mutants.md"

NO_CONTRACTS = ("does not compile", "same bytecode")


@dataclass
class Report:
    """Verdicts on mutants, each different contract counted once."""

    original: str
    judge: str
    verdicts: Counter[str] = field(default_factory=Counter)
    twice: int = 0
    left: dict[str, Mutant] = field(default_factory=dict)  # what survives, by the mark of its bytes
    seen: set[str] = field(default_factory=set)

    def add(self, mutant: Mutant, verdict: str, mark: str) -> None:
        if verdict not in NO_CONTRACTS and mark in self.seen:
            self.twice += 1
        elif verdict == "survives":
            self.left[mark] = mutant
        else:
            self.verdicts[verdict] += 1
        self.seen.add(mark)

    def kill(self, mutant: Mutant, test: str) -> None:
        self.left = {mark: survivor for mark, survivor in self.left.items() if survivor != mutant}
        self.verdicts[f"`{test}` fails"] += 1

    def survivors(self) -> list[Mutant]:
        return list(self.left.values())

    def unexplained(self) -> list[Mutant]:
        return [mutant for mutant in self.survivors() if mutant.key not in EQUIVALENT]

    @property
    def killed(self) -> int:
        return sum(number for verdict, number in self.verdicts.items() if verdict not in NO_CONTRACTS)

    @property
    def contracts(self) -> int:
        return self.killed + len(self.left)

    def outcomes(self) -> list[tuple[int, str]]:
        """What became of every change."""
        return [
            *((number, verdict) for verdict, number in self.verdicts.most_common()),
            (self.twice, "the same contract as another mutant"),
            (len(self.left), "keeps every rule"),
        ]

    def summary(self) -> str:
        return "\n".join(
            [
                *(f"{number:>6,}  {what}" for number, what in self.outcomes()),
                *(f"{mutant}: {EQUIVALENT.get(mutant.key, 'NOT EXPLAINED')}" for mutant in self.survivors()),
                f"{self.killed:,} of {self.contracts:,} different contracts killed",
            ]
        )

    def page(self) -> str:
        """The page in `docs/`. Its figures are read again by a test."""
        changes = sum(number for number, _ in self.outcomes())
        lines = [
            "# Mutants",
            "",
            "Written by `uv run ape run mutants --write`. It makes every change that",
            "[`mutate.py`](../tests/mutants/mutate.py) knows, compiles it, and asks its bytes what the tests of the",
            "contract ask ([`oracle.py`](../tests/mutants/oracle.py)). What this lets pass is given to `tests/unit`",
            "and `tests/exhaustive` themselves. `tests/mutants` fails when this page is of another contract or judge.",
            "",
            f"Of {self.contracts:,} contracts that differ from the original (`{self.original}`) by one small change,",
            f"the judge (`{self.judge}`), or else the tests themselves, kill {self.killed:,}.",
            f"The other {len(self.left)} keep every rule:",
            "",
            "| where | what stands there | what it becomes | why nothing can show it |",
            "| --- | --- | --- | --- |",
        ]
        alike: dict[tuple[str, ...], list[str]] = {}
        for mutant in self.survivors():
            where, why = f"`{mutant.part}`, line {mutant.line}", EQUIVALENT.get(mutant.key, "**not explained**")
            alike.setdefault((where, code(mutant.was), why), []).append(code(mutant.becomes))
        lines += [row(where, was, "<br>".join(becomes), why) for (where, was, why), becomes in alike.items()]
        lines += ["", f"All {changes:,} changes:", "", "| changes | what became of them |", "| --: | --- |"]
        lines += [row(f"{number:,}", what) for number, what in self.outcomes()]
        return "\n".join([*lines, ""])


def row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def code(lines: str) -> str:
    return "<br>".join(f"`{line.strip()}`" for line in lines.split("\n"))


@dataclass(frozen=True)
class Figures:
    """What the page says: of which contract and judge it is, and how many changes, contracts and kills it counts."""

    original: str
    judge: str
    changes: int
    contracts: int
    killed: int


def figures(page: str) -> Figures:
    pattern = r"Of ([\d,]+) contracts .*?\(`(\w+)`\).*?\(`(\w+)`\).*?kill ([\d,]+)\..*?All ([\d,]+) changes"
    found = re.search(pattern, page, re.DOTALL)
    assert found is not None, "docs/mutants.md is not as `ape run mutants --write` writes it"
    contracts, original, judge, killed, changes = found.groups()
    return Figures(original, judge, *(int(number.replace(",", "")) for number in (changes, contracts, killed)))
