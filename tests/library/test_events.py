"""The generator of events: when it asks again, how long it waits, and when it gives up."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from types import SimpleNamespace
from typing import Any, cast

import pytest
from ape.contracts.base import ContractInstance

from tests.library.expected import expected, seen
from tests.support.clock import Clock
from tests.support.fake_chain import TABLE, FakeChain, RefusedError, move, moves, new_game
from tictactoe import Event, Table, errors, events

AWAY, REFUSED = errors.NodeUnreachable(), errors.HttpRefused(429, "Too Many Requests")


class Outage:
    """The node fails until some time, each time with the next of these errors."""

    def __init__(self, chain: FakeChain, clock: Clock, until: float, *failures: errors.TicTacToeError) -> None:
        self.clock, self.until, self.failures = clock, clock.now + until, failures
        self.attempts = 0
        chain.lies["eth_getBlockByNumber"] = self

    def __call__(self, _params: object, answer: object) -> object:
        if self.clock.now >= self.until:
            return answer
        failure = self.failures[self.attempts % len(self.failures)]
        self.attempts += 1
        raise failure


def kinds(found: Iterator[Event] | list[Event]) -> list[str]:
    return [event.kind for event in found]


def test_without_following__ends_when_caught_up(chain: FakeChain, table: Table, clock: Clock) -> None:
    chain.play(new_game(), *moves(4, 0))
    found = [seen(event) for event in events(table, follow=False)]
    assert found[:-1] == [each.read() for each in expected(chain)]
    assert found[-1][0]["event"] == "CaughtUp"
    assert clock.slept == []


@pytest.mark.parametrize(("network", "pause"), [({}, 1.0), ({"block_time": 2}, 0.5), ({"block_time": 0}, 0.25)])
def test_following__asks_again_after_a_pause(chain: FakeChain, clock: Clock, network: Any, pause: float) -> None:
    chain.play(new_game())
    story = events(Table(TABLE, chain.node(**network)))
    assert kinds(list(islice(story, 2))) == ["GameCreated", "CaughtUp"]
    clock.on_sleep = lambda slept: chain.play(move(4)) if slept == 3 * pause else None
    assert seen(next(story)) == expected(chain)[1].read()
    assert clock.slept == [pause] * 3


def test_following_the_embedded_chain__pauses_for_a_moment(chain: FakeChain, table: Table, clock: Clock) -> None:
    table.node.pace = 0.0
    story = events(table)
    next(story)
    clock.on_sleep = lambda _slept: chain.play(new_game())
    next(story)
    assert clock.slept == [0.1]


@pytest.mark.parametrize(("first", "found"), [(None, 3), (0, 3), (2, 3), (3, 2), (4, 1), (5, 0)])
def test_from_block__is_where_the_events_begin(chain: FakeChain, table: Table, first: int | None, found: int) -> None:
    chain.play(new_game(), *moves(4, 0))
    assert len(kinds(events(table, from_block=first, follow=False))) == found + 1


def test_from_a_negative_block__raises_at_once(table: Table) -> None:
    with pytest.raises(errors.FromBlockNegative, match="There is no block -1"):
        events(table, from_block=-1)


def test_table__may_be_an_address_or_a_contract_of_ape(chain: FakeChain, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the network that is connected."""
    monkeypatch.setattr("tictactoe.table.Node", chain.node)
    chain.play(new_game())
    for table in (TABLE, cast(ContractInstance, SimpleNamespace(address=TABLE))):
        assert kinds(events(table, follow=False)) == ["GameCreated", "CaughtUp"]


def test_progress__is_reported_while_old_blocks_are_read(chain: FakeChain, table: Table) -> None:
    chain.mine_empty(20)
    done: list[tuple[int, int]] = []
    list(events(table, follow=False, progress=lambda *each: done.append(each)))
    assert done == [(13, 20)]


def test_newest_block__is_seen_at_every_poll(chain: FakeChain, table: Table, clock: Clock) -> None:
    """Also while nothing happens at the table, and while the chain stands still."""
    chain.play(new_game())
    numbers: list[int] = []
    story = events(table, seen=lambda block: numbers.append(block.number))
    assert kinds(list(islice(story, 2))) == ["GameCreated", "CaughtUp"]
    steps: dict[float, Callable[[], object]] = {2: lambda: chain.mine_empty(1), 3: lambda: chain.play(move(4))}
    clock.on_sleep = lambda slept: steps.get(slept, list)()
    next(story)
    assert numbers == [2, 2, 3, 4]


# -- a node that fails ---------------------------------------------------------------------


def test_node_away_for_an_hour__is_reported_once(chain: FakeChain, table: Table, clock: Clock) -> None:
    Outage(chain, clock, 3600, AWAY)
    reported: list[errors.TicTacToeError] = []
    assert kinds(events(table, follow=False, trouble=reported.append)) == ["CaughtUp"]
    assert reported == [AWAY]
    assert clock.slept[:4] == [0.5, 1, 2, 2]
    assert set(clock.slept[4:]) == {2}
    assert 3600 <= sum(clock.slept) < 3602


