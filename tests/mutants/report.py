"""What a run over the mutants came to."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.judge import Compiled
from tests.mutants.mutate import Mutant


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
