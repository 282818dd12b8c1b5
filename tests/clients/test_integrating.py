"""What docs/integrating.md says of the bytes to verify."""

import json
import re
import subprocess
import sys
from pathlib import Path

from eth_utils.crypto import keccak
from vyper.cli.vyper_json import compile_json

from tictactoe.table import creation_code, runtime_code

ROOT = Path(__file__).parents[2]
VENV = Path(sys.executable).parent
PAGE = (ROOT / "docs" / "integrating.md").read_text()


def test_runtime_code__has_this_size_and_hash():
    code = runtime_code()
    assert f"The runtime code has {len(code):,} bytes. Their Keccak-256 hash is\n`0x{keccak(code).hex()}`" in PAGE


def shell(command):
    """What a command prints, in the environment that `uv run` enters. `curl` prints what it would send."""
    script = f"curl() {{ cat; }}\n{command.replace('uv run ', f'{VENV}/')}"
    return subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_input_for_explorers__compiles_to_what_deploy_sends():
    """The one for Sourcify, which has the one for other explorers in it."""
    (command,) = re.findall(r"^curl .*?^END$", PAGE, re.MULTILINE | re.DOTALL)
    question = json.loads(shell(command))
    standard_input, version = question["stdJsonInput"], question["compilerVersion"]
    assert standard_input["compiler_version"] == f"v{version}"
    assert f"compiler `{version}`, contract `{question['contractIdentifier']}`" in PAGE
    file, _, name = question["contractIdentifier"].partition(":")

    evm = compile_json(standard_input)["contracts"][file][name]["evm"]
    assert evm["bytecode"]["object"] == f"0x{creation_code().hex()}"
    assert evm["deployedBytecode"]["object"] == f"0x{runtime_code().hex()}"
