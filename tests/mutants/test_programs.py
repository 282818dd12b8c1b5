"""The figures about the library's mutants are those of the stored verdicts, and these are about this library."""

from pathlib import Path

import pytest

from tests.mutants.programs.reasons import REASONS
from tests.mutants.programs.record import (
    MODULES,
    NOT_JUDGED,
    NOTICED,
    PAGE,
    ROOT,
    UNNOTICED,
    Part,
    counts,
    digests,
    load,
    page,
    survivors,
)

AGAIN = "judge them: `uv run --with mutmut==3.8.1 python -m tests.mutants.programs`"


def test_page__is_counted_from_the_verdicts() -> None:
    assert PAGE.read_text() == page(load()), AGAIN


@pytest.mark.parametrize("module", MODULES)
def test_verdicts__are_about_this_code(module: str) -> None:
    """A small edit is no reason to judge everything again, but a tenth of the changes is."""
    source = Path(ROOT, "tictactoe", *module.split(".")).with_suffix(".py").read_text()
    now, parts = digests(source), load().get(module, {})
    old = sum(len(part.verdicts) for name, part in parts.items() if now.get(name) != part.digest)
    assert old <= counts(parts).total() / 10, AGAIN


def test_reasons__are_for_changes_that_are_not_noticed() -> None:
    left = {
        (where, change.split(": ", 1)[1]) for name, parts in load().items() for where, change in survivors(name, parts)
    }
    assert set(REASONS) <= left


def test_page__counts_every_verdict_once() -> None:
    verdicts = {"1: a": NOTICED, "2: b": UNNOTICED, "3: c": "endless", "4: d": NOT_JUDGED}
    text = page({"game": {"Game.turn": Part("mark", verdicts)}})
    assert "| `game` | 4 | 2 | 1 | 1 |" in text
    assert "| all | 4 | 2 | 1 | 1 |" in text
    assert "| `game.Game.turn` | `2: b` | no test yet |" in text


def test_marks__are_of_what_the_code_does() -> None:
    before = digests("A = 1\n\n\nclass B:\n    def c(self):\n        return 1\n\n    x = 2\n")
    comment = digests(
        "A = 1  # one\n\n\nclass B:\n    # two\n    def c(self):\n        'three'\n        return 1\n\n    x = 2\n"
    )
    method = digests("A = 1\n\n\nclass B:\n    def c(self):\n        return 2\n\n    x = 2\n")
    assert before == comment
    assert {name for name in before if before[name] != method[name]} == {"B.c"}
