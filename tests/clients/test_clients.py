"""Four clients of other makes, each playing the same games on one anvil, compared with the rules in plain Python."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from web3 import Web3
from web3.exceptions import ContractLogicError
from web3.types import RPCEndpoint

from docs.snippets.table import Table
from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.rules.model import Model, Status, X
from tests.rules.positions import REASONS
from tests.support.anvil import Anvil, foundry, npm_package
from tests.support.revm import Refused, forwarder, rules

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
ZERO = "0x" + "00" * 20
CONTRACT = Web3.to_checksum_address("0x" + "c0" * 20)


@dataclass(frozen=True)
class Step:
    """A transaction, the key that signs it, and what must come of it."""

    key: str
    to: str
    name: str
    args: tuple[Any, ...]
    before: Model
    outcome: Model | Refused


@pytest.fixture(scope="module")
def anvil() -> Iterator[Anvil]:
    with Anvil() as anvil:
        anvil.rpc("anvil_setCode", CONTRACT, "0x6000")
        yield anvil


@pytest.fixture(scope="module")
def web3(anvil: Anvil) -> Web3:
    return Web3(Web3.HTTPProvider(anvil.url))


@pytest.fixture(scope="module")
def people() -> tuple[Any, Any, Any]:
    """X, O and a stranger, of the accounts that anvil gives ether to."""
    Web3().eth.account.enable_unaudited_hdwallet_features()
    phrase = "test test test test test test test test test test test junk"
    one, two, three = (Web3().eth.account.from_mnemonic(phrase, account_path=f"m/44'/60'/0'/0/{i}") for i in (1, 2, 3))
    return one, two, three


@pytest.fixture(scope="module")
def abi(project: Any) -> list[dict[str, Any]]:
    return [entry.model_dump(by_alias=True, exclude_none=True) for entry in project.TicTacToe.contract_type.abi]


@pytest.fixture
def address(web3: Web3, creation_code: bytes) -> str:
    """A new table, and at a fixed place from it a contract that passes everything on."""
    sent = web3.eth.send_transaction({"from": web3.eth.accounts[0], "data": creation_code})
    address = str(web3.eth.wait_for_transaction_receipt(sent)["contractAddress"])
    web3.provider.make_request(
        RPCEndpoint("anvil_setCode"), [middle(address), "0x" + forwarder(int(address, 16)).hex()]
    )
    return address


def middle(address: str) -> str:
    return Web3.to_checksum_address(f"0x{int(address, 16) ^ 1:040x}")


def programme(people: tuple[Any, Any, Any], table: str) -> list[Step]:
    """Five games and, on the way, each reason once."""
    x, o, stranger = people
    steps: list[Step] = []
    game = Model()

    def step(who: Any, name: str, *args: Any, to: str = table) -> None:
        nonlocal game
        outcome: Model | Refused
        if to != table:
            outcome = Refused("caller is a contract")
        elif name == "newGame" and ZERO in args:
            outcome = Refused("player is the zero address")
        elif name == "newGame" and CONTRACT in args:
            outcome = Refused("player is a contract")
        else:
            asked: dict[str, Callable[..., Model]] = {
                "newGame": game.new_game,
                "makeMove": partial(game.move, who.address),
                "forfeit": partial(game.forfeit, who.address),
            }
            outcome = rules(partial(asked[name], *args))
        steps.append(Step(who.key.to_0x_hex(), to, name, args, game, outcome))
        if isinstance(outcome, Model):
            game = outcome

    step(x, "makeMove", 0, 0)
    step(stranger, "newGame", x.address, ZERO)
    step(stranger, "newGame", CONTRACT, o.address)
    for cells in (WON_BY_X, WON_BY_O, DRAWN):
        step(stranger, "newGame", x.address, o.address)
        for i, cell in enumerate(cells):
            # By turns with and without the number of the game.
            step((x, o)[i % 2], "makeMove", cell // 3, cell % 3, *[game.number][: i % 3])
    for moves in (0, 1):
        step(o, "newGame", x.address, o.address)
        step(x, "makeMove", 1, 1, game.number + 1)
        step(x, "makeMove", 1, 1, to=middle(table))
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
    if after.number != before.number:
        return [["GameCreated", {"gameId": after.number, "playerX": after.player_x, "playerO": after.player_o}]]
    out: list[list[Any]] = []
    if len(after.moves) > len(before.moves):
        row, col = divmod(after.moves[-1], 3)
        mover = before.player_x if before.current_player == X else before.player_o
        made = {"player": mover, "sequenceNumber": len(after.moves), "row": row, "col": col}
        out.append(["MoveMade", {"gameId": after.number, **made}])
    if after.status != Status.IN_PROGRESS:
        winners = {
            Status.X_WON: after.player_x,
            Status.O_FORFEITS: after.player_x,
            Status.O_WON: after.player_o,
            Status.X_FORFEITS: after.player_o,
            Status.DRAW: ZERO,
        }
        ended = {"gameId": after.number, "winner": winners[after.status], "status": int(after.status)}
        out.append(["GameEnded", ended])
    return out


def state(game: Model) -> dict[str, Any]:
    return {
        "gameId": game.number,
        "playerX": game.player_x or ZERO,
        "playerO": game.player_o or ZERO,
        "board": [list(game.board[i : i + 3]) for i in (0, 3, 6)],
        "currentPlayer": game.current_player,
        "status": int(game.status),
        "moveHistory": [
            {"row": cell // 3, "col": cell % 3, "player": 1 + i % 2, "sequenceNumber": i + 1}
            for i, cell in enumerate(game.moves)
        ],
    }


@pytest.fixture(scope="module")
def javascript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the JavaScript clients, the tests' npm packages, and the snippet, made as the README says."""
    place = tmp_path_factory.mktemp("javascript")
    (place / "package.json").write_text('{"type": "module"}')
    (place / "node_modules").symlink_to(npm_package())
    for file in (HERE / "viem.mjs", HERE / "ethers.mjs", ROOT / "docs" / "snippets" / "table.ts"):
        shutil.copy(file, place)
    (make_abi,) = re.findall(r"^echo .* > abi\.ts$", (ROOT / "README.md").read_text(), re.MULTILINE)
    vyper = Path(sys.executable).parent / "vyper"
    make_abi = make_abi.replace("uv run vyper", f"'{vyper}'").replace("abi.ts", f"'{place}/abi.ts'")
    subprocess.run(["bash", "-c", make_abi], cwd=ROOT, check=True, timeout=60)
    options = ("--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck")
    typed = subprocess.run(
        ["node", str(npm_package() / "typescript" / "bin" / "tsc"), *options, "table.ts"],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert typed.returncode == 0, typed.stdout
    return place


def by_node(program: Path, anvil: Anvil, abi: Any, address: str, steps: list[Step]) -> dict[str, Any]:
    """A JavaScript client."""
    asked = [{"key": step.key, "to": step.to, "name": step.name, "args": step.args} for step in steps]
    ran = subprocess.run(
        ["node", str(program)],
        input=json.dumps({"url": anvil.url, "abi": abi, "table": address, "steps": asked}),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


def by_web3(anvil: Anvil, abi: Any, address: str, steps: list[Step]) -> dict[str, Any]:
    """web3.py, partly by the snippet of the documentation."""
    snippet = Table(anvil.url, address, abi)
    out = []
    for step in steps:
        seen: dict[str, Any] = {}
        try:
            if step.name == "makeMove" and len(step.args) == 3:
                receipt = snippet.move(step.key, *step.args)
            else:
                account = snippet.web3.eth.account.from_key(step.key)
                contract = snippet.web3.eth.contract(Web3.to_checksum_address(step.to), abi=abi)
                asked = contract.functions[step.name](*step.args)
                nonce = snippet.web3.eth.get_transaction_count(account.address)
                signed = account.sign_transaction(asked.build_transaction({"from": account.address, "nonce": nonce}))
                sent = snippet.web3.eth.send_raw_transaction(signed.raw_transaction)
                receipt = snippet.web3.eth.wait_for_transaction_receipt(sent)
            known = snippet.events()
            decoded = [known[bytes(log["topics"][0])].process_log(log) for log in receipt["logs"]]
            seen["events"] = [[event["event"], dict(event["args"])] for event in decoded]
        except ContractLogicError as error:
            seen["told"] = error.message
            seen["reason"] = str(error.message).removeprefix("execution reverted: ")
        seen["state"] = plain(snippet.state())
        out.append(seen)
    followed: list[Any] = []
    snippet.follow(followed.append, stop=lambda: bool(followed), every=0.1)
    return {"out": out, "games": list(snippet.games().values()), "followed": plain(followed[0])}


def plain(told: Any) -> dict[str, Any]:
    number, player_x, player_o, board, current, status, history = told
    names = ("row", "col", "player", "sequenceNumber")
    return {
        "gameId": number,
        "playerX": player_x,
        "playerO": player_o,
        "board": [list(row) for row in board],
        "currentPlayer": current,
        "status": status,
        "moveHistory": [dict(zip(names, move, strict=True)) for move in history],
    }


STATE = "gameState()((uint256,address,address,uint8[3][3],uint8,uint8,(uint8,uint8,uint8,uint8)[]))"
SIGNATURES = {
    "GameCreated": ("GameCreated(uint256,address,address)", ("gameId", "playerX", "playerO"), ()),
    "MoveMade": ("MoveMade(uint256,address,uint8,uint8,uint8)", ("gameId", "player"), ("sequenceNumber", "row", "col")),
    "GameEnded": ("GameEnded(uint256,address,uint8)", ("gameId", "winner"), ("status",)),
}


def by_cast(anvil: Anvil, address: str, steps: list[Step]) -> dict[str, Any]:
    """cast, as somebody types it into a shell."""

    def cast(*arguments: str) -> str:
        ran = subprocess.run([str(foundry("cast")), *arguments], capture_output=True, text=True, timeout=60)
        if ran.returncode != 0:
            raise ValueError(ran.stderr)
        return ran.stdout

    topics = {cast("keccak", signature).strip(): name for name, (signature, _, _) in SIGNATURES.items()}

    def decoded(log: dict[str, Any]) -> list[Any]:
        name = topics[log["topics"][0]]
        _, indexed, data = SIGNATURES[name]
        values: dict[str, Any] = {}
        for field, topic in zip(indexed, log["topics"][1:], strict=True):
            values[field] = int(topic, 16) if field == "gameId" else Web3.to_checksum_address("0x" + topic[-40:])
        if data:
            told = cast("abi-decode", f"f()({','.join(['uint8'] * len(data))})", log["data"]).split()
            values |= {field: int(value) for field, value in zip(data, told, strict=True)}
        return [name, values]

    out = []
    for step in steps:
        seen: dict[str, Any] = {}
        types = {"newGame": ["address", "address"], "makeMove": ["uint8", "uint8", "uint256"], "forfeit": ["uint256"]}
        signature = f"{step.name}({','.join(types[step.name][: len(step.args)])})"
        url = ("--rpc-url", anvil.url)
        try:
            arguments = [str(argument) for argument in step.args]
            sent = cast("send", "--json", "--private-key", step.key, *url, step.to, signature, *arguments)
            seen["events"] = [decoded(log) for log in json.loads(sent)["logs"]]
        except ValueError as error:
            told, reason = re.findall(r"(execution reverted: ([\w ]+))", str(error))[0]
            seen |= {"told": told, "reason": reason}
        read = cast("call", *url, address, STATE)
        values = json.loads(
            re.sub(r"(0x\w+)", r'"\1"', re.sub(r" \[[\d.e]+\]", "", read.replace("(", "[").replace(")", "]")))
        )
        seen["state"] = plain(values)
        out.append(seen)
    games: dict[int, dict[str, Any]] = {}
    for log in json.loads(cast("logs", "--json", "--from-block", "0", "--address", address, "--rpc-url", anvil.url)):
        name, args = decoded(log)
        if name == "GameCreated":
            games[args["gameId"]] = {**args, "moves": [], "status": 1}
        elif name == "MoveMade":
            games[args["gameId"]]["moves"].append((args["row"], args["col"]))
        else:
            games[args["gameId"]]["status"] = args["status"]
    return {"out": out, "games": list(games.values())}


# How each client words a refusal; the reason stands where `{}` is.
TOLD = {
    "viem": 'The contract function "{name}" reverted with the following reason:\n{reason}',
    "ethers": 'execution reverted: "{reason}"',
    "web3.py": "execution reverted: {reason}",
    "cast": "execution reverted: {reason}",
}


@pytest.mark.parametrize("client", TOLD)
def test_client__plays_whole_games__decodes_everything_and_tells_each_reason(
    client: str,
    anvil: Anvil,
    abi: Any,
    javascript: Path,
    people: tuple[Any, Any, Any],
    address: str,
    evidence: Callable[[int, str], None],
) -> None:
    steps = programme(people, address)
    told: dict[str, Any]
    match client:
        case "viem" | "ethers":
            told = by_node(javascript / f"{client}.mjs", anvil, abi, address, steps)
        case "web3.py":
            told = by_web3(anvil, abi, address, steps)
        case _:
            told = by_cast(anvil, address, steps)

    reasons = set()
    played: list[Model] = []
    game = Model()
    for step, seen in zip(steps, told["out"], strict=True):
        if isinstance(step.outcome, Refused):
            assert seen["reason"] == step.outcome.reason
            assert seen["told"] == TOLD[client].format(name=step.name, reason=step.outcome.reason)
            reasons.add(step.outcome.reason)
            game = step.before
        else:
            assert seen["events"] == events(step.before, step.outcome), step
            game = step.outcome
            played = [*played[: game.number - 1], game]
        assert seen["state"] == state(game)

    # The logs alone give the same games.
    assert [
        {
            "gameId": game.number,
            "playerX": game.player_x,
            "playerO": game.player_o,
            "moves": [[cell // 3, cell % 3] for cell in game.moves],
            "status": int(game.status),
        }
        for game in played
    ] == [{**game, "moves": [list(move) for move in game["moves"]]} for game in told["games"]]
    if client in ("viem", "web3.py"):
        assert told["followed"] == state(game)
    if client == "viem":
        assert told["heard"] == [event for seen in told["out"] for event in seen.get("events", [])]
    assert len(reasons) == 8
    evidence(len(played), "games")
    evidence(len(reasons), "reasons")


def test_steps__of_the_programme__can_be_told_apart(people: tuple[Any, Any, Any]) -> None:
    """Every ending, every event, every reason: what the clients are asked is not less than the whole interface."""
    steps = programme(people, "0x" + "aa" * 20)
    after = [step.outcome for step in steps if isinstance(step.outcome, Model)]
    assert {game.status for game in after} == set(Status) - {Status.NO_GAME}
    assert {step.outcome.reason for step in steps if isinstance(step.outcome, Refused)} == set(REASONS)
    told = [event for step in steps if isinstance(step.outcome, Model) for event in events(step.before, step.outcome)]
    assert {name for name, _ in told} == {"GameCreated", "MoveMade", "GameEnded"}
