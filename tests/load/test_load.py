"""A thousand games at one table, through reorgs and restarts of the node, followed by `watch --json` all the while."""

import cProfile
import gzip
import json
import random
import signal
import subprocess
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import ape
import click
import pytest
from eth_utils.address import to_checksum_address

from tests.rules import layout
from tests.rules.games import DRAWN
from tests.rules.layout import call
from tests.rules.model import Model, Refused, Status, attempt
from tests.support.anvil import Anvil, decoded
from tests.support.commands import APE, ROOT, environment
from tests.support.local_table import LocalTable
from tictactoe import events

GAMES = 1_000
PEOPLE = 20
WIDEST = 9  # transactions in a block
REORG_EVERY, DEEPEST = 15, 5  # blocks
RESTART_EVERY = 250  # games

REASONS = ("no game in progress", "not the current game", "not your turn", "off the grid", "cell is taken")
MOVE, FORFEIT, NEW_GAME = "makeMove(uint8,uint8,uint256)", "forfeit(uint256)", "newGame(address,address)"

Line = dict[str, Any]


class Transaction(NamedTuple):
    sender: int
    data: bytes
    before: Model
    outcome: Model | Refused

    @property
    def after(self) -> Model:
        return self.before if isinstance(self.outcome, Refused) else self.outcome


class Chain:
    """The table on anvil, and beside it what the rules say of each block's transactions."""

    def __init__(self, anvil: Anvil, creation_code: bytes) -> None:
        self.anvil = anvil
        self.address = LocalTable(anvil, creation_code).address
        self.people = [int(account, 16) for account in anvil.rpc("eth_accounts")]
        self.nonces = dict.fromkeys(self.people, 0) | {self.people[0]: 1}  # the deployer's
        self.blocks: list[list[Transaction]] = [[], []]
        self.tally: Counter[str] = Counter()
        anvil.rpc("evm_setAutomine", False)

    @property
    def game(self) -> Model:
        return next((block[-1].after for block in reversed(self.blocks) if block), Model())

    def games(self) -> dict[int, Model]:
        """Every game as it was left."""
        games = [transaction.after for block in self.blocks for transaction in block]
        return {game.number: game for game in games}

    def mine(self, transactions: Sequence[Transaction]) -> list[int]:
        """A block of these transactions. Returns the gas of each."""
        self.anvil.batch([("eth_sendTransaction", [one]) for one in self.signed(transactions)])
        self.anvil.rpc("evm_mine")
        return self.check_block(transactions)

    def signed(self, transactions: Sequence[Transaction], gas: int = 200_000) -> list[dict[str, str]]:
        """As anvil signs them. A block takes them in the order of their prices."""
        fields = []
        for place, transaction in enumerate(transactions):
            nonce = self.nonces[transaction.sender]
            self.nonces[transaction.sender] += 1
            numbers = {"gas": gas, "nonce": nonce, "gasPrice": 10**10 - place}
            accounts = {"from": f"0x{transaction.sender:040x}", "to": self.address}
            fields.append(accounts | {"data": f"0x{transaction.data.hex()}"} | {k: hex(v) for k, v in numbers.items()})
        return fields

    def check_block(self, transactions: Sequence[Transaction]) -> list[int]:
        """That the next block has exactly the outcomes that the rules give."""
        receipts = self.anvil.rpc("eth_getBlockReceipts", hex(len(self.blocks)))
        for receipt, transaction in zip(receipts, transactions, strict=True):
            refused = isinstance(transaction.outcome, Refused)
            assert receipt["status"] == ("0x0" if refused else "0x1")
            assert decoded(receipt["logs"]) == ([] if refused else layout.logs(transaction.before, transaction.after))
            self.tally[transaction.outcome.reason if isinstance(transaction.outcome, Refused) else "accepted"] += 1
        self.blocks.append(list(transactions))
        return [int(receipt["gasUsed"], 16) for receipt in receipts]

    def last_blocks(self, depth: int) -> list[dict[str, Any]]:
        heights = range(len(self.blocks) - depth, len(self.blocks))
        return self.anvil.batch([("eth_getBlockByNumber", [hex(height), False]) for height in heights])

    def drop(self, depth: int) -> None:
        for transaction in (one for block in self.blocks[-depth:] for one in block):
            self.nonces[transaction.sender] -= 1
        del self.blocks[-depth:]

    def check(self) -> None:
        """The two slots and `gameState()` are the game, and there is no third slot."""
        dump = json.loads(gzip.decompress(bytes.fromhex(self.anvil.rpc("anvil_dumpState")[2:])))
        slots = {
            int(slot, 16): int(value, 16) for slot, value in dump["accounts"][self.address.lower()]["storage"].items()
        }
        assert slots == dict(enumerate(layout.storage(self.game)))
        read = {"to": self.address, "data": "0x" + call("gameState()").hex()}
        assert bytes.fromhex(self.anvil.rpc("eth_call", read, "latest")[2:]) == layout.game_state(self.game)

    def logs(self) -> list[dict[str, Any]]:
        logs: list[dict[str, Any]] = self.anvil.rpc(
            "eth_getLogs", {"address": self.address, "fromBlock": "0x0", "toBlock": "latest"}
        )
        return logs


