"""Symbolic proofs of the deployed bytecode. What is proved stands in `Proof.sol`."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from scripts.deploy import deploy
from tests.proof.halmos import PROVED, REFUTED, Verdict, checks, run_halmos

CHECKS = checks()
PROOFS = [check for check in CHECKS if not check[1].startswith("check_twin_")]
TWINS = [check for check in CHECKS if check[1].startswith("check_twin_")]

Verdicts = Callable[[str, str], Verdict]


@pytest.fixture(scope="module")
def verdict(creation_code: bytes) -> Iterator[Verdicts]:
    """Runs halmos once for each contract in `Proof.sol`, two at a time, and tells what became of a function in it."""
    pool = ThreadPoolExecutor(max_workers=2)
    runs: dict[str, Future[dict[str, Verdict]]] = {}

    def verdict(contract: str, name: str) -> Verdict:
        if not runs:
            for each, _ in CHECKS:
                if each not in runs:
                    runs[each] = pool.submit(run_halmos, each, creation_code)
        return runs[contract].result()[name]

    yield verdict
    pool.shutdown(cancel_futures=True)


def ids(checks: list[tuple[str, str]]) -> list[str]:
    return [f"{contract}.{name.removeprefix('check_').removeprefix('twin_')}" for contract, name in checks]


def test_proved_bytes__are_those_that_deploy_sends(creation_code: bytes, deployer: Any, chain: Any) -> None:
    table = deploy(deployer)
    assert bytes(chain.blocks[-1].transactions[0].data) == creation_code
    assert bytes(chain.provider.get_code(table.address)) in creation_code


@pytest.mark.parametrize(("contract", "name"), PROOFS, ids=ids(PROOFS))
def test_proof__of_every_input__holds(
    verdict: Verdicts, contract: str, name: str, evidence: Callable[[int, str], None]
) -> None:
    told = verdict(contract, name)
    assert told.exitcode == PROVED
    assert told.paths > 0
    assert told.stuck == 0
    assert told.bounded_loops == 0
    evidence(1, "proofs")


@pytest.mark.parametrize(("contract", "name"), TWINS, ids=ids(TWINS))
def test_twin__with_one_lie_in_the_specification__is_refuted(
    verdict: Verdicts, contract: str, name: str, evidence: Callable[[int, str], None]
) -> None:
    assert verdict(contract, name).exitcode == REFUTED
    evidence(1, "lies refuted")


def test_every_proof__has_a_twin() -> None:
    assert {contract for contract, _ in PROOFS} == {contract for contract, _ in TWINS}
    assert len(TWINS) > len(PROOFS)
