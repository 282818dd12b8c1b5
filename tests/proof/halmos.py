"""Runs halmos on `Proof.sol`, against the bytecode it is given."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.npm import foundry, npm_package

HERE = Path(__file__).parent
HALMOS = "halmos==0.3.3"  # asks for another `rich` than ape does, so it gets an environment of its own

# Any storage slot whatever may be read or written; a loop that a symbolic value decides is unrolled ten times, and the
# tests fail if that was ever not enough. A twin may stop at the first input that refutes it. The solver has ten minutes
# where it needs seconds: a machine that is slow or busy shall not be told that a proof failed.
OPTIONS = (
    *("--storage-layout", "generic", "--loop", "10", "--early-exit", "--no-status"),
    *("--solver-threads", "1", "--solver-timeout-assertion", "600000"),
)

SUBJECT = """// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

bytes constant CREATION_CODE = hex"{}";
"""

PROVED, REFUTED = 0, 1


@dataclass(frozen=True)
class Verdict:
    """What halmos says of one function. Every verdict but `PROVED` and `REFUTED` is a failure of some kind."""

    exitcode: int
    paths: int
    stuck: int
    bounded_loops: int
    told: str  # all that halmos said in this run


def checks() -> list[tuple[str, str]]:
    """The contracts in `Proof.sol` and the functions in them that are to be proved or refuted."""
    found = []
    contract = ""
    for kind, name in re.findall(r"^ *(contract|function) (\w+)", (HERE / "Proof.sol").read_text(), re.MULTILINE):
        if kind == "contract":
            contract = name
        elif name.startswith("check_"):
            found.append((contract, name))
    return found


def specifications(contract: str, check: str) -> list[str]:
    """The functions without `check_` that a check in a contract of `Proof.sol` calls to say what must come of it."""
    text = (HERE / "Proof.sol").read_text()
    inside = re.split(r"^contract ", text.partition(f"\ncontract {contract} ")[2], flags=re.MULTILINE)[0]
    body = inside.partition(f"function {check}(")[2].partition("\n    }")[0]
    return re.findall(r"\b(prove|pay|cut|miss)\(", body)


def uv() -> str:
    found = os.environ.get("UV") or shutil.which("uv")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("uv is missing: in CI the proofs must run")
        pytest.skip("needs uv (pip install uv), which keeps halmos in an environment of its own")
    return found


def run_halmos(creation_code: bytes, contracts: str, functions: str = "^check_") -> dict[str, Verdict]:
    """The functions of these contracts of `Proof.sol`, as patterns; what each came to, by its name."""
    resolved = tomllib.loads((HERE.parent.parent / "pyproject.toml").read_text())["tool"]["uv"]["exclude-newer"]
    with tempfile.TemporaryDirectory() as root:
        for name in ("Proof.sol", "foundry.toml", "solc.cjs"):
            shutil.copy(HERE / name, root)
        Path(root, "Subject.sol").write_text(SUBJECT.format(creation_code.hex()))
        verdicts = Path(root, "verdicts.json")
        command = [uv(), "tool", "run", "--quiet", "--python", sys.executable, "--from", HALMOS, "halmos", *OPTIONS]
        command += ["--root", root, "--json-output", str(verdicts)]
        command += ["--match-contract", contracts, "--match-test", functions]
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
        if not verdicts.exists():
            raise RuntimeError(f"halmos ended without a verdict on {contracts}:\n{ran.stdout[-4000:]}")
        results = json.loads(verdicts.read_text())["test_results"]
    return {
        result["name"].split("(")[0]: Verdict(
            exitcode=result["exitcode"],
            paths=result["num_paths"][1],
            stuck=result["num_paths"][2],
            bounded_loops=result["num_bounded_loops"],
            told=ran.stdout,
        )
        for tests in results.values()
        for result in tests
    }
