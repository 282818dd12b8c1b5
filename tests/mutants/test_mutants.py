"""A fixed sample of the mutants in every run, and the page of the last whole run."""

import re
from collections import Counter
from multiprocessing import get_context

from click.testing import CliRunner

from tests.mutants.__main__ import main
from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.judge import CONTRACT, Compiled, compiled, quick_verdict, warm_up, whole_verdict
from tests.mutants.mutate import mutants
from tests.mutants.report import REPORT, Report

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


def test_whole_verdict__names_the_test_that_fails() -> None:
    """That it is empty for the contract itself, a run checks before it believes any verdict."""
    changed = SOURCE.replace("(16**2 + 16**5 + 16**8)", "(17**2 + 16**5 + 16**8)")
    assert changed != SOURCE
    failure = whole_verdict(changed, ("tests/unit/test_constants.py",))
    assert failure.startswith("tests/unit/test_constants.py::test_line_ends__")


def test_mutants__have_unique_keys() -> None:
    """So that a reason in `EQUIVALENT` excuses one mutant only."""
    names = Counter(mutant.key for mutant in MUTANTS)
    assert max(names.values()) == 1
    assert set(EQUIVALENT) <= set(names)


def test_report__counts_every_contract_once() -> None:
    original, one, two, three = (Compiled(bytes([number]), "") for number in range(4))
    some = MUTANTS[:7]
    report = Report("original")
    different = report.sort_out(zip(some, [None, original, one, one, two, three, None], strict=True), original)
    assert different == [some[2], some[4], some[5]]
    assert report.judge(different, ["tests/a.py::test[one]", "", ""]) == [some[4], some[5]]
    assert report.judge([some[5]], ["tests/b.py::test"]) == [some[4]]
    assert report.unexplained() == [some[4]]
    page = report.page()
    assert "make 3 contracts that differ from the original (`original`)" in page
    assert "notice 2 of them. The other 1 keep" in page
    assert "All 7 changes" in page
    assert page.count("not explained") == 1


def test_page__is_written_by_a_whole_run_only() -> None:
    before = REPORT.read_text()
    done = CliRunner().invoke(main, ["--every", "2", "--write"])
    assert (done.exit_code, REPORT.read_text()) == (2, before)
    assert "Only a whole run is written" in done.output


def test_page__is_about_this_contract() -> None:
    again = "write it again: `uv run python -m tests.mutants --write`"
    page, contract, left = REPORT.read_text(), compiled(SOURCE), len(EQUIVALENT)
    rows = re.findall(r"^\| ([\d,]+) \| (.+) \|$", page, re.MULTILINE)
    outcomes = {what: int(number.replace(",", "")) for number, what in rows}
    killed = sum(number for what, number in outcomes.items() if what.startswith("a test in "))
    assert contract is not None
    assert f"make {killed + left:,} contracts that differ from the original (`{contract.mark}`)" in page, again
    assert f"notice {killed:,} of them. The other {left} keep" in page, again
    assert f"All {len(MUTANTS):,} changes" in page, again
    assert (sum(outcomes.values()), outcomes["keeps every rule"]) == (len(MUTANTS), left), again
    assert "not explained" not in page
