"""What a run over the mutants came to: a summary, and the page that is checked in."""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.mutants.mutate import Mutant

ROOT = Path(__file__).parent.parent.parent
CONTRACT = ROOT / "contracts" / "TicTacToe.vy"
REPORT = ROOT / "docs" / "mutants.md"

# Mutants that no rule can tell from the contract, by what the changed line says.
CARRY = "a row's sum has its last cell's digit; what is added to the digits before it reaches no bit that is looked at"
DISJOINT = "the two have no bit in common, so `|`, `^` and a sum are the same"
EARLY = "before the fifth move nobody has three marks: judged or not, no line is found; only gas changes"
PARITY = "only whether it is odd is used, and that stays"
EQUIVALENT = {
    "(17**2 + 16**5 + 16**8) + 2**64 * 16**6 + 2**128 * (16**6 + 16**7 + 16**8) + 2**192 * 16**8": CARRY,
    "self.game = word | (IN_PROGRESS << STATUS) ^ convert(playerX, uint256)": DISJOINT,
    "word = unsafe_add(word ^ (move << cell), 1 << MOVES)": DISJOINT,
    "log MoveMade(gameId=word >> NUMBER, player=tx.origin, sequenceNumber=convert(move, uint8), row=row, col=col)": (
        "they were asserted to be the same account"
    ),
    "if move != 4:": EARLY,
    "if move > 0:": EARLY,
    "if True:": EARLY,
    "move: uint256 = (word >> MOVES) & ADDRESS": PARITY,
    "move = unsafe_sub(move, 1)": PARITY,
}


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
        lines += [f"SURVIVES: {mutant} [{key(mutant)}]" for mutant in self.unexplained()]
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
            f"Of {self.killed + len(self.left)} contracts that differ from the original (`{self.original}`) by one",
            f"small change, the tests kill {self.killed}. The other {len(self.left)} keep every rule:",
            "",
            "| line | the change | why nothing can show it |",
            "| --- | --- | --- |",
        ]
        cell = lambda text: text.replace("|", "\\|")  # noqa: E731
        for mutant in self.survivors():
            why = EQUIVALENT.get(key(mutant), "**not explained**")
            out.append(f"| {mutant.line} | {cell(mutant.change)}: `{cell(key(mutant))}` | {cell(why)} |")
        out += ["", "| changes | what became of them |", "| --: | --- |"]
        out += [f"| {number} | {verdict} |" for verdict, number in self.verdicts.most_common()]
        out += [f"| {self.twice} | are the same contract as another mutant |", ""]
        return "\n".join(out)


def key(mutant: Mutant) -> str:
    """A mutant by its changed line."""
    return mutant.source.split("\n")[mutant.line - 1].strip()


def figures() -> tuple[str, int, int]:
    """What the page says: of which contract, how many mutants, how many killed."""
    text = REPORT.read_text()
    found = re.search(r"Of (\d+) contracts .*?\(`(\w+)`\).*?kill (\d+)\.", text, re.DOTALL)
    assert found is not None, "docs/mutants.md does not begin as `ape run mutants --write` writes it"
    return found[2], int(found[1]), int(found[3])
