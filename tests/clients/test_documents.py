"""What the README prints from `ape console`, and what docs/integrating.md says of the bytes to verify."""

import json
import re

import ape
from vyper.cli.vyper_json import compile_json

from tests.support.commands import APE, ROOT, run
from tictactoe.table import runtime_code

README = (ROOT / "README.md").read_text()
PAGE = (ROOT / "docs" / "integrating.md").read_text()


def test_with_ape__prints_what_the_readme_says():
    (listing,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    done = run([str(APE), "console"], listing)
    printed = done.stdout + done.stderr
    expected = re.findall(r"  # (.+)$", listing, re.MULTILINE)
    assert len(expected) == 4
    assert [words for words in expected if words not in printed] == []
    assert printed.count("ERROR:    (") == 1


def test_input_for_explorers__compiles_to_what_deploy_sends():
    """The one for Sourcify, which has the one for other explorers in it."""
    (command,) = re.findall(r"^curl .*?^END$", PAGE, re.MULTILINE | re.DOTALL)
    # `curl` prints what it would send.
    done = run(["bash", "-c", f"curl() {{ cat; }}\n{command.replace('uv run ', '')}"])
    question = json.loads(done.stdout)
    standard_input, version = question["stdJsonInput"], question["compilerVersion"]
    assert standard_input["compiler_version"] == f"v{version}"
    assert f"compiler `{version}`, contract `{question['contractIdentifier']}`" in PAGE
    file, _, name = question["contractIdentifier"].partition(":")

    evm = compile_json(standard_input)["contracts"][file][name]["evm"]
    assert evm["bytecode"]["object"] == ape.project.TicTacToe.contract_type.deployment_bytecode.bytecode
    assert evm["deployedBytecode"]["object"] == f"0x{runtime_code().hex()}"
