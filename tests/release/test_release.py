"""Two clean builds in two places, and the bundle that `ape run release` writes."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scripts.release import CONTRACT, ROOT, differences, make, pretty

BUILD = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from scripts.release import make
json.dump(make(Path(sys.argv[2])), sys.stdout)
"""


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return make()


@pytest.fixture
def bundle(tmp_path: Path, made: dict[str, str]) -> Path:
    for name, text in made.items():
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
    # Only the compiler's stable pipeline: neither an option nor a pragma asks for the experimental one.
    assert set(facts["settings"]) == {"outputSelection", "search_paths"}
    assert re.findall(r"^# *pragma (.*)$", (ROOT / CONTRACT).read_text(), re.MULTILINE) == [
        "version 0.4.3",
        "evm-version cancun",
        "optimize gas",
    ]
    abi = json.loads((bundle / "TicTacToe.abi.json").read_text())
    assert {entry["name"] for entry in abi if "name" in entry} == {
        entry.name for entry in project.TicTacToe.contract_type.abi if getattr(entry, "name", None)
    }


FALSIFIED = {
    "TicTacToe.abi.json": ("makeMove", "takeMove"),
    "TicTacToe.bin": ("60", "61"),
    "TicTacToe.runtime.bin": ("60", "61"),
    "TicTacToe.input.json": ("v0.4.3", "v0.4.2"),
    "TicTacToe.storage.json": ('"slot": 0', '"slot": 1'),
    "release.json": ('"compiler": "vyper 0.4.3', '"compiler": "vyper 0.4.2'),
}


def told(*names: str) -> list[str]:
    return [f"{name} is not what the bundle's own input compiles to" for name in names]


def test_bundle__with_one_thing_changed_in_each_file__none_is_itself(bundle: Path) -> None:
    assert {path.name for path in bundle.iterdir()} == set(FALSIFIED)
    for name, (true, false) in FALSIFIED.items():
        text = (bundle / name).read_text()
        assert true in text
        (bundle / name).write_text(text.replace(true, false, 1))
    assert sorted(differences(bundle)) == sorted(told(*FALSIFIED))


def test_bundle__with_one_file_changed__is_told_of_that_one(bundle: Path) -> None:
    facts = json.loads((bundle / "release.json").read_text())
    (bundle / "release.json").write_text(pretty(facts | {"settings": {}}))
    assert differences(bundle) == told("release.json")


def test_bundle__with_files_missing__is_not_itself(bundle: Path) -> None:
    missing = [name for name in FALSIFIED if name != "TicTacToe.input.json"]
    for name in missing:
        (bundle / name).unlink()
    assert sorted(differences(bundle)) == sorted(told(*missing))
    (bundle / "TicTacToe.input.json").unlink()
    assert differences(bundle) == ["TicTacToe.input.json is missing, or holds no source of contracts/TicTacToe.vy"]


@pytest.mark.parametrize(
    ("standard_input", "words"),
    [
        ("nonsense", "is missing, or holds no source of"),
        ("[]", "is missing, or holds no source of"),
        (json.dumps({"sources": {CONTRACT: {"content": "nonsense"}}}), "holds a source that does not compile"),
    ],
)
def test_bundle__with_nonsense_for_its_input__is_a_sentence(bundle: Path, standard_input: str, words: str) -> None:
    (bundle / "TicTacToe.input.json").write_text(standard_input)
    (sentence,) = differences(bundle)
    assert words in sentence


def test_bundle__of_another_source__is_not_itself(bundle: Path) -> None:
    path = bundle / "TicTacToe.input.json"
    standard_input = json.loads(path.read_text())
    source = standard_input["sources"][CONTRACT]
    source["content"] = source["content"].replace("not your turn", "not your move")
    source.pop("sha256sum")
    standard_input.pop("integrity")
    path.write_text(json.dumps(standard_input))
    assert any("TicTacToe.bin" in sentence for sentence in differences(bundle))
