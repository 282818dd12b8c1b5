"""A fixed sample of the mutants in every run."""

from collections import Counter
from multiprocessing import get_context

from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.judge import CONTRACT, Compiled, compiled, quick_verdict, warm_up
from tests.mutants.mutate import mutants

SOURCE = CONTRACT.read_text()
MUTANTS = list(mutants(SOURCE))

# To keep a run short: `uv run python -m tests.mutants` judges all of them.
EVERY = 251


def test_sample__is_noticed() -> None:
    """Each contract is judged in a process of its own, forked from this one."""
    sample = [mutant for mutant in MUTANTS[::EVERY] if mutant.key not in EQUIVALENT]
    warm_up()
    with get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        original, *contracts = pool.map(compiled, [SOURCE, *(mutant.source for mutant in sample)])
        different = [mutant for mutant, contract in zip(sample, contracts, strict=True) if new(contract, original)]
        assert len(different) > 5
        failures = pool.map(quick_verdict, [mutant.source for mutant in different])
    unnoticed = [str(mutant) for mutant, failure in zip(different, failures, strict=True) if not failure]
    assert not unnoticed


def new(contract: Compiled | None, original: Compiled | None) -> bool:
    return contract is not None and contract != original


def test_mutants__have_unique_keys() -> None:
    """So that a reason in `EQUIVALENT` excuses one mutant only."""
    names = Counter(mutant.key for mutant in MUTANTS)
    assert max(names.values()) == 1
    assert set(EQUIVALENT) <= set(names)
