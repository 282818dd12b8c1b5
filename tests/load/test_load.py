"""Many games at one table, through reorgs and restarts of the node, followed by `watch --json` all the while."""

import cProfile
import gzip
import json
import random
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import ape
import pytest

from tests.library.expected import replayed
from tests.rules import layout
from tests.rules.games import DRAWN
from tests.rules.layout import call
from tests.rules.model import Model, Status
from tests.rules.positions import FORFEIT_IN, MOVE, MOVE_IN, NEW_GAME
from tests.support.anvil import Anvil, decoded
from tests.support.commands import Running
from tests.support.local_table import LocalTable
from tests.support.progress import Printer
from tictactoe import Game, events

GAMES, GAMES_OF_A_WHOLE_RUN = 100, 1_000
WIDEST = 9  # transactions in a block
REORG_EVERY, DEEPEST = 15, 5  # blocks
RESTARTS = 3


class Step(NamedTuple):
    """A transaction that the rules accept, and the game that it leaves."""

    sender: int
    data: bytes
    after: Model


class Chain:
    """The table on anvil, and for each block the game after each of its transactions."""

    def __init__(self, anvil: Anvil, creation_code: bytes) -> None:
        self.anvil = anvil
        self.table = LocalTable(anvil, creation_code)
        self.people = [int(account, 16) for account in anvil.rpc("eth_accounts")]
        self.blocks: list[list[Model]] = [[], []]
        self.reorgs = self.restarts = 0
        anvil.rpc("evm_setAutomine", False)

    @property
    def game(self) -> Model:
        return next((block[-1] for block in reversed(self.blocks) if block), Model())

    def mine(self, steps: Sequence[Step]) -> None:
        """A block of these. It takes them in the order of their prices."""
        for place, (sender, data, _) in enumerate(steps):
            fields = {"from": f"0x{sender:040x}", "to": self.table.address, "data": f"0x{data.hex()}"}
            numbers = {"gas": hex(200_000), "gasPrice": hex(10**10 - place)}
            self.anvil.rpc("eth_sendTransaction", fields | numbers)
        self.anvil.rpc("evm_mine")
        self.blocks.append([step.after for step in steps])

    def mine_drawn_game(self) -> list[int]:
        """In a block of its own. Returns the gas of each transaction.

        The moves do not name the game: calldata costs by the byte, and a high number has more bytes than 2.
        """
        starter, *players = self.people[:3]
        steps = [Step(starter, call(NEW_GAME, *players), self.game.new_game(*players))]
        for row, col in (divmod(cell, 3) for cell in DRAWN):
            game = steps[-1].after
            steps.append(Step(game.mover, call(MOVE, row, col), game.move(game.mover, row, col)))
        self.mine(steps)
        return [int(receipt["gasUsed"], 16) for receipt in self.anvil.rpc("eth_getBlockReceipts", "latest")]

    def mine_anything(self, chance: random.Random, last: int) -> None:
        """Up to nine transactions by anybody, none after the last game has begun."""
        steps: list[Step] = []
        game = self.game
        for _ in range(chance.randint(1, WIDEST)):
            if game.number < last:
                steps.append(anything(game, self.people, chance))
                game = steps[-1].after
        self.mine(steps)

    def reorganise(self) -> None:
        """Replace the last blocks by empty ones."""
        depth = 1 + self.reorgs % DEEPEST
        self.anvil.rpc("anvil_reorg", depth, [])
        self.blocks[-depth:] = [[]] * depth
        self.reorgs += 1

    def restart(self) -> None:
        self.anvil.stop()
        self.anvil.start()
        self.anvil.rpc("evm_setAutomine", False)
        self.restarts += 1

    def logs(self) -> list[dict[str, Any]]:
        """All of them, after a comparison with the rules."""
        found: list[dict[str, Any]] = self.anvil.rpc("eth_getLogs", {"address": self.table.address, "fromBlock": "0x0"})
        games = [Model(), *(game for block in self.blocks for game in block)]
        assert decoded(found) == [log for before, after in pairwise(games) for log in layout.logs(before, after)]
        return found

    def storage(self) -> dict[int, int]:
        """Every slot that holds something."""
        dump = json.loads(gzip.decompress(bytes.fromhex(self.anvil.rpc("anvil_dumpState")[2:])))
        slots = dump["accounts"][self.table.address.lower()]["storage"]
        return {int(slot, 16): int(value, 16) for slot, value in slots.items()}


