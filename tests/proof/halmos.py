"""Runs halmos on the claims in `Proof.sol`."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from tests.support.npm import foundry, npm_package

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
HALMOS = "halmos==0.3.3"  # needs another version of `rich` than ape, so it gets an environment of its own

# Any storage slot may be read or written. A loop that a symbolic value decides is unrolled ten times, and the tests
# fail if that is not enough. A twin stops at the first input that refutes it. Any panic fails a proof, because halmos
# drops paths that revert in another way. The solver has ten minutes where it needs seconds, so that a slow or busy
# machine fails no proof.
OPTIONS = (
    *("--storage-layout", "generic", "--loop", "10", "--early-exit", "--no-status", "--panic-error-codes", "*"),
    *("--solver-threads", "1", "--solver-timeout-assertion", "600000"),
    *("--match-contract", "(Twins|Broken)$", "--match-test", "^check_"),
)

# Where halmos puts the contract that runs the proofs.
HARNESS = 0x7FA9385BE102AC3EAC297483DD6233D62B3E1496

SUBJECT = """// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

address constant HARNESS = address(uint160({harness}));
bytes constant CREATION_CODE = hex"{code}";
bytes constant BROKEN_CODE = hex"{broken}";
"""

# Each contract in `Proof.sol` with one function more for each lie, and the same proofs of a broken contract.
VARIANTS = """// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import "./Proof.sol";
import {BROKEN_CODE} from "./Subject.sol";
"""
TWINS = """
contract {name}Twins is {name} {{
{twins}
}}

contract {name}Broken is {name} {{
    function subject() internal pure override returns (bytes memory) {{
        return BROKEN_CODE;
    }}
}}
"""
TWIN = "    function check_twin_{name}(Call memory c) public {{ twin(c, Lie.{lie}); }}"

PROVED, REFUTED = 0, 1


def claims():
    """The contracts in `Proof.sol`, in their order, each with its proofs and its lies."""
    parts = re.split(r"^contract (\w+) is Proof ", (HERE / "Proof.sol").read_text(), flags=re.MULTILINE)
    for contract, text in zip(parts[1::2], parts[2::2], strict=True):
        none, *lies = re.findall(r"^ +(\w+)", text.partition("enum Lie {")[2].partition("}")[0], re.MULTILINE)
        assert none == "NONE"
        yield contract, re.findall(r"function (check_\w+)\(", text), lies


def variants():
    contracts = [
        TWINS.format(name=contract, twins="\n".join(TWIN.format(name=lie.lower(), lie=lie) for lie in lies))
        for contract, _, lies in claims()
    ]
    return VARIANTS + "".join(contracts)


def run_halmos(creation_code, broken_code):
    """What halmos reports of each function, by contract and function, and all that it printed."""
    resolved = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["uv"]["exclude-newer"]
    environment = os.environ | {
        "PATH": f"{foundry('forge').parent}{os.pathsep}{os.environ['PATH']}",
        "SOLC": str(npm_package() / "solc"),
        "UV_EXCLUDE_NEWER": resolved,
    }
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in ("Proof.sol", "foundry.toml", "solc.cjs"):
            shutil.copy(HERE / name, root)
        subject = SUBJECT.format(harness=HARNESS, code=creation_code.hex(), broken=broken_code.hex())
        (root / "Subject.sol").write_text(subject)
        (root / "Variants.sol").write_text(variants())
        report = root / "report.json"
        command = [os.environ.get("UV", "uv"), "tool", "run", "--quiet", "--python", sys.executable, "--from", HALMOS]
        command += ["halmos", *OPTIONS, "--root", folder, "--json-output", str(report)]
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
            raise RuntimeError(f"halmos ended without a verdict:\n{ran.stdout[-4000:]}")
        found = json.loads(report.read_text())["test_results"]
    results = {
        (contract.partition(":")[2], result["name"].partition("(")[0]): result
        for contract, tests in found.items()
        for result in tests
    }
    return results, ran.stdout