# -- what people send ---------------------------------------------------------------


def anything(game: Model, people: Sequence[int], chance: random.Random) -> Transaction:
    """Mostly the next move; sometimes one that comes too early, too late or for another game."""
    player, number = game.mover, game.number
    cell = chance.choice([cell for cell in range(9) if cell not in game.moves] or [0])
    roll = chance.random()
    if roll < (0.02 if game.status == Status.IN_PROGRESS else 0.7):
        sender, player_x, player_o = (chance.choice(people) for _ in range(3))
        return Transaction(sender, call(NEW_GAME, player_x, player_o), game, game.new_game(player_x, player_o))
    if roll < (0.05 if game.status == Status.IN_PROGRESS else 0.8):
        return Transaction(player, call(FORFEIT, number), game, attempt(game.forfeit, player, number))
    if roll < 0.10:
        player = chance.choice(people)
    elif roll < 0.14:
        number -= 1
    elif roll < 0.18:
        cell = chance.choice([9, *game.moves])
    row, col = divmod(cell, 3)
    return Transaction(player, call(MOVE, row, col, number), game, attempt(game.move, player, row, col, number))


def some(game: Model, people: Sequence[int], chance: random.Random, most: int) -> list[Transaction]:
    """The transactions of a block; none once the last game but two is on."""
    transactions: list[Transaction] = []
    while len(transactions) < most and game.number < GAMES - 2:
        transactions.append(anything(game, people, chance))
        game = transactions[-1].after
    return transactions


def drawn_game(game: Model, starter: int, player_x: int, player_o: int) -> list[Transaction]:
    """Without the game's number in the moves: calldata costs by the byte, and 1,000 has more bytes than 2."""
    new = game.new_game(player_x, player_o)
    transactions = [Transaction(starter, call(NEW_GAME, player_x, player_o), game, new)]
    for cell in DRAWN:
        game, (row, col) = transactions[-1].after, divmod(cell, 3)
        data = call("makeMove(uint8,uint8)", row, col)
        transactions.append(Transaction(game.mover, data, game, game.move(game.mover, row, col)))
    return transactions


def reorganise(chain: Chain, chance: random.Random) -> None:
    """Replace the last blocks by others at their heights: with other transactions, or with none."""
    depth = 1 + chain.tally["reorgs"] % DEEPEST
    widest = chance.choice((0, 1, WIDEST))
    dropped = chain.last_blocks(depth)
    chain.drop(depth)

    game, blocks, pairs = chain.game, [], []
    for place in range(depth):
        blocks.append(some(game, chain.people, chance, chance.randint(0, widest)))
        # Another gas limit, so that no transaction has the hash of one that is dropped.
        pairs += [(fields, place) for fields in chain.signed(blocks[-1], gas=200_001)]
        game = blocks[-1][-1].after if blocks[-1] else game
    chain.anvil.rpc("anvil_reorg", depth, pairs)

    for block in blocks:
        chain.check_block(block)
    instead = chain.last_blocks(depth)
    assert chain.anvil.height == len(chain.blocks) - 1
    assert instead[0]["parentHash"] == dropped[0]["parentHash"]
    assert not {block["hash"] for block in instead} & {block["hash"] for block in dropped}
    lost = [("eth_getTransactionReceipt", [hash_]) for block in dropped for hash_ in block["transactions"]]
    assert not any(chain.anvil.batch(lost) if lost else [])
    chain.tally["reorgs"] += 1
    chain.tally["to other transactions" if pairs else "to nothing"] += 1