def anything(game: Model, people: Sequence[int], chance: random.Random) -> Step:
    """Mostly a move; sometimes a forfeit, or a new game over one in progress."""
    roll, player = chance.random(), game.mover
    if game.status != Status.IN_PROGRESS or roll < 0.02:
        sender, *players = (chance.choice(people) for _ in range(3))
        return Step(sender, call(NEW_GAME, *players), game.new_game(*players))
    if roll < 0.05:
        return Step(player, call(FORFEIT_IN, game.number), game.forfeit(player))
    row, col = divmod(chance.choice([cell for cell in range(9) if cell not in game.moves]), 3)
    return Step(player, call(MOVE_IN, row, col, game.number), game.move(player, row, col))


class Watch(Running):
    """`ape run watch --json`."""

    def __init__(self, table: LocalTable) -> None:
        super().__init__("watch", *table.options, "--json")
        self.table = table

    def catch_up(self) -> None:
        transaction, index = self.table.logs()[-1]
        self.wait_for(f'"transaction": "{transaction}", "logIndex": {index}}}')

    def standing(self) -> tuple[list[dict[str, Any]], int]:
        """The lines that it did not take back, and how many it did."""
        left: list[dict[str, Any]] = []
        taken_back = 0
        for line in (json.loads(line) for line in self.text.splitlines() if line.startswith("{")):
            if line["event"] == "CaughtUp":
                continue
            if line["takenBack"]:
                assert left.pop() | {"takenBack": True} == line, "the newest event is taken back first"
                taken_back += 1
            else:
                left.append(line)
        return left, taken_back


def measure(story: Iterator[Any], third: int, games: dict[int, Game]) -> tuple[set[int], list[int], list[float]]:
    """Read all events, in three parts of the same size.

    Returns the games that end as in `games`, and for each part the function calls and the peak of memory in MiB.
    """
    right: set[int] = set()
    calls, peaks = [], []
    tracemalloc.start()
    for _ in range(3):
        profile = cProfile.Profile()
        tracemalloc.reset_peak()
        profile.enable()
        for event in islice(story, third):
            if event.game == games[event.game.number]:
                right.add(event.game.number)
        profile.disable()
        calls.append(sum(entry.callcount for entry in profile.getstats()))
        peaks.append(tracemalloc.get_traced_memory()[1] / 2**20)
    tracemalloc.stop()
    assert next(story, None) is None
    return right, calls, peaks


@pytest.fixture
def chain(creation_code: bytes, tmp_path: Path) -> Iterator[Chain]:
    anvil = Anvil(state=tmp_path / "chain.json")
    yield Chain(anvil, creation_code)
    anvil.kill()  # writing the state takes seconds


def test_many_games__through_reorgs_and_restarts(chain: Chain, whole: bool, printer: Printer) -> None:
    size = GAMES_OF_A_WHOLE_RUN if whole else GAMES
    chance = random.Random(5)
    progress = printer.progress("games", size)
    with Watch(chain.table) as watch:
        chain.mine_drawn_game()
        game_two = chain.mine_drawn_game()
        while chain.game.number < size - 2:
            chain.mine_anything(chance, last=size - 2)
            since_reorg = len(chain.blocks) % REORG_EVERY
            if since_reorg == 0:
                if chain.reorgs % 8 == 0:
                    watch.catch_up()  # so that it has events to take back
                chain.reorganise()
            # anvil 1.7.1 loses the contracts when a reorg goes back to before its start.
            elif since_reorg == 1 and chain.game.number * (RESTARTS + 1) // size > chain.restarts:
                chain.restart()
            progress(chain.game.number)
        chain.mine_drawn_game()
        last = chain.mine_drawn_game()
        watch.catch_up()
        watch.interrupt()
        assert watch.end() == 0

    assert (chain.game.number, last) == (size, game_two)
    assert chain.storage() == dict(enumerate(layout.storage(chain.game)))
    story = replayed(chain.logs())
    lines, taken_back = watch.standing()
    assert lines == [each.json for each in story]

    # Guard against a vacuous run: every outcome must have occurred.
    games = {each.after.number: each.after for each in story}
    endings = Counter(game.status for game in games.values())
    assert sorted(games) == list(range(1, size + 1))
    assert len(endings) == len(Status) - 1, endings
    assert min(endings.values()) >= size // 100, endings
    assert chain.restarts == RESTARTS
    assert taken_back >= size // 20

    with ape.networks.parse_network_choice(chain.anvil.url):
        found = events(chain.table.address, from_block=0, follow=False)
        third = len(story) // 3 + 1  # the newest block adds an event, CaughtUp
        right, calls, peaks = measure(found, third, games)
    reorgs = f"{chain.reorgs} reorgs, {taken_back} of {len(lines):,} events taken back"
    printer.line(f"{size:,} games (1,000 with --whole), {reorgs}")
    printer.line(f"calls: {calls}, at most {max(peaks):.1f} MiB")
    assert right == set(games)
    assert peaks[2] < peaks[0] * 1.2, "memory grows with the events"
    assert calls[2] < calls[1] * 1.2, "later events cost more than earlier ones"
