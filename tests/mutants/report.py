"""What a run over the mutants came to: a summary, and the page that is checked in."""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.mutants.mutate import Mutant

ROOT = Path(__file__).parent.parent.parent
CONTRACT = ROOT / "contracts" / "TicTacToe.vy"
REPORT = ROOT / "docs" / "mutants.md"

# Mutants that no test can tell from the contract, because no transaction can. By what the line says and what changed.
EQUIVALENT: dict[tuple[str, str], str] = {}


@dataclass
class Report:
    """Verdicts on mutants, each different contract counted once."""

    original: str
    every: int = 1  # which of the mutants were judged: all, or every n-th
    verdicts: Counter[str] = field(default_factory=Counter)
    twice: int = 0
    left: dict[str, list[Mutant]] = field(default_factory=dict)  # by the mark of their bytes
    seen: set[str] = field(default_factory=set)

    def add(self, mutant: Mutant, verdict: str, mark: str) -> None:
        if verdict in ("does not compile", "same bytecode"):
            self.verdicts[verdict] += 1
            return
        if verdict == "survives":
            self.left.setdefault(mark, []).append(mutant)
        if mark in self.seen:
            self.twice += 1
            return
        self.seen.add(mark)
        if verdict != "survives":
            self.verdicts[verdict] += 1

    def survivors(self) -> list[Mutant]:
        return [mutants[0] for mutants in self.left.values()]

    def kill(self, mutant: Mutant, test: str) -> None:
        self.left = {mark: mutants for mark, mutants in self.left.items() if mutants[0] != mutant}
        self.verdicts[f"`{test.split('::')[0]}` fails"] += 1

    @property
    def killed(self) -> int:
        return sum(n for verdict, n in self.verdicts.items() if verdict not in ("does not compile", "same bytecode"))

    def explained(self) -> list[tuple[Mutant, str]]:
        return [(mutant, why) for mutant in self.survivors() if (why := EQUIVALENT.get(key(mutant)))]

    def unexplained(self) -> list[Mutant]:
        return [mutant for mutant in self.survivors() if key(mutant) not in EQUIVALENT]

    def summary(self) -> str:
        lines = [f"{number:>6,}  {verdict}" for verdict, number in self.verdicts.most_common()]
        lines.append(f"{self.twice:>6,}  are the same contract as another mutant")
        lines += [f"equivalent: {mutant}: {why}" for mutant, why in self.explained()]
        lines += [f"SURVIVES: {mutant} [{key(mutant)[0]}]" for mutant in self.unexplained()]
        lines.append(f"{self.killed:,} of {self.killed + len(self.left):,} different contracts killed")
        return "\n".join(lines)

    def page(self) -> str:
        """The page in `docs/`. Its first figures are read again by a test."""
        out = [
            "# Mutants",
            "",
            "Written by `uv run ape run mutants --write`; `tests/mutants` fails when it is of another contract.",
            "",
            *(
                [f"This run judged every {self.every}th mutant, beginning with the first.", ""]
                if self.every > 1
                else []
            ),
            f"Of {self.killed + len(self.left)} contracts that differ from the original (`{self.original}`) by one small",
            f"change, the tests kill {self.killed}. The other {len(self.left)} behave like it in every transaction:",
            "",
            "| line | the change | why nothing can show it |",
            "| --- | --- | --- |",
        ]
        cell = lambda text: text.replace("|", "\\|")  # noqa: E731
        for mutant in self.survivors():
            line, change = key(mutant)
            out.append(f"| `{cell(line)}` | {cell(change)} | {EQUIVALENT.get((line, change), '**not explained**')} |")
        out += ["", "| changes | what became of them |", "| --: | --- |"]
        out += [f"| {number} | {verdict} |" for verdict, number in self.verdicts.most_common()]
        out += [f"| {self.twice} | are the same contract as another mutant |", ""]
        return "\n".join(out)


def key(mutant: Mutant) -> tuple[str, str]:
    """A mutant by the line it changes, as the contract has it, and the change."""
    return CONTRACT.read_text().split("\n")[mutant.line - 1].strip(), mutant.change


def figures() -> tuple[str, int, int]:
    """What the page says: of which contract, how many mutants, how many killed."""
    text = REPORT.read_text()
    found = re.search(r"Of (\d+) contracts .*?\(`(\w+)`\).*?kill (\d+)\.", text, re.DOTALL)
    assert found is not None, "docs/mutants.md does not begin as `ape run mutants --write` writes it"
    return found[2], int(found[1]), int(found[3])
