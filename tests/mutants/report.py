"""What a run over the mutants came to: a summary, and the page that is checked in."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.judge import ROOT, Compiled
from tests.mutants.mutate import Mutant

REPORT = ROOT / "docs" / "mutants.md"

PAGE = """# Mutants

Written by `uv run python -m tests.mutants --write`. It makes every change that
[`mutate.py`](../tests/mutants/mutate.py) knows, compiles it, and runs the tests of the contract on it, up to the first
that fails ([`judge.py`](../tests/mutants/judge.py)). `tests/mutants` fails when this page is about another contract.

The changes make {contracts:,} contracts that differ from the original (`{original}`) and from each other.
The tests notice {killed:,} of them. The other {left} keep every rule:

| where | original | mutant | why no test can notice it |
| --- | --- | --- | --- |
{survivors}

All {changes:,} changes:

| changes | outcome |
| --: | --- |
{outcomes}
"""


@dataclass
class Report:
    """The outcome of every change. Of mutants with equal bytes and ABI, only the first counts as a contract."""

    original: str
    outcomes: Counter[str] = field(default_factory=Counter)
    left: list[Mutant] = field(default_factory=list)

    def sort_out(self, changes: Iterable[tuple[Mutant, Compiled | None]], original: Compiled) -> list[Mutant]:
        """Counts the changes that make no new contract, and returns the mutants that do."""
        seen: set[str] = set()
        for mutant, contract in changes:
            if contract is None:
                self.outcomes["does not compile"] += 1
            elif contract == original:
                self.outcomes["same bytecode"] += 1
            elif contract.mark in seen:
                self.outcomes["the same contract as another mutant"] += 1
            else:
                seen.add(contract.mark)
                self.left.append(mutant)
        return list(self.left)

    def judge(self, asked: list[Mutant], failures: list[str]) -> list[Mutant]:
        """Records the first failing test of each mutant that was tested, and returns the mutants that are left."""
        for mutant, failure in zip(asked, failures, strict=True):
            if failure:
                self.left.remove(mutant)
                self.outcomes[f"a test in `{failure.split('::')[0]}` fails"] += 1
        return list(self.left)

    def unexplained(self) -> list[Mutant]:
        return [mutant for mutant in self.left if mutant.key not in EQUIVALENT]

    @property
    def killed(self) -> int:
        return sum(number for what, number in self.outcomes.items() if what.startswith("a test in "))

    @property
    def contracts(self) -> int:
        return self.killed + len(self.left)

    def counts(self) -> list[tuple[str, int]]:
        return [*self.outcomes.most_common(), ("keeps every rule", len(self.left))]

    def summary(self) -> str:
        return "\n".join(
            [
                *(f"{number:>6,}  {what}" for what, number in self.counts()),
                *(f"{mutant}: {EQUIVALENT.get(mutant.key, 'not explained')}" for mutant in self.left),
                f"{self.killed:,} of {self.contracts:,} different contracts noticed",
            ]
        )

    def page(self) -> str:
        """The page in `docs/`, whose figures a test checks."""
        alike: dict[tuple[str, str, str], list[str]] = {}
        for mutant in self.left:
            where, why = f"`{mutant.part}`, line {mutant.line}", EQUIVALENT.get(mutant.key, "**not explained**")
            alike.setdefault((where, code(mutant.was), why), []).append(code(mutant.becomes))
        return PAGE.format(
            contracts=self.contracts,
            original=self.original,
            killed=self.killed,
            left=len(self.left),
            survivors="\n".join(row(*key[:2], "<br>".join(becomes), key[2]) for key, becomes in alike.items()),
            changes=sum(number for _, number in self.counts()),
            outcomes="\n".join(row(f"{number:,}", what) for what, number in self.counts()),
        )


def row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def code(lines: str) -> str:
    return "<br>".join(f"`{line.strip()}`" for line in lines.split("\n"))