def restart(chain: Chain) -> None:
    """Not right before a reorg: anvil 1.7.1 loses the contracts when it goes back to before its start."""
    chain.anvil.stop()
    chain.anvil.start(patience=120)
    chain.anvil.rpc("evm_setAutomine", False)
    chain.check()
    chain.tally["restarts"] += 1


# -- the events, as the node keeps them and as the library gives them ----------------------


def line_of(log: dict[str, Any]) -> Line:
    """A raw log in the words of `watch --json`."""
    ((kind, number, *more), data), *_ = decoded([log])
    values = [data[i + 31] for i in range(0, len(data), 32)]
    people = [str(to_checksum_address(topic[12:])) for topic in more]
    line: Line = {"takenBack": False, "gameId": int.from_bytes(number)}
    if kind == layout.GAME_CREATED:
        line |= {"event": "GameCreated", "playerX": people[0], "playerO": people[1]}
    elif kind == layout.MOVE_MADE:
        sequence_number, row, col = values
        line |= {"event": "MoveMade", "player": people[0], "mark": "OX"[sequence_number % 2]}
        line |= {"sequenceNumber": sequence_number, "row": row, "col": col}
    else:
        winner = people[0] if any(more[0]) else None
        line |= {"event": "GameEnded", "winner": winner, "status": Status(values[0]).name.lower()}
    place = {"block": int(log["blockNumber"], 16), "blockHash": log["blockHash"]}
    return line | place | {"transaction": log["transactionHash"], "logIndex": int(log["logIndex"], 16)}


def rebuilt(lines: Iterable[Line]) -> dict[int, Model]:
    """Every game from its events alone."""
    games: dict[int, Model] = {}
    for line in lines:
        number = line["gameId"]
        game = games.get(number, Model())
        if line["event"] == "GameCreated":
            players = int(line["playerX"], 16), int(line["playerO"], 16)
            games[number] = Model(number, *players, (), Status.IN_PROGRESS)
        elif line["event"] == "MoveMade":
            games[number] = replace(game, moves=(*game.moves, line["row"] * 3 + line["col"]))
        else:
            games[number] = replace(game, status=Status[line["status"].upper()])
    return games


class Watch:
    """`ape run watch --json` as a process, and what is left of its lines after those that it took back."""

    def __init__(self, chain: Chain, folder: Path) -> None:
        command = [str(APE), "run", "watch", "--network", chain.anvil.url, "--table", chain.address, "--json"]
        self.errors = folder / "stderr"
        with (folder / "stdout").open("w") as out, self.errors.open("w") as errors:
            self.process = subprocess.Popen(command, stdout=out, stderr=errors, cwd=ROOT, env=environment())
        self.output = (folder / "stdout").open()
        self.partial = ""
        self.lines: list[Line] = []
        self.taken_back = 0

    def read(self) -> None:
        *whole, self.partial = (self.partial + self.output.read()).split("\n")
        for line in map(json.loads, whole):
            if line["event"] == "CaughtUp":
                continue
            if line["takenBack"]:
                assert self.lines.pop() | {"takenBack": True} == line, "the newest event is taken back first"
                self.taken_back += 1
            else:
                self.lines.append(line)

    def interrupt(self) -> int:
        """Ctrl-C. Returns the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)

    def catch_up(self, chain: Chain) -> None:
        """Wait until its newest event is the chain's."""
        newest = line_of(chain.logs()[-1])
        deadline = time.monotonic() + 60
        while not self.lines or self.lines[-1] != newest:
            assert time.monotonic() < deadline, self.errors.read_text()
            assert self.process.poll() is None, self.errors.read_text()
            time.sleep(0.02)
            self.read()


class Part(NamedTuple):
    """What a third of the events cost the follower."""

    events: int
    calls: int
    peak: float  # MiB


