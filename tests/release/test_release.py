"""Two clean builds in two places, and the bundle that `ape run release` writes."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scripts.release import CONTRACT, ROOT, differences, make

BUILD = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from scripts.release import make
json.dump(make(Path(sys.argv[2])), sys.stdout)
"""


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    for name, text in make().items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_builds__in_two_places_by_two_processes__are_the_same_bytes(
    tmp_path: Path, creation_code: bytes, evidence: Callable[[int, str], None]
) -> None:
    bundles = []
    for place in ("here", "somewhere/else entirely"):
        root = tmp_path / place
        (root / CONTRACT).parent.mkdir(parents=True)
        shutil.copy(ROOT / CONTRACT, root / CONTRACT)
        ran = subprocess.run(
            [sys.executable, "-c", BUILD, str(ROOT), str(root)], cwd=root, capture_output=True, text=True, check=True
        )
        bundles.append(json.loads(ran.stdout))
    assert bundles[0] == bundles[1]
    assert bundles[0]["TicTacToe.bin"].strip() == "0x" + creation_code.hex()
    assert not any(str(tmp_path) in text or str(ROOT) in text for text in bundles[0].values())
    evidence(len(bundles), "equal builds")


def test_bundle__compiled_again_from_its_own_input__is_itself(bundle: Path, project: Any) -> None:
    assert differences(bundle) == []
    facts = json.loads((bundle / "release.json").read_text())
    assert facts["compiler"].startswith("vyper 0.4.3+commit.")
    abi = json.loads((bundle / "TicTacToe.abi.json").read_text())
    assert {entry["name"] for entry in abi if "name" in entry} == {
        entry.name for entry in project.TicTacToe.contract_type.abi if getattr(entry, "name", None)
    }


@pytest.mark.parametrize("name", ["TicTacToe.abi.json", "TicTacToe.bin", "TicTacToe.runtime.bin", "release.json"])
def test_bundle__with_one_thing_changed__is_not_itself(bundle: Path, name: str) -> None:
    text = (bundle / name).read_text()
    changed = {
        "TicTacToe.abi.json": text.replace("makeMove", "takeMove"),
        "TicTacToe.bin": text.replace("60", "61", 1),
        "TicTacToe.runtime.bin": text.replace("60", "61", 1),
        "release.json": text.replace('Bytecode": "', 'Bytecode": "0', 1),
    }[name]
    assert changed != text
    (bundle / name).write_text(changed)
    assert any(name in told for told in differences(bundle))


def test_bundle__of_another_source__is_not_itself(bundle: Path) -> None:
    path = bundle / "TicTacToe.input.json"
    standard_input = json.loads(path.read_text())
    source = standard_input["sources"][CONTRACT]
    source["content"] = source["content"].replace("not your turn", "not your move")
    source.pop("sha256sum")
    standard_input.pop("integrity")
    path.write_text(json.dumps(standard_input))
    assert any("TicTacToe.bin" in told for told in differences(bundle))
