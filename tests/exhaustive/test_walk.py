"""Every position and every game, on the deployed bytecode, against the rules in plain Python."""

from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from tests.conftest import Progress
from tests.rules import layout
from tests.rules.layout import call
from tests.rules.model import Model, Status
from tests.rules.positions import (
    EVERYBODY,
    FORFEIT,
    FORFEIT_IN,
    MIDDLE,
    MOVE,
    MOVE_IN,
    NEW_GAME,
    NUMBER,
    ON_GRID,
    PLAYER_O,
    PLAYER_X,
    REASONS,
    check_standing,
    mover,
    transactions,
)
from tests.support.revm import Refused, RevmTable, rules

MOVE_DATA = [call(MOVE, row, col) for row, col in ON_GRID]


def third_game(new_table: Callable[[], RevmTable]) -> tuple[RevmTable, Model]:
    """A table on which the walk's game has just begun."""
    table, game = new_table(), Model()
    for _ in range(NUMBER):
        begun = game.new_game(PLAYER_X, PLAYER_O)
        assert table.send(PLAYER_X, call(NEW_GAME, PLAYER_X, PLAYER_O)) == layout.logs(game, begun)
        game = begun
    return table, game


def walk_positions(
    table: RevmTable, game: Model, seen: dict[tuple[int, ...], Status], tally: Counter[str], progress: Progress
) -> None:
    """One position: everything that can be sent to it; then, through its legal moves, the positions not yet seen."""
    seen[game.board] = game.status
    progress(len(seen))
    try_everything(table, game, tally)
    if game.status != Status.IN_PROGRESS:
        return
    for row, col in ON_GRID:
        after = rules(partial(game.move, mover(game), row, col))
        if isinstance(after, Model) and after.board not in seen:
            checkpoint = table.evm.snapshot()
            table.send(mover(game), call(MOVE, row, col))
            walk_positions(table, after, seen, tally, progress)
            table.evm.revert(checkpoint)


def try_everything(table: RevmTable, game: Model, tally: Counter[str]) -> None:
    check_standing(table, game)
    standing = table.storage()

    for data in MIDDLE:
        for origin in EVERYBODY:
            assert table.send(origin, data, through_contract=True) == Refused("caller is a contract")
            assert table.storage() == standing
            tally["caller is a contract"] += 1

    for caller, data, expected in transactions(game, table):
        checkpoint = table.evm.snapshot()
        outcome = table.send(caller, data)
        if isinstance(expected, Refused):
            assert outcome == expected, (game, caller, data.hex())
            assert table.storage() == standing
            tally[expected.reason] += 1
        else:
            assert outcome == layout.logs(game, expected), (game, caller, data.hex())
            check_standing(table, expected)
            tally["accepted"] += 1
            if data == call(FORFEIT):
                nothing_follows(table, tally)
        table.evm.revert(checkpoint)


def nothing_follows(table: RevmTable, tally: Counter[str]) -> None:
    """After a forfeit, wherever the game stood, nobody moves or forfeits."""
    standing = table.storage()
    for caller in EVERYBODY:
        for data in (*MOVE_DATA, call(MOVE_IN, 1, 1, NUMBER), call(FORFEIT), call(FORFEIT_IN, NUMBER)):
            assert table.send(caller, data) == Refused("no game in progress")
            assert table.storage() == standing
            tally["no game in progress"] += 1


def test_every_position__everything_anybody_can_send__as_the_rules_say(
    new_table: Callable[[], RevmTable],
    progress_of: Callable[[str, int], Progress],
    evidence: Callable[[int, str], None],
) -> None:
    table, game = third_game(new_table)
    seen: dict[tuple[int, ...], Status] = {}
    tally: Counter[str] = Counter()

    walk_positions(table, game, seen, tally, progress_of("positions", 5_478))

    # Known of tic-tac-toe: 5,478 positions, of which 626 end with X's line, 316 with O's, and 16 are drawn.
    assert len(seen) == 5_478
    assert Counter(seen.values()) == {
        Status.IN_PROGRESS: 4_520,
        Status.X_WON: 626,
        Status.O_WON: 316,
        Status.DRAW: 16,
    }
    # Each reason came up in thousands of transactions, and so did acceptance.
    assert min(tally[outcome] for outcome in ("accepted", *REASONS)) > 10_000
    evidence(len(seen), "positions")
    evidence(tally.total(), "transactions to them")


