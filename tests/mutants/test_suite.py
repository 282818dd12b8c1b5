"""The suite judges what the fast judge lets pass: it must be able to, and must find what is there to be found."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.mutants.oracle import compiled, verdict
from tests.mutants.report import CONTRACT
from tests.mutants.suite import failing_test

SOURCE = CONTRACT.read_text()
# Added to the digits below a line's last cell, it reaches no bit that is looked at: the same rules, at the same cost.
CHANGED = SOURCE.replace("(16**2 + 16**5 + 16**8)", "(17**2 + 16**5 + 16**8)")
# One file of the suite, to keep a run short.
CONSTANTS = "tests/unit/test_constants.py"


@pytest.fixture(scope="module")
def runs() -> Iterator[dict[str, Future[str]]]:
    """All at once, because each begins with some seconds of ape's own."""
    with ThreadPoolExecutor() as pool:
        yield {
            "itself": pool.submit(failing_test, SOURCE, (CONSTANTS,)),
            "changed": pool.submit(failing_test, CHANGED, (CONSTANTS,)),
            "no tests": pool.submit(failing_test, SOURCE, ("tests/unit/no_such_test.py",)),
        }


def test_suite__of_the_contract_itself__fails_nowhere(runs: dict[str, Future[str]]) -> None:
    assert runs["itself"].result() == ""


def test_suite__of_what_the_judge_lets_pass__names_the_test_that_fails(runs: dict[str, Future[str]]) -> None:
    assert verdict(compiled(SOURCE), compiled(CHANGED)) == "survives"
    assert runs["changed"].result() == f"{CONSTANTS}::test_line_ends__are_the_last_cells_of_the_lines"


def test_suite__that_cannot_run__is_no_verdict(runs: dict[str, Future[str]]) -> None:
    with pytest.raises(RuntimeError, match="no verdict"):
        runs["no tests"].result()
