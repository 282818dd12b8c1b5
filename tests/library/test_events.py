"""What the random runs of `test_following.py` do not show: rare races, answers that do not fit, and what it costs."""

import sys
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from ape.contracts.base import ContractInstance

from tests.library.expected import expected, taken_back
from tests.library.simulation import (
    OTHER,
    TABLE,
    Clock,
    FakeChain,
    Json,
    O,
    RefusedError,
    X,
    forfeit,
    move,
    moves,
    new_game,
)
from tests.rules.games import DRAWN, WON_BY_X
from tictactoe import Event, Game, Table, errors, events
from tictactoe.events import FIRST_RANGE, MANY_LOGS, POLLS, WIDEST_RANGE, WINDOW, EventsDoNotFit, Follower

AWAY, REFUSED = errors.NodeUnreachable(), errors.NodeRefused("The web server refused.")
TOO_MUCH = errors.NodeError("The answer is too long.", too_much=True)


class Reader:
    """A consumer that polls by hand, and keeps events as the documents say."""

    def __init__(self, table: Table, from_block: int | None = None) -> None:
        self.follower = Follower(table, from_block)
        self.kept: list[Event] = []

    def poll(self) -> list[Event]:
        found: list[Event] = []
        more = True
        while more:
            for event in self.follower.poll(self.follower.node.block()):
                found.append(event)
                if event.kind == "Restarted":
                    self.kept.clear()
                elif event.taken_back:
                    self.kept.pop()
                elif event.transaction:
                    self.kept.append(event)
            more = self.follower.more
        return found

    def is_right(self, chain: FakeChain) -> bool:
        return self.kept == expected(chain)


@pytest.fixture
def reader(table: Table) -> Reader:
    return Reader(table)


def leave_out(chain: FakeChain, *missing: Json) -> None:
    chain.lies["eth_getLogs"] = lambda _params, logs: [log for log in logs if log not in missing]


def heads(chain: FakeChain, *behind: int) -> None:
    """The next heads are so many blocks behind."""
    answers = iter(behind)
    chain.lies["eth_getBlockByNumber"] = lambda params, block: (
        chain.blocks[-1 - next(answers, 0)].json if params[0] == "latest" else block
    )


def limit(chain: FakeChain, blocks: int, failure: Exception) -> None:
    """Queries for more blocks fail."""

    def answer(params: Sequence[Any], logs: Any) -> Any:
        if int(params[0]["toBlock"], 16) - int(params[0]["fromBlock"], 16) >= blocks:
            raise failure
        return logs

    chain.lies["eth_getLogs"] = answer


def ranges(chain: FakeChain) -> list[tuple[int, int]]:
    asked = [params[0] for method, params in chain.asked if method == "eth_getLogs"]
    return [(int(where["fromBlock"], 16), int(where["toBlock"], 16)) for where in asked]


def kinds(found: Iterable[Event]) -> list[str]:
    return [event.kind for event in found]


# -- rare races, and sentences of the documents ---------------------------------------------


def test_constants__are_those_of_the_documents() -> None:
    assert (WINDOW, POLLS) == (64, 8)
    assert (FIRST_RANGE, WIDEST_RANGE, MANY_LOGS) == (100, 100_000, 2_000)


@pytest.mark.parametrize("blocks", [40, 400], ids=["newest blocks", "old blocks"])
def test_reorg_between_two_ranges__leaves_nothing_behind(chain: FakeChain, reader: Reader, blocks: int) -> None:
    """Of blocks that were read before it, and at a node that limits ranges."""
    chain.play(new_game(), move(4))
    chain.mine_empty(blocks)
    limit(chain, 10, RefusedError("query exceeds the limit"))

    def reorganise(method: str) -> None:
        if method == "eth_getLogs" and len(ranges(chain)) == 7:
            chain.reorg(blocks + 1)
            chain.mine([forfeit], *[[]] * (blocks + 1))

    chain.before_answer = reorganise
    with pytest.raises(errors.NodeError, match="reorganised between two answers"):
        reader.poll()
    reader.poll()
    assert reader.is_right(chain)


