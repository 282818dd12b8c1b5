"""A thousand games at one table, with the faults of a real chain between them."""

import gzip
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from tests.conftest import Progress
from tests.rules import layout
from tests.rules.layout import call
from tests.rules.model import Model, Status
from tests.rules.positions import mover
from tests.support.anvil import Anvil, decoded

GAMES = 1_000
PEOPLE = 20
RESTART_EVERY, REORG_EVERY = 250, 10
DEEPEST = 5  # blocks that a reorganisation takes back

MOVE, FORFEIT, NEW_GAME = "makeMove(uint8,uint8,uint256)", "forfeit(uint256)", "newGame(address,address)"
DRAWN = (0, 1, 2, 4, 3, 5, 7, 6, 8)


class Chain:
    """The table on anvil, and beside it what the rules say has happened there. A block for each transaction."""

    def __init__(self, anvil: Anvil, creation_code: bytes) -> None:
        self.anvil = anvil
        self.people = [int(account, 16) for account in anvil.rpc("eth_accounts")]
        creation = {"from": f"0x{self.people[0]:040x}", "data": "0x" + creation_code.hex()}
        self.address = self.mined(creation)["contractAddress"]
        # For each block, from the first, the game as each of its transactions left it.
        self.blocks: list[list[Model]] = [[Model()], [Model()]]
        self.tally: Counter[str] = Counter()

    @property
    def game(self) -> Model:
        return next(games[-1] for games in reversed(self.blocks) if games)

    def games(self) -> dict[int, Model]:
        """Every game as it was left."""
        return {game.number: game for games in self.blocks for game in games if game.number}

    def transaction(self, who: int, data: bytes, gas: int = 200_000) -> dict[str, str]:
        return {"from": f"0x{who:040x}", "to": self.address, "data": "0x" + data.hex(), "gas": hex(gas)}

    def mined(self, transaction: dict[str, str]) -> dict[str, Any]:
        """What became of a transaction, whether the contract refuses it or not."""
        sent = self.anvil.rpc("eth_sendTransaction", transaction)
        for _ in range(1_000):
            # anvil answers before its block is quite there.
            receipt: dict[str, Any] | None = self.anvil.rpc("eth_getTransactionReceipt", sent)
            if receipt is not None:
                return receipt
            time.sleep(0.005)
        raise TimeoutError(f"anvil did not mine {sent} in five seconds")

    def last_blocks(self, depth: int) -> list[dict[str, Any]]:
        heights = range(len(self.blocks) - depth, len(self.blocks))
        return [self.anvil.rpc("eth_getBlockByNumber", hex(height), False) for height in heights]

    def accept(self, who: int, data: bytes, after: Model) -> int:
        receipt = self.mined(self.transaction(who, data))
        check_accepted(receipt, self.game, after)
        assert int(receipt["blockNumber"], 16) == len(self.blocks)
        self.blocks.append([after])
        self.tally["accepted"] += 1
        return int(receipt["gasUsed"], 16)

    def refuse(self, who: int, data: bytes, kind: str) -> None:
        receipt = self.mined(self.transaction(who, data))
        assert receipt["status"] == "0x0"
        assert receipt["logs"] == []
        self.blocks.append([self.game])
        self.tally[kind] += 1

    def new_game(self, who: int, player_x: int, player_o: int) -> int:
        return self.accept(who, call(NEW_GAME, player_x, player_o), self.game.new_game(player_x, player_o))

    def move(self, cell: int) -> int:
        who, (row, col) = mover(self.game), divmod(cell, 3)
        return self.accept(who, call(MOVE, row, col, self.game.number), self.game.move(who, row, col))

    def check(self) -> None:
        """The two words are the game."""
        slots = tuple(int(self.anvil.rpc("eth_getStorageAt", self.address, hex(i), "latest"), 16) for i in (0, 1))
        assert slots == layout.storage(self.game)
        read = {"to": self.address, "data": "0x" + call("gameState()").hex()}
        assert bytes.fromhex(self.anvil.rpc("eth_call", read, "latest")[2:]) == layout.game_state(self.game)

    def check_whole_storage(self) -> None:
        """The two words, and no other slot of all there are."""
        dump = json.loads(gzip.decompress(bytes.fromhex(self.anvil.rpc("anvil_dumpState")[2:])))
        slots = {int(slot, 16): int(value, 16) for slot, value in dump["accounts"][self.address]["storage"].items()}
        assert slots == dict(enumerate(layout.storage(self.game)))


