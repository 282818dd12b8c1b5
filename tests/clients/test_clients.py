"""viem, ethers and web3.py each play the same games on anvil, and are compared with the rules in plain Python."""

import json
import re
import shutil
from functools import partial
from pathlib import Path

import pytest
from web3 import Web3
from web3.exceptions import ContractLogicError

from docs.snippets.table import TableClient
from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.rules.model import Model, Refused, Status, attempt
from tests.rules.positions import REASONS
from tests.support.anvil import Anvil
from tests.support.commands import ROOT, run
from tests.support.compiler import compiled
from tests.support.npm import npm_package
from tests.support.revm import forwarder
from tests.support.roles import Role

HERE = Path(__file__).parent
ZERO = "0x" + "00" * 20
FORWARDER = Web3.to_checksum_address("0x" + "f0" * 20)

# What each client makes of a reason; docs/integrating.md shows it.
REFUSALS = {
    "viem": ['The contract function "{name}" reverted with the following reason:\n{reason}'],
    "ethers": ['execution reverted: "{reason}"', "{reason}"],
    "web3.py": ["execution reverted: {reason}"],
}


def programme(table, refusal):
    """Five games with every ending and every reason: the transactions, and what a client must show after each."""
    x, o, stranger = Role.PLAYER_X, Role.PLAYER_O, Role.STRANGER
    transactions, rows = [], []
    game = Model()

    def send(sender, name, *args, to=table, refused=""):
        nonlocal game
        rule = {"newGame": game.new_game, "makeMove": game.move, "forfeit": game.forfeit}[name]
        caller = [] if name == "newGame" else [sender.address]
        after = Refused(refused) if refused else attempt(rule, *caller, *args)
        if isinstance(after, Refused):
            row = {"refused": [words.format(name=name, reason=after.reason) for words in refusal]}
        else:
            row = {"events": events(game, after)}
            game = after
        transactions.append({"key": sender.account.private_key, "to": to, "name": name, "args": args})
        rows.append(row | {"state": state(game)})

    send(stranger, "newGame", x.address, ZERO, refused="player is the zero address")
    send(stranger, "newGame", FORWARDER, o.address, refused="player is a contract")
    send(x, "forfeit")
    for number, cells in enumerate((WON_BY_X, WON_BY_O, DRAWN, (0,), (0, 4)), 1):
        # In turn with and without the number of the game.
        send(stranger, "newGame", x.address, o.address, *[number - 1][: number % 2])
        for i, cell in enumerate(cells):
            send((x, o)[i % 2], "makeMove", *divmod(cell, 3), *[number][: i % 3])
        if game.status == Status.IN_PROGRESS:
            mover, waiting = (x, o) if len(cells) % 2 == 0 else (o, x)
            send(stranger, "newGame", x.address, o.address, number - 1)
            send(mover, "makeMove", 1, 2, to=FORWARDER, refused="caller is a contract")
            send(waiting, "makeMove", 1, 2)
            send(mover, "makeMove", 0, 3, number)
            send(mover, "makeMove", 0, 0, number)
            send(mover, "forfeit", *[number][: number % 2])
    # It leaves out no reason and no ending.
    assert [reason for reason in REASONS if reason not in str(rows)] == []
    assert {row["state"]["status"] for row in rows} == set(Status)
    return transactions, rows


def events(before, after):
    """The decoded events of a transaction, as the specification names them."""
    number = {"gameId": after.number}
    if after.number != before.number:
        return [["GameCreated", number | {"playerX": after.player_x, "playerO": after.player_o}]]
    emitted = []
    if len(after.moves) > len(before.moves):
        row, col = divmod(after.moves[-1], 3)
        made = {"player": before.mover, "sequenceNumber": len(after.moves), "row": row, "col": col}
        emitted.append(["MoveMade", number | made])
    if after.status != Status.IN_PROGRESS:
        emitted.append(["GameEnded", number | {"winner": after.winner or ZERO, "status": after.status}])
    return emitted


