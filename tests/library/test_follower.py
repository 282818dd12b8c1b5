"""Every event in order, with every value, through reorgs, late nodes and lies."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from tests.library.expected import Expected, expected, seen
from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.support.fake_chain import OTHER, FakeChain, Json, RefusedError, forfeit, move, moves, new_game
from tictactoe import Event, Game, Table, errors
from tictactoe.follower import FIRST_RANGE, MANY_LOGS, NEAR, WIDEST_RANGE, WINDOW, Follower, Ranges
from tictactoe.node import Block


def caught_up(chain: FakeChain, game: Game) -> tuple[Json, Game, Game]:
    return {"event": "CaughtUp", "block": chain.head.number, "blockHash": chain.head.hash}, game, game


def read(follower: Follower) -> list[tuple[Json, Game, Game]]:
    return [seen(event) for event in follower.new_events()]


def all_of(news: Sequence[Expected]) -> list[tuple[Json, Game, Game]]:
    return [each.read() for each in news]


def leave_out(chain: FakeChain, missing: Json) -> None:
    chain.lies["eth_getLogs"] = lambda _params, logs: [log for log in logs if log != missing]


@pytest.fixture
def follower(table: Table) -> Follower:
    return Follower(table)


# -- what happened -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "status"),
    [
        (moves(*WON_BY_X), "x_won"),
        (moves(*WON_BY_O), "o_won"),
        (moves(*DRAWN), "draw"),
        ([forfeit], "x_forfeits"),
        ([move(4), forfeit], "o_forfeits"),
    ],
)
def test_every_ending__is_read_with_every_value(
    chain: FakeChain, follower: Follower, steps: list[Any], status: str
) -> None:
    chain.play(new_game(), *steps)
    story = expected(chain)
    assert story[-1].after.status == status
    assert read(follower) == [*all_of(story), caught_up(chain, story[-1].after)]
    assert follower.game == story[-1].after
    assert read(follower) == []


def test_table_without_a_game__is_caught_up_at_once(chain: FakeChain, follower: Follower) -> None:
    assert read(follower) == [caught_up(chain, Game())]
    assert read(follower) == []


def test_several_transactions_in_a_block__are_read_in_order(chain: FakeChain, follower: Follower) -> None:
    """Whatever the order in which the node returns them."""
    chain.lies["eth_getLogs"] = lambda _params, logs: logs[::-1]
    chain.mine([new_game(), *moves(0, 3, 1)], moves(4, 2), [new_game(o=OTHER), forfeit, new_game()])
    story = expected(chain)
    assert len(story) == 10
    assert read(follower)[:-1] == all_of(story)


def test_polls_in_between__read_every_event_once(chain: FakeChain, follower: Follower) -> None:
    received: list[tuple[Json, Game, Game]] = []
    for steps in ([new_game()], [], moves(4), [*moves(0, 8)], [], [forfeit, new_game()]):
        chain.mine(steps)
        received += [each for each in read(follower) if each[0]["event"] != "CaughtUp"]
    chain.mine([move(0)], [move(1)], [])
    received += read(follower)
    assert received == all_of(expected(chain))


def test_event__has_the_game_that_counts_now() -> None:
    before, after = Game(), Game(1)
    log: Any = type("Log", (), {"kind": "MoveMade"})()
    event = Event(log, before, after)
    assert (event.kind, event.taken_back, event.game) == ("MoveMade", False, after)
    assert replace(event, taken_back=True).game == before


# -- reorgs ------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", range(1, 6))
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_reorg__takes_events_back_newest_first(chain: FakeChain, follower: Follower, depth: int, more: int) -> None:
    """To a branch that is lower, as high, or higher. A lower head is late at first if it is in the old branch."""
    chain.play(new_game(), *moves(4, 0, 8, 2, 1))
    old = expected(chain)
    read(follower)
    chain.reorg(depth)
    chain.play(*moves(7, 6, 3, 5, 1)[: depth + more])
    kept, new = len(old) - depth, expected(chain)
    for _ in range(2 if depth == 1 and more < 0 else 0):
        assert read(follower) == []
    assert read(follower) == [each.taken_back() for each in old[: kept - 1 : -1]] + all_of(new[kept:])
    assert read(follower) == []
    assert follower.game == new[-1].after


def test_branch_that_comes_back__is_read_again(chain: FakeChain, follower: Follower) -> None:
    """The other branch was lower, so only the blocks above it were still known from the first time."""
    chain.play(new_game(), *moves(4, 0, 8))
    old, blocks = expected(chain), chain.blocks[:]
    read(follower)
    chain.reorg(3)
    chain.play(*moves(7, 6))
    new = expected(chain)
    read(follower)
    chain.blocks[:] = blocks
    assert read(follower) == [new[2].taken_back(), new[1].taken_back(), *all_of(old[1:])]


def test_reorg_of_a_whole_game__restores_the_one_before(chain: FakeChain, follower: Follower) -> None:
    chain.play(new_game(), move(4), new_game(o=OTHER), move(0))
    old = expected(chain)
    read(follower)
    chain.reorg(2)
    chain.mine([], [])
    assert read(follower)[:2] == [old[3].taken_back(), old[2].taken_back()]
    assert follower.game == old[1].after


def test_events_in_other_blocks__stay_when_others_are_taken_back(chain: FakeChain, follower: Follower) -> None:
    """Blocks without events are between them, so the fork is not at an event."""
    chain.mine([new_game()], [], [move(4)], [], [move(0)], [])
    old = expected(chain)
    read(follower)
    chain.reorg(3)
    chain.mine([], [], [move(8)])
    assert [each for each in read(follower) if each[0]["event"] != "CaughtUp"] == [
        old[2].taken_back(),
        expected(chain)[2].read(),
    ]


def test_events_that_were_read_in_one_range__are_taken_back_from_the_fork_on(
    chain: FakeChain, follower: Follower
) -> None:
    chain.play(new_game(), move(4))
    chain.mine_empty(20)
    chain.play(move(0))
    chain.mine_empty(20)
    old = expected(chain)
    read(follower)
    chain.reorg(30)
    chain.mine_empty(31)
    assert read(follower) == [old[2].taken_back()]


def test_reorg_while_old_blocks_are_read__is_taken_back(chain: FakeChain, follower: Follower) -> None:
    """Right after the node has returned the logs of the old branch."""
    chain.play(new_game(), *moves(4, 0))
    chain.mine_empty(30)
    old = expected(chain)

    def reorganise(_params: Sequence[Any], logs: Any) -> Any:
        del chain.lies["eth_getLogs"]
        chain.reorg(31)
        chain.play(*moves(8))
        chain.mine_empty(31)
        return logs

    chain.lies["eth_getLogs"] = reorganise
    received = []
    with pytest.raises(errors.NodeError):
        received += list(map(seen, follower.new_events()))
    news = [each for each in read(follower) if each[0]["event"] == "MoveMade"]
    assert news == [old[2].taken_back(), expected(chain)[2].read()]


def deep(chain: FakeChain, follower: Follower, blocks: int) -> list[Expected]:
    """A game, a move, and then so many blocks, with a poll after each."""
    chain.play(new_game(), move(4))
    read(follower)
    for _ in range(blocks):
        chain.mine_empty(1)
        assert read(follower) == []
    return expected(chain)


def test_reorg_within_the_window__is_taken_back(chain: FakeChain, follower: Follower) -> None:
    old = deep(chain, follower, WINDOW - 1)
    chain.reorg(WINDOW)
    chain.mine_empty(WINDOW + 1)
    assert read(follower)[0] == old[1].taken_back()
    assert follower.game == old[0].after


def test_reorg_deeper_than_the_window__starts_again(chain: FakeChain, follower: Follower) -> None:
    old = deep(chain, follower, WINDOW)
    chain.reorg(WINDOW + 1)
    chain.play(move(7))
    chain.mine_empty(WINDOW + 1)
    restarted = {"event": "Restarted", "block": chain.head.number, "blockHash": chain.head.hash}
    new = expected(chain)
    assert read(follower) == [
        (restarted, old[-1].after, Game()),
        *all_of(new),
        caught_up(chain, new[-1].after),
    ]
    assert read(follower) == []


def test_log_that_is_left_out_after_a_restart__is_noticed(chain: FakeChain, follower: Follower) -> None:
    deep(chain, follower, WINDOW)
    chain.reorg(WINDOW + 1)
    chain.mine_empty(WINDOW + 2)
    chain.play(move(7))
    leave_out(chain, chain.logs[0])
    with pytest.raises(errors.EventsDoNotFit, match="after game 0 with 0 moves comes MoveMade"):
        read(follower)


def test_window__is_what_the_documents_say() -> None:
    assert (WINDOW, NEAR) == (64, 8)


def test_events_below_the_window__are_forgotten(chain: FakeChain, follower: Follower) -> None:
    deep(chain, follower, WINDOW - 1)
    assert [event.log.block for event in follower.recent] == [3]
    chain.mine_empty(1)
    read(follower)
    assert not follower.recent


def test_branch_that_changes_while_it_is_read__is_read_by_the_next_poll(chain: FakeChain, follower: Follower) -> None:
    """One node behind a balancer still has the old branch when it is asked where the chain forked."""
    chain.play(new_game(), *moves(4, 0))
    read(follower)
    old = chain.head
    chain.reorg(1)
    chain.play(*moves(8, 2, 1))
    chain.lies["eth_getBlockByNumber"] = lambda params, block: old.json if params[0] == hex(old.number) else block
    assert read(follower) == []
    assert not follower.caught_up
    del chain.lies["eth_getBlockByNumber"]
    news = read(follower)
    assert [json["event"] for json, _, _ in news] == ["MoveMade"] * 4 + ["CaughtUp"]
    assert follower.game == expected(chain)[-1].after


def test_branch_that_changes_three_times_in_a_row__is_an_error(chain: FakeChain, follower: Follower) -> None:
    """The count begins anew once the head was reached."""
    chain.play(new_game(), *moves(4, 0))
    read(follower)
    for cells in ((8, 2, 1), (6, 0, 5)):
        old = chain.head.json
        chain.reorg(1)
        chain.play(*moves(*cells))
        chain.lies["eth_getBlockByNumber"] = lambda params, block, old=old: (  # type: ignore[misc]
            old if params[0] == old["number"] else block
        )
        assert [read(follower), read(follower)] == [[], []]
        with pytest.raises(errors.HeadUnsettled):
            read(follower)
        del chain.lies["eth_getBlockByNumber"]
        read(follower)
        assert follower.game == expected(chain)[-1].after


# -- late nodes --------------------------------------------------------------------------


def heads(chain: FakeChain, *behind: int) -> None:
    """The next heads are so many blocks behind."""
    answers = iter(behind)
    chain.lies["eth_getBlockByNumber"] = lambda params, block: (
        chain.blocks[-1 - next(answers)].json if params[0] == "latest" else block
    )


def test_late_node_now_and_then__takes_nothing_back(chain: FakeChain, follower: Follower) -> None:
    chain.play(new_game(), *moves(4, 0, 8))
    read(follower)
    pattern = [1, 0, 1, 0, 2, 1, 0, 1, 1, 0, 3, 0]
    heads(chain, *pattern)
    assert [read(follower) for _ in pattern] == [[]] * len(pattern)
    assert follower.game.moves == (4, 0, 8)


def test_lower_head_three_times_in_a_row__is_a_reorg(chain: FakeChain, follower: Follower) -> None:
    chain.play(new_game(), *moves(4, 0, 8))
    story = expected(chain)
    read(follower)
    heads(chain, 1, 0, 1, 1, 1)
    polls = [read(follower) for _ in range(5)]
    assert polls == [[], [], [], [], [story[-1].taken_back()]]
    assert follower.game.moves == (4, 0)


def test_lower_head_of_another_branch__is_believed_at_once_if_it_was_read(chain: FakeChain, follower: Follower) -> None:
    chain.play(new_game(), *moves(4, 0, 8))
    story = expected(chain)
    read(follower)
    chain.reorg(2)
    chain.play(move(1))
    assert read(follower)[0] == story[-1].taken_back()


def test_endless_branch__is_refused(chain: FakeChain, follower: Follower) -> None:
    """Each parent claims to be as high as its child."""
    chain.play(new_game())
    read(follower)
    hashes = count(1)
    high = chain.head.json | {"number": hex(6)}

    def endless(_params: Sequence[Any], _block: Any) -> Json:
        number = next(hashes)
        assert number < 100, "it does not end"
        return high | {"hash": f"0x{number:064x}", "parentHash": f"0x{number + 1:064x}"}

    chain.lies["eth_getBlockByHash"] = endless
    chain.lies["eth_getBlockByNumber"] = lambda params, block: (
        endless(params, block) if params[0] == "latest" else block
    )
    with pytest.raises(errors.ContradictoryAnswer, match="block 6 as the parent of block 6"):
        read(follower)


# -- from a block on -----------------------------------------------------------------------


@pytest.mark.parametrize("first", range(8))
def test_from_block__reads_the_events_from_there_on(chain: FakeChain, table: Table, first: int) -> None:
    chain.play(new_game(), *moves(4, 0, 8, 2))
    story = [each for each in expected(chain) if int(str(each.json["block"])) >= first]
    follower = Follower(table, first)
    news = read(follower)
    assert news == [*all_of(story), caught_up(chain, expected(chain)[-1].after)]


@pytest.mark.parametrize("ahead", [2, 3])
def test_from_block__may_be_in_the_future(chain: FakeChain, table: Table, ahead: int) -> None:
    chain.play(new_game(), move(4))
    follower = Follower(table, chain.head.number + ahead)
    assert read(follower) == [caught_up(chain, Game())]
    received = []
    for cell in (0, 8, 2, 6):
        chain.play(move(cell))
        received += read(follower)
    moves = [json["sequenceNumber"] for json, _, _ in received if json["event"] == "MoveMade"]
    assert moves == list(range(1 + ahead, 6))
    assert follower.game == expected(chain)[-1].after
    chain.reorg(1)
    chain.mine_empty(1)
    assert read(follower)[0] == taken_back(received[-1])


def taken_back(event: tuple[Json, Game, Game]) -> tuple[Json, Game, Game]:
    return event[0] | {"takenBack": True}, event[1], event[2]


def test_earlier_events__are_not_taken_back(chain: FakeChain, table: Table) -> None:
    chain.play(new_game(), *moves(4, 0))
    follower = Follower(table, 4)
    assert [json["event"] for json, _, _ in read(follower)] == ["MoveMade", "CaughtUp"]
    chain.reorg(2)
    chain.mine_empty(3)
    assert [json["event"] for json, _, _ in read(follower)] == ["Restarted", "CaughtUp"]
    # What was discarded is not taken back, either.
    chain.play(move(1))
    (later,) = read(follower)
    chain.reorg(3)
    chain.mine_empty(4)
    assert read(follower) == [taken_back(later)]


@pytest.mark.parametrize("first", [1, 2, 4])
def test_first_events__can_be_taken_back(chain: FakeChain, table: Table, first: int) -> None:
    chain.play(new_game(), *moves(4, 0))
    follower = Follower(table, first)
    *events, _ = read(follower)
    chain.reorg(len(chain.blocks) - first)
    chain.mine_empty(6)
    assert read(follower) == [taken_back(event) for event in reversed(events)]


def test_first_block_on_another_branch__is_read_by_a_later_poll(chain: FakeChain, table: Table) -> None:
    """Unless it is there three times in a row."""
    chain.play(new_game(), *moves(4, 0))
    old = chain.blocks[3].json
    chain.reorg(2)
    chain.play(*moves(1, 2))
    chain.lies["eth_getBlockByNumber"] = lambda params, block: old if params[0] == old["number"] else block
    follower = Follower(table, 4)
    assert [read(follower), read(follower)] == [[], []]
    with pytest.raises(errors.HeadUnsettled):
        read(follower)


def test_table_that_is_deployed_later__has_no_game_at_first(chain: FakeChain, table: Table) -> None:
    """So that its first event is no surprise, and any other is."""
    chain.play(new_game(), move(4))
    leave_out(chain, chain.logs[0])
    with pytest.raises(errors.EventsDoNotFit, match="after game 0 with 0 moves comes MoveMade"):
        read(Follower(table, 1))


def test_node_without_old_states__leaves_the_game_unknown_until_the_next(chain: FakeChain, table: Table) -> None:
    chain.play(new_game(), *moves(4, 0, 8), new_game(), move(1))

    def forgetful(params: Sequence[Any], value: Any) -> Any:
        if params[1] != "latest":
            raise RefusedError("missing trie node")
        return value

    chain.lies["eth_call"] = forgetful
    follower = Follower(table, 4)
    news = read(follower)
    assert [json["event"] for json, _, _ in news] == ["MoveMade", "MoveMade", "GameCreated", "MoveMade", "CaughtUp"]
    assert [after for _, _, after in news[:2]] == [Game(), Game()]
    assert [after.moves for _, _, after in news[2:]] == [(), (1,), (1,)]
    assert follower.game == expected(chain)[-1].after


# -- how nodes are asked --------------------------------------------------------------------


def queries(chain: FakeChain) -> list[Any]:
    return [
        where.get("blockHash") or (int(where["fromBlock"], 16), int(where["toBlock"], 16))
        for method, (where, *_) in ((method, params) for method, params in chain.asked if params)
        if method == "eth_getLogs"
    ]


@pytest.mark.parametrize("first", [0, 1])
def test_old_blocks__are_read_in_ranges_and_the_newest_by_hash(chain: FakeChain, table: Table, first: int) -> None:
    chain.play(new_game(), *moves(4, 0))
    chain.mine_empty(896)
    assert chain.head.number == 900
    follower = Follower(table, first)
    seen_progress: list[tuple[int, int]] = []
    follower.progress = lambda done, total: seen_progress.append((done, total))
    assert read(follower) == [*all_of(expected(chain)), caught_up(chain, expected(chain)[-1].after)]
    far = [(first, first + 99), (first + 100, first + 299), (first + 300, first + 699), (first + 700, 892)]
    assert queries(chain) == [*far, *(block.hash for block in chain.blocks[893:])]
    assert seen_progress == [(last + 1 - first, 900 - first) for _, last in far]
    addresses = [params[0]["address"] for method, params in chain.asked if method == "eth_getLogs"]
    assert addresses == [[follower.table.address]] * 12


@pytest.mark.parametrize(("height", "first", "far"), [(8, 1, []), (9, 1, [(1, 1)]), (7, 0, []), (8, 0, [(0, 0)])])
def test_few_blocks__are_read_by_hash_alone(
    chain: FakeChain, table: Table, height: int, first: int, far: list[tuple[int, int]]
) -> None:
    chain.mine_empty(height - 1)
    read(Follower(table, first))
    assert queries(chain) == [*far, *(block.hash for block in chain.blocks[first + len(far) :])]


@pytest.mark.parametrize("widest", [1, 7, 99])
def test_node_that_limits_ranges__is_asked_for_less(chain: FakeChain, follower: Follower, widest: int) -> None:
    """Some nodes limit the blocks in a query, others the logs in an answer."""
    refused = []

    def limit(params: Sequence[Any], logs: Any) -> Any:
        where = params[0]
        size = int(where.get("toBlock", "0x0"), 16) - int(where.get("fromBlock", "0x0"), 16) + 1
        if "blockHash" not in where and (size > widest or len(logs) > 3):
            refused.append(size)
            raise RefusedError("query exceeds the limit")
        return logs

    chain.lies["eth_getLogs"] = limit
    for _ in range(3):
        chain.play(new_game(), *moves(*WON_BY_X))
        chain.mine_empty(20)
    while not follower.caught_up:
        read(follower)
    assert follower.game == expected(chain)[-1].after
    assert refused
    assert min(refused) > 1


def failing(chain: FakeChain, follower: Follower, failure: errors.NodeError, narrowest: int) -> list[int]:
    """The sizes of the ranges asked for, if every query for more blocks than the narrowest fails."""
    asked, real = [], follower.reader.in_range

    def in_range(first: int, last: int) -> Any:
        asked.append(last - first + 1)
        if last - first + 1 > narrowest:
            raise failure
        return real(first, last)

    follower.reader.in_range = in_range  # type: ignore[method-assign]
    chain.mine_empty(40)
    return asked


@pytest.mark.parametrize(
    "failure",
    [
        errors.AnswerTooLarge("longer than 10 MB"),
        errors.RpcError("query exceeds max block range"),
        errors.HttpRefused(413, "Content Too Large"),
    ],
)
def test_too_many_logs__are_read_in_smaller_ranges(
    chain: FakeChain, follower: Follower, failure: errors.NodeError
) -> None:
    asked = failing(chain, follower, failure, 8)
    read(follower)
    assert follower.caught_up
    assert asked == [33, 16, 8, 8, 8, 8, 1]


def test_node_that_is_asked_too_often__is_not_asked_again_at_once(chain: FakeChain, follower: Follower) -> None:
    asked = failing(chain, follower, errors.HttpRefused(429, "Too Many Requests"), 8)
    with pytest.raises(errors.HttpRefused):
        read(follower)
    assert asked == [33]


def test_single_block_that_is_refused__is_an_error(chain: FakeChain, follower: Follower) -> None:
    asked = failing(chain, follower, errors.RpcError("no"), 0)
    with pytest.raises(errors.RpcError):
        read(follower)
    assert asked == [33, 16, 8, 4, 2, 1]


def test_ranges__grow_after_small_answers_and_shrink_after_large_ones() -> None:
    ranges = Ranges()
    assert ranges.size == FIRST_RANGE == 100
    sizes = []
    for logs in (0, 999, 1000, 2000, 2001, 999):
        ranges.adapt(logs)
        sizes.append(ranges.size)
    assert sizes == [200, 400, 400, 400, 200, 400]
    for _ in range(12):
        ranges.adapt(0)
    assert ranges.size == WIDEST_RANGE == 100_000
    assert MANY_LOGS == 2_000


def test_ranges_that_were_refused__grow_after_eight_small_answers() -> None:
    ranges = Ranges()
    ranges.shrink(50)
    assert ranges.size == 25
    sizes = []
    for logs in [0] * 7 + [1500, 0] + [0] * 8 + [2001] + [0] * 8:
        ranges.adapt(logs)
        sizes.append(ranges.size)
    # An answer in between counts if it is not large.
    assert sizes == [25] * 8 + [50] + [50] * 7 + [100] + [50] + [50] * 7 + [100]
    ranges.shrink(7)
    assert ranges.size == 3
    for logs in (5000, 5000, 0):
        ranges.adapt(logs)
        assert ranges.size == 1
    ranges.shrink(1)
    assert ranges.size == 1


# -- lies --------------------------------------------------------------------------------


def test_log_that_is_left_out__is_noticed(chain: FakeChain, follower: Follower) -> None:
    chain.play(new_game(), *moves(4, 0))
    leave_out(chain, chain.logs[1])
    with pytest.raises(errors.EventsDoNotFit, match="after game 1 with 0 moves comes MoveMade of game 1"):
        read(follower)
    del chain.lies["eth_getLogs"]
    received = read(follower)
    assert received[-1] == caught_up(chain, expected(chain)[-1].after)
    assert follower.game == expected(chain)[-1].after


@pytest.mark.parametrize(
    ("leave", "first"), [([0], None), ([0, 1], None), ([2], None), ([2], 2), ([2], 3), ([3], 5)], ids=str
)
def test_game_that_is_left_out__is_noticed(chain: FakeChain, table: Table, leave: list[int], first: int | None) -> None:
    """Only the first game that is seen may have any number."""
    chain.play(new_game(), move(4), new_game(), new_game(), move(0))
    missing = [chain.logs[index] for index in leave]
    chain.lies["eth_getLogs"] = lambda _params, logs: [log for log in logs if log not in missing]
    with pytest.raises(errors.EventsDoNotFit):
        read(Follower(table, first))


@pytest.mark.parametrize("later", [True, False])
def test_log_that_was_made_up__is_taken_back_once_the_truth_is_known(
    chain: FakeChain, follower: Follower, later: bool
) -> None:
    """The previous block may have been the wrong one, so it is read again, too; also if a reorg takes the later one."""
    chain.play(new_game(), move(4))
    other = chain.logs[1] | {"data": "0x" + "".join(f"{word:064x}" for word in (1, 0, 1))}
    chain.lies["eth_getLogs"] = lambda _params, logs: [other if log == chain.logs[1] else log for log in logs]
    read(follower)
    assert follower.game.moves == (1,)
    chain.play(move(1))
    with pytest.raises(errors.EventsDoNotFit):
        read(follower)
    del chain.lies["eth_getLogs"]
    if not later:
        chain.reorg(1)
    news = [(json["event"], json.get("takenBack"), json.get("row")) for json, _, _ in read(follower)]
    assert news == [
        ("MoveMade", True, 0),
        ("MoveMade", False, 1),
        *[("MoveMade", False, 0)] * later,
        ("CaughtUp", None, None),
    ]
    assert follower.game == expected(chain)[-1].after


def test_table_that_is_not_there__is_an_error(chain: FakeChain, follower: Follower) -> None:
    chain.lies["eth_getCode"] = lambda _params, _code: "0x"
    with pytest.raises(errors.NoContract, match=follower.table.address):
        read(follower)


def test_consumer__may_stop_at_any_event(chain: FakeChain, follower: Follower) -> None:
    chain.play(new_game(), move(4))
    assert next(iter(follower.new_events())).kind == "GameCreated"
    assert follower.game == expected(chain)[0].after
    assert [json["event"] for json, _, _ in read(follower)] == ["MoveMade", "CaughtUp"]


def blocks_asked(chain: FakeChain, read_again: Callable[[], object]) -> list[Any]:
    chain.asked.clear()
    read_again()
    return [params[0] for method, params in chain.asked if method.startswith("eth_getBlock")]


def test_next_block__costs_one_question_about_blocks(chain: FakeChain, follower: Follower) -> None:
    chain.play(new_game())
    read(follower)
    assert blocks_asked(chain, lambda: read(follower)) == ["latest"]
    for cell in (4, 0):
        chain.play(move(cell))
        assert blocks_asked(chain, lambda: read(follower)) == ["latest"]
        chain.reorg(1)
        chain.mine_empty(2)
        read(follower)


def test_start__asks_for_the_blocks_that_it_reads_and_the_one_before(chain: FakeChain, table: Table) -> None:
    chain.play(new_game(), move(4))
    follower = Follower(table, 3)
    assert follower.caught_up is False
    assert blocks_asked(chain, lambda: read(follower)) == ["latest", "0x2"]


def test_block__is_compared_with_the_one_before(chain: FakeChain, follower: Follower) -> None:
    head = chain.head
    assert follower.node.block() == Block(head.number, head.hash, head.parent, 1_700_000_000 + 12 * head.number, 100)