def test_trouble__may_be_left_out(chain: FakeChain, table: Table, clock: Clock) -> None:
    Outage(chain, clock, 10, AWAY)
    assert kinds(events(table, follow=False)) == ["CaughtUp"]


def test_other_trouble_in_the_same_outage__is_reported(chain: FakeChain, table: Table, clock: Clock) -> None:
    Outage(chain, clock, 20, AWAY, REFUSED)
    reported: list[errors.TicTacToeError] = []
    story = events(table, trouble=reported.append)
    next(story)
    assert reported == [AWAY, REFUSED]
    Outage(chain, clock, 2, REFUSED)
    chain.play(new_game())
    clock.slept.clear()
    assert next(story).kind == "GameCreated"
    assert reported == [AWAY, REFUSED, REFUSED]
    # The pauses begin anew, too.
    assert clock.slept == [1.0, 0.5, 1.0]


def test_head_on_another_branch_at_every_poll__is_reported(chain: FakeChain, table: Table, clock: Clock) -> None:
    """No branch can be read to its end. Silence would look like a table at which nothing happens."""
    chain.play(new_game())
    looks = count(1)

    def elsewhere(params: Sequence[Any], block: Any) -> object:
        if params[0] != "latest":
            return block
        place = {"hash": f"0x{next(looks):064x}", "parentHash": f"0x{10**6 + next(looks):064x}"}
        return block | place | {"number": hex(chain.head.number + 1)}

    reported: list[errors.TicTacToeError] = []
    story = events(table, trouble=reported.append, patience=60)
    assert kinds(list(islice(story, 2))) == ["GameCreated", "CaughtUp"]
    chain.lies["eth_getBlockByNumber"] = elsewhere
    start = clock.now
    with pytest.raises(errors.HeadUnsettled):
        next(story)
    assert 60 < clock.now - start < 65
    assert kinds_of(reported) == ["HeadUnsettled"]


def test_branch_that_changes_once__is_read_to_its_end(chain: FakeChain, table: Table) -> None:
    """Also by a program that does not follow."""
    chain.play(new_game(), *moves(4, 0))
    old = iter([chain.blocks[3].json] * 2)
    chain.reorg(2)
    chain.play(*moves(1, 2))
    chain.lies["eth_getBlockByNumber"] = lambda params, block: next(old, block) if params[0] == "0x3" else block
    assert kinds(events(table, from_block=4, follow=False)) == ["Restarted", "MoveMade", "CaughtUp"]


def test_revert__is_trouble_as_well(chain: FakeChain, table: Table, clock: Clock) -> None:
    Outage(chain, clock, 1, errors.Reverted("off the grid"))
    reported: list[errors.TicTacToeError] = []
    assert kinds(events(table, follow=False, trouble=reported.append)) == ["CaughtUp"]
    assert kinds_of(reported) == ["Reverted"]


def kinds_of(found: list[errors.TicTacToeError]) -> list[str]:
    return [type(error).__name__ for error in found]


@pytest.mark.parametrize(("patience", "attempts"), [(0.0, 2), (1.0, 3), (1.5, 4), (7.5, 7)])
def test_patience__ends(chain: FakeChain, table: Table, clock: Clock, patience: float, attempts: int) -> None:
    """After 0, 0.5, 1.5, 3.5, 5.5, 7.5 and 9.5 seconds; the first that is later than the patience raises."""
    outage = Outage(chain, clock, 10**6, AWAY)
    with pytest.raises(errors.NodeUnreachable):
        next(events(table, patience=patience))
    assert (outage.attempts, len(clock.slept)) == (attempts, attempts - 1)


def test_patience__begins_anew_after_each_answer(chain: FakeChain, table: Table, clock: Clock) -> None:
    story = events(table, patience=4)
    for outage in range(3):
        Outage(chain, clock, 3, AWAY)
        chain.mine([new_game()])
        assert next(story).kind == "GameCreated"
        if outage == 0:
            assert next(story).kind == "CaughtUp"


def test_error_that_no_attempt_would_mend__is_raised_at_once(chain: FakeChain, table: Table, clock: Clock) -> None:
    chain.lies["eth_getCode"] = lambda _params, _code: "0x"
    with pytest.raises(errors.NoContract):
        next(events(table))
    assert clock.slept == []


def test_trouble_of_the_reader__is_the_node_s(chain: FakeChain, table: Table, clock: Clock) -> None:
    """A node's own error, through the whole library."""

    def refuse(_params: object, _answer: object) -> object:
        raise RefusedError("slow down")

    chain.lies["eth_getLogs"] = refuse
    clock.on_sleep = lambda slept: chain.lies.clear() if slept >= 5 else None
    reported: list[errors.TicTacToeError] = []
    assert kinds(events(table, follow=False, trouble=reported.append)) == ["CaughtUp"]
    assert [error.message for error in reported] == ["The node refused: slow down."]
