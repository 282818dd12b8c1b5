"""What a run needs from the machine it is on: what is checked and installed, and what is said when it is missing."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.page import test_page as page
from tests.support.npm import npm_package

ROOT = Path(__file__).parents[1]
ENGINES = "^20.19.0 || >=22.12.0"

Fake = Callable[[str, str], Path]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Puts a program of ours before every other of its name, and all but the system's own out of sight."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")

    def fake(name: str, script: str) -> Path:
        program = programs / name
        program.write_text(f"#!/bin/bash\n{script}\n")
        program.chmod(0o755)
        return program

    return fake


# A virtual environment in which pip and uv do nothing but claim that X won.
VENV = """
[ "$1" = -m ] || exit 0
mkdir -p "$3/bin"
printf '#!/bin/bash\\n' > "$3/bin/pip"
printf '#!/bin/bash\\necho "Game 1: X wins"\\n' > "$3/bin/uv"
chmod +x "$3/bin/pip" "$3/bin/uv"
"""


def ci_run(tmp_path: Path, fake: Fake, node: str) -> subprocess.CompletedProcess[str]:
    """`.ci/run` on a machine whose pip refuses, as Debian's does; it cannot come further than the first check."""
    fake("node", f"echo {node}")
    fake("python3", VENV)
    for name in ("npm", "chromium"):
        fake(name, "exit 0")
    for name in ("pip", "uv", "uvx", "apt-get", "sudo"):
        fake(name, "exit 1")
    (tmp_path / ".ci").mkdir()
    for name in (".ci/run", "README.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    return subprocess.run([tmp_path / ".ci" / "run"], capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("node", ["v18.20.4", "v20.18.3", "v21.7.3", "v22.11.0"])
def test_ci__node_too_old__says_which_is_wanted(tmp_path: Path, fake: Fake, node: str) -> None:
    ran = ci_run(tmp_path, fake, node)
    assert ran.returncode == 1
    assert f"The page wants Node.js {ENGINES}, and here is {node}: install one from https://nodejs.org" in ran.stdout
    assert "uv run" not in ran.stdout


@pytest.mark.parametrize("node", ["v20.19.0", "v22.12.0", "v24.0.0"])
def test_ci__pip_refuses__goes_on_in_a_virtual_environment(tmp_path: Path, fake: Fake, node: str) -> None:
    ran = ci_run(tmp_path, fake, node)
    assert "Game 1: X wins" in ran.stdout, ran.stderr
    assert "== lint, format, types" in ran.stdout
    assert (tmp_path / ".cache" / "ci" / "bin" / "uv").exists()


def test_node__its_version__is_the_same_everywhere() -> None:
    assert json.loads((ROOT / "dapp" / "package.json").read_text())["engines"]["node"] == ENGINES
    assert "Node.js (20.19 and later 20s, or 22.12 and later)" in (ROOT / "CONTRIBUTING.md").read_text()


@pytest.mark.parametrize("kind", ["dependencies", "devDependencies"])
def test_npm_packages__of_another_version__are_installed_anew(tmp_path: Path, fake: Fake, kind: str) -> None:
    fake("npm", "pwd >> installs")
    (tmp_path / "package.json").write_text(json.dumps({kind: {"one": "2.0.0"}}))
    installed = tmp_path / "node_modules" / "one" / "package.json"
    installed.parent.mkdir(parents=True)
    for version, installs in (("2.0.0", False), ("1.0.0", True)):
        installed.write_text(json.dumps({"version": version}))
        npm_package.cache_clear()
        assert npm_package(tmp_path) == tmp_path / "node_modules"
        assert (tmp_path / "installs").exists() == installs


def test_page__the_browser_that_was_found__is_the_one_playwright_takes(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHROMIUM", raising=False)
    fake("npm", "echo $CHROMIUM")
    found = fake("chromium", "exit 0")
    assert page.npm("exec").stdout.strip() == str(found)
    monkeypatch.setenv("CHROMIUM", "/my/own")
    assert page.npm("exec").stdout.strip() == "/my/own"


def test_page__playwright_dies_early__its_last_words_are_told() -> None:
    died = subprocess.CompletedProcess([], 1, "", "Error: no such project")
    with pytest.raises(AssertionError, match=r"ended with 1 and no report:\s+Error: no such project"):
        page.read(died)
    assert page.read(subprocess.CompletedProcess([], 0, 'noise\n{\n"errors": []}', "")) == {"errors": []}