def test_another_chain_during_the_search_for_the_first_block__is_noticed(chain: FakeChain, reader: Reader) -> None:
    chain.begin(20)

    def begin(_method: str) -> None:
        if len(chain.asked) == 5:
            chain.begin(1)
            chain.play(new_game(), move(4))
            chain.mine_empty(30)

    chain.before_answer = begin
    with pytest.raises(errors.NodeError, match="reorganised between two answers"):
        reader.poll()
    reader.poll()
    assert reader.is_right(chain)


def test_lower_head__is_believed_at_the_eighth_poll(chain: FakeChain, reader: Reader) -> None:
    chain.play(new_game(), *moves(4, 0, 8))
    chain.mine_empty(WINDOW - 1)
    story = expected(chain)
    reader.poll()
    heads(chain, 1, 2, 1, 0, *[WINDOW] * 7)
    assert [reader.poll() for _ in range(11)] == [[]] * 11
    chain.reorg(WINDOW)
    assert reader.poll() == [taken_back(story[-1])]


def test_late_head_among_lower_ones__takes_back_nothing_that_is_there(chain: FakeChain, reader: Reader) -> None:
    """The chain is shorter by one block, and the eighth head is late, too."""
    chain.play(new_game(), *moves(4, 0, 8))
    story = expected(chain)
    reader.poll()
    chain.reorg(1)
    heads(chain, 0, 0, 0, 0, 0, 0, 0, 1)
    assert [reader.poll() for _ in range(8)] == [[]] * 8
    assert reader.poll() == [taken_back(story[-1])]


def test_lower_head_of_another_branch__is_believed_at_once(chain: FakeChain, reader: Reader) -> None:
    for step in (new_game(), *moves(4, 0, 8, 2)):
        chain.play(step)
        reader.poll()
    story = expected(chain)
    chain.reorg(3)
    chain.mine([])
    assert reader.poll() == [taken_back(each) for each in story[:-4:-1]]


def test_log_before_one_that_was_read__starts_again(chain: FakeChain, reader: Reader) -> None:
    chain.play(new_game(), move(4), new_game())
    leave_out(chain, chain.logs[1])
    assert kinds(reader.poll()) == ["GameCreated", "GameCreated", "CaughtUp"]
    chain.lies.clear()
    chain.mine_empty(1)
    assert kinds(reader.poll()) == ["Restarted", "GameCreated", "MoveMade", "GameCreated", "CaughtUp"]
    assert reader.is_right(chain)


def test_log_that_is_missing_among_old_ones__is_read_once_a_later_one_contradicts(
    chain: FakeChain, reader: Reader
) -> None:
    chain.play(new_game(), move(4))
    # A log that comes after one poll does not count.
    leave_out(chain, chain.logs[0])
    with pytest.raises(EventsDoNotFit, match="after game 0 with 0 moves comes MoveMade of game 1"):
        reader.poll()
    chain.lies.clear()
    assert kinds(reader.poll()) == ["GameCreated", "MoveMade", "CaughtUp"]
    chain.play(move(0))
    leave_out(chain, chain.logs[2])
    chain.mine_empty(WINDOW)
    assert reader.poll() == []
    chain.lies.clear()
    chain.play(move(8))
    for _ in range(POLLS - 1):
        with pytest.raises(EventsDoNotFit, match="after game 1 with 1 moves comes MoveMade of game 1"):
            reader.poll()
    assert kinds(reader.poll()) == ["Restarted", "GameCreated", "MoveMade", "MoveMade", "MoveMade", "CaughtUp"]
    assert reader.is_right(chain)


def test_missing_log__does_not_fit_what_follows(chain: FakeChain, table: Table) -> None:
    """Whichever it is: but a game may be replaced, so its last move or its forfeit may be missing."""
    chain.play(*[new_game(), *moves(*WON_BY_X)], *[new_game(), *moves(*DRAWN)], *[new_game(), move(4), forfeit])
    chain.play(new_game(), *moves(4, 0), new_game(), move(8))
    fitting = []
    for index, log in enumerate(chain.logs):
        leave_out(chain, log)
        try:
            Reader(table).poll()
        except EventsDoNotFit:
            continue
        fitting.append((index, expected(chain)[index].kind))
    last = len(chain.logs) - 1
    assert fitting == [(20, "GameEnded"), (last - 2, "MoveMade"), (last, "MoveMade")]


