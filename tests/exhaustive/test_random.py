"""Many games at one table, one after another, in random order: a state machine that hypothesis drives."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from tests.rules.layout import call
from tests.rules.model import Model, O, Refused, Status, X, attempt
from tests.rules.positions import FORFEIT, FORFEIT_IN, MOVE, MOVE_IN, NEW_GAME, NEW_GAME_OVER, Message, outcome
from tests.support.progress import Printer
from tests.support.revm import RevmTable

PEOPLE = [0xAAAA << 100, 0xBBBB << 130 | 7, 2**160 - 1, 1]

people = st.sampled_from(PEOPLE)

# The number in a message, as arguments: none, or one that is right, zero or wrong.
NUMBERS: dict[str, Callable[[int], tuple[int, ...]]] = {
    "left out": lambda _: (),
    "zero": lambda _: (0,),
    "current": lambda number: (number,),
    "last": lambda number: (max(number - 1, 0),),
    "next": lambda number: (number + 1,),
    "highest": lambda _: (2**256 - 1,),
}
GOOD = ["left out", "zero", "current"]
good_number = st.sampled_from(GOOD)
any_number = st.one_of(good_number, st.sampled_from(list(NUMBERS)))
rows = st.one_of(st.integers(0, 3), st.integers(0, 255))
one_in_ten = st.sampled_from([False] * 9 + [True])


class Evening(RuleBasedStateMachine):
    """Four people at one table. They play most of the time; now and then one errs, forfeits or starts over."""

    def __init__(self, table: RevmTable, tally: Counter[str]) -> None:
        super().__init__()
        self.table, self.tally = table, tally
        self.game = Model()
        self.checkpoint = table.evm.snapshot()

    def teardown(self) -> None:
        self.table.evm.revert(self.checkpoint)

    def check(self, caller: int, data: bytes, after: Model | Refused) -> None:
        assert self.table.outcome(Message(caller, data)) == outcome(self.game, after)
        if isinstance(after, Refused):
            self.tally[after.reason] += 1
            return
        self.tally["moves"] += len(after.moves) > len(self.game.moves)
        self.tally["games"] += after.number > self.game.number
        self.tally["moves in both seats"] += len(after.moves) > 0 and after.player_x == after.player_o
        self.tally[after.status.name] += after.status != self.game.status
        self.game = after

    def new_game(self, caller: int, x: int, o: int, name: str) -> None:
        number = NUMBERS[name](self.game.number)
        data = call(NEW_GAME_OVER if number else NEW_GAME, x, o, *number)
        self.check(caller, data, attempt(self.game.new_game, x, o, *number))

    def move(self, caller: int, row: int, col: int, name: str) -> None:
        number = NUMBERS[name](self.game.number)
        data = call(MOVE_IN if number else MOVE, row, col, *number)
        self.check(caller, data, attempt(self.game.move, caller, row, col, *number))

    def forfeit(self, caller: int, name: str) -> None:
        number = NUMBERS[name](self.game.number)
        data = call(FORFEIT_IN if number else FORFEIT, *number)
        self.check(caller, data, attempt(self.game.forfeit, caller, *number))

    @precondition(lambda self: self.game.status != Status.IN_PROGRESS)
    @rule(caller=people, x=people, o=people, name=good_number)
    def next_game(self, caller: int, x: int, o: int, name: str) -> None:
        self.new_game(caller, x, o, name)

    @rule(caller=people, x=people, o=people, name=any_number, seldom=one_in_ten)
    def new_game_at_any_moment(self, caller: int, x: int, o: int, name: str, seldom: bool) -> None:
        if seldom or name not in GOOD:
            self.new_game(caller, x, o, name)

    @precondition(lambda self: self.game.status == Status.IN_PROGRESS)
    @rule(data=st.data(), name=good_number)
    def legal_move(self, data: Any, name: str) -> None:
        cell = data.draw(st.sampled_from([cell for cell in range(9) if cell not in self.game.moves]))
        self.move(self.game.mover, cell // 3, cell % 3, name)

    # Three times, so that most games come to an end.
    second_legal_move = legal_move
    third_legal_move = legal_move

    @precondition(lambda self: self.game.moves)
    @rule(caller=people, on_turn=st.booleans(), row=rows, col=st.integers(0, 3), name=any_number)
    def move_of_any_kind(self, caller: int, on_turn: bool, row: int, col: int, name: str) -> None:
        self.move(self.game.mover if on_turn else caller, row, col, name)

    @precondition(lambda self: self.game.status == Status.IN_PROGRESS)
    @rule(name=good_number, seldom=one_in_ten)
    def legal_forfeit(self, name: str, seldom: bool) -> None:
        if seldom:
            self.forfeit(self.game.mover, name)

    @rule(caller=people, name=any_number, seldom=one_in_ten)
    def forfeit_of_any_kind(self, caller: int, name: str, seldom: bool) -> None:
        if seldom or (caller != self.game.mover and self.game.moves):
            self.forfeit(caller, name)

    @invariant()
    def marks_are_balanced_and_only_the_last_mover_has_won(self) -> None:
        """Read from the table, not from the model."""
        state = self.table.game_state()
        words = [int.from_bytes(state[at : at + 32], "big") for at in range(32, 17 * 32, 32)]
        board, status, moves = words[3:12], words[13], words[15]
        assert board.count(X) + board.count(O) == moves
        assert board.count(X) - board.count(O) in (0, 1)
        if status in (Status.X_WON, Status.O_WON):
            assert moves % 2 == (status == Status.X_WON)


def test_random_games__follow_the_rules(new_table: Callable[[], RevmTable], printer: Printer) -> None:
    table, tally = new_table(), Counter[str]()
    run_state_machine_as_test(
        lambda: Evening(table, tally),
        settings=settings(
            max_examples=400,
            stateful_step_count=60,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
    printer.counts("random games", tally)
    # Nothing that the test is for was rare.
    assert tally["moves"] > 3_000, tally
    assert tally["games"] > 800, tally
    assert tally["moves in both seats"] > 100, tally
    endings = set(Status) - {Status.NO_GAME, Status.IN_PROGRESS}
    assert min(tally[ending.name] for ending in endings) > 10, tally
    refusals = ("no game in progress", "not the current game", "not your turn", "off the grid", "cell is taken")
    assert min(tally[reason] for reason in refusals) > 20, tally
