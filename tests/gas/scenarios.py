"""Fixed games as transactions: the same ones for every price list."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.gas.prices import Prices, Work
from tests.rules.games import DRAWN, WON_BY_X
from tests.rules.layout import call
from tests.support.roles import Role


class Transaction(NamedTuple):
    sender: Role
    table: int | None  # by the order of deployment; None deploys the next one
    work: Work


class Receipt(NamedTuple):
    gas: int
    logs: int
    code: int  # bytes of code at the address that the transaction created


Run = Callable[[Sequence[Transaction]], list[Receipt]]


@dataclass(frozen=True)
class Cost:
    """What a scenario costs, and the parts of its floor: what no contract with this interface can go below."""

    gas: int = 0
    parts: Counter[str] = field(default_factory=Counter)

    @property
    def floor(self) -> int:
        return self.parts.total()

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.gas + other.gas, self.parts + other.parts)


@dataclass(frozen=True)
class Measurement:
    prices: Prices
    costs: dict[str, Cost]
    runtime: int  # bytes of code
    creation: int


class Plan:
    """The transactions in the order in which they run, and the scenarios: each is a sum of some of them."""

    def __init__(self, creation_code: bytes, addresses: Sequence[int]) -> None:
        self.creation_code = creation_code
        self.addresses = addresses
        self.transactions: list[Transaction] = []
        self.scenarios: dict[str, list[int]] = {}
        self.tables = 0
        self.games = 0  # at the last table
        self.player_o: Role | None = None

    def add(self, sender: Role, work: Work) -> int:
        self.transactions.append(Transaction(sender, None if work.creates else self.tables - 1, work))
        return len(self.transactions) - 1

    def deploy(self) -> int:
        self.tables += 1
        self.games, self.player_o = 0, None
        return self.add(Role.DEPLOYER, Work(self.creation_code, creates=True))

    def new_game(self, x: Role = Role.PLAYER_X, o: Role = Role.PLAYER_O, *, named: bool = False) -> int:
        """X sends it. O's address is written only where it differs."""
        data = self.data("newGame", "address,address", self.addresses[x], self.addresses[o], named=named)
        written = 1 if o == self.player_o else 2
        filled, changed = (0, written) if self.games else (written, 0)
        self.games += 1
        self.player_o = o
        return self.add(x, Work(data, slots=2, changed=changed, filled=filled, players=True, logs=1, topics=4))

    def moves(self, cells: Sequence[int], *, ends: bool = True, named: bool = False) -> list[int]:
        sent = []
        for i, cell in enumerate(cells):
            data = self.data("makeMove", "uint8,uint8", cell // 3, cell % 3, named=named)
            last = ends and i == len(cells) - 1
            logs, topics, logged = (2, 6, 4) if last else (1, 3, 3)
            work = Work(data, slots=1 + i % 2, changed=1, logs=logs, topics=topics, logged=logged)
            sent.append(self.add(Role.PLAYER_O if i % 2 else Role.PLAYER_X, work))
        return sent

    def forfeit(self, player: Role) -> int:
        """Both addresses are needed: one to check the caller, the other for the event."""
        return self.add(player, Work(call("forfeit()"), slots=2, changed=1, logs=1, topics=3, logged=1))

    def data(self, function: str, types: str, *arguments: int, named: bool) -> bytes:
        if named:
            return call(f"{function}({types},uint256)", *arguments, self.games)
        return call(f"{function}({types})", *arguments)


def plan_of(creation_code: bytes, addresses: Sequence[int]) -> Plan:
    """Every scenario, in the order of the table."""
    plan = Plan(creation_code, addresses)
    deploy = plan.deploy()
    first, first_moves = plan.new_game(), plan.moves(DRAWN)
    again, moves = plan.new_game(), plan.moves(DRAWN)
    other = plan.new_game(Role.STRANGER, Role.OTHER)
    plan.new_game()
    plan.moves(DRAWN)
    again_won, won_moves = plan.new_game(), plan.moves(WON_BY_X)
    plan.new_game()
    forfeit_x = plan.forfeit(Role.PLAYER_X)
    plan.new_game()
    plan.moves((4,), ends=False)
    forfeit_o = plan.forfeit(Role.PLAYER_O)
    named, named_moves = plan.new_game(named=True), plan.moves(DRAWN, named=True)
    plan.deploy()
    first_won = [plan.new_game(), *plan.moves(WON_BY_X)]

    plan.scenarios = {
        "deploy": [deploy],
        "newGame, the table's first": [first],
        "newGame, same players": [again],
        "newGame, other players": [other],
        "newGame, naming the game it replaces": [named],
        **{f"drawn game, move {i + 1} by {'XO'[i % 2]}": [sent] for i, sent in enumerate(moves)},
        **{f"won game, move {i + 1} by {'XO'[i % 2]}": [sent] for i, sent in enumerate(won_moves)},
        "forfeit by X": [forfeit_x],
        "forfeit by O": [forfeit_o],
        "nine moves, drawn": moves,
        "nine moves, drawn, each naming its game": named_moves,
        "whole first game, won in five": first_won,
        "whole first game, drawn": [first, *first_moves],
        "whole second game, won in five": [again_won, *won_moves],
        "whole second game, drawn": [again, *moves],
        "whole second game, drawn, all naming it": [named, *named_moves],
    }
    return plan


def measure(plan: Plan, prices: Prices, run: Run) -> Measurement:
    receipts = run(plan.transactions)
    costs = []
    for sent, receipt in zip(plan.transactions, receipts, strict=True):
        if receipt.logs != sent.work.logs:
            raise RuntimeError(f"{receipt.logs} events, but the plan has {sent.work.logs}: {sent}")
        costs.append(Cost(receipt.gas, prices.parts(sent.work, receipt.code)))
    totals = {name: sum((costs[i] for i in sent), Cost()) for name, sent in plan.scenarios.items()}
    return Measurement(prices, totals, receipts[0].code, len(plan.creation_code))
