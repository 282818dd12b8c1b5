"""npm's packages have the versions that `package.json` names."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.npm import npm_package

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", ["dependencies", "devDependencies"])
@pytest.mark.parametrize(("version", "installs"), [("2.0.0", 0), ("1.0.0", 1), (None, 1)])
def test_npm_packages_of_another_version_or_none__are_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, version: str | None, installs: int
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(shutil, "which", lambda program: program)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: commands.append(command))
    (tmp_path / "package.json").write_text(json.dumps({kind: {"one": "2.0.0"}}))
    if version:
        installed = tmp_path / "node_modules" / "one" / "package.json"
        installed.parent.mkdir(parents=True)
        installed.write_text(json.dumps({"version": version}))
    assert npm_package(tmp_path) == tmp_path / "node_modules"
    assert [command[:2] for command in commands] == [["npm", "install"]] * installs
