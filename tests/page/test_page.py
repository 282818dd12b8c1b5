"""The page's own tests, in the system's browser, as a part of `ape test`. They are written in `dapp/tests`."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.npm import npm_package

DAPP = Path(__file__).parents[2] / "dapp"
SPECS = sorted(path.name for path in (DAPP / "tests").glob("*.spec.ts"))
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Above all that a slow machine needs; the suite itself takes two to four minutes.
LIMIT = 1200

Counts = dict[str, int]


def browser() -> str | None:
    return os.environ.get("CHROMIUM") or next((path for name in BROWSERS if (path := shutil.which(name))), None)


def npm(*arguments: str) -> subprocess.CompletedProcess[str]:
    # The compiler of this very environment, and the browser that was found: Playwright looks in fewer places.
    env = os.environ | {"VYPER": "vyper"} | ({"CHROMIUM": found} if (found := browser()) else {})
    command = [shutil.which("npm") or "npm", *arguments]
    return subprocess.run(command, cwd=DAPP, env=env, capture_output=True, text=True, timeout=LIMIT, check=False)


@pytest.fixture(scope="session")
def packages() -> None:
    npm_package(DAPP)


@pytest.fixture(scope="session")
def report(packages: None) -> dict[str, Any]:  # noqa: ARG001
    """What Playwright says of every test, after one build and one run of them all."""
    if browser() is None:
        if os.environ.get("CI"):
            pytest.fail("Chromium is missing: in CI the page's tests must run")
        pytest.skip("needs Chromium (Debian: apt-get install chromium)")
    built = npm("run", "build")
    assert built.returncode == 0, built.stdout + built.stderr
    return read(npm("exec", "--", "playwright", "test", "--reporter=json"))


def read(ran: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The report that Playwright prints after whatever else it says; without one, all that it said."""
    _, begin, rest = ran.stdout.partition("{\n")
    assert begin, f"Playwright ended with {ran.returncode} and no report:\n{ran.stdout}{ran.stderr}"
    found: dict[str, Any] = json.loads(begin + rest)
    return found


def results(suite: dict[str, Any], above: str = "") -> list[tuple[str, str, str]]:
    """Every test below a suite: its name, its outcome, and the error if there is one."""
    found = []
    for spec in suite.get("specs", []):
        for test in spec["tests"]:
            errors = [error.get("message", "") for result in test["results"] for error in result.get("errors", [])]
            found.append((above + spec["title"], test["status"], "\n".join(errors)))
    for inner in suite.get("suites", []):
        found += results(inner, f"{above}{inner['title']}: ")
    return found


@pytest.mark.usefixtures("packages")
def test_page__types_and_linter__have_nothing_to_say() -> None:
    checked = npm("run", "check")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("spec", SPECS)
def test_page__in_the_browser__does_what_its_tests_say(report: dict[str, Any], spec: str) -> None:
    assert not report["errors"], report["errors"]
    suites = [suite for suite in report["suites"] if suite["file"] == spec]
    outcomes = [outcome for suite in suites for outcome in results(suite)]
    failed = [f"{name}: {status}\n{error}" for name, status, error in outcomes if status != "expected"]
    assert not failed, "\n\n".join(failed)
    assert outcomes, f"{spec} ran no test"
