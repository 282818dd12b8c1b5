"""Every command of the documents runs: here, on a node with Sepolia's chain ID, or in a test that is named."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.library.simulation import FakeChain, forfeit, move, new_game
from tests.support.anvil import SEPOLIA, Anvil
from tests.support.commands import ROOT, Command, Done, run
from tests.support.keyfiles import ANNA, BEN, PASSPHRASE
from tests.support.local_table import LocalTable
from tests.support.roles import Role
from tests.terminal.pictures import draw_pictures
from tests.terminal.test_sent import MOVED
from tictactoe import events

README = (ROOT / "README.md").read_text()
PLAYING = (ROOT / "docs" / "playing.md").read_text()
INTEGRATING = (ROOT / "docs" / "integrating.md").read_text()
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "dapp" / "README.md"]


def blocks(language: str, page: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def documented_commands() -> list[str]:
    """The lines of the listings, and the commands within sentences and tables."""
    pages = [page.read_text() for page in PAGES]
    # Of a command with a here-document, what stands before it.
    listings = [block.partition(" <<")[0] for page in pages for block in blocks("sh", page)]
    lines = [line for listing in listings for line in listing.splitlines()]
    spans = [span for page in pages for span in re.findall(r"`((?:uv run|cd dapp) [^`\n]+)`", page)]
    return list(dict.fromkeys([*lines, *spans]))


# -- commands that run here ------------------------------------------------------------------


@dataclass
class Sepolia:
    """A table on a node with Sepolia's chain ID and a block a second, and what the documents' variables stand for."""

    local: LocalTable
    folder: Path

    def typed(self, command: str) -> str:
        """The command as this shell takes it: on this node, and in the environment that `uv run` would enter."""
        url = self.local.anvil.url
        command = command.replace("ethereum:sepolia", f"ethereum:sepolia:{url}")
        return command.replace("uv run ", f"{Path(sys.executable).parent}/")

    def shell(self, command: str, keys: str = "", env: dict[str, str] | None = None) -> Done:
        variables = {"TABLE": self.local.address, "ANNA": ANNA.address, "PASSPHRASE": PASSPHRASE}
        done = run(["bash", "-c", self.typed(command)], keys, ANNA.unlocked | BEN.unlocked | variables | (env or {}))
        assert done.code == 0, done.err
        return done

    def running(self, command: str) -> Command:
        command = self.typed(command).replace("$TABLE", self.local.address)
        return Command(*command.split()[2:], keys="", env=ANNA.unlocked | BEN.unlocked)


@pytest.fixture(scope="module")
def sepolia(creation_code: bytes, keyfiles: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sepolia]:  # noqa: ARG001
    with Anvil(chain_id=SEPOLIA, block_time=1) as anvil:
        local = LocalTable(anvil, creation_code)
        local.x, local.o = ANNA.address, BEN.address
        for keyfile in (ANNA, BEN):
            anvil.rpc("anvil_setBalance", keyfile.address, hex(10**18))
            anvil.rpc("anvil_impersonateAccount", keyfile.address)
        yield Sepolia(local, tmp_path_factory.mktemp("docs"))


def prints(words: str) -> Callable[[Sepolia, str], None]:
    def runs(sepolia: Sepolia, command: str) -> None:
        assert words in sepolia.shell(command).out

    return runs


def generates_an_account(sepolia: Sepolia, command: str) -> None:
    typed = "some random typing\nn\nnew passphrase\nnew passphrase\n"
    sepolia.shell(command, typed, {"APE_DATA_FOLDER": str(sepolia.folder)})
    assert (sepolia.folder / "accounts" / "anna.json").exists()


def estimates(sepolia: Sepolia, command: str) -> None:
    nonce = sepolia.local.anvil.rpc("eth_getTransactionCount", ANNA.address, "pending")
    assert "at most" in sepolia.shell(command).out
    assert sepolia.local.anvil.rpc("eth_getTransactionCount", ANNA.address, "pending") == nonce


def deploys_after_a_question(sepolia: Sepolia, command: str) -> None:
    done = sepolia.shell(command, "y\n")
    (address,) = re.findall(r"^table +(0x\w+)", done.out, re.MULTILINE)
    assert f"https://sepolia.etherscan.io/address/{address}" in done.out
    assert sepolia.local.anvil.rpc("eth_getCode", address, "latest") != "0x"


def deploys_without_a_question(sepolia: Sepolia, command: str) -> None:
    report = json.loads(sepolia.shell(command).out)
    assert report["deployer"] == ANNA.address
    assert report["proved"] is True


def invites_a_friend(sepolia: Sepolia, command: str) -> None:
    sepolia.local.new_game(Role.OTHER.address, Role.STRANGER.address)
    with sepolia.running(command) as play:
        play.wait_for(f"--table {sepolia.local.address} --against {ANNA.address}")


def starts_a_game(sepolia: Sepolia, command: str) -> None:
    sepolia.local.new_game(Role.OTHER.address, Role.OTHER.address)
    # Two accounts are here, where Ben has one.
    done = sepolia.shell(f"{command} --account ben", "y\nq\n")
    assert re.search("X you\n.*O anna", done.out)


def makes_one_move(sepolia: Sepolia, command: str) -> None:
    sepolia.local.new_game()
    report = json.loads(sepolia.shell(command).out)
    assert (report["player"], report["row"], report["col"]) == (ANNA.address, 1, 1)


def watches_the_game(sepolia: Sepolia, command: str) -> None:
    with sepolia.running(command) as watch:
        sepolia.local.new_game()
        watch.wait_for("X anna (0x")
        watch.stop()
        assert watch.end().code == 0


def prints_every_event(sepolia: Sepolia, command: str) -> None:
    sepolia.local.new_game()
    events = [json.loads(line)["event"] for line in sepolia.shell(command).out.splitlines()]
    assert {*events[:-1]} == {"GameCreated"}
    assert events[-1] == "CaughtUp"


def has_table_and_state(sepolia: Sepolia, command: str) -> None:
    address = sepolia.local.address
    done = sepolia.shell(command, f"print(table({address!r}), state({address!r}).number)\n")
    assert f"Table({address!r})" in done.out


def has_its_options(sepolia: Sepolia, command: str) -> None:
    """Only its help is printed: it takes a name or minutes, does what tests/gas does, or writes into the repository."""
    program, options = re.fullmatch(r"(.*?)((?: --\w+| NAME)*)", command).groups()  # type: ignore[union-attr]
    usage = sepolia.shell(f"{program} --help").out.replace("ALIAS", "NAME")
    assert all(option in usage for option in options.split())


def is_a_script_of_the_page(_sepolia: Sepolia, command: str) -> None:
    package = json.loads((ROOT / "dapp" / "package.json").read_text())
    assert command.removeprefix("cd dapp && npm run ") in package["scripts"]


def collects_tests(sepolia: Sepolia, command: str) -> None:
    """The kind of test exists. It runs in every whole run."""
    for name in re.findall(r"tests/(\w+)", command):
        assert list((ROOT / "tests" / name).glob("test_*.py")), name
    if "-k" in command:
        assert " deselected" in sepolia.shell(f"{command} --collect-only -q").out


DEPLOY = "uv run ape run deploy --network ethereum:sepolia --account anna"
PLAY = "uv run ape run play --network ethereum:sepolia"
WATCH = "uv run ape run watch --network ethereum:sepolia --table $TABLE"

RUN_HERE: dict[str, Callable[[Sepolia, str], None]] = {
    r"printf '1\n4\n2\n5\n3\n' | uv run ape run play": prints("Player 1 wins"),
    "uv run ape accounts generate anna": generates_an_account,
    f"{DEPLOY} --dry-run": estimates,
    DEPLOY: deploys_after_a_question,
    f"APE_ACCOUNTS_anna_PASSPHRASE=$PASSPHRASE {DEPLOY} --yes --json": deploys_without_a_question,
    f"{PLAY} --account anna --table $TABLE": invites_a_friend,
    f"{PLAY} --table $TABLE --against $ANNA": starts_a_game,
    f"{PLAY} --account anna --table $TABLE --move 5 --json": makes_one_move,
    WATCH: watches_the_game,
    f"{WATCH} --once --json": prints_every_event,
    "uv run ape console --network ethereum:sepolia": has_table_and_state,
    "uv run ape accounts list": prints(ANNA.address),
    "uv run ape networks list": prints("sepolia"),
    "uv run ape accounts generate NAME": has_its_options,
    "uv run ape accounts import NAME": has_its_options,
    "uv run python -m tests.gas": has_its_options,
    "uv run python -m tests.gas --write": has_its_options,
    "cd dapp && npm run pictures": is_a_script_of_the_page,
}

# Where the others run.
ELSEWHERE = {
    "pip install uv && uv run ape run play": ".ci/run",
    "pip install uv && uv run ape test": ".ci/run",
    "uv run ape console": "tests/clients/test_console.py",
    "uv run ape test --whole": ".github/workflows/release.yml",
    'echo "export const abi = $(uv run vyper -f abi contracts/TicTacToe.vy) as const" > abi.ts': (
        "tests/clients/test_clients.py"
    ),
    'curl -H "content-type: application/json" -d @- https://sourcify.dev/server/v2/verify/11155111/$TABLE': (
        "tests/clients/test_integrating.py"
    ),
    "uv run vyper -f solc_json contracts/TicTacToe.vy": "tests/clients/test_integrating.py",
    "uv run vyper -f archive -o TicTacToe.vyz contracts/TicTacToe.vy": "tests/clients/test_integrating.py",
    "cd dapp && npm install && npm run dev": "dapp/tests/build.spec.ts",
    "uv run python -m tests.terminal.pictures": "tests/terminal/test_docs.py",
    "cd dapp && npm install && npm run build": ".github/workflows/release.yml",
    "cd dapp && npm install && npm test": ".ci/run",
}


@pytest.mark.parametrize("command", documented_commands())
def test_documented_command__runs(request: pytest.FixtureRequest, command: str) -> None:
    if place := ELSEWHERE.get(command):
        assert (ROOT / place).exists()
        return
    runs = collects_tests if command.startswith("uv run ape test tests/") else RUN_HERE.get(command)
    assert runs, "add it to RUN_HERE, or name the test that runs it in ELSEWHERE"
    runs(request.getfixturevalue("sepolia"), command)


def test_command_that_runs__is_documented() -> None:
    assert {*RUN_HERE, *ELSEWHERE} <= {*documented_commands()}


def test_readme__opens_with_the_two_commands() -> None:
    play, test = blocks("sh", README)[:2]
    assert play == "pip install uv && uv run ape run play\n"
    assert test == "pip install uv && uv run ape test\n"


def test_python_listing__plays_and_follows_a_game(sepolia: Sepolia) -> None:
    (listing,) = [block for block in blocks("python", INTEGRATING) if "from tictactoe import" in block]
    done = run([sys.executable, "-c", sepolia.typed(listing)], env=ANNA.unlocked | BEN.unlocked)
    played = [f"MoveMade {tuple(range(length))} in_progress" for length in range(2, 8)]
    first = ["GameCreated () in_progress", "MoveMade (0,) in_progress", *played]
    last = [f"{kind} {tuple(range(7))} x_won" for kind in ("GameEnded", "CaughtUp")]
    assert done.out.splitlines()[-10:] == [*first, *last], done.err


# -- tables and pictures ---------------------------------------------------------------------


def documented(page: str, heading: str) -> set[str]:
    """The fields in the table under this heading."""
    rows = re.findall(r"^\| (`.*?`) \| ", page.partition(heading)[2].partition("\n## ")[0], re.MULTILINE)
    return {name for names in rows for name in re.findall(r"`(\w+)`", names)}


def test_json_fields_of_events__are_documented() -> None:
    chain = FakeChain()
    chain.play(new_game(), move(4), forfeit)
    fields = {field for event in events(chain.table(), follow=False) for field in event.as_json()}
    assert fields == documented(INTEGRATING, "## Events as JSON")


def test_json_fields_of_a_move__are_documented() -> None:
    assert documented(PLAYING, "## One move") == {*MOVED}


def words(picture: Path) -> list[str]:
    """What a person reads in it. How rich draws letters may change with its version."""
    return " ".join(re.findall(r">([^<>]+)</text>", picture.read_text())).replace("&#160;", " ").split()


def test_pictures__show_the_real_board(tmp_path: Path) -> None:
    draw_pictures(tmp_path)
    for name in ("play.svg", "won.svg"):
        assert "@font-face" not in (tmp_path / name).read_text(), "it loads a font from another host"
        assert words(tmp_path / name) == words(ROOT / "docs" / name), "run `uv run python -m tests.terminal.pictures`"
