"""Many games at one table, through reorgs and restarts of the node, followed by `watch --json` all the while."""

import cProfile
import gzip
import json
import random
import signal
import subprocess
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import ape
import pytest
from eth_utils.address import to_checksum_address

from tests.rules import layout
from tests.rules.games import DRAWN
from tests.rules.layout import call
from tests.rules.model import Model, Refused, Status, attempt
from tests.rules.positions import FORFEIT_IN, GAME_STATE, MOVE, MOVE_IN, NEW_GAME
from tests.support import PATIENCE
from tests.support.anvil import Anvil, decoded
from tests.support.commands import APE, ROOT, environment
from tests.support.local_table import LocalTable
from tests.support.progress import Printer
from tictactoe import Game, events

GAMES, GAMES_OF_A_WHOLE_RUN = 100, 1_000
PEOPLE = 20
WIDEST = 9  # transactions in a block
REORG_EVERY, DEEPEST = 15, 5  # blocks
RESTARTS = 3

REASONS = ("no game in progress", "not the current game", "not your turn", "off the grid", "cell is taken")

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
    """The table on anvil, and for each block its transactions with the outcomes and the lines that the rules give."""

    def __init__(self, anvil: Anvil, creation_code: bytes, size: int) -> None:
        self.anvil = anvil
        self.size = size  # games in all
        self.address = LocalTable(anvil, creation_code).address
        self.people = [int(account, 16) for account in anvil.rpc("eth_accounts")]
        self.nonces = dict.fromkeys(self.people, 0) | {self.people[0]: 1}  # the deployer's
        self.blocks: list[list[Transaction]] = [[], []]
        self.lines: list[list[Line]] = [[], []]  # of `watch --json`
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
        lines: list[Line] = []
        for receipt, transaction in zip(receipts, transactions, strict=True):
            refused = isinstance(transaction.outcome, Refused)
            assert receipt["status"] == ("0x0" if refused else "0x1")
            assert decoded(receipt["logs"]) == ([] if refused else layout.logs(transaction.before, transaction.after))
            self.tally[transaction.outcome.reason if isinstance(transaction.outcome, Refused) else "accepted"] += 1
            lines += [
                line | place_of(log)
                for line, log in zip(lines_of(transaction.before, transaction.after), receipt["logs"], strict=True)
            ]
        self.blocks.append(list(transactions))
        self.lines.append(lines)
        return [int(receipt["gasUsed"], 16) for receipt in receipts]

    def last_blocks(self, depth: int) -> list[dict[str, Any]]:
        heights = range(len(self.blocks) - depth, len(self.blocks))
        return self.anvil.batch([("eth_getBlockByNumber", [hex(height), False]) for height in heights])

    def drop(self, depth: int) -> None:
        for transaction in (one for block in self.blocks[-depth:] for one in block):
            self.nonces[transaction.sender] -= 1
        del self.blocks[-depth:], self.lines[-depth:]

    def check(self) -> None:
        """The two slots and `gameState()` are the game, and there is no third slot."""
        dump = json.loads(gzip.decompress(bytes.fromhex(self.anvil.rpc("anvil_dumpState")[2:])))
        slots = {
            int(slot, 16): int(value, 16) for slot, value in dump["accounts"][self.address.lower()]["storage"].items()
        }
        assert slots == dict(enumerate(layout.storage(self.game)))
        read = {"to": self.address, "data": f"0x{GAME_STATE.hex()}"}
        assert bytes.fromhex(self.anvil.rpc("eth_call", read, "latest")[2:]) == layout.game_state(self.game)


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
        return Transaction(player, call(FORFEIT_IN, number), game, attempt(game.forfeit, player, number))
    if roll < 0.10:
        player = chance.choice(people)
    elif roll < 0.14:
        number -= 1
    elif roll < 0.18:
        cell = chance.choice([9, *game.moves])
    row, col = divmod(cell, 3)
    return Transaction(player, call(MOVE_IN, row, col, number), game, attempt(game.move, player, row, col, number))


def some(chain: Chain, game: Model, chance: random.Random, most: int) -> list[Transaction]:
    """The transactions of a block; none once the last game but two is on."""
    transactions: list[Transaction] = []
    while len(transactions) < most and game.number < chain.size - 2:
        transactions.append(anything(game, chain.people, chance))
        game = transactions[-1].after
    return transactions


def drawn_game(game: Model, starter: int, player_x: int, player_o: int) -> list[Transaction]:
    """Without the game's number in the moves: calldata costs by the byte, and a high number has more bytes than 2."""
    new = game.new_game(player_x, player_o)
    transactions = [Transaction(starter, call(NEW_GAME, player_x, player_o), game, new)]
    for cell in DRAWN:
        game, (row, col) = transactions[-1].after, divmod(cell, 3)
        data = call(MOVE, row, col)
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
        blocks.append(some(chain, game, chance, chance.randint(0, widest)))
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
    chain.anvil.start()
    chain.anvil.rpc("evm_setAutomine", False)
    chain.check()
    chain.tally["restarts"] += 1


# -- the events, as `watch --json` prints them and as the library yields them ---------------


def lines_of(before: Model, after: Model) -> list[Line]:
    """The lines for the transaction that turned one game into the other, without their place on the chain."""
    if after == before:
        return []
    common = {"takenBack": False, "gameId": after.number}
    if after.number != before.number:
        seats = {"playerX": person(after.player_x), "playerO": person(after.player_o)}
        return [common | {"event": "GameCreated"} | seats]
    lines = []
    if len(after.moves) > len(before.moves):
        move, (row, col) = len(after.moves), divmod(after.moves[-1], 3)
        made = {"player": person(before.mover), "mark": "OX"[move % 2], "sequenceNumber": move, "row": row, "col": col}
        lines.append(common | {"event": "MoveMade"} | made)
    if after.status != Status.IN_PROGRESS:
        winner = person(after.winner) if after.winner else None
        lines.append(common | {"event": "GameEnded", "winner": winner, "status": after.status.name.lower()})
    return lines