@pytest.mark.parametrize("cells", [(), (4,), (4, 0, 8), (0, 1, 2, 4, 3, 5, 7, 6)], ids=str)
def test_forfeited_position__everything_anybody_can_send__as_the_rules_say(
    new_table: Callable[[], RevmTable], cells: tuple[int, ...]
) -> None:
    table, game = third_game(new_table)
    for cell in cells:
        table.send(mover(game), call(MOVE, cell // 3, cell % 3))
        game = game.move(mover(game), cell // 3, cell % 3)
    table.send(mover(game), call(FORFEIT))
    try_everything(table, game.forfeit(mover(game)), Counter())


@pytest.mark.parametrize("cells", [(), (4,), (0, 1, 2, 4, 3, 5, 7, 6)], ids=str)
def test_grid__every_row_and_col_of_two_bytes__ends_where_the_rules_say(
    new_table: Callable[[], RevmTable], evidence: Callable[[int, str], None], cells: tuple[int, ...]
) -> None:
    table, game = third_game(new_table)
    for cell in cells:
        table.send(mover(game), call(MOVE, cell // 3, cell % 3))
        game = game.move(mover(game), cell // 3, cell % 3)
    outcomes: Counter[str] = Counter()
    for row in range(256):
        for col in range(256):
            checkpoint = table.evm.snapshot()
            outcome = table.send(mover(game), call(MOVE, row, col))
            expected = rules(partial(game.move, mover(game), row, col))
            if isinstance(expected, Refused):
                assert outcome == expected
                outcomes[expected.reason] += 1
            else:
                assert outcome == layout.logs(game, expected)
                outcomes["accepted"] += 1
            table.evm.revert(checkpoint)
    assert outcomes["off the grid"] == 256 * 256 - 9
    assert outcomes["accepted"] == 9 - len(cells)
    evidence(outcomes.total(), "rows and cols")


def walk_games(table: RevmTable, game: Model, ends: Counter[Status], progress: Progress) -> int:
    """Every way to play on from a position; returns how many moves that takes."""
    moves = 0
    for cell in range(9):
        if cell in game.moves:
            continue
        after = game.move(mover(game), cell // 3, cell % 3)
        checkpoint = table.evm.snapshot()
        assert table.send(mover(game), MOVE_DATA[cell]) == layout.logs(game, after)
        assert table.storage() == layout.storage(after)
        moves += 1
        if after.status == Status.IN_PROGRESS:
            moves += walk_games(table, after, ends, progress)
        else:
            assert table.game_state() == layout.game_state(after)
            ends[after.status] += 1
            progress(ends.total())
        table.evm.revert(checkpoint)
    return moves


def test_every_game__played_to_its_end__as_the_rules_say(
    new_table: Callable[[], RevmTable],
    progress_of: Callable[[str, int], Progress],
    evidence: Callable[[int, str], None],
) -> None:
    table, game = third_game(new_table)
    ends: Counter[Status] = Counter()

    moves = walk_games(table, game, ends, progress_of("games", 255_168))

    # Known of tic-tac-toe: 255,168 games, in 549,945 moves if what they begin with alike is played once.
    assert ends == {Status.X_WON: 131_184, Status.O_WON: 77_904, Status.DRAW: 46_080}
    assert moves == 549_945
    evidence(ends.total(), "games")


@pytest.mark.parametrize("caller", EVERYBODY, ids=["X", "O", "stranger"])
def test_before_the_first_game__nothing_but_new_game(new_table: Callable[[], RevmTable], caller: int) -> None:
    table = new_table()
    check_standing(table, Model())
    for data in (call(MOVE, 0, 0), call(MOVE_IN, 9, 9, 7), call(FORFEIT), call(FORFEIT_IN, 1)):
        assert table.send(caller, data) == Refused("no game in progress")
        assert table.send(caller, data, through_contract=True) == Refused("caller is a contract")
    check_standing(table, Model())