def state(game):
    """The decoded `gameState()`."""
    return {
        "gameId": game.number,
        "playerX": game.player_x or ZERO,
        "playerO": game.player_o or ZERO,
        "board": [list(game.board[i : i + 3]) for i in (0, 3, 6)],
        "currentPlayer": game.current_player,
        "status": game.status,
        "moveHistory": [
            {"row": cell // 3, "col": cell % 3, "player": 1 + i % 2, "sequenceNumber": i + 1}
            for i, cell in enumerate(game.moves)
        ],
    }


def rebuilt(state):
    """A game as the listings rebuild it from its logs."""
    moves = [move["row"] * 3 + move["col"] for move in state["moveHistory"]]
    return {name: state[name] for name in ("gameId", "playerX", "playerO", "status")} | {"moves": moves}


@pytest.fixture(scope="module")
def listing(tmp_path_factory):
    """The documentation's TypeScript as a JavaScript file, its ABI made as documented."""
    folder = tmp_path_factory.mktemp("listing")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(npm_package())
    shutil.copy(ROOT / "docs" / "snippets" / "table.ts", folder)
    (make_abi,) = re.findall(r"^echo .* > abi\.ts$", (ROOT / "docs" / "integrating.md").read_text(), re.MULTILINE)
    run_or_fail("bash", "-c", make_abi.replace("uv run ", "").replace("abi.ts", f"{folder}/abi.ts"))
    options = ["--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck"]
    run_or_fail("node", npm_package() / "typescript" / "bin" / "tsc", *options, folder / "table.ts")
    return str(folder / "table.js")


def run_or_fail(*command, typed=""):
    """What a program prints."""
    done = run(command, typed)
    assert done.returncode == 0, done
    return done.stdout


def by_node(client, **question):
    """viem, by the listing where it has the function, or ethers."""
    return json.loads(run_or_fail("node", HERE / f"{client}.mjs", typed=json.dumps(question)))


def by_web3(url, table, abi, transactions, **_):
    """web3.py, by the listing where it has the function."""
    listing = TableClient(url, table, abi)
    eth = listing.web3.eth

    def send(key, to, name, args):
        if name == "makeMove" and len(args) == 3:
            return listing.move(key, *args)
        function = eth.contract(Web3.to_checksum_address(to), abi=abi).functions[name](*args)
        return eth.wait_for_transaction_receipt(function.transact({"from": eth.account.from_key(key).address}))

    def fields(state):
        return state._asdict() | {"moveHistory": [move._asdict() for move in state.moveHistory]}

    rows = []
    for transaction in transactions:
        try:
            logs = send(**transaction)["logs"]
            row = {"events": [[event["event"], dict(event["args"])] for event in listing.decoded(logs)]}
        except ContractLogicError as error:
            row = {"refused": [error.message]}
        rows.append(row | {"state": fields(listing.state())})
    followed = []
    listing.follow(followed.append, stop=lambda: followed, pace=0.1)
    return {"rows": rows, "games": list(listing.games().values()), "followed": fields(followed[0])}


@pytest.mark.parametrize("client", REFUSALS)
def test_client_plays_whole_games__and_reads_everything(client, contract_source, creation_code, listing):
    play = by_web3 if client == "web3.py" else partial(by_node, client)
    abi = compiled(contract_source)["abi"]
    # It mines each transaction at once, and a block a second besides, as a public chain goes on. viem's
    # `waitForTransactionReceipt` ignores a block that comes while it looks for a replacement, and looks again at the
    # next one. Without a next one, it waits until it times out.
    with Anvil(mixed_mining=True, block_time=1) as anvil:
        table = anvil.create(Role.DEPLOYER.address, creation_code)
        anvil.rpc("anvil_setCode", FORWARDER, "0x" + forwarder(int(table, 16)).hex())
        transactions, rows = programme(table, REFUSALS[client])
        seen = play(url=anvil.url, table=table, abi=abi, listing=listing, transactions=transactions)
    assert seen["rows"] == rows
    if client != "ethers":  # which has no listing
        last = {row["state"]["gameId"]: row["state"] for row in rows if row["state"]["gameId"]}
        assert seen["games"] == [rebuilt(state) for state in last.values()]
        assert seen["followed"] == rows[-1]["state"]
    if client == "viem":
        assert seen["heard"] == [event for row in rows for event in row.get("events", [])]
