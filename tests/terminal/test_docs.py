"""Every command of the documents runs: here, on a node with Sepolia's chain ID, or elsewhere."""

import re

import pytest

from tests.support.anvil import SEPOLIA
from tests.support.commands import ROOT, run
from tests.terminal.pictures import draw_pictures
from tests.terminal.world import ANNA, BEN, Chain

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


ADDED, TYPED = "A new account '0x", "some random typing\nn\nnew one\nnew one\n"

# What is typed then, and a part of what is printed. `failures.txt` has those of the project's own commands.
RUN_HERE = {
    "uv run ape accounts generate anna": (TYPED, ADDED),
    "uv run ape accounts import anna": (f"0x{ANNA.key.hex()}\nnew one\nnew one\n", ADDED),
    "uv run ape console --network ethereum:sepolia": (
        "print(table('$TABLE'), state('$TABLE'))\n",
        "Table('$TABLE') Game(",
    ),
    "uv run ape accounts list": ("", BEN.address),
    "uv run ape networks list": ("", "sepolia"),
}

ELSEWHERE = [
    # .ci/run, also with --whole
    r"printf '1\n4\n2\n5\n3\n' | uv run ape run play",
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
def test_documented_command__is_run_by_a_test(command):
    if command.startswith("uv run ape test tests/"):
        # This kind of test exists. It runs in every whole run.
        files = [file for folder in re.findall(r"tests/\w+", command) for file in (ROOT / folder).glob("test_*.py")]
        _, _, name = command.partition(" -k ")
        assert any(re.search(rf"^def test_\w*{name}", file.read_text(), re.MULTILINE) for file in files)
    elif command not in [*RUN_HERE, *ELSEWHERE]:
        rows = (ROOT / "tests" / "terminal" / "failures.txt").read_text()
        words = command.partition("uv run ape run ")[2].replace("--network ethereum:sepolia", "$there")
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
    BEN.write(tmp_path)
    typed, keys, prints = (on_this_node(sepolia, text) for text in (command, *RUN_HERE[command]))
    done = run(["bash", "-c", typed.replace("uv run ", "")], keys, {"APE_DATA_FOLDER": str(tmp_path)})
    assert (done.returncode, prints in done.stdout + done.stderr) == (0, True), done


@pytest.mark.usefixtures("keyfiles")
def test_python_listing__plays_and_follows_a_game(sepolia, monkeypatch, capsys):
    (listing,) = [block for block in blocks("python", INTEGRATING) if "from tictactoe import" in block]
    for keyfile in (ANNA, BEN):
        sepolia.fund(keyfile.address)
        monkeypatch.setenv(*keyfile.unlocked)
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
