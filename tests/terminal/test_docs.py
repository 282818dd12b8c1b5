"""Every command of the documents runs: here, on a node with Sepolia's chain ID, or elsewhere."""

import json
import re
import sys
import time
from pathlib import Path
from string import Template
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from tests.support.anvil import SEPOLIA
from tests.support.commands import ROOT, Command, run
from tests.support.roles import Role
from tests.terminal.pictures import draw_pictures
from tests.terminal.world import ANNA, BEN, PASSPHRASE, new_chain
from tictactoe.formatting import short

INTEGRATING = (ROOT / "docs" / "integrating.md").read_text()
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "dapp" / "README.md"]


def blocks(language, page):
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def documented_commands():
    """The lines of the listings, and the commands within sentences and tables."""
    pages = [page.read_text() for page in PAGES]
    # Of a command with a here-document, what stands before it.
    listings = [block.partition(" <<")[0] for page in pages for block in blocks("sh", page)]
    lines = [line for listing in listings for line in listing.splitlines()]
    spans = [span for page in pages for span in re.findall(r"`((?:uv run|cd dapp) [^`\n]+)`", page)]
    return list(dict.fromkeys(command.replace("NAME", "anna") for command in [*lines, *spans]))


# -- commands that run here ------------------------------------------------------------------


@pytest.fixture(scope="module")
def sepolia(creation_code):
    """A table on a node with Sepolia's chain ID, which mines without end. Anna and Ben have coins."""
    with new_chain(SEPOLIA, block_time=0.2) as chain:
        chain.add_table(creation_code)
        for keyfile in (ANNA, BEN):
            chain.anvil.fund(keyfile.address)
        yield chain


class Runs(NamedTuple):
    """A pattern of what it prints, after these keys."""

    prints: str
    keys: str = ""
    game: tuple = ()  # started before it, by these players
    accounts: tuple = (ANNA, BEN)  # of the person who types it


STRANGERS, PLAYERS = (Role.OTHER.address, Role.STRANGER.address), (ANNA.address, BEN.address)
DEPLOY = "uv run ape run deploy --network ethereum:sepolia --account anna"
PLAY = "uv run ape run play --network ethereum:sepolia"
WATCH = "uv run ape run watch --network ethereum:sepolia --table $TABLE"
ADDED, TYPED = "A new account '0x", "some random typing\nn\nnew one\nnew one\n"
STARTED, ANSWERS = rf"X you  O {short(ANNA.address)}", "y\nq\n"
STATE, ASKED = f"Table.* {ANNA.address}", "print(table('$TABLE'), state('$TABLE').player_x)\n"

RUN_HERE = {
    r"printf '1\n4\n2\n5\n3\n' | uv run ape run play": Runs("Player 1 wins"),
    "uv run ape accounts generate anna": Runs(ADDED, TYPED, accounts=()),
    "uv run ape accounts import anna": Runs(ADDED, f"0x{BEN.key.hex()}\nnew one\nnew one\n", accounts=()),
    f"{DEPLOY} --dry-run": Runs("at most 0.00"),
    DEPLOY: Runs(r"https://sepolia\.etherscan\.io/address/0x", "y\n"),
    f"APE_ACCOUNTS_anna_PASSPHRASE=$PASSPHRASE {DEPLOY} --yes --json": Runs('"proved": true'),
    f"{PLAY} --account anna --table $TABLE": Runs(f"--against {ANNA.address}", game=STRANGERS),
    f"{PLAY} --table $TABLE --against $ANNA": Runs(STARTED, ANSWERS, game=STRANGERS, accounts=(BEN,)),
    f"{PLAY} --account anna --table $TABLE --move 5 --json": Runs('"stage": "confirmed"', game=PLAYERS),
    WATCH: Runs(rf"X anna \({short(ANNA.address)}\)", game=PLAYERS),
    f"{WATCH} --once --json": Runs('"event": "GameCreated".*\n.*"event": "CaughtUp"', game=PLAYERS),
    "uv run ape console --network ethereum:sepolia": Runs(STATE, ASKED, game=PLAYERS),
    "uv run ape accounts list": Runs(ANNA.address),
    "uv run ape networks list": Runs("sepolia"),
}