def check_accepted(receipt: dict[str, Any], before: Model, after: Model) -> None:
    assert receipt["status"] == "0x1"
    assert decoded(receipt["logs"]) == layout.logs(before, after)


def rebuilt(logs: list[dict[str, Any]]) -> dict[int, Model]:
    """Every game, from the logs alone and by nothing but what the specification says of events."""
    games: dict[int, Model] = {}
    for log in logs:
        topics = [int(topic, 16) for topic in log["topics"]]
        data = bytes.fromhex(log["data"][2:])
        kind = bytes.fromhex(log["topics"][0][2:])
        game = games.get(topics[1], Model())
        if kind == layout.GAME_CREATED:
            games[topics[1]] = Model(topics[1], topics[2], topics[3], (), Status.IN_PROGRESS)
        elif kind == layout.MOVE_MADE:
            _, row, col = data[31], data[63], data[95]
            games[topics[1]] = replace(game, moves=(*game.moves, row * 3 + col))
        else:
            games[topics[1]] = replace(game, status=Status(data[31]))
    return games


def play(chain: Chain, chance: random.Random) -> None:
    """One game with whatever happens to a game: strangers, stale and late transactions, forfeits, an end or none."""
    player_x, player_o, starter = (chance.choice(chain.people) for _ in range(3))
    stale = call(MOVE, 0, 0, chain.game.number) if chain.game.number else None
    chain.new_game(starter, player_x, player_o)
    if stale:
        chain.refuse(player_x, stale, "stale")
    cells = chance.sample(range(9), 9)
    until = chance.choice([9, 9, 9, *range(9)])
    for cell in cells[:until]:
        chain.move(cell)
        if chain.game.status != Status.IN_PROGRESS:
            chain.refuse(mover(chain.game), call(FORFEIT, chain.game.number), "after the end")
            break
    else:
        if chance.random() < 0.5:
            chain.refuse(
                chance.choice(chain.people), call(MOVE, 3, 3, chain.game.number), "off the grid or not on turn"
            )
            who = mover(chain.game)
            chain.accept(who, call(FORFEIT, chain.game.number), chain.game.forfeit(who))
    chain.tally[chain.game.status.name] += 1


def something(game: Model, people: list[int], chance: random.Random) -> tuple[int, bytes, Model]:
    """A transaction that the rules accept."""
    who = mover(game)
    if game.status != Status.IN_PROGRESS or chance.random() < 0.1:
        player_x, player_o, who = (chance.choice(people) for _ in range(3))
        return who, call(NEW_GAME, player_x, player_o), game.new_game(player_x, player_o)
    if chance.random() < 0.1:
        return who, call(FORFEIT, game.number), game.forfeit(who)
    row, col = divmod(chance.choice([cell for cell in range(9) if cell not in game.moves]), 3)
    return who, call(MOVE, row, col, game.number), game.move(who, row, col)


def reorganise(chain: Chain, chance: random.Random) -> None:
    """The last blocks, one to five, give way to others at their heights: with other transactions, or with none."""
    depth = 1 + chain.tally["reorganisations"] % DEEPEST
    most = chance.choice((0, 1, 2))  # transactions in a block
    dropped = chain.last_blocks(depth)
    del chain.blocks[-depth:]

    instead, outcomes = [], []
    for index in range(depth):
        chain.blocks.append([])
        for _ in range(chance.randint(0, most)):
            who, data, after = something(chain.game, chain.people, chance)
            # Another limit of gas, so that it is another transaction even if it does the same as one that is dropped.
            instead.append((chain.transaction(who, data, gas=200_001), index))
            outcomes.append((chain.game, after))
            chain.blocks[-1].append(after)
    chain.anvil.rpc("anvil_reorg", depth, instead)

    blocks = chain.last_blocks(depth)
    assert int(chain.anvil.rpc("eth_blockNumber"), 16) == len(chain.blocks) - 1
    assert blocks[0]["parentHash"] == dropped[0]["parentHash"]
    assert not {block["hash"] for block in blocks} & {block["hash"] for block in dropped}
    for block in dropped:
        for hash_ in block["transactions"]:
            assert chain.anvil.rpc("eth_getTransactionReceipt", hash_) is None
    receipts = [receipt for block in blocks for receipt in chain.anvil.rpc("eth_getBlockReceipts", block["number"])]
    for receipt, (before, after) in zip(receipts, outcomes, strict=True):
        check_accepted(receipt, before, after)
    chain.check()
    chain.tally["reorganisations"] += 1
    chain.tally["of others" if outcomes else "of nothing"] += 1