def test_game_that_began_before__is_known_from_the_newest_blocks_on(chain: FakeChain, table: Table) -> None:
    """The node is asked for the state of a recent block only: few nodes keep old ones."""
    chain.play(new_game(), *moves(4, 0, 8))
    chain.mine_empty(FIRST_RANGE + WINDOW)
    chain.play(move(2))
    *old, last, caught_up = Reader(table, 4).poll()
    assert [(event.kind, event.before, event.after) for event in old] == [("MoveMade", Game(), Game())] * 2
    assert (last.before.moves, last.after.moves) == ((4, 0, 8), (4, 0, 8, 2))
    assert caught_up.game == last.after
    (block,) = [params[1] for method, params in chain.asked if method == "eth_call"]
    assert int(block, 16) == chain.head.number - WINDOW


def test_state_that_cannot_be_read__is_asked_for_again(chain: FakeChain, table: Table) -> None:
    chain.play(new_game(), *moves(4, 0, 8))
    reader = Reader(table, 5)
    chain.lies["eth_call"] = lambda _params, _state: "0x"
    with pytest.raises(errors.NodeError, match="an invalid answer"):
        reader.poll()
    chain.lies.clear()
    event, caught_up = reader.poll()
    assert (event.before.moves, caught_up.game.moves) == ((4, 0), (4, 0, 8))


def test_from_block__may_be_in_the_future(chain: FakeChain, table: Table) -> None:
    """It catches up with nothing at once, and again when the block is mined."""
    chain.play(new_game(), move(4))
    reader = Reader(table, chain.head.number + 2)
    assert [(event.kind, event.game) for event in reader.poll()] == [("CaughtUp", Game())]
    chain.play(move(0))
    assert reader.poll() == []
    chain.play(move(8))
    found = [(event.kind, event.game.moves) for event in reader.poll()]
    assert found == [("MoveMade", (4, 0, 8)), ("CaughtUp", (4, 0, 8))]


def test_from_a_negative_block__raises_at_once(table: Table) -> None:
    with pytest.raises(errors.UsageError, match="There is no block -1"):
        events(table, from_block=-1)


def test_json__has_the_fields_of_the_documents(chain: FakeChain, table: Table) -> None:
    chain.mine([new_game()])
    created, caught_up = (event.as_json() for event in events(table, follow=False))
    block = {"block": 2, "blockHash": chain.head.hash}
    place = block | {"transaction": chain.logs[0]["transactionHash"], "logIndex": 0}
    assert created == {"event": "GameCreated", "takenBack": False, "gameId": 1, "playerX": X, "playerO": O} | place
    assert caught_up == {"event": "CaughtUp"} | block


# -- what it costs ----------------------------------------------------------------------------------


def test_memory_and_questions__do_not_grow_with_the_story(chain: FakeChain, monkeypatch: pytest.MonkeyPatch) -> None:
    """A poll asks for the head. A new head costs three questions about blocks more, and one about logs."""
    monkeypatch.setattr(sys.modules["tictactoe.events"], "WINDOW", 6)
    reader = Reader(chain.table())
    costs = []
    for games in (10, 50, 250):
        chain.mine(*[[new_game(), *moves(*WON_BY_X)]] * games)
        for _ in range(12):
            chain.play(new_game())
            reader.poll()
        kept = {name: len(each) for name, each in vars(reader.follower).items() if isinstance(each, list | dict)}
        chain.mine([])
        chain.asked.clear()
        reader.poll()
        reader.poll()
        costs.append(([method for method, _ in chain.asked], kept))
    block = "eth_getBlockByNumber"
    questions = [block, block, block, "eth_getLogs", block, block]
    assert costs == [(questions, {"recent": 6, "heads": 7, "lower": 0})] * 3