ELSEWHERE = [
    # .ci/run, also with --whole
    "pip install uv && uv run ape run play",
    "pip install uv && uv run ape test",
    "uv run ape test --whole",
    "cd dapp && npm install && npm test",
    # the release workflow
    "cd dapp && npm install && npm run build",
    # `test_python_listing` below
    "uv run python bot.py",
    # tests/clients
    "uv run ape console",
    'echo "export const abi = $(uv run vyper -f abi contracts/TicTacToe.vy) as const" > abi.ts',
    'curl -H "content-type: application/json" -d @- https://sourcify.dev/server/v2/verify/11155111/$TABLE',
    "uv run vyper -f solc_json contracts/TicTacToe.vy",
    # dapp/tests/build.spec.ts
    "cd dapp && npm install && npm run dev",
    # by hand, because they write into the repository; tests/gas and `test_pictures` below compare what they write
    "uv run python -m tests.gas",
    "cd dapp && npm run pictures",
    "uv run python -m tests.terminal.pictures",
]


@pytest.mark.parametrize("command", documented_commands())
def test_documented_command__runs(request, tmp_path, command):
    if command.startswith("uv run ape test tests/"):
        # This kind of test exists. It runs in every whole run.
        files = [file for folder in re.findall(r"tests/\w+", command) for file in (ROOT / folder).glob("test_*.py")]
        _, _, name = command.partition(" -k ")
        assert any(re.search(rf"^def test_\w*{name}", file.read_text(), re.MULTILINE) for file in files)
    elif command not in ELSEWHERE:
        runs = RUN_HERE.get(command)
        assert runs, "add it to RUN_HERE, or to ELSEWHERE with what runs it"
        check(request.getfixturevalue("sepolia"), command, runs, tmp_path)


def check(sepolia, command, runs, folder):
    if runs.game:
        sepolia.table.new_game(*runs.game)
    env = {"APE_DATA_FOLDER": str(folder)}
    for keyfile in runs.accounts:
        keyfile.write(folder)
        env |= keyfile.unlocked
    typed = on_this_node(sepolia, command)
    words = typed.partition("uv run ape run ")[2].split()
    if not words or "|" in command:
        done = shell(typed, on_this_node(sepolia, runs.keys), env)
    else:
        with Command(*words, keys=runs.keys, env=env, hurry=20) as running:
            if command == WATCH:
                running.wait_for("Caught up")
                running.signal()
            done = running.end()
    assert (done.code, bool(re.search(runs.prints, done.out + done.err))) == (0, True), done


def on_this_node(sepolia, typed):
    """As a shell with these variables takes it."""
    variables = {"TABLE": sepolia.table.address, "ANNA": ANNA.address, "PASSPHRASE": PASSPHRASE}
    typed = typed.replace("ethereum:sepolia", f"ethereum:sepolia:{sepolia.anvil.url}")
    return Template(typed).safe_substitute(variables)


def shell(typed, keys="", env=()):
    """In a shell, in the environment that `uv run` would enter."""
    return run(["bash", "-c", typed.replace("uv run ", f"{Path(sys.executable).parent}/")], keys, env)


def test_command_that_runs__is_documented():
    assert {*RUN_HERE, *ELSEWHERE} <= {*documented_commands()}


@pytest.mark.usefixtures("keyfiles")
def test_python_listing__plays_and_follows_a_game(sepolia, monkeypatch, capsys):
    (listing,) = [block for block in blocks("python", INTEGRATING) if "from tictactoe import" in block]
    hurried = SimpleNamespace(sleep=lambda _seconds: time.sleep(0.01), monotonic=time.monotonic)
    monkeypatch.setattr("tictactoe.transactions.time", hurried)
    for name, passphrase in (ANNA.unlocked | BEN.unlocked).items():
        monkeypatch.setenv(name, passphrase)
    exec(on_this_node(sepolia, listing), {})  # noqa: S102
    played = [f"MoveMade {tuple(range(length))} in_progress" for length in range(2, 8)]
    first = ["GameCreated () in_progress", "MoveMade (0,) in_progress", *played]
    last = [f"{kind} {tuple(range(7))} x_won" for kind in ("GameEnded", "CaughtUp")]
    assert capsys.readouterr().out.splitlines()[-10:] == [*first, *last]


# -- tables and pictures ---------------------------------------------------------------------


def test_json_fields_of_a_dry_run__are_documented(sepolia):
    """`test_failures.py` and `test_watch.py` have the others."""
    (instead,) = re.findall(r"^With `--dry-run` it has (.*) instead", INTEGRATING, re.MULTILINE)
    fields = {"network", "chainId", "deployer", *re.findall(r"`(\w+)`", instead)}
    assert {*json.loads(sepolia.run("deploy --network $node --account TEST::0 --dry-run --json").out)} == fields


def test_pictures__show_the_real_board(tmp_path):
    draw_pictures(tmp_path)
    for name in ("play.svg", "won.svg"):
        drawn = (tmp_path / name).read_text() == (ROOT / "docs" / name).read_text()
        assert drawn, "run `uv run python -m tests.terminal.pictures`"
