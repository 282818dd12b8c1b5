"""A fixed sample of the mutants in every run, and the page of the last whole run."""

from collections.abc import Callable

import pytest

from tests.mutants.mutate import Mutant, mutants
from tests.mutants.oracle import compiled, fingerprint, verdict
from tests.mutants.report import CONTRACT, EQUIVALENT, REPORT, figures, key

# Of some 1,750 changes, to keep a run short. `uv run ape run mutants` judges all of them.
SAMPLE = list(mutants(CONTRACT.read_text()))[::113]


@pytest.mark.parametrize("mutant", SAMPLE, ids=str)
def test_mutant__of_the_sample__is_killed(mutant: Mutant, evidence: Callable[[int, str], None]) -> None:
    told = verdict(compiled(CONTRACT.read_text()), compiled(mutant.source))
    assert told != "survives" or key(mutant) in EQUIVALENT
    if told not in ("does not compile", "same bytecode", "survives"):
        evidence(1, "killed")


def test_judge__of_the_contract_itself__has_nothing_to_say() -> None:
    """A judge that kills everything would pass the tests above."""
    source = CONTRACT.read_text()
    contract = compiled(source)
    only_a_comment = source.replace("# Looking for each move", "# Asking for each move")
    assert only_a_comment != source
    assert verdict(contract, compiled(only_a_comment)) == "same bytecode"
    assert contract is not None
    # Other bytes for the same rules: nothing that the judge asks may depend on anything else.
    same_rules = source.replace("assert row < 3 and col < 3,", "assert col < 3 and row < 3,")
    assert same_rules != source
    assert verdict(contract, compiled(same_rules)) == "survives"


def test_page__of_the_last_run__is_of_this_contract(evidence: Callable[[int, str], None]) -> None:
    contract = compiled(CONTRACT.read_text())
    assert contract is not None
    of, mutants_judged, killed = figures()
    assert of == fingerprint(contract), "`uv run ape run mutants --write` judges the contract as it is now"
    assert "not explained" not in REPORT.read_text()
    assert killed + len(EQUIVALENT) >= mutants_judged
    evidence(killed, "killed in the last long run")
