"""Symbolic proofs of the deployed bytecode. `Proof.sol` has the claims and says what they assume."""

import pytest

from tests.proof.halmos import PROVED, REFUTED, claims, run_halmos
from tests.rules import layout
from tests.rules.model import Model
from tests.support.compiler import creation_code as compiled

CLAIMS = list(claims())
PROOFS = [(contract, proof) for contract, proofs, _ in CLAIMS for proof in proofs]
LIES = [(contract, lie) for contract, _, lies in CLAIMS for lie in lies]

# A mistake in each function of the contract that a proof is about.
MISTAKES = {
    "player.codesize != DELEGATION_SIZE or": "player.codesize < DELEGATION_SIZE or",
    "convert(row > 2, uint256)": "convert(row > 3, uint256)",
    "self._end(word, O_FORFEITS,": "self._end(word, X_FORFEITS,",
}


@pytest.fixture(scope="module")
def halmos(creation_code, contract_source):
    """What halmos found of every proof and its twins, and of the proofs of a broken contract."""
    broken = contract_source
    for right, wrong in MISTAKES.items():
        assert broken.count(right) == 1
        broken = broken.replace(right, wrong)
    return run_halmos(creation_code, compiled(broken))


def test_deployment__leaves_empty_storage(new_table):
    assert new_table().storage() == layout.storage(Model()) == (0, 0)


@pytest.mark.parametrize(("contract", "proof"), PROOFS)
def test_proof__holds(halmos, contract, proof):
    results, output = halmos
    result = results[f"{contract}Twins", proof]
    assert result["exitcode"] == PROVED, output
    _, succeeded, stuck = result["num_paths"]
    assert succeeded > 0
    assert stuck == 0
    assert result["num_bounded_loops"] == 0


@pytest.mark.parametrize(("contract", "lie"), LIES)
def test_lie__is_refuted(halmos, contract, lie):
    results, output = halmos
    assert results[f"{contract}Twins", f"check_twin_{lie.lower()}"]["exitcode"] == REFUTED, output


@pytest.mark.parametrize(("contract", "proof"), PROOFS)
def test_proof_of_a_broken_contract__is_refuted(halmos, contract, proof):
    """The proofs are about the bytes that they are given, and each of them can fail."""
    results, output = halmos
    assert results[f"{contract}Broken", proof]["exitcode"] == REFUTED, output
