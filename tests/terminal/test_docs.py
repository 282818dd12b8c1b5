"""Every command of the README and of docs/ does what the text says, against a node with Sepolia's number."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from tests.support.anvil import Anvil
from tests.terminal.conftest import PASSPHRASE
from tests.terminal.pictures import draw_pictures
from tests.terminal.terminal import APE, ROOT, Done, Running, environment
from tictactoe import Event, Game
from tictactoe.events import Notice
from tictactoe.logs import GameCreated, GameEnded, MoveMade

README = (ROOT / "README.md").read_text()
PLAYING = (ROOT / "docs" / "playing.md").read_text()
INTEGRATING = (ROOT / "docs" / "integrating.md").read_text()


def blocks(language: str, page: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


# Run elsewhere: by `.ci/run`, tests/page, tests/clients.
ELSEWHERE = ("pip install uv && ", "cd dapp ", "echo ", "uv run vyper ")


def shell(command: str, keys: str = "", **env: str) -> Done:
    """As typed, but for `uv run`, which would resolve the environment anew each time."""
    done = subprocess.run(
        ["bash", "-c", command.replace("uv run ape", str(APE))],
        input=keys,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(**env),
        timeout=120,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def test_readme__opens__with_the_two_commands() -> None:
    play, test = blocks("sh", README)[:2]
    assert play == "pip install uv && uv run ape run play\n"
    assert test == "pip install uv && uv run ape test\n"


def test_readme__every_command__does_what_it_says(keyfiles: dict[str, str], tmp_path: Path) -> None:
    (piped,) = blocks("sh", PLAYING)
    assert "X wins" in shell(piped).out

    pages = blocks("sh", README) + blocks("sh", INTEGRATING)
    lines = [line for block in pages for line in block.splitlines() if not line.startswith(ELSEWHERE)]
    with Anvil(chain_id=11155111) as anvil:

        def here(line: str) -> str:
            return line.replace("ethereum:sepolia", f"ethereum:sepolia:{anvil.url}")

        for address in keyfiles.values():
            anvil.rpc("anvil_setBalance", address, hex(10**18))
        words = {"TABLE": "", "BEN": keyfiles["ben"], "PASSPHRASE": PASSPHRASE}
        unlocked = {f"APE_ACCOUNTS_{alias}_PASSPHRASE": PASSPHRASE for alias in keyfiles}

        generate, dry, deploy, anna, ben, watch, scripted, as_json = lines
        made = shell(
            generate, "some random typing\nn\nnew passphrase\nnew passphrase\n", APE_DATA_FOLDER=str(tmp_path / "fresh")
        )
        assert made.code == 0, made.err
        assert (tmp_path / "fresh" / "accounts" / "anna.json").exists()

        assert "at most" in shell(here(dry), **unlocked).out
        assert anvil.rpc("eth_blockNumber") == "0x0"
        deploying = here(deploy) + " --confirmations 0"  # this node mines only what is sent
        done = shell(deploying, "y\n", **unlocked)
        assert done.code == 0, done.err
        words["TABLE"] = re.findall(r"^(?:Deploy\? \[y/N\]: )?table +(0x\w+)", done.out, re.MULTILINE)[-1]

        told = json.loads(shell(here(scripted) + " --confirmations 0", **unlocked, **words).out)
        assert told["proved"] is True

        with Running("watch", *here(watch).replace("$TABLE", words["TABLE"]).split()[5:]) as watching:
            done = shell("printf 'q\\n' | " + here(anna), **unlocked, **words)
            assert done.code == 0, done.err
            assert "Game 1" in done.out
            watching.wait_for("Game 1 starts")
            watching.interrupt()
            assert watching.end() == 0

        rows = [json.loads(row) for row in shell(here(as_json), **words).out.splitlines()]
        assert [row["event"] for row in rows] == ["GameCreated", "CaughtUp"]

        (python,) = [block for block in blocks("python", INTEGRATING) if "tictactoe" in block]
        code = here(python).replace("TABLE", repr(words["TABLE"]))
        ran = subprocess.run(
            [APE.parent / "python", "-c", code], capture_output=True, text=True, cwd=ROOT, env=environment(), timeout=60
        )
        assert "GameCreated False" in ran.stdout, ran.stderr

        # Ben's command waits for Anna, who has left: it shows the board, with his seat.
        with Running("play", *here(ben).replace("$TABLE", words["TABLE"]).split()[5:], env=unlocked) as playing:
            playing.wait_for("X to move")
            assert re.search(rf"O +{keyfiles['ben']} +you", playing.text)


def test_docs__json_fields__are_all_and_only_those() -> None:
    table = INTEGRATING.split("## Events as JSON")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \| ", table, re.MULTILINE)
    documented = {name for names in rows for name in re.findall(r"`(\w+)`", names)}
    place: Any = {"number": 1, "block": 1, "block_hash": "0x", "transaction": "0x", "index": 0}
    samples = (
        GameCreated(**place, player_x="0x1", player_o="0x2"),
        MoveMade(**place, player="0x1", move=1, cell=0),
        GameEnded(**place, winner="0x1", status="x_won"),
        Notice("CaughtUp", 1, "0x"),
    )
    assert {field for log in samples for field in Event(log, Game(), Game()).as_json()} == documented


def test_docs__pictures__are_what_the_command_draws(tmp_path: Path) -> None:
    draw_pictures(tmp_path)
    for name in ("play.svg", "won.svg"):
        assert (tmp_path / name).read_text() == (ROOT / "docs" / name).read_text(), (
            f"run `python -m tests.terminal.pictures`: {name}"
        )


def test_source__one_module_talks_to_a_node__as_it_says() -> None:
    modules = [*(ROOT / "scripts").glob("*.py"), *(ROOT / "tictactoe").rglob("*.py")]
    asking = {path.name for path in modules if re.search(r"\.eth\b", path.read_text())}
    assert asking == {"node.py"}