def restart(anvil: Anvil) -> None:
    """End the node and begin it again on what it wrote down; a thousand blocks take it a while."""
    anvil.process.terminate()
    anvil.process.wait(timeout=120)
    anvil.start(patience=120)


def measure(chain: Chain) -> list[int]:
    """The gas of the specification's drawn game, always between the same two."""
    gas = [chain.new_game(chain.people[0], chain.people[1], chain.people[2])]
    # Without the game's number: 1,000 has a byte more than 2 that is not 0, and calldata costs by the byte.
    for cell in DRAWN:
        who, (row, col) = mover(chain.game), divmod(cell, 3)
        gas.append(chain.accept(who, call("makeMove(uint8,uint8)", row, col), chain.game.move(who, row, col)))
    return gas


def test_thousand_games__with_reorgs_and_restarts__are_rebuilt_from_the_logs(
    creation_code: bytes,
    tmp_path: Path,
    progress_of: Callable[[str, int], Progress],
    evidence: Callable[[int, str], None],
) -> None:
    chance = random.Random(5)
    progress = progress_of("games", GAMES)
    anvil = Anvil(accounts=PEOPLE, state=tmp_path / "chain.json", gas_price=0, base_fee=0)
    try:
        chain = Chain(anvil, creation_code)
        measure(chain)
        second = measure(chain)
        for played in count(1):
            play(chain, chance)
            # Not near the end, which they could push beyond the last game.
            if played % REORG_EVERY == 0 and chain.game.number < GAMES - 20:
                reorganise(chain, chance)
            # After one of them, so that the node has to forget the dropped blocks for good. (It cannot go back to
            # before it was started: anvil 1.7.1 then loses the contracts, with --preserve-historical-states too.)
            if played % RESTART_EVERY == 0:
                restart(anvil)
                chain.check()
                chain.check_whole_storage()
                chain.tally["restarts"] += 1
            progress(chain.game.number)
            if chain.game.number == GAMES - 2:
                break
        measure(chain)
        last = measure(chain)

        assert chain.game.number == GAMES
        assert last == second
        chain.check()
        chain.check_whole_storage()
        logs = anvil.rpc("eth_getLogs", {"address": chain.address, "fromBlock": "0x0", "toBlock": "latest"})
        games = rebuilt(logs)
        assert sorted(games) == list(range(1, GAMES + 1))
        assert games == chain.games()
        assert layout.game_state(games[GAMES]) == layout.game_state(chain.game)
    finally:
        anvil.process.kill()  # its state is of no more use, and writing it down takes seconds
        anvil.process.wait(timeout=10)
    # Nothing of it is a run in which all goes well, or in which nothing does.
    assert min(chain.tally[status.name] for status in Status if status != Status.NO_GAME) > 10, chain.tally
    assert min(chain.tally[kind] for kind in ("stale", "after the end", "off the grid or not on turn")) > 100, (
        chain.tally
    )
    assert chain.tally["reorganisations"] >= GAMES // REORG_EVERY - 10
    assert min(chain.tally[kind] for kind in ("of others", "of nothing")) > 10, chain.tally
    assert chain.tally["restarts"] >= GAMES // RESTART_EVERY - 1
    evidence(GAMES, "games")
    evidence(chain.tally["reorganisations"], f"reorganisations of up to {DEEPEST} blocks")
    evidence(chain.tally["restarts"], "restarts")


def test_rebuilding__from_logs_with_one_missing__is_noticed() -> None:
    """The comparison above can fail."""
    game = Model().new_game(1, 2)
    moved = game.move(1, 1, 1)
    logs = [*layout.logs(Model(), game), *layout.logs(game, moved)]
    raw = [{"topics": ["0x" + topic.hex() for topic in topics], "data": "0x" + data.hex()} for topics, data in logs]
    assert rebuilt(raw) == {1: moved}
    assert rebuilt(raw[:1]) != {1: moved}
