"""Many games one after another at random, where the walk through single games does not come."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from tests.rules import layout
from tests.rules.layout import call
from tests.rules.model import Model, Status
from tests.support.revm import Refused, RevmTable, rules

PEOPLE = [0xAAAA << 100, 0xBBBB << 130 | 7, 2**160 - 1, 1]
LEGAL_MOVES = 3_000

people = st.sampled_from(PEOPLE)

# Which game a transaction names: none, the one that is on, one long gone, one to come.
named = st.sampled_from(["left out", "zero", "current", "the last one", "the next one", "the highest"])


def test_many_games__in_any_order_and_at_any_moment__as_the_rules_say(
    new_table: Callable[[], RevmTable], evidence: Callable[[int, str], None]
) -> None:
    table = new_table()
    tally: Counter[str] = Counter()

    class Evening(RuleBasedStateMachine):
        """Some people at one table. They mostly play; now and then somebody errs, gives up, or starts over."""

        def __init__(self) -> None:
            super().__init__()
            self.game = Model()
            self.checkpoint = table.evm.snapshot()

        def teardown(self) -> None:
            table.evm.revert(self.checkpoint)

        def number(self, name: str) -> tuple[int, ...]:
            return {
                "left out": (),
                "zero": (0,),
                "current": (self.game.number,),
                "the last one": (max(self.game.number - 1, 0),),
                "the next one": (self.game.number + 1,),
                "the highest": (2**256 - 1,),
            }[name]

        def on_turn(self) -> int:
            return self.game.player_x if len(self.game.moves) % 2 == 0 else self.game.player_o

        def check(self, caller: int, data: bytes, expected: Callable[[], Model]) -> None:
            standing = table.storage()
            outcome = table.send(caller, data)
            after = rules(expected)
            if isinstance(after, Refused):
                assert outcome == after
                assert table.storage() == standing
                tally["refused"] += 1
                return
            assert outcome == layout.logs(self.game, after)
            assert table.storage() == layout.storage(after)
            tally["moves"] += len(after.moves) > len(self.game.moves)
            tally["games"] += after.number > self.game.number
            tally["one player in both seats"] += after.player_x == after.player_o
            tally[after.status.name] += 1
            self.game = after

        @precondition(lambda self: self.game.status != Status.IN_PROGRESS)
        @rule(caller=people, player_x=people, player_o=people)
        def new_game(self, caller: int, player_x: int, player_o: int) -> None:
            data = call("newGame(address,address)", player_x, player_o)
            self.check(caller, data, lambda: self.game.new_game(player_x, player_o))

        @rule(caller=people, player_x=people, player_o=people, whim=st.integers(0, 9))
        def new_game_at_any_moment(self, caller: int, player_x: int, player_o: int, whim: int) -> None:
            if whim == 0:
                data = call("newGame(address,address)", player_x, player_o)
                self.check(caller, data, lambda: self.game.new_game(player_x, player_o))

        @precondition(lambda self: self.game.status == Status.IN_PROGRESS)
        @rule(data=st.data(), name=st.sampled_from(["left out", "zero", "current"]))
        def move(self, data: Any, name: str) -> None:
            cell = data.draw(st.sampled_from([cell for cell in range(9) if cell not in self.game.moves]))
            self.send_move(self.on_turn(), cell // 3, cell % 3, self.number(name))

        # Twice, so that games mostly go on to their end.
        move_again = move

        @rule(caller=people, row=st.integers(0, 255), col=st.integers(0, 3), name=named)
        def move_of_any_kind(self, caller: int, row: int, col: int, name: str) -> None:
            self.send_move(caller, row % 5 if row < 250 else row, col, self.number(name))

        def send_move(self, caller: int, row: int, col: int, number: tuple[int, ...]) -> None:
            signature = "makeMove(uint8,uint8,uint256)" if number else "makeMove(uint8,uint8)"
            self.check(caller, call(signature, row, col, *number), lambda: self.game.move(caller, row, col, *number))

        @rule(caller=people, name=named, whim=st.integers(0, 9))
        def forfeit(self, caller: int, name: str, whim: int) -> None:
            if whim < 3:
                number = self.number(name)
                data = call("forfeit(uint256)" if number else "forfeit()", *number)
                self.check(caller, data, lambda: self.game.forfeit(caller, *number))

        @invariant()
        def state_is_the_models(self) -> None:
            assert table.game_state() == layout.game_state(self.game)

        @invariant()
        def marks_are_balanced_and_only_the_last_mover_has_won(self) -> None:
            """As the table tells it: what a player would notice, whatever the model says."""
            words = [int.from_bytes(table.game_state()[at : at + 32], "big") for at in range(32, 17 * 32, 32)]
            board, status, moves = words[3:12], words[13], words[15]
            assert board.count(1) + board.count(2) == moves
            assert board.count(1) - board.count(2) in (0, 1)
            if status in (Status.X_WON, Status.O_WON):
                assert moves % 2 == (status == Status.X_WON)

    run_state_machine_as_test(
        Evening,
        settings=settings(
            max_examples=400,
            stateful_step_count=60,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )

    # Something was played: moves by the thousand, games that follow games, and every way a game can end.
    assert tally["moves"] > LEGAL_MOVES, tally
    assert tally["games"] > 800, tally
    assert tally["refused"] > 1_000, tally
    assert tally["one player in both seats"] > 200, tally
    for status in Status:
        assert status == Status.NO_GAME or tally[status.name] >= 10, tally
    evidence(LEGAL_MOVES, "random legal moves at least")
