"""The npm packages of the tests: clients, engines and Foundry's programs, in the versions of `package.json`."""

import fcntl
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@cache
def npm_package():
    """Their folder `node_modules`, installed first if `package.json` is another one than before."""
    modules = TESTS / "node_modules"
    installed = modules / ".installed.json"
    with (TESTS / "package.json").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # of several processes, one installs and the others wait
        wanted = file.read()
        if not installed.exists() or installed.read_text() != wanted:
            npm = shutil.which("npm")
            if npm is None:
                pytest.skip("needs Node.js and npm (https://nodejs.org)")
            subprocess.run([npm, "install", "--silent", "--no-audit", "--no-fund"], cwd=TESTS, check=True)
            installed.write_text(wanted)
    return modules


def foundry(tool):
    """The program itself, not npm's wrapper, so that ending the process ends the program."""
    found = sorted(npm_package().glob(f"@foundry-rs/{tool}-*/bin/{tool}*"))
    if not found:
        pytest.fail(f"npm installed no {tool} for this platform")
    return found[0]
