"""viem, ethers and web3.py each play the same games on anvil, and are compared with the rules in plain Python."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from web3 import Web3
from web3.exceptions import ContractLogicError

from docs.snippets.table import TableClient
from tests.clients.wording import WORDING
from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.rules.model import Model, Refused, Status, attempt
from tests.rules.positions import REASONS
from tests.support import PATIENCE
from tests.support.anvil import Anvil
from tests.support.compiler import compiled
from tests.support.local_table import LocalTable
from tests.support.npm import npm_package
from tests.support.revm import forwarder
from tests.support.roles import Role

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ZERO = "0x" + "00" * 20
CONTRACT = Web3.to_checksum_address("0x" + "c0" * 20)
MOVE = ("row", "col", "player", "sequenceNumber")


class Step(NamedTuple):
    """A transaction, the account that signs it, and what the rules make of it."""

    sender: Role
    to: str
    name: str
    args: tuple[Any, ...]
    before: Model
    outcome: Model | Refused

    @property
    def key(self) -> str:
        return str(self.sender.account.private_key)


@pytest.fixture(scope="module")
def anvil() -> Iterator[Anvil]:
    """It mines each transaction at once, and a block a second besides, as a public chain goes on.

    viem's `waitForTransactionReceipt` ignores a block that comes while it looks for a replacement, and looks again at
    the next one. Without a next one, it waits until it times out.
    """
    with Anvil(mixed_mining=True, block_time=1) as anvil:
        yield anvil


@pytest.fixture
def table(anvil: Anvil, creation_code: bytes) -> str:
    """A new table, a contract that forwards calls to it, and one that a player could be mistaken for."""
    table = LocalTable(anvil, creation_code).address
    anvil.rpc("anvil_setCode", CONTRACT, "0x6000")
    anvil.rpc("anvil_setCode", forwarder_of(table), "0x" + forwarder(int(table, 16)).hex())
    return table


def forwarder_of(table: str) -> str:
    return Web3.to_checksum_address(f"0x{int(table, 16) ^ 1:040x}")


def programme(table: str) -> list[Step]:
    """Five games with every ending and, on the way, every reason."""
    x, o, stranger = Role.PLAYER_X, Role.PLAYER_O, Role.STRANGER
    players: Any = x.address, o.address
    steps: list[Step] = []
    game = Model()

    def step(sender: Role, name: str, *args: Any, to: str = table, refused: str = "") -> None:
        nonlocal game
        caller: Any = sender.address  # the model compares addresses, and needs no numbers
        rules: dict[str, Callable[..., Model]] = {
            "newGame": game.new_game,
            "makeMove": partial(game.move, caller),
            "forfeit": partial(game.forfeit, caller),
        }
        outcome = Refused(refused) if refused else attempt(rules[name], *args)
        steps.append(Step(sender, to, name, args, game, outcome))
        if isinstance(outcome, Model):
            game = outcome

    step(x, "makeMove", 0, 0)
    step(stranger, "newGame", x.address, ZERO, refused="player is the zero address")
    step(stranger, "newGame", CONTRACT, o.address, refused="player is a contract")
    for cells in (WON_BY_X, WON_BY_O, DRAWN):
        step(stranger, "newGame", *players)
        for i, cell in enumerate(cells):
            # In turn with and without the number of the game.
            step((x, o)[i % 2], "makeMove", cell // 3, cell % 3, *[game.number][: i % 3])
    for moves in (0, 1):
        step(o, "newGame", *players, game.number + 1)
        step(o, "newGame", *players, game.number)
        step(x, "makeMove", 1, 1, game.number + 1)
        step(x, "makeMove", 1, 1, to=forwarder_of(table), refused="caller is a contract")
        if moves == 0:
            step(o, "makeMove", 2, 2)
        step(x, "makeMove", 0, 3, game.number)
        if moves:
            step(x, "makeMove", 1, 1, game.number)
            step(o, "makeMove", 1, 1, game.number)
        step((x, o)[moves], "forfeit", *[game.number][:moves])
        step((x, o)[moves], "forfeit", game.number)
    return steps


def events(before: Model, after: Model) -> list[list[Any]]:
    """The decoded events of a transaction, as the specification names them."""
    number = {"gameId": after.number}
    if after.number != before.number:
        return [["GameCreated", number | {"playerX": after.player_x, "playerO": after.player_o}]]
    emitted: list[list[Any]] = []
    if len(after.moves) > len(before.moves):
        row, col = divmod(after.moves[-1], 3)
        made = {"player": before.mover, "sequenceNumber": len(after.moves), "row": row, "col": col}
        emitted.append(["MoveMade", number | made])
    if after.status != Status.IN_PROGRESS:
        emitted.append(["GameEnded", number | {"winner": after.winner or ZERO, "status": int(after.status)}])
    return emitted


def state(game: Model) -> dict[str, Any]:
    """The decoded `gameState()`."""
    return {
        "gameId": game.number,
        "playerX": game.player_x or ZERO,
        "playerO": game.player_o or ZERO,
        "board": [list(game.board[i : i + 3]) for i in (0, 3, 6)],
        "currentPlayer": game.current_player,
        "status": int(game.status),
        "moveHistory": [
            dict(zip(MOVE, (cell // 3, cell % 3, 1 + i % 2, i + 1), strict=True)) for i, cell in enumerate(game.moves)
        ],
    }


def rebuilt(game: Model) -> dict[str, Any]:
    """A game as the listings rebuild it from its logs."""
    players = {"playerX": game.player_x, "playerO": game.player_o}
    return {"gameId": game.number, **players, "moves": list(game.moves), "status": int(game.status)}


@pytest.fixture(scope="module")
def javascript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the JavaScript clients, their packages, and the listing, its ABI made as in the documentation."""
    folder = tmp_path_factory.mktemp("javascript")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(npm_package())
    for file in (HERE / "viem.mjs", HERE / "ethers.mjs", ROOT / "docs" / "snippets" / "table.ts"):
        shutil.copy(file, folder)
    page = (ROOT / "docs" / "integrating.md").read_text()
    (make_abi,) = re.findall(r"^echo .* > abi\.ts$", page, re.MULTILINE)
    vyper = Path(sys.executable).parent / "vyper"
    make_abi = make_abi.replace("uv run vyper", f"'{vyper}'").replace("abi.ts", f"'{folder}/abi.ts'")
    subprocess.run(["bash", "-c", make_abi], cwd=ROOT, check=True, timeout=PATIENCE)
    options = ("--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck")
    compiled = subprocess.run(
        ["node", str(npm_package() / "typescript" / "bin" / "tsc"), *options, "table.ts"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert compiled.returncode == 0, compiled.stdout
    return folder


def by_node(program: Path, anvil: Anvil, abi: Any, table: str, steps: list[Step]) -> dict[str, Any]:
    """viem or ethers."""
    transactions = [{"key": step.key, "to": step.to, "name": step.name, "args": step.args} for step in steps]
    ran = subprocess.run(
        ["node", str(program)],
        input=json.dumps({"url": anvil.url, "abi": abi, "table": table, "steps": transactions}),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    seen: dict[str, Any] = json.loads(ran.stdout)
    return seen


def by_web3(anvil: Anvil, abi: Any, table: str, steps: list[Step]) -> dict[str, Any]:
    """web3.py, by the documentation's listing where it has the function."""
    listing = TableClient(anvil.url, table, abi)
    eth: Any = listing.web3.eth
    seen = []
    for step in steps:
        row: dict[str, Any] = {}
        try:
            if step.name == "makeMove" and len(step.args) == 3:
                receipt = listing.move(step.key, *step.args)
            else:
                account = eth.account.from_key(step.key)
                function = eth.contract(Web3.to_checksum_address(step.to), abi=abi).functions[step.name](*step.args)
                fields = {"from": account.address, "nonce": eth.get_transaction_count(account.address)}
                signed = account.sign_transaction(function.build_transaction(fields))
                receipt = eth.wait_for_transaction_receipt(eth.send_raw_transaction(signed.raw_transaction))
            row["events"] = [[event["event"], dict(event["args"])] for event in listing.decoded(receipt["logs"])]
        except ContractLogicError as error:
            row["message"] = error.message
            row["reason"] = str(error.message).removeprefix("execution reverted: ")
        row["state"] = named(listing.state())
        seen.append(row)
    followed: list[Any] = []
    listing.follow(followed.append, stop=lambda: bool(followed), pace=0.1)
    return {"steps": seen, "games": list(listing.games().values()), "followed": named(followed[0])}


def named(values: Any) -> dict[str, Any]:
    """`gameState()` as web3.py returns it, with the names of its fields."""
    found = dict(zip(state(Model()), values, strict=True))
    history = [dict(zip(MOVE, move, strict=True)) for move in found["moveHistory"]]
    return found | {"board": [list(row) for row in found["board"]], "moveHistory": history}


@pytest.mark.parametrize("client", WORDING)
def test_client_plays_whole_games__and_reads_everything(
    client: str, anvil: Anvil, contract_source: str, javascript: Path, table: str
) -> None:
    steps, abi = programme(table), compiled(contract_source)["abi"]
    if client == "web3.py":
        seen = by_web3(anvil, abi, table, steps)
    else:
        seen = by_node(javascript / f"{client}.mjs", anvil, abi, table, steps)

    played: dict[int, Model] = {}
    reasons: set[str] = set()
    game = Model()
    for step, row in zip(steps, seen["steps"], strict=True):
        if isinstance(step.outcome, Refused):
            reasons.add(step.outcome.reason)
            assert row["reason"] == step.outcome.reason, step
            assert row["message"] == WORDING[client].format(name=step.name, reason=step.outcome.reason)
        else:
            assert row["events"] == events(step.before, step.outcome), step
            game = played[step.outcome.number] = step.outcome
        assert row["state"] == state(game)
    # The programme leaves out no reason and no ending.
    assert reasons == set(REASONS)
    assert {game.status for game in played.values()} == set(Status) - {Status.NO_GAME, Status.IN_PROGRESS}

    assert seen["games"] == [rebuilt(game) for game in played.values()]
    if client != "ethers":  # which has no listing
        assert seen["followed"] == state(game)
    if client == "viem":
        assert seen["heard"] == [event for row in seen["steps"] for event in row.get("events", [])]
