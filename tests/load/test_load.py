"""Many games by many people at one table: nothing grows but the number of events, and each costs what it did."""

import cProfile
import gzip
import json
import random
import tracemalloc
from collections import Counter
from itertools import pairwise, takewhile

import ape
import pytest

from tests.library.expected import replayed
from tests.rules import layout
from tests.rules.games import DRAWN
from tests.rules.layout import call
from tests.rules.model import Model, Status
from tests.rules.positions import FORFEIT, MOVE, NEW_GAME
from tests.support.anvil import Anvil
from tests.support.roles import Role
from tictactoe import Table, events

CALLS_PER_EVENT = 3_000  # of Python functions, to read one
MEMORY = 3 * 2**20  # bytes that are held after reading every event

RULES = {NEW_GAME: lambda game, _, *players: game.new_game(*players), MOVE: Model.move, FORFEIT: Model.forfeit}


class BusyTable:
    """A table on a node that mines a block only when asked to, and what the rules say about it."""

    def __init__(self, anvil, creation_code):
        self.anvil, self.address = anvil, anvil.create(Role.DEPLOYER.address, creation_code)
        anvil.rpc("evm_setAutomine", False)
        self.people = [int(account, 16) for account in anvil.rpc("eth_accounts")]
        self.games = [Model()]  # after each transaction

    def add(self, sender, signature, *arguments):
        """Send a transaction that the rules accept."""
        fields = {"from": f"0x{sender:040x}", "to": self.address, "gas": hex(200_000)}
        self.anvil.rpc("eth_sendTransaction", fields | {"data": f"0x{call(signature, *arguments).hex()}"})
        self.games.append(RULES[signature](self.games[-1], sender, *arguments))

    def add_anything(self, chance):
        """Mostly a move; sometimes a forfeit, or a new game over one in progress."""
        game, roll = self.games[-1], chance.random()
        if game.status != Status.IN_PROGRESS or roll < 0.02:
            self.add(*chance.choices(self.people), NEW_GAME, *chance.choices(self.people, k=2))
        elif roll < 0.05:
            self.add(game.mover, FORFEIT)
        else:
            cell = chance.choice([cell for cell in range(9) if cell not in game.moves])
            self.add(game.mover, MOVE, *divmod(cell, 3))

    def mine_drawn_game(self):
        """A game in a block of its own. Returns the gas of each transaction."""
        self.add(self.people[0], NEW_GAME, *self.people[1:3])
        for cell in DRAWN:
            self.add(self.games[-1].mover, MOVE, *divmod(cell, 3))
        self.anvil.rpc("evm_mine")
        return [int(receipt["gasUsed"], 16) for receipt in self.anvil.rpc("eth_getBlockReceipts", "latest")]

    def storage(self):
        """Every slot that holds something."""
        dump = json.loads(gzip.decompress(bytes.fromhex(self.anvil.rpc("anvil_dumpState")[2:])))
        slots = dump["accounts"][self.address.lower()]["storage"]
        return {int(slot, 16): int(value, 16) for slot, value in slots.items()}


@pytest.fixture
def table(creation_code):
    with Anvil(order="fifo") as anvil:
        yield BusyTable(anvil, creation_code)


def test_many_games__cost_no_more_than_few(table, whole, print_counts):
    size, chance = 1_000 if whole else 100, random.Random(5)
    table.mine_drawn_game()
    game_two = table.mine_drawn_game()
    while table.games[-1].number < size:
        for _ in range(chance.randint(1, 9)):
            table.add_anything(chance)
        table.anvil.rpc("evm_mine")
    table.mine_drawn_game()
    assert table.mine_drawn_game() == game_two
    assert {game.status for game in table.games} == set(Status)

    assert table.storage() == dict(enumerate(layout.storage(table.games[-1])))
    logs = table.anvil.rpc("eth_getLogs", {"address": table.address, "fromBlock": "0x0"})
    raw = [[bytes.fromhex(word[2:]) for word in (*log["topics"], log["data"])] for log in logs]
    assert raw == [[*topics, data] for pair in pairwise(table.games) for topics, data in layout.logs(*pair)]

    expected = replayed(logs)
    tracemalloc.start()
    with ape.networks.parse_network_choice(table.anvil.url), cProfile.Profile() as profile:
        story = events(Table(table.address), from_block=0)
        past = takewhile(lambda event: event.kind != "CaughtUp", story)
        right = [event == each for event, each in zip(past, expected, strict=True)]
    assert all(right)
    # The same for a hundred games and for a thousand.
    assert sum(entry.callcount for entry in profile.getstats()) < CALLS_PER_EVENT * len(logs)
    assert tracemalloc.get_traced_memory()[0] < MEMORY
    tracemalloc.stop()
    print_counts("load (1,000 games with --whole)", Counter(games=table.games[-1].number, events=len(logs)))