def test_old_blocks__are_read_in_wider_and_wider_ranges(
    chain: FakeChain, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["tictactoe.events"], "WIDEST_RANGE", 300)
    chain.play(new_game(), *moves(4, 0))
    chain.mine_empty(896)
    done: list[tuple[int, int]] = []
    list(events(table, from_block=0, follow=False, progress=lambda *each: done.append(each)))
    assert ranges(chain) == [(1, 100), (101, 300), (301, 600), (601, 900)]
    assert done == [(100, 899), (300, 899), (600, 899)]


@pytest.mark.parametrize("failure", [TOO_MUCH, errors.NodeRefused("too many blocks", too_much=True)])
def test_node_that_limits_ranges__is_asked_for_less(chain: FakeChain, reader: Reader, failure: Exception) -> None:
    chain.play(new_game(), move(4))
    chain.mine_empty(40)
    limit(chain, 10, failure)
    reader.poll()
    assert reader.is_right(chain)
    # Halved until the node answers, and then wider again by an eighth and one.
    assert ranges(chain) == [(1, 43), (1, 21), (1, 10), (11, 22), (11, 16), (17, 23), (24, 31), (32, 41), (42, 43)]


def test_node_that_refuses_a_single_block_or_to_be_asked_often__is_not_asked_again_at_once(
    chain: FakeChain, reader: Reader
) -> None:
    chain.mine_empty(5)
    for failure, asked in ((REFUSED, [6]), (TOO_MUCH, [6, 3, 1])):
        limit(chain, 0, failure)
        chain.asked.clear()
        with pytest.raises(type(failure)):
            reader.poll()
        assert [last - first + 1 for first, last in ranges(chain)] == asked


def test_range_with_many_logs__is_followed_by_a_narrower_one(
    chain: FakeChain, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["tictactoe.events"], "MANY_LOGS", 7)
    chain.mine([new_game(), *moves(0, 1, 2, 3, 4, 5), forfeit], *[[]] * 99)
    chain.mine([new_game(), *moves(0, 1, 2)], *[[]] * 399)
    list(events(table, from_block=2, follow=False))
    assert [last - first + 1 for first, last in ranges(chain)][:4] == [100, 50, 14, 100]


# -- answers that do not belong here -------------------------------------------------------------------


def words(*values: int) -> str:
    return "0x" + "".join(f"{value:064x}" for value in values)


NOT_ASKED_FOR = "events that were not asked for"
DO_NOT_FIT = "The node's events do not fit together"
INVALID = "an invalid answer"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda log: [log | {"blockNumber": "0x0"}], NOT_ASKED_FOR),
        (lambda log: [log | {"blockNumber": "0x5"}], NOT_ASKED_FOR),
        (lambda log: [log | {"address": OTHER}], NOT_ASKED_FOR),
        (lambda log: [log, log], DO_NOT_FIT),
        (lambda log: [log | {"topics": [log["topics"][0], words(2), log["topics"][2]]}], DO_NOT_FIT),
        (lambda log: [log | {"topics": ["0x" + "99" * 32]}], INVALID),
        (lambda log: [log | {"topics": []}], INVALID),
        (lambda log: [log | {"data": words(1, 0)}], INVALID),
        (lambda log: [log | {"data": words(1, 0, 256)}], INVALID),
        (lambda log: [log | {"blockHash": "0x12"}], "a hash that is not 32 bytes long"),
        (lambda _log: [{}], INVALID),
    ],
)
def test_log_that_does_not_belong_here__is_an_error(
    chain: FakeChain, table: Table, change: Callable[[Json], Any], sentence: str
) -> None:
    chain.mine([new_game()], [], [move(5)])
    chain.lies["eth_getLogs"] = lambda _params, logs: change(logs[-1])
    with pytest.raises(errors.NodeError) as caught:
        Reader(table, 4).poll()
    assert sentence in caught.value.message


