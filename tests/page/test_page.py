"""Runs the page's own tests (`dapp/tests`) as a part of `ape test`: the logic in Node, the rest in a browser."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.npm import npm_package
from tests.support.progress import Printer

DAPP = Path(__file__).parents[2] / "dapp"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# Playwright starts as many browsers. Beside xdist's other worker, one is enough for two cores.
WORKERS = "1" if "PYTEST_XDIST_WORKER" in os.environ else "2"


def browser() -> str | None:
    return os.environ.get("CHROMIUM") or next((path for name in BROWSERS if (path := shutil.which(name))), None)


def npm(*arguments: str, **variables: str) -> None:
    """Fails with all that npm printed."""
    # The compiler of this environment, and the browser that `browser` found: Playwright looks in fewer places.
    env = os.environ | {"VYPER": "vyper"} | ({"CHROMIUM": found} if (found := browser()) else {}) | variables
    command = [shutil.which("npm") or "npm", *arguments]
    ran = subprocess.run(command, cwd=DAPP, env=env, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture(scope="session")
def packages() -> None:
    npm_package(DAPP)


@pytest.fixture(scope="session")
def build(packages: None) -> None:  # noqa: ARG001
    npm("run", "build")


@pytest.mark.usefixtures("packages")
def test_types_and_linter__find_nothing() -> None:
    npm("run", "check")


@pytest.mark.usefixtures("build")
def test_bytecode__equals_what_deploy_sends(creation_code: bytes) -> None:
    found = re.search(r'"0x([0-9a-f]+)"', (DAPP / "src" / "generated" / "bytecode.ts").read_text())
    assert found is not None
    assert bytes.fromhex(found[1]) == creation_code


@pytest.mark.usefixtures("packages")
def test_logic__passes(tmp_path: Path, printer: Printer) -> None:
    """Vitest fails for a file without a test."""
    npm("run", "generate")
    report = tmp_path / "report.json"
    npm("exec", "--", "vitest", "run", "--reporter=default", "--reporter=json", f"--outputFile.json={report}")
    found = json.loads(report.read_text())
    passed = found["numPassedTests"]
    assert passed == found["numTotalTests"] > 0, "a test is skipped"
    printer.line(f"Vitest: {passed} tests passed in {len(found['testResults'])} files")


def test_page_in_a_browser__passes(request: pytest.FixtureRequest, tmp_path: Path, printer: Printer) -> None:
    if browser() is None:
        if os.environ.get("CI"):
            pytest.fail("Chromium is missing: in CI the page's tests must run")
        pytest.skip("needs Chromium (Debian: apt-get install chromium)")
    request.getfixturevalue("build")
    report = tmp_path / "report.json"
    arguments = ("playwright", "test", "--reporter=line,json", f"--workers={WORKERS}")
    npm("exec", "--", *arguments, PLAYWRIGHT_JSON_OUTPUT_FILE=str(report))
    found: dict[str, Any] = json.loads(report.read_text())
    counts = found["stats"]
    assert counts["skipped"] == counts["flaky"] == 0, "a test is skipped, or passes only now and then"
    # For Playwright, a file without a test is no failure.
    specs = {path.name for path in (DAPP / "tests").glob("*.spec.ts")}
    assert {suite["file"] for suite in found["suites"]} == specs
    printer.line(f"Playwright: {counts['expected']} tests passed in {len(specs)} files")
