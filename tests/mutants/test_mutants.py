"""A fixed sample of the mutants in every run, and the page of the last whole run."""

from collections import Counter
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from scripts.mutants import cli
from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.mutate import Mutant, mutants
from tests.mutants.oracle import Compiled, compiled, fingerprint, judges_mark, verdict
from tests.mutants.report import CONTRACT, REPORT, Figures, Report, figures

SOURCE = CONTRACT.read_text()
MUTANTS = list(mutants(SOURCE))


@pytest.fixture(scope="module")
def contract() -> Compiled:
    found = compiled(SOURCE)
    assert found is not None
    return found


def with_change(was: str, becomes: str) -> str:
    assert SOURCE.count(was) == 1
    return SOURCE.replace(was, becomes)


# To keep a run short: `uv run ape run mutants` judges all of them.
@pytest.mark.parametrize("mutant", MUTANTS[::127], ids=str)
def test_mutant__of_the_sample__is_killed(
    contract: Compiled, mutant: Mutant, evidence: Callable[[int, str], None]
) -> None:
    told = verdict(contract, compiled(mutant.source))
    assert told != "survives" or mutant.key in EQUIVALENT
    if told not in ("does not compile", "same bytecode", "survives"):
        evidence(1, "mutants of a sample killed")


@pytest.mark.parametrize(
    ("was", "becomes", "told"),
    [
        pytest.param("# Looking for each move", "# Asking for each move", "same bytecode", id="a comment"),
        # Other bytes for the same rules and the same gas: nothing that the judge asks may depend on anything else.
        pytest.param("row < 3 and col < 3", "col < 3 and row < 3", "survives", id="an order without meaning"),
        pytest.param("if move > 4:", "if move > 3:", "its gas differs", id="a line looked for too early"),
        pytest.param("if move > 4:", "if move > 5:", "it breaks a rule", id="a line looked for too late"),
        pytest.param("@deploy\n", "@deploy\n@payable\n", "its ABI differs", id="a table that takes Ether"),
    ],
)
def test_judge__of_a_change__says_what_shows_it(contract: Compiled, was: str, becomes: str, told: str) -> None:
    """A judge that kills everything would pass the tests above."""
    assert verdict(contract, compiled(with_change(was, becomes))) == told


def test_mutants__by_part_and_lines__have_each_a_name_of_its_own() -> None:
    """So that what is said of one in `EQUIVALENT` excuses no other."""
    names = Counter(mutant.key for mutant in MUTANTS)
    assert max(names.values()) == 1
    assert set(EQUIVALENT) <= set(names)


def test_report__of_some_verdicts__counts_every_contract_once() -> None:
    report = Report("original", "judge")
    told = ["does not compile", "it breaks a rule", "it breaks a rule", "survives", "survives", "survives"]
    for mutant, outcome, mark in zip(MUTANTS, told, ["", "a", "a", "b", "b", "c"], strict=False):
        report.add(mutant, outcome, mark)
    assert report.survivors() == report.unexplained() == [MUTANTS[3], MUTANTS[5]]
    assert figures(report.page()) == Figures("original", "judge", changes=6, contracts=3, killed=1)
    assert report.page().count("not explained") == 2

    report.kill(MUTANTS[5], "tests/unit/test_one.py::test_it")
    assert report.survivors() == [MUTANTS[3]]
    assert figures(report.page()) == Figures("original", "judge", changes=6, contracts=3, killed=2)


@pytest.mark.parametrize("part", [["--every", "2"], ["--no-suite"]], ids=" ".join)
def test_page__of_less_than_a_whole_run__is_not_written(part: list[str]) -> None:
    before = REPORT.read_text()
    done = CliRunner().invoke(cli, [*part, "--write"])
    assert (done.exit_code, REPORT.read_text()) == (2, before)
    assert "Only a whole run is written down" in done.output


def test_page__of_the_last_whole_run__is_of_this_contract(
    contract: Compiled, evidence: Callable[[int, str], None]
) -> None:
    text = REPORT.read_text()
    page = figures(text)
    again = "`uv run ape run mutants --write` judges the contract as it is now, with the judge as it is now"
    assert page.original == fingerprint(contract), again
    assert page.judge == judges_mark(), again
    assert page.changes == len(MUTANTS), again
    assert "not explained" not in text
    assert page.contracts - page.killed == len(EQUIVALENT), again
    evidence(page.killed, f"of {page.contracts:,} mutants killed in the last whole run")
    evidence(len(EQUIVALENT), "explained")