@pytest.mark.parametrize(
    "change",
    [
        lambda logs: [*logs, logs[-1] | {"logIndex": "0x9"}],
        lambda logs: [*logs[:-1], logs[-2] | {"logIndex": "0x9", "data": words(6, 2, 2)}],
    ],
    ids=["a second end", "a move after a line"],
)
def test_log_after_the_end__does_not_fit(
    chain: FakeChain, table: Table, change: Callable[[list[Json]], list[Json]]
) -> None:
    chain.play(new_game(), *moves(*WON_BY_X))
    chain.lies["eth_getLogs"] = lambda _params, logs: change(logs)
    with pytest.raises(EventsDoNotFit):
        Reader(table).poll()


# -- the generator ------------------------------------------------------------------------------------


class Outage:
    """The node fails until some time, each time with the next of these errors."""

    def __init__(self, chain: FakeChain, clock: Clock, until: float, *failures: errors.TicTacToeError) -> None:
        self.clock, self.until, self.failures = clock, clock.now + until, failures
        self.attempts = 0
        chain.before_answer = self.answer

    def answer(self, _method: str) -> None:
        if self.clock.now < self.until:
            self.attempts += 1
            raise self.failures[(self.attempts - 1) % len(self.failures)]


@pytest.mark.parametrize(("pace", "pause"), [(0.5, 0.5), (0.0, 0.1)])
def test_following__asks_again_after_a_pause(
    chain: FakeChain, table: Table, clock: Clock, pace: float, pause: float
) -> None:
    """Also of the embedded chain, whose pace is 0."""
    table.node.pace = pace
    numbers: list[int] = []
    story = events(table, seen=lambda head: numbers.append(head.number))
    assert next(story).kind == "CaughtUp"
    clock.on_sleep = lambda _slept: chain.play(new_game()) if len(clock.slept) == 3 else None
    assert next(story) == expected(chain)[0]
    assert (clock.slept, numbers) == ([pause] * 3, [1, 1, 1, 2])


def test_table__may_be_an_address_or_a_contract_of_ape(chain: FakeChain, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the network that is connected."""
    monkeypatch.setattr("tictactoe.table.Node", chain.node)
    chain.play(new_game())
    for table in (TABLE, cast(ContractInstance, SimpleNamespace(address=TABLE))):
        assert kinds(events(table, follow=False)) == ["GameCreated", "CaughtUp"]


def test_trouble__is_reported_once_of_each_kind(chain: FakeChain, table: Table, clock: Clock) -> None:
    Outage(chain, clock, 3600, AWAY, REFUSED)
    reported: list[errors.TicTacToeError] = []
    story = events(table, trouble=reported.append, patience=3601)
    next(story)
    assert reported == [AWAY, REFUSED]
    assert clock.slept[:4] == [0.5, 1, 2, 2]
    assert 3600 <= sum(clock.slept) < 3602
    Outage(chain, clock, 2, REFUSED)
    chain.play(new_game())
    clock.slept.clear()
    next(story)
    assert reported == [AWAY, REFUSED, REFUSED]
    # The pauses and the patience begin anew, too.
    assert clock.slept == [1.0, 0.5, 1.0]


@pytest.mark.parametrize(("patience", "attempts"), [(0.0, 2), (1.5, 4), (7.5, 7)])
def test_patience__ends(chain: FakeChain, table: Table, clock: Clock, patience: float, attempts: int) -> None:
    """After 0, 0.5, 1.5, 3.5, 5.5, 7.5 and 9.5 seconds; the first that is later than the patience raises."""
    outage = Outage(chain, clock, 10**6, AWAY)
    with pytest.raises(errors.NodeUnreachable):
        next(events(table, patience=patience))
    assert (outage.attempts, len(clock.slept)) == (attempts, attempts - 1)


def test_patience__ends_although_ranges_are_answered(chain: FakeChain, table: Table, clock: Clock) -> None:
    """A log that is always missing among old blocks: reading again and again is no progress."""
    chain.play(new_game(), move(4))
    chain.mine_empty(FIRST_RANGE + WINDOW)
    chain.play(move(0))
    leave_out(chain, chain.logs[1])
    with pytest.raises(EventsDoNotFit):
        kinds(events(table, patience=60))
    assert 60 < clock.now - 1000 < 65
