"""Runs halmos on `Proof.sol` and its twins, against the bytecode it is given."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tests.support.npm import foundry, npm_package
from tests.support.progress import Printer

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache" / "proofs"
HALMOS = "halmos==0.3.3"  # needs another version of `rich` than ape, so it gets an environment of its own

# Any storage slot may be read or written. A loop that a symbolic value decides is unrolled ten times, and the tests
# fail if that is not enough. A twin stops at the first input that refutes it. Any panic fails a proof, because halmos
# drops paths that revert in another way. The solver has ten minutes where it needs seconds, so that a slow or busy
# machine fails no proof.
OPTIONS = (
    *("--storage-layout", "generic", "--loop", "10", "--early-exit", "--no-status", "--panic-error-codes", "*"),
    *("--solver-threads", "1", "--solver-timeout-assertion", "600000"),
)

# Where halmos puts the contract that runs the proofs.
HARNESS = 0x7FA9385BE102AC3EAC297483DD6233D62B3E1496

SUBJECT = """// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

address constant HARNESS = address(uint160({harness}));
bytes constant CREATION_CODE = hex"{code}";
"""

TWINS = """// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import "./Proof.sol";

"""
CONTRACT = """contract {name}Twins is {name} {{
{functions}
}}
"""
TWIN = "    function {name}(Call memory c) public {{ twin(c, Lie.{lie}); }}"

PROVED, REFUTED = 0, 1


@dataclass(frozen=True)
class Verdict:
    """The outcome for one function. Every exit code but `PROVED` and `REFUTED` is a failure of some kind."""

    exitcode: int
    paths: int
    stuck: int
    bounded_loops: int
    output: str  # of the whole run


@dataclass(frozen=True)
class Claims:
    """What a contract in `Proof.sol` claims: its proofs, and the lies that each make a twin."""

    contract: str
    proofs: list[str]
    lies: list[str]

    @property
    def twins(self) -> list[str]:
        return [f"check_twin_{lie.lower()}" for lie in self.lies]


def claims() -> list[Claims]:
    """The contracts in `Proof.sol`, in their order."""
    parts = re.split(r"^contract (\w+) is Proof ", (HERE / "Proof.sol").read_text(), flags=re.MULTILINE)
    found = []
    for contract, text in zip(parts[1::2], parts[2::2], strict=True):
        enum = text.partition("enum Lie {")[2].partition("}")[0]
        none, *lies = re.findall(r"^ +(\w+)", enum, re.MULTILINE)
        assert none == "NONE"
        found.append(Claims(contract, re.findall(r"function (check_\w+)\(", text), lies))
    return found


def twins() -> str:
    """`Proof.sol`'s contracts with one function more for each lie."""
    contracts = []
    for claim in claims():
        functions = [TWIN.format(name=name, lie=lie) for name, lie in zip(claim.twins, claim.lies, strict=True)]
        contracts.append(CONTRACT.format(name=claim.contract, functions="\n".join(functions)))
    return TWINS + "\n".join(contracts)


def run_halmos(creation_code: bytes, contracts: str, *, printer: Printer, whole: bool) -> dict[str, Verdict]:
    """Runs the functions of the contracts with this pattern; the verdicts by the functions' names.

    Verdicts on the same files by the same programs are reused, unless `whole`.
    """
    resolved = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["uv"]["exclude-newer"]
    options = [*OPTIONS, "--match-contract", contracts, "--match-test", "^check_"]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in ("Proof.sol", "foundry.toml", "solc.cjs"):
            shutil.copy(HERE / name, root)
        (root / "Subject.sol").write_text(SUBJECT.format(harness=HARNESS, code=creation_code.hex()))
        (root / "Twins.sol").write_text(twins())

        programs = HALMOS, resolved, sys.version, (ROOT / "tests" / "package.json").read_text()
        files = [(file.name, file.read_text()) for file in sorted(root.iterdir())]
        kept = CACHE / f"{sha256(repr((programs, options, files)).encode()).hexdigest()}.json"
        if kept.exists() and not whole:
            subject = contracts.strip("^()$").replace("|", ", ")
            printer.line(f"{subject}: verdicts reused, because the bytes, the proofs and the prover are the same")
            return read(kept.read_text())

        report = root / "verdicts.json"
        command = [os.environ.get("UV", "uv"), "tool", "run", "--quiet", "--python", sys.executable, "--from", HALMOS]
        command += ["halmos", *options, "--root", folder, "--json-output", str(report)]
        environment = os.environ | {
            "PATH": f"{foundry('forge').parent}{os.pathsep}{os.environ['PATH']}",
            "SOLC": str(npm_package() / "solc"),
            "UV_EXCLUDE_NEWER": resolved,
        }
        ran = subprocess.run(
            command,
            env=environment,
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if not report.exists():
            raise RuntimeError(f"halmos ended without a verdict on {contracts}:\n{ran.stdout[-4000:]}")
        found = json.dumps(json.loads(report.read_text()) | {"output": ran.stdout})
    verdicts = read(found)
    if all(verdict.exitcode in (PROVED, REFUTED) for verdict in verdicts.values()):
        CACHE.mkdir(parents=True, exist_ok=True)
        kept.with_suffix(".new").write_text(found)
        kept.with_suffix(".new").replace(kept)
    return verdicts


def read(report: str) -> dict[str, Verdict]:
    """The verdicts in halmos' report, to which its output is added."""
    found = json.loads(report)
    return {
        result["name"].split("(")[0]: Verdict(
            exitcode=result["exitcode"],
            paths=result["num_paths"][1],
            stuck=result["num_paths"][2],
            bounded_loops=result["num_bounded_loops"],
            output=found["output"],
        )
        for tests in found["test_results"].values()
        for result in tests
    }
