"""Symbolic proofs of the deployed bytecode. `Proof.sol` has the claims and says what they assume."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from tests.proof.halmos import HARNESS, PROVED, REFUTED, Verdict, claims, run_halmos
from tests.rules import layout
from tests.rules.layout import call
from tests.rules.model import Model, Refused
from tests.support import compiler
from tests.support.progress import Printer
from tests.support.revm import RevmTable

CLAIMS = claims()
PROOFS = [(claim.contract, proof) for claim in CLAIMS for proof in claim.proofs]
TWINS = [(claim.contract, twin) for claim in CLAIMS for twin in claim.twins]

Prove = Callable[[bytes, str], dict[str, Verdict]]


def test_deployment__leaves_empty_storage(new_table: Callable[[], RevmTable]) -> None:
    assert new_table().storage() == layout.storage(Model()) == (0, 0)


@pytest.mark.parametrize("seat", ["X", "O"])
@pytest.mark.parametrize(
    ("code", "accepted"),
    [
        pytest.param("", True, id="no code"),
        pytest.param("ef0100" + "11" * 20, True, id="a delegation"),
        pytest.param("00" * 23, False, id="23 other bytes"),
        pytest.param("00", False, id="one byte"),
    ],
)
def test_excluded_address__is_judged_by_its_code(
    new_table: Callable[[], RevmTable], seat: str, code: str, accepted: bool
) -> None:
    table, other = new_table(), 0xA11CE
    table.set_code(HARNESS, bytes.fromhex(code))
    players = [HARNESS if seat == mark else other for mark in "XO"]
    outcome = table.send(other, call("newGame(address,address)", *players))
    game = Model().new_game(*players) if accepted else Model()
    assert outcome == (layout.logs(Model(), game) if accepted else Refused("player is a contract"))
    assert table.storage() == layout.storage(game)


@pytest.fixture(scope="module")
def prove(printer: Printer, whole: bool) -> Prove:
    return partial(run_halmos, printer=printer, whole=whole)


@pytest.fixture(scope="module")
def verdicts(creation_code: bytes, prove: Prove) -> dict[str, dict[str, Verdict]]:
    """On the proofs and the twins of each contract in `Proof.sol`. Two runs of halmos at a time."""
    contracts = [claim.contract for claim in CLAIMS]
    with ThreadPoolExecutor(max_workers=2) as pool:
        runs = pool.map(lambda contract: prove(creation_code, f"^{contract}Twins$"), contracts)
        return dict(zip(contracts, runs, strict=True))


@pytest.mark.parametrize(("contract", "name"), PROOFS)
def test_proof__holds(verdicts: dict[str, dict[str, Verdict]], contract: str, name: str) -> None:
    proof = verdicts[contract][name]
    assert proof.exitcode == PROVED, proof.output
    assert proof.paths > 0
    assert proof.stuck == 0
    assert proof.bounded_loops == 0


@pytest.mark.parametrize(("contract", "name"), TWINS)
def test_twin__is_refuted(verdicts: dict[str, dict[str, Verdict]], contract: str, name: str) -> None:
    twin = verdicts[contract][name]
    assert twin.exitcode == REFUTED, twin.output


# A mistake in each function of the contract that a proof is about.
MISTAKES = {
    "player.codesize != DELEGATION_SIZE or": "player.codesize < DELEGATION_SIZE or",
    "(7 >> convert(row, uint256))": "(15 >> convert(row, uint256))",
    "self._end(word, O_FORFEITS,": "self._end(word, X_FORFEITS,",
}


def test_broken_contract__refutes_every_proof(contract_source: str, prove: Prove) -> None:
    """The proofs are about the bytes that they are given, and each of them can fail."""
    source = contract_source
    for sound, broken in MISTAKES.items():
        assert source.count(sound) == 1
        source = source.replace(sound, broken)
    contracts = "|".join(claim.contract for claim in CLAIMS)
    verdicts = prove(compiler.creation_code(source), f"^({contracts})$")
    assert {name: verdict.exitcode for name, verdict in verdicts.items()} == {name: REFUTED for _, name in PROOFS}
