"""What the game costs: fixed scenarios on the embedded chain, beside the floor that the EVM's own prices set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Prices of the EVM since Berlin and Istanbul: EIP-2929, EIP-2200, EIP-2028, EIP-3860 and the Yellow Paper.
TRANSACTION, CREATION = 21_000, 32_000
ZERO_BYTE, BYTE = 4, 16
INITCODE_WORD, CODE_BYTE = 2, 200
COLD_SLOT, COLD_ACCOUNT, WARM_ACCOUNT = 2_100, 2_600, 100
NEW_SLOT, CHANGED_SLOT = 20_000, 2_900
LOG, LOG_TOPIC, LOG_BYTE = 375, 375, 8

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


def logs(receipt: Any) -> int:
    return sum(LOG + LOG_TOPIC * len(log["topics"]) + LOG_BYTE * len(log["data"]) for log in receipt.logs)


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
            costs.append(self.forfeit(name, table, self.o if cells else self.x, reads=2))

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
        return Cost("deploy", table.creation_metadata.receipt.gas_used, floor)

    def new_game(self, name: str, table: Any, x: Any, o: Any, *, fresh: bool = False) -> Cost:
        """Sent by X, whose account is warm; O's is cold. A slot is written only if it changes."""
        before = table.gameState().playerO
        receipt = table.newGame(x, o, sender=x)
        write = NEW_SLOT if fresh else CHANGED_SLOT
        floor = TRANSACTION + calldata(receipt.data) + WARM_ACCOUNT + COLD_ACCOUNT + 2 * COLD_SLOT + write
        if before != o:
            floor += write
        return Cost(name, receipt.gas_used, floor + logs(receipt))

    def moves(self, table: Any, cells: Sequence[int], *, named: bool = False) -> list[Cost]:
        costs = []
        for i, cell in enumerate(cells):
            number = (table.gameState().gameId,) if named else ()
            receipt = table.makeMove(cell // 3, cell % 3, *number, sender=self.o if i % 2 else self.x)
            costs.append(self.one_write("", receipt, reads=2 if i % 2 else 1))
        return costs

    def forfeit(self, name: str, table: Any, player: Any, *, reads: int) -> Cost:
        return self.one_write(name, table.forfeit(sender=player), reads=reads)

    def one_write(self, name: str, receipt: Any, *, reads: int) -> Cost:
        floor = TRANSACTION + calldata(receipt.data) + reads * COLD_SLOT + CHANGED_SLOT
        return Cost(name, receipt.gas_used, floor + logs(receipt))


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
        lines.append(f"| {name} | {peer_won:,} (+{peer_won / won - 1:.0%}) | {peer_drawn:,} | {notes} |")
    return "\n".join(lines) + "\n"
