"""The compiler makes the same bytes in any folder and process, from the source and its pragmas alone.

`tests/clients/test_integrating.py` compiles the archive and the explorers' input that `docs/integrating.md` offers.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

CONTRACT = Path(__file__).parents[2] / "contracts" / "TicTacToe.vy"
COMMAND = ["-f", "bytecode,bytecode_runtime,abi", "--no-bytecode-metadata"]


def test_builds_in_two_folders__are_the_same_bytes(tmp_path: Path, creation_code: bytes) -> None:
    built = []
    for folder, path in (("here", "TicTacToe.vy"), ("somewhere/else entirely", "contracts/Table.vy")):
        root = tmp_path / folder
        (root / path).parent.mkdir(parents=True)
        shutil.copy(CONTRACT, root / path)
        vyper = Path(sys.executable).parent / "vyper"
        built.append(
            subprocess.run([vyper, *COMMAND, path], cwd=root, capture_output=True, text=True, check=True).stdout
        )
    assert built[0] == built[1]
    assert built[0].startswith(f"0x{creation_code.hex()}\n")


def test_pragmas__ask_for_the_stable_pipeline_alone() -> None:
    assert re.findall(r"^# *pragma (.*)$", CONTRACT.read_text(), re.MULTILINE) == [
        "version 0.4.3",
        "evm-version cancun",
        "optimize gas",
    ]