def place_of(log: dict[str, Any]) -> Line:
    place = {"block": int(log["blockNumber"], 16), "blockHash": log["blockHash"]}
    return place | {"transaction": log["transactionHash"], "logIndex": int(log["logIndex"], 16)}


def game_of(model: Model) -> Game:
    players = person(model.player_x), person(model.player_o)
    return Game(model.number, *players, model.moves, model.status.name.lower())


def person(number: int) -> str:
    return str(to_checksum_address(f"0x{number:040x}"))


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
        return self.process.wait(PATIENCE)

    def catch_up(self, chain: Chain) -> None:
        """Wait until its newest event is the chain's."""
        newest = next(lines[-1] for lines in reversed(chain.lines) if lines)
        deadline = time.monotonic() + PATIENCE
        while not self.lines or self.lines[-1] != newest:
            assert time.monotonic() < deadline, self.errors.read_text()
            assert self.process.poll() is None, self.errors.read_text()
            time.sleep(0.02)
            self.read()


class Rebuilt(NamedTuple):
    """What the library makes of all events, in three parts of the same size."""

    right: dict[int, bool]  # by the game's number: whether it is what the rules give
    calls: list[int]
    peaks: list[float]  # MiB


def rebuild(chain: Chain) -> Rebuilt:
    """From the first block on, in this process."""
    rebuilt = Rebuilt({}, [], [])
    expected = {number: game_of(model) for number, model in chain.games().items()}
    third = sum(map(len, chain.lines)) // 3 + 1  # the newest block adds an event, CaughtUp
    with ape.networks.parse_network_choice(chain.anvil.url):
        story = events(chain.address, from_block=0, follow=False)
        tracemalloc.start()
        for _ in range(3):
            profile = cProfile.Profile()
            tracemalloc.reset_peak()
            profile.enable()
            for event in islice(story, third):
                rebuilt.right[event.game.number] = event.game == expected[event.game.number]
            profile.disable()
            rebuilt.calls.append(sum(entry.callcount for entry in profile.getstats()))
            rebuilt.peaks.append(tracemalloc.get_traced_memory()[1] / 2**20)
        tracemalloc.stop()
        assert next(story, None) is None
    return rebuilt


# -- the run --------------------------------------------------------------------------------


@pytest.fixture
def chain(creation_code: bytes, whole: bool, tmp_path: Path) -> Iterator[Chain]:
    anvil = Anvil(accounts=PEOPLE, state=tmp_path / "chain.json")
    yield Chain(anvil, creation_code, GAMES_OF_A_WHOLE_RUN if whole else GAMES)
    anvil.kill()  # writing the state takes seconds


@pytest.fixture
def watch(chain: Chain, tmp_path: Path) -> Iterator[Watch]:
    watch = Watch(chain, tmp_path)
    yield watch
    watch.process.kill()
    watch.process.wait(PATIENCE)


def test_many_games__through_reorgs_and_restarts(chain: Chain, watch: Watch, printer: Printer) -> None:
    chance = random.Random(5)
    progress = printer.progress("games", chain.size)
    players = chain.people[:3]
    chain.mine(drawn_game(chain.game, *players))
    game_two = chain.mine(drawn_game(chain.game, *players))
    while chain.game.number < chain.size - 2:
        chain.mine(some(chain, chain.game, chance, chance.randint(1, WIDEST)))
        if len(chain.blocks) % REORG_EVERY == 0:
            if chain.tally["reorgs"] % 8 == 0:
                watch.catch_up(chain)  # so that it has events to take back
            reorganise(chain, chance)
        elif chain.game.number * (RESTARTS + 1) // chain.size > chain.tally["restarts"]:
            restart(chain)
        progress(chain.game.number)
    chain.mine(drawn_game(chain.game, *players))
    last = chain.mine(drawn_game(chain.game, *players))
    watch.catch_up(chain)

    assert chain.game.number == chain.size
    assert last == game_two
    chain.check()
    assert sorted(chain.games()) == list(range(1, chain.size + 1))
    assert watch.lines == [line for lines in chain.lines for line in lines]
    assert watch.interrupt() == 0

    # Guard against a vacuous run: every outcome must have occurred.
    hundreds = chain.size // 100
    endings = Counter(game.status for game in chain.games().values())
    assert min(endings[status] for status in Status if status != Status.NO_GAME) >= hundreds, endings
    assert min(chain.tally[reason] for reason in REASONS) >= 5 * hundreds, chain.tally
    assert min(chain.tally[kind] for kind in ("to other transactions", "to nothing")) >= hundreds, chain.tally
    assert chain.tally["restarts"] == RESTARTS
    assert watch.taken_back >= 5 * hundreds

    rebuilt = rebuild(chain)
    printer.line(
        f"{chain.size:,} games (1,000 with --whole), {chain.tally['reorgs']} reorgs, "
        f"{watch.taken_back} of {len(watch.lines):,} events taken back"
    )
    printer.line(f"calls: {rebuilt.calls}, at most {max(rebuilt.peaks):.1f} MiB")
    assert rebuilt.right == dict.fromkeys(chain.games(), True)
    assert rebuilt.peaks[2] < rebuilt.peaks[0] * 1.2, "memory grows with the events"
    assert rebuilt.calls[2] < rebuilt.calls[1] * 1.2, "later events cost more than earlier ones"
