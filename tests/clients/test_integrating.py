"""What docs/integrating.md says of the clients' messages and of the bytes to verify."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from eth_utils.crypto import keccak
from vyper.cli.vyper_json import compile_json

from tests.clients.wording import WORDING
from tests.support.compiler import compiled

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "integrating.md").read_text()


def test_messages__are_the_clients() -> None:
    for wording in WORDING.values():
        for line in wording.format(name="makeMove", reason="not your turn").splitlines():
            assert f"`{line}`" in PAGE


def test_runtime_code__has_this_size_and_hash(contract_source: str) -> None:
    code = bytes.fromhex(compiled(contract_source)["bytecode_runtime"].removeprefix("0x"))
    assert f"The runtime code has {len(code):,} bytes. Their Keccak-256 hash is\n`0x{keccak(code).hex()}`" in PAGE


def vyper(command: str) -> str:
    """The output of a command that begins with `uv run vyper`."""
    program = Path(sys.executable).parent / "vyper"
    return subprocess.run([program, *command.split()[3:]], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_explorers_input__compiles_to_the_bytes_of_a_table(contract_source: str) -> None:
    (command,) = re.findall(r"^uv run vyper -f solc_json .*$", PAGE, re.MULTILINE)
    standard_input = json.loads(vyper(command))
    assert f"compiler `{standard_input['compiler_version'].removeprefix('v')}`" in PAGE

    def evm() -> Any:
        return compile_json(standard_input)["contracts"]["contracts/TicTacToe.vy"]["TicTacToe"]["evm"]

    outputs, usual = compiled(contract_source), evm()
    assert usual["deployedBytecode"]["object"] == outputs["bytecode_runtime"]
    creation, metadata = outputs["bytecode"], len(usual["bytecode"]["object"]) - len(outputs["bytecode"])
    assert usual["bytecode"]["object"].startswith(creation)
    assert f"it adds the {metadata // 2} bytes of metadata" in PAGE
    standard_input["settings"]["bytecodeMetadata"] = False
    assert evm()["bytecode"]["object"] == creation


def test_archive__compiles_to_the_same_bytes(contract_source: str, tmp_path: Path) -> None:
    (command,) = re.findall(r"^uv run vyper -f archive -o .*$", PAGE, re.MULTILINE)
    archive = tmp_path / "TicTacToe.vyz"
    vyper(command.replace("TicTacToe.vyz", str(archive)))
    printed = vyper(f"uv run vyper --no-bytecode-metadata -f bytecode,bytecode_runtime {archive}")
    outputs = compiled(contract_source)
    assert printed.split() == [outputs["bytecode"], outputs["bytecode_runtime"]]
