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
SPECS = sorted(path.name for path in (DAPP / "tests").glob("*.spec.ts"))
UNITS = sorted(path.name for path in (DAPP / "tests" / "unit").glob("*.test.ts"))
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# Playwright starts as many browsers. Beside xdist's other worker, one is enough for two cores.
WORKERS = "1" if "PYTEST_XDIST_WORKER" in os.environ else "2"


def browser() -> str | None:
    return os.environ.get("CHROMIUM") or next((path for name in BROWSERS if (path := shutil.which(name))), None)


def npm(*arguments: str) -> subprocess.CompletedProcess[str]:
    # The compiler of this environment, and the browser that `browser` found: Playwright looks in fewer places.
    env = os.environ | {"VYPER": "vyper"} | ({"CHROMIUM": found} if (found := browser()) else {})
    command = [shutil.which("npm") or "npm", *arguments]
    return subprocess.run(command, cwd=DAPP, env=env, capture_output=True, text=True, check=False)


def require(ran: subprocess.CompletedProcess[str]) -> None:
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture(scope="session")
def packages() -> None:
    npm_package(DAPP)


@pytest.fixture(scope="session")
def build(packages: None) -> None:  # noqa: ARG001
    require(npm("run", "build"))


@pytest.fixture(scope="session")
def report(request: pytest.FixtureRequest, printer: Printer) -> dict[str, Any]:
    """Playwright's report on all tests, from one build and one run."""
    if browser() is None:
        if os.environ.get("CI"):
            pytest.fail("Chromium is missing: in CI the page's tests must run")
        pytest.skip("needs Chromium (Debian: apt-get install chromium)")
    request.getfixturevalue("build")
    found = read(npm("exec", "--", "playwright", "test", "--reporter=json", f"--workers={WORKERS}"))
    printer.line(f"Playwright: {found['stats']['expected']} tests passed in {len(SPECS)} files")
    return found


def read(ran: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The report begins at the first line that is a brace; the tests print their measurements above it."""
    _, begin, rest = ran.stdout.partition("{\n")
    assert begin, f"Playwright ended with {ran.returncode} and no report:\n{ran.stdout}{ran.stderr}"
    found: dict[str, Any] = json.loads(begin + rest)
    return found


def results(suite: dict[str, Any], above: str = "") -> list[tuple[str, str, str]]:
    """Every test in a suite: its name, its status, and its errors."""
    found = []
    for spec in suite.get("specs", []):
        for test in spec["tests"]:
            errors = [error.get("message", "") for result in test["results"] for error in result.get("errors", [])]
            found.append((above + spec["title"], test["status"], "\n".join(errors)))
    for inner in suite.get("suites", []):
        found += results(inner, f"{above}{inner['title']}: ")
    return found


@pytest.mark.usefixtures("packages")
def test_types_and_linter__find_nothing() -> None:
    require(npm("run", "check"))


@pytest.mark.usefixtures("build")
def test_bytecode__equals_what_deploy_sends(creation_code: bytes) -> None:
    found = re.search(r'"0x([0-9a-f]+)"', (DAPP / "src" / "generated" / "bytecode.ts").read_text())
    assert found is not None
    assert bytes.fromhex(found[1]) == creation_code


@pytest.fixture(scope="session")
def units(packages: None, printer: Printer) -> dict[str, Any]:  # noqa: ARG001
    """Vitest's report on all tests of the logic."""
    require(npm("run", "generate"))
    ran = npm("exec", "--", "vitest", "run", "--reporter=json")
    _, begin, rest = ran.stdout.partition("{")
    assert begin, f"Vitest ended with {ran.returncode} and no report:\n{ran.stdout}{ran.stderr}"
    found: dict[str, Any] = json.loads(begin + rest)
    printer.line(f"Vitest: {found['numPassedTests']} tests passed in {len(UNITS)} files")
    return found


@pytest.mark.parametrize("unit", UNITS)
def test_unit__passes(units: dict[str, Any], unit: str) -> None:
    [suite] = [suite for suite in units["testResults"] if Path(suite["name"]).name == unit]
    outcomes = suite["assertionResults"]
    assert outcomes, f"{unit} has no test: {suite['message']}"
    failed = [
        "\n".join([outcome["fullName"], outcome["status"], *outcome["failureMessages"]])
        for outcome in outcomes
        if outcome["status"] != "passed"
    ]
    assert not failed, "\n\n".join(failed)


@pytest.mark.parametrize("spec", SPECS)
def test_spec__passes(report: dict[str, Any], spec: str) -> None:
    assert not report["errors"], report["errors"]
    outcomes = [outcome for suite in report["suites"] if suite["file"] == spec for outcome in results(suite)]
    assert outcomes, f"{spec} has no test"
    # A skipped test is not "expected" either.
    failed = [f"{name}: {status}\n{error}" for name, status, error in outcomes if status != "expected"]
    assert not failed, "\n\n".join(failed)
