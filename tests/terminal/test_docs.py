"""Every command of the documents that begins with `uv run ape` runs, other than `ape test` within the tests."""

import re

import pytest

from tests.support.anvil import SEPOLIA
from tests.support.commands import ROOT, run
from tests.terminal.pictures import draw_pictures
from tests.terminal.world import BEN, PASSPHRASE, PEOPLE, Chain, write_account

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "dapp" / "README.md"]


def documented_commands():
    """Those of ape. `.ci/run`, `tests/clients` and the page's tests run others."""
    found = [command for page in PAGES for command in re.findall(r"uv run (ape [^`\n<|]+)", page.read_text())]
    return dict.fromkeys(command.replace("NAME", "anna") for command in found)


ADDED, TYPED = "A new account '0x", "some random typing\nn\nnew one\nnew one\n"

# What is typed then, and a part of what is printed. `failures.txt` has those of the project's own commands.
RUN_HERE = {
    "ape accounts generate anna": (TYPED, ADDED),
    "ape accounts import anna": (f"0x{PEOPLE['anna'].key.hex()}\nnew one\nnew one\n", ADDED),
    "ape console --network ethereum:sepolia": ("print(table('$TABLE'), state('$TABLE'))\n", "Table('$TABLE') Game("),
    "ape accounts list": ("", BEN),
    "ape networks list": ("", "sepolia"),
}


@pytest.mark.parametrize("command", documented_commands())
def test_documented_command__is_run_by_a_test(command):
    if command.startswith("ape test"):
        # This kind of test exists. It runs in every whole run.
        assert all((ROOT / folder).is_dir() for folder in re.findall(r"tests/\w+", command))
    elif not any(here.startswith(command) for here in RUN_HERE):
        rows = (ROOT / "tests" / "terminal" / "failures.txt").read_text()
        words = command.removeprefix("ape run ").replace("--network ethereum:sepolia", "$there")
        assert re.search(rf"^[$].* {re.escape(words)}( [<|].*)?$", rows, re.MULTILINE)


@pytest.fixture(scope="module")
def sepolia(creation_code):
    """A table on a node with Sepolia's chain ID."""
    with Chain(SEPOLIA) as chain:
        chain.add_table(creation_code)
        yield chain


def on_this_node(sepolia, typed):
    return typed.replace("$TABLE", sepolia.table.address).replace("ethereum:sepolia", f"ethereum:sepolia:{sepolia.url}")


@pytest.mark.parametrize("command", RUN_HERE)
def test_command__runs(sepolia, tmp_path, command):
    write_account(tmp_path, "ben")
    typed, keys, prints = (on_this_node(sepolia, text) for text in (command, *RUN_HERE[command]))
    done = run(typed.split(), keys, {"APE_DATA_FOLDER": str(tmp_path)})
    assert (done.returncode, prints in done.stdout + done.stderr) == (0, True), done


@pytest.mark.usefixtures("people")
def test_python_listing__plays_and_follows_a_game(sepolia, monkeypatch, capsys):
    page = (ROOT / "docs" / "integrating.md").read_text()
    (listing,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    for alias, account in PEOPLE.items():
        sepolia.fund(account.address)
        monkeypatch.setenv(f"APE_ACCOUNTS_{alias}_PASSPHRASE", PASSPHRASE)
    exec(on_this_node(sepolia, listing), {})  # noqa: S102
    played = [f"MoveMade {tuple(range(length))} in_progress" for length in range(2, 8)]
    first = ["GameCreated () in_progress", "MoveMade (0,) in_progress", *played]
    last = [f"{kind} {tuple(range(7))} x_won" for kind in ("GameEnded", "CaughtUp")]
    assert capsys.readouterr().out.splitlines()[-10:] == [*first, *last]


def test_pictures__show_the_real_board(tmp_path):
    draw_pictures(tmp_path)
    for name in ("play.svg", "won.svg"):
        drawn = (tmp_path / name).read_text() == (ROOT / "docs" / name).read_text()
        assert drawn, "run `uv run python -m tests.terminal.pictures`"