def replay(chain: Chain) -> Iterator[Part]:
    """The library's generator from the first block on, in this process."""
    third = len(chain.logs()) // 3
    with ape.networks.parse_network_choice(chain.anvil.url):
        story = events(chain.address, from_block=0, follow=False)
        tracemalloc.start()
        for many in (third, third, None):
            profile = cProfile.Profile()
            tracemalloc.reset_peak()
            profile.enable()
            seen = sum(event.kind != "CaughtUp" for event in islice(story, many))
            profile.disable()
            calls = sum(entry.callcount for entry in profile.getstats())
            yield Part(seen, calls, tracemalloc.get_traced_memory()[1] / 2**20)
        tracemalloc.stop()


# -- the run --------------------------------------------------------------------------------


@pytest.fixture
def chain(creation_code: bytes, tmp_path: Path) -> Iterator[Chain]:
    anvil = Anvil(accounts=PEOPLE, state=tmp_path / "chain.json")
    yield Chain(anvil, creation_code)
    anvil.kill()  # writing the state takes seconds


@pytest.fixture
def watch(chain: Chain, tmp_path: Path) -> Iterator[Watch]:
    watch = Watch(chain, tmp_path)
    yield watch
    watch.process.kill()
    watch.process.wait(10)


def test_thousand_games__through_reorgs_and_restarts__are_rebuilt_from_events(
    chain: Chain,
    watch: Watch,
    progress_of: Callable[[str, int], Callable[[int], None]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    chance = random.Random(5)
    progress = progress_of("games", GAMES)
    players = chain.people[:3]
    chain.mine(drawn_game(chain.game, *players))
    game_two = chain.mine(drawn_game(chain.game, *players))
    while chain.game.number < GAMES - 2:
        chain.mine(some(chain.game, chain.people, chance, chance.randint(1, WIDEST)))
        if len(chain.blocks) % REORG_EVERY == 0:
            if chain.tally["reorgs"] % 8 == 0:
                watch.catch_up(chain)  # so that it has events to take back
            reorganise(chain, chance)
        elif chain.game.number // RESTART_EVERY > chain.tally["restarts"]:
            restart(chain)
        progress(chain.game.number)
    chain.mine(drawn_game(chain.game, *players))
    thousandth = chain.mine(drawn_game(chain.game, *players))
    watch.catch_up(chain)

    assert chain.game.number == GAMES
    assert thousandth == game_two
    chain.check()
    logs = [line_of(log) for log in chain.logs()]
    assert rebuilt(logs) == rebuilt(watch.lines) == chain.games()
    assert sorted(chain.games()) == list(range(1, GAMES + 1))
    assert watch.lines == logs
    assert watch.interrupt() == 0

    # Guard against a vacuous run: every outcome must have occurred.
    endings = Counter(game.status for game in chain.games().values())
    assert min(endings[status] for status in Status if status != Status.NO_GAME) > 10, endings
    assert min(chain.tally[reason] for reason in REASONS) > 50, chain.tally
    assert min(chain.tally[kind] for kind in ("to other transactions", "to nothing")) > 10, chain.tally
    assert chain.tally["restarts"] >= GAMES // RESTART_EVERY - 1
    assert watch.taken_back > 50

    first, second, third = replay(chain)
    with capsys.disabled():
        click.echo(f"\n  {chain.tally['reorgs']} reorgs, {watch.taken_back} events taken back")
        for part in (first, second, third):
            click.echo(f"  {part.events:,} events: {part.calls:,} calls, at most {part.peak:.1f} MiB")
    assert first.events + second.events + third.events == len(logs)
    assert third.peak < first.peak * 1.2, "memory grows with the events"
    assert third.calls < second.calls * 1.2, "later events cost more than earlier ones"


def test_rebuilding__with_one_event_missing__is_noticed() -> None:
    """The comparison above can fail."""
    game = Model().new_game(1, 2)
    moved = game.move(1, 1, 1)
    ended = moved.forfeit(2)
    place = {"blockNumber": "0x1", "blockHash": "0x", "transactionHash": "0x", "logIndex": "0x0"}
    logs = [*layout.logs(Model(), game), *layout.logs(game, moved), *layout.logs(moved, ended)]
    lines = [
        line_of(place | {"topics": [f"0x{topic.hex()}" for topic in topics], "data": f"0x{data.hex()}"})
        for topics, data in logs
    ]
    assert rebuilt(lines) == {1: ended}
    for missing in range(len(lines)):
        assert rebuilt(lines[:missing] + lines[missing + 1 :]) != {1: ended}
