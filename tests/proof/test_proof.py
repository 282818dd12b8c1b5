"""Symbolic proofs of the deployed bytecode. What is proved stands in `Proof.sol`."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from vyper.compiler import compile_code

from tests.proof.halmos import PROVED, REFUTED, Verdict, checks, run_halmos, specifications
from tictactoe import deploy

CONTRACT = Path(__file__).parents[2] / "contracts" / "TicTacToe.vy"

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
                    runs[each] = pool.submit(run_halmos, creation_code, f"^{each}$")
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
    assert told.exitcode == PROVED, told.told
    assert told.paths > 0
    assert told.stuck == 0
    assert told.bounded_loops == 0
    evidence(1, "proofs")


@pytest.mark.parametrize(("contract", "name"), TWINS, ids=ids(TWINS))
def test_twin__with_one_lie_in_the_specification__is_refuted(
    verdict: Verdicts, contract: str, name: str, evidence: Callable[[int, str], None]
) -> None:
    told = verdict(contract, name)
    assert told.exitcode == REFUTED, told.told
    evidence(1, "lies refuted")


# A change for each kind of proof, in a part of the contract that the other proofs do not run.
BROKEN = {
    "check_move": ("assert row < 3 and", "assert row < 4 and"),
    "check_forfeit": ("status = O_FORFEITS", "status = X_FORFEITS"),
    "check_new_game": ("player.codesize == DELEGATION_SIZE and", "player.codesize >= DELEGATION_SIZE and"),
    "check_state_after_nine": ("Move(row=row, col=col,", "Move(row=col, col=row,"),
    "check_ether_for_forfeit": ("@external\ndef forfeit", "@external\n@payable\ndef forfeit"),
}


def test_proofs__of_a_broken_contract__are_refuted(evidence: Callable[[int, str], None]) -> None:
    """The proofs are of the bytes that they are given, and not of the specification alone."""
    source = CONTRACT.read_text()
    for sound, broken in BROKEN.values():
        assert source.count(sound) == 1
        source = source.replace(sound, broken)
    code = compile_code(source, output_formats=["bytecode"])["bytecode"]
    told = run_halmos(bytes.fromhex(code.removeprefix("0x")), ".", f"^({'|'.join(BROKEN)})[(]")
    assert {name: verdict.exitcode for name, verdict in told.items()} == dict.fromkeys(BROKEN, REFUTED)
    evidence(len(told), "proofs of a broken contract refuted")


def test_every_specification__is_refuted_with_a_lie_in_it() -> None:
    """What a proof hands its input to, a twin hands it to with a lie: nothing that is proved cannot fail."""
    by_proofs, by_twins = (
        {(contract, what) for contract, name in some for what in specifications(contract, name)}
        for some in (PROOFS, TWINS)
    )
    assert by_proofs == by_twins
    assert {contract for contract, _ in by_proofs} == {contract for contract, _ in PROOFS}
