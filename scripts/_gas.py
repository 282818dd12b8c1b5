"""What the game costs: fixed scenarios on the embedded chain, beside the floor that the EVM's own prices set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Prices of the EVM: the Yellow Paper's, changed by EIP-2028 (calldata), EIP-2929 (cold and warm; a changed slot is its
# 5,000 less the 2,100 of the cold read) and EIP-3860 (initcode). EIP-7623's minimum for calldata never binds here.
TRANSACTION, CREATION = 21_000, 32_000
ZERO_BYTE, BYTE = 4, 16
INITCODE_WORD, CODE_BYTE = 2, 200
COLD_SLOT, COLD_ACCOUNT, WARM_ACCOUNT = 2_100, 2_600, 100
NEW_SLOT, CHANGED_SLOT = 20_000, 2_900
LOG, LOG_TOPIC, LOG_BYTE = 375, 375, 8

IN_PROGRESS = 1

# The two games of the specification, as cells in the order they are played.
DRAWN = (0, 1, 2, 4, 3, 5, 7, 6, 8)
WON = (0, 3, 1, 4, 2)

# Other contracts for the same game: gas of a whole second game on one contract, all in one run on anvil.
PEERS = (
    ("0xbyte0", 187_309, 319_877, "two players fixed at deployment, no events, no draw"),
    ("0xcacti", 223_778, 351_550, "no events"),
    ("0x8a8a/eth-tactoe", 232_184, 371_443, "state channel; the cheapest with a draw and an event per move"),
    ("damianmarti", 354_330, 552_763, "the same events as here"),
    ("gwalen", 383_393, 596_180, "770,516 gas to deploy"),
    ("kaimast", 966_782, 1_235_653, "Vyper; one deployment per game; moves go on after a win"),
)


@dataclass(frozen=True)
class Cost:
    """One scenario: what it cost, and what no contract with this interface can go below."""

    name: str
    gas: int
    floor: int

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.name, self.gas + other.gas, self.floor + other.floor)


def total(name: str, costs: Sequence[Cost]) -> Cost:
    return Cost(name, sum(cost.gas for cost in costs), sum(cost.floor for cost in costs))


def calldata(data: bytes) -> int:
    return sum(BYTE if byte else ZERO_BYTE for byte in data)


def log(topics: int, words: int) -> int:
    return LOG + LOG_TOPIC * topics + LOG_BYTE * 32 * words


# Each event by the specification: its signature and indexed fields are topics, the others words of data.
GAME_CREATED, MOVE_MADE, GAME_ENDED = log(4, 0), log(3, 3), log(3, 1)


class Scenarios:
    """A table, and transactions on it whose cost is taken down one by one."""

    def __init__(self, deploy: Callable[[Any], Any], accounts: Sequence[Any]) -> None:
        self.deploy = deploy
        self.deployer, self.x, self.o, self.other_x, self.other_o = accounts[:5]

    def run(self) -> list[Cost]:
        """Every scenario, in the order of the table."""
        table = self.deploy(self.deployer)
        costs = [self.deployment(table)]

        first = self.new_game("newGame, the table's first", table, self.x, self.o, fresh=True)
        first_moves = self.moves(table, DRAWN)
        again = self.new_game("newGame, same players", table, self.x, self.o)
        second_moves = self.moves(table, DRAWN)
        costs += [first, again, self.new_game("newGame, other players", table, self.other_x, self.other_o)]
        costs += [self.name_move("drawn game", i, cost) for i, cost in enumerate(second_moves)]

        self.new_game("", table, self.x, self.o)
        self.moves(table, DRAWN)
        again_won = self.new_game("", table, self.x, self.o)
        won_moves = self.moves(table, WON)
        costs += [self.name_move("won game", i, cost) for i, cost in enumerate(won_moves)]

        for name, cells in (("forfeit by X", ()), ("forfeit by O", (4,))):
            self.new_game("", table, self.x, self.o)
            self.moves(table, cells)
            costs.append(self.forfeit(name, table, self.o if cells else self.x))

        self.new_game("", table, self.x, self.o)
        naming = self.moves(table, DRAWN, named=True)
        other = self.deploy(self.deployer)
        first_won = [self.new_game("", other, self.x, self.o, fresh=True), *self.moves(other, WON)]
        return [
            *costs,
            total("nine moves, drawn", second_moves),
            total("nine moves, drawn, each naming its game", naming),
            total("whole first game, won in five", first_won),
            total("whole first game, drawn", [first, *first_moves]),
            total("whole second game, won in five", [again_won, *won_moves]),
            total("whole second game, drawn", [again, *second_moves]),
        ]

    def name_move(self, game: str, i: int, cost: Cost) -> Cost:
        return Cost(f"{game}, move {i + 1} by {'XO'[i % 2]}", cost.gas, cost.floor)

    def deployment(self, table: Any) -> Cost:
        """The floor is that of any deployment of these same bytes."""
        code = bytes(table.contract_type.deployment_bytecode.to_bytes())
        words = (len(code) + 31) // 32
        runtime = len(table.provider.get_code(table.address))
        floor = TRANSACTION + CREATION + calldata(code) + INITCODE_WORD * words + CODE_BYTE * runtime
        return Cost("deploy (the floor of these bytes)", table.provider.get_receipt(table.txn_hash).gas_used, floor)

    def new_game(self, name: str, table: Any, x: Any, o: Any, *, fresh: bool = False) -> Cost:
        """Sent by X, whose account is warm; O's is cold. A slot is written only if it changes."""
        before = table.gameState().playerO
        receipt = table.newGame(x, o, sender=x)
        write = NEW_SLOT if fresh else CHANGED_SLOT
        floor = TRANSACTION + calldata(receipt.data) + WARM_ACCOUNT + COLD_ACCOUNT + 2 * COLD_SLOT + write
        if before != o:
            floor += write
        return Cost(name, receipt.gas_used, floor + GAME_CREATED)

    def moves(self, table: Any, cells: Sequence[int], *, named: bool = False) -> list[Cost]:
        costs = []
        for i, cell in enumerate(cells):
            number = (table.gameState().gameId,) if named else ()
            receipt = table.makeMove(cell // 3, cell % 3, *number, sender=self.o if i % 2 else self.x)
            ends = GAME_ENDED if table.gameState().status != IN_PROGRESS else 0
            costs.append(self.one_write("", receipt, reads=2 if i % 2 else 1, events=MOVE_MADE + ends))
        return costs

    def forfeit(self, name: str, table: Any, player: Any) -> Cost:
        """Whoever forfeits, the winner's address and the player's are in two different slots."""
        return self.one_write(name, table.forfeit(sender=player), reads=2, events=GAME_ENDED)

    def one_write(self, name: str, receipt: Any, *, reads: int, events: int) -> Cost:
        floor = TRANSACTION + calldata(receipt.data) + reads * COLD_SLOT + CHANGED_SLOT + events
        return Cost(name, receipt.gas_used, floor)


def compiler() -> str:
    import vyper

    return f"vyper {vyper.__long_version__}"


def table_of(costs: Sequence[Cost]) -> str:
    """The scenarios as a Markdown table, headed by the compiler that they were measured with."""
    lines = [f"Compiled by {compiler()}.", "", "| scenario | gas | floor | above it |", "| --- | --: | --: | --: |"]
    for cost in costs:
        above = f"{(cost.gas - cost.floor) / cost.floor:.1%}"
        lines.append(f"| {cost.name} | {cost.gas:,} | {cost.floor:,} | {above} |")
    return "\n".join(lines) + "\n"


def peers_of(costs: Sequence[Cost]) -> str:
    """The whole second game beside other contracts' as a Markdown table."""
    ours = {cost.name: cost.gas for cost in costs}
    won, drawn = ours["whole second game, won in five"], ours["whole second game, drawn"]
    lines = ["| contract | won in five moves | drawn | |", "| --- | --: | --: | --- |"]
    lines.append(f"| **this one** | **{won:,}** | **{drawn:,}** | draw, forfeit, history, people only, events |")
    for name, peer_won, peer_drawn, notes in PEERS:
        lines.append(f"| {name} | {peer_won:,} | {peer_drawn:,} | {notes} |")
    return "\n".join(lines) + "\n"
