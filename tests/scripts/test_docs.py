"""The README and docs/terminal.md keep their word: every block is run, against a node with Sepolia's number."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from eth_account import Account

from scripts._events import Event
from scripts._game import Game
from tests.node import Anvil
from tests.scripts.conftest import PASSPHRASE
from tests.scripts.terminal import APE, ROOT, Done, Running, environment

PAGE = (ROOT / "docs" / "terminal.md").read_text()
README = (ROOT / "README.md").read_text()


def blocks(language: str, page: str = PAGE) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


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


def test_docs__every_command__does_what_it_says(keyfiles: dict[str, str], tmp_path: Path) -> None:
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    with Anvil(chain_id=11155111) as anvil:

        def here(line: str) -> str:
            return line.replace("ethereum:sepolia", f"ethereum:sepolia:{anvil.url}")

        for address in keyfiles.values():
            anvil.rpc("anvil_setBalance", address, hex(10**18))
        words = {"TABLE": "", "BEN": keyfiles["ben"], "PASSPHRASE": PASSPHRASE}
        unlocked = {f"APE_ACCOUNTS_{alias}_PASSPHRASE": PASSPHRASE for alias in keyfiles}

        play, piped, generate, dry, deploy, anna, ben, watch, scripted, as_json = lines
        assert shell(play).code == 0
        assert "X wins" in shell(piped).out

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
            watching.wait_for("Game 1 begins")
            watching.interrupt()
            assert watching.end() == 0

        rows = [json.loads(row) for row in shell(here(as_json), **words).out.splitlines()]
        assert [row["event"] for row in rows] == ["GameCreated", "CaughtUp"]

        (python,) = blocks("python")
        code = here(python).replace("TABLE", repr(words["TABLE"]))
        ran = subprocess.run(
            [APE.parent / "python", "-c", code], capture_output=True, text=True, cwd=ROOT, env=environment(), timeout=60
        )
        assert "GameCreated False" in ran.stdout, ran.stderr

        # Ben's command waits for Anna, who has left: it shows the board, with his seat.
        with Running("play", *here(ben).replace("$TABLE", words["TABLE"]).split()[5:], env=unlocked) as playing:
            playing.wait_for("X to move")
            assert re.search(rf"O +{keyfiles['ben']} +you", playing.text)


def test_readme__every_command__does_what_it_says(tmp_path: Path) -> None:
    """But for the second of all, which runs this very test: `.ci/run` runs it."""
    play, tests, deployment = blocks("sh", README)
    assert tests == "pip install uv && uv run ape test\n"
    assert play.startswith("pip install uv && ")
    done = shell(play.removeprefix("pip install uv && "), "1\n4\n2\n5\n3\n")
    assert (done.code, "X wins" in done.out) == (0, True)
    assert shell("uv run ape run deploy").code == 0

    account = Account.from_key(b"\x0c" * 32)
    accounts, dry, deploy = deployment.splitlines()
    env = {"APE_DATA_FOLDER": str(tmp_path), "APE_ACCOUNTS_friend_PASSPHRASE": PASSPHRASE}
    done = shell(accounts, f"{account.key.hex()}\n{PASSPHRASE}\n{PASSPHRASE}\n", **env)
    assert done.code == 0, done.err
    with Anvil(chain_id=11155111) as anvil:
        anvil.rpc("anvil_setBalance", account.address, hex(10**18))
        dry, deploy = (line.replace("ethereum:sepolia", f"ethereum:sepolia:{anvil.url}") for line in (dry, deploy))
        assert "at most" in shell(dry, **env).out
        assert anvil.rpc("eth_blockNumber") == "0x0"
        done = shell(deploy + " --confirmations 0", "y\n", **env)
        assert done.code == 0, done.err
        assert anvil.rpc("eth_blockNumber") == "0x1"


def test_docs__json_fields__are_all_and_only_those() -> None:
    documented = set(re.findall(r"^\| (`.*?`) \| ", PAGE.split("## Watch")[1].split("## Exit")[0], re.MULTILINE))
    documented = {name for names in documented for name in re.findall(r"`(\w+)`", names)}
    sample = {"game": Game(1), "before": Game(), "block": 1, "block_hash": "0x", "sequence_number": 1}
    kinds = ("GameCreated", "MoveMade", "GameEnded", "CaughtUp", "Restarted")
    assert {field for kind in kinds for field in Event(kind=kind, **sample).as_json()} == documented  # type: ignore[arg-type]


def test_docs__pictures__are_what_the_command_draws(command: Callable[..., Done], tmp_path: Path) -> None:
    assert command("picture", "--folder", str(tmp_path)).code == 0
    for name in ("play.svg", "won.svg"):
        assert (tmp_path / name).read_text() == (ROOT / "docs" / name).read_text(), f"run `ape run picture`: {name}"
