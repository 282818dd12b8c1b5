"""What the random runs of `test_following.py` do not show: rare races, answers that do not fit, and what it costs."""

import sys
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.library.expected import keep, replayed
from tests.library.simulation import OTHER, TABLE, Finished, O, RefusedError, X, forfeit, move, moves, new_game
from tests.rules.games import DRAWN, WON_BY_X
from tictactoe import Event, Game, errors, events
from tictactoe.events import FIRST_RANGE, POLLS, WIDEST_RANGE, WINDOW, EventsDoNotFit

AWAY, REFUSED = errors.NodeUnreachable(), errors.NodeRefused("The web server refused.")
TOO_MUCH = errors.NodeError("The answer is too long.", too_much=True)
REORGANISED = "The chain was reorganised between two answers of the node."


@pytest.fixture
def polls(table, clock):
    """
    Follows the table, and lists what each poll yields, errors with it.

    One of the steps happens between two polls: a function, or nothing.
    """

    def polls(*steps, **options):
        found, pending = [[]], [*steps]

        def pause(_slept):
            if not pending:
                raise Finished
            found.append([])
            if step := pending.pop(0):
                step()

        clock.on_sleep = pause
        with suppress(Finished):
            for event in events(table, trouble=lambda error: found[-1].append(error), **options):
                found[-1].append(event)
        return found

    return polls


def expected(chain):
    return replayed(chain.logs)


def taken_back(events):
    """The newest first."""
    return [replace(event, taken_back=True) for event in reversed(events)]


def kept(found):
    """What a consumer has of these events in the end."""
    events = []
    for event in (each for poll in found for each in poll if isinstance(each, Event)):
        keep(events, event)
    return events


def kinds(found):
    return [event.kind if isinstance(event, Event) else event.message for event in found]


def leave_out(chain, *missing):
    chain.lies["eth_getLogs"] = lambda _params, logs: [log for log in logs if log not in missing]


def limit(chain, blocks, failure):
    """Queries for more blocks fail."""

    def answer(params, logs):
        if int(params[0]["toBlock"], 16) - int(params[0]["fromBlock"], 16) >= blocks:
            raise failure
        return logs

    chain.lies["eth_getLogs"] = answer


def ranges(chain):
    asked = [params[0] for method, params in chain.asked if method == "eth_getLogs"]
    return [(int(where["fromBlock"], 16), int(where["toBlock"], 16)) for where in asked]


# -- rare races, and sentences of the documents ---------------------------------------------


def test_constants__are_those_of_the_documents():
    assert (WINDOW, POLLS, FIRST_RANGE, WIDEST_RANGE) == (64, 8, 100, 100_000)


@pytest.mark.parametrize("blocks", [40, 400], ids=["newest blocks", "old blocks"])
def test_reorg_between_two_ranges__leaves_nothing_behind(chain, polls, blocks):
    """Of blocks that were read before it, and at a node that limits ranges."""
    chain.play(new_game(), move(4))
    chain.mine_empty(blocks)
    limit(chain, 10, RefusedError("query exceeds the limit"))

    def reorganise(method):
        if method == "eth_getLogs" and len(ranges(chain)) == 7:
            chain.reorg(blocks + 1)
            chain.mine([forfeit], *[[]] * (blocks + 1))

    chain.before_answer = reorganise
    found = polls(None)
    assert REORGANISED in kinds(found[0])
    assert kept(found) == expected(chain)


def test_another_chain_during_the_search_for_the_first_block__is_noticed(chain, polls):
    chain.begin(20)

    def begin(_method):
        if len(chain.asked) == 5:
            chain.begin(1)
            chain.play(new_game(), move(4))
            chain.mine_empty(30)

    chain.before_answer = begin
    found = polls(None)
    assert kinds(found[0]) == [REORGANISED]
    assert kept(found) == expected(chain)


def test_lower_head__is_believed_at_the_eighth_poll(chain, polls):
    chain.play(new_game(), *moves(4, 0, 8))
    chain.mine_empty(WINDOW - 1)
    story = expected(chain)
    behind = iter([0, 1, 2, 1, 0, *[WINDOW] * 7])  # blocks, for each head
    chain.lies["eth_getBlockByNumber"] = lambda params, block: (
        chain.blocks[-1 - next(behind, 0)].json if params[0] == "latest" else block
    )
    found = polls(*[None] * 11, lambda: chain.reorg(WINDOW))
    assert found[1:] == [*[[]] * 11, taken_back(story[-1:])]


def test_lower_head_of_another_branch__is_believed_at_once(chain, polls):
    def reorganise():
        chain.reorg(3)
        chain.mine([])

    play = [lambda step=step: chain.play(step) for step in (new_game(), *moves(4, 0, 8, 2))]
    found = polls(*play, reorganise)
    story = [event for poll in found[1:-1] for event in poll]
    assert found[-1] == taken_back(story[-3:])


def test_log_before_one_that_was_read__starts_again(chain, polls):
    chain.play(new_game(), move(4), new_game())
    leave_out(chain, chain.logs[1])
    found = polls(lambda: (chain.lies.clear(), chain.mine_empty(1)))
    assert kinds(found[0]) == ["GameCreated", "GameCreated", "CaughtUp"]
    assert kinds(found[1]) == ["Restarted", "GameCreated", "MoveMade", "GameCreated", "CaughtUp"]
    assert kept(found) == expected(chain)


def test_log_that_is_missing_among_old_ones__is_read_once_a_later_one_contradicts(chain, polls):
    chain.play(new_game(), move(4))
    leave_out(chain, chain.logs[0])

    def miss():
        chain.play(move(0))
        leave_out(chain, chain.logs[-1])
        chain.mine_empty(WINDOW)

    def contradict():
        chain.lies.clear()
        chain.play(move(8))

    found = polls(chain.lies.clear, miss, contradict, *[None] * (POLLS - 1))
    misfit = "The node's events do not fit together: after game {} with {} moves comes MoveMade of game 1. "
    # A log that comes after one poll does not count.
    assert [error.message for error in found[0]] == [misfit.format(0, 0) + errors.TRY_AGAIN]
    assert kinds(found[1]) == ["GameCreated", "MoveMade", "CaughtUp"]
    assert [error.message for error in found[3]] == [misfit.format(1, 1) + errors.TRY_AGAIN]
    assert [*found[2:3], *found[4:-1]] == [[]] * (POLLS - 1)  # it is reported once
    assert kinds(found[-1]) == ["Restarted", "GameCreated", "MoveMade", "MoveMade", "MoveMade", "CaughtUp"]
    assert kept(found) == expected(chain)


def test_missing_log__does_not_fit_what_follows(chain, table):
    """Whichever it is: but a game may be replaced, so its last move or its forfeit may be missing."""
    chain.play(*[new_game(), *moves(*WON_BY_X)], *[new_game(), *moves(*DRAWN)], *[new_game(), move(4), forfeit])
    chain.play(new_game(), *moves(4, 0), new_game(), move(8))
    fitting = []
    for index, log in enumerate(chain.logs):
        leave_out(chain, log)
        with suppress(EventsDoNotFit):
            list(events(table, follow=False, trouble=pytest.fail, patience=-1))
            fitting.append((index, expected(chain)[index].kind))
    last = len(chain.logs) - 1
    assert fitting == [(20, "GameEnded"), (last - 2, "MoveMade"), (last, "MoveMade")]


def test_game_that_began_before__is_known_from_the_newest_blocks_on(chain, polls):
    """The node is asked for the state of a recent block only: few nodes keep old ones."""
    chain.play(new_game(), *moves(4, 0, 8))
    chain.mine_empty(FIRST_RANGE + WINDOW)
    chain.play(move(2))
    ((*old, last, caught_up),) = polls(from_block=4)
    assert [(event.kind, event.before, event.after) for event in old] == [("MoveMade", Game(), Game())] * 2
    assert (last.before.moves, last.after.moves) == ((4, 0, 8), (4, 0, 8, 2))
    assert caught_up.game == last.after
    (block,) = [params[1] for method, params in chain.asked if method == "eth_call"]
    assert int(block, 16) == chain.head.number - WINDOW


def test_from_a_negative_block__raises_at_once(table):
    with pytest.raises(errors.UsageError, match="There is no block -1"):
        events(table, from_block=-1)


def test_json__has_the_fields_of_the_documents(chain, table):
    chain.mine([new_game()])
    created, caught_up = (event.as_json() for event in events(table, follow=False))
    block = {"block": 2, "blockHash": chain.head.hash}
    place = block | {"transaction": chain.logs[0]["transactionHash"], "logIndex": 0}
    assert created == {"event": "GameCreated", "takenBack": False, "gameId": 1, "playerX": X, "playerO": O} | place
    assert caught_up == {"event": "CaughtUp"} | block


# -- what it costs ----------------------------------------------------------------------------------


def test_questions__do_not_grow_with_the_story(chain, polls):
    """A poll asks for the head. A new head costs three questions about blocks more, and one about logs."""
    chain.mine(*[[new_game(), *moves(*WON_BY_X)]] * 250)
    polls(lambda: chain.mine([]), chain.asked.clear, lambda: chain.mine([]), None)
    block = "eth_getBlockByNumber"
    assert [method for method, _ in chain.asked] == [block, *[block, block, block, "eth_getLogs", block], block]


HALVED = [(1, 43), (1, 21), (1, 10), (11, 23), (11, 16), (17, 24), (25, 35), (25, 29), (30, 36), (37, 43)]


@pytest.mark.parametrize(
    ("blocks", "most", "failure", "asked"),
    [
        # Wider by a quarter and one, up to the widest.
        (500, 10**6, None, [(1, 100), (101, 226), (227, 376), (377, 500)]),
        # Halved until the node answers, and then wider again.
        (43, 10, TOO_MUCH, HALVED),
        # Not asked again at once: a node that refuses a single block, or to be asked so often.
        (6, 0, TOO_MUCH, [(1, 6), (1, 3), (1, 1)]),
        (6, 0, REFUSED, [(1, 6)]),
    ],
    ids=["no limit", "answer too long", "one block", "refused"],
)
def test_blocks__are_read_in_ranges_that_the_node_answers(chain, polls, monkeypatch, blocks, most, failure, asked):
    monkeypatch.setattr(sys.modules["tictactoe.events"], "WIDEST_RANGE", 150)
    chain.play(new_game(), move(4))
    chain.mine_empty(blocks - chain.head.number)
    limit(chain, most, failure)
    found = polls()
    assert ranges(chain) == asked
    assert kept(found) == (expected(chain) if most else [])


def test_progress__counts_blocks_from_the_first_on(chain, table):
    chain.mine_empty(500)
    done = []
    list(events(table, from_block=2, follow=False, progress=lambda *each: done.append(each)))
    assert done == [(100, 499), (226, 499), (384, 499)]


# -- answers that do not belong here -------------------------------------------------------------------


def words(*values):
    return "0x" + "".join(f"{value:064x}" for value in values)


NOT_ASKED_FOR = "events that were not asked for"
DO_NOT_FIT = "The node's events do not fit together"
INVALID = "an invalid answer"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda _move, end: [end | {"blockNumber": "0x0"}], NOT_ASKED_FOR),
        (lambda _move, end: [end | {"blockNumber": "0x9"}], NOT_ASKED_FOR),
        (lambda _move, end: [end | {"address": OTHER}], NOT_ASKED_FOR),
        (lambda move, _end: [move, move], DO_NOT_FIT),
        (lambda move, _end: [move | {"topics": [move["topics"][0], words(2), move["topics"][2]]}], DO_NOT_FIT),
        # A second end, and a move after a line.
        (lambda move, end: [move, end, end | {"logIndex": "0x9"}], DO_NOT_FIT),
        (lambda move, _end: [move, move | {"logIndex": "0x9", "data": words(6, 2, 2)}], DO_NOT_FIT),
        (lambda move, _end: [move | {"topics": ["0x" + "99" * 32]}], INVALID),
        (lambda move, _end: [move | {"topics": []}], INVALID),
        (lambda move, _end: [move | {"data": words(1, 0)}], INVALID),
        (lambda move, _end: [move | {"data": words(1, 0, 256)}], INVALID),
        (lambda move, _end: [move | {"blockHash": "0x12"}], "a hash that is not 32 bytes long"),
        (lambda _move, _end: [{}], INVALID),
    ],
)
def test_log_that_does_not_belong_here__is_an_error(chain, table, change, sentence):
    """X wins in block 7."""
    chain.play(new_game(), *moves(*WON_BY_X))
    chain.lies["eth_getLogs"] = lambda _params, logs: [*logs[:-2], *change(*logs[-2:])]
    with pytest.raises(errors.NodeError, match=sentence):
        list(events(table, follow=False, patience=-1))


# -- the generator ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pace", "pause"), [(0.5, 0.5), (0.0, 0.1)])
def test_following__asks_again_after_a_pause(chain, table, clock, pace, pause):
    """Also of the embedded chain, whose pace is 0."""
    table.node.pace = pace
    numbers = []
    story = events(table, seen=lambda head: numbers.append(head.number))
    assert next(story).kind == "CaughtUp"
    clock.on_sleep = lambda _slept: chain.play(new_game()) if len(clock.slept) == 3 else None
    assert next(story) == expected(chain)[0]
    assert (clock.slept, numbers) == ([pause] * 3, [1, 1, 1, 2])


def test_table__may_be_an_address_or_a_contract_of_ape(chain, monkeypatch):
    """On the network that is connected."""
    monkeypatch.setattr("tictactoe.table.Node", chain.node)
    chain.play(new_game())
    for table in (TABLE, SimpleNamespace(address=TABLE)):
        assert kinds(events(table, follow=False)) == ["GameCreated", "CaughtUp"]


def test_trouble__is_reported_once_of_each_kind(chain, clock, polls):
    """After it has ended, the reports, the pauses and the patience begin anew."""
    away, refuse = (lambda error=error: chain.say(eth_getBlockByNumber=error) for error in (AWAY, REFUSED))
    (caught_up,), *found = polls(away, refuse, away, refuse, chain.lies.clear, refuse, chain.lies.clear, patience=6)
    assert caught_up.kind == "CaughtUp"
    assert found == [[AWAY], [REFUSED], [], [], [], [REFUSED], []]
    assert clock.slept == [1, 0.5, 1, 2, 2, 1, 0.5, 1]


@pytest.mark.parametrize(
    ("patience", "pauses"), [(0.0, [0.5]), (1.5, [0.5, 1, 2]), (7.5, [0.5, 1, 2, 2, 2, 2]), (9.4, [0.5, 1, 2, 2, 2, 2])]
)
def test_patience__ends(chain, table, clock, patience, pauses):
    """The first attempt that is later than the patience raises."""
    chain.say(eth_getBlockByNumber=AWAY)
    with pytest.raises(errors.NodeUnreachable):
        next(events(table, patience=patience))
    assert clock.slept == pauses


def test_patience__ends_although_ranges_are_answered(chain, table, clock):
    """A log that is always missing among old blocks: reading again and again is no progress."""
    chain.play(new_game(), move(4))
    chain.mine_empty(FIRST_RANGE + WINDOW)
    chain.play(move(0))
    leave_out(chain, chain.logs[1])
    with pytest.raises(EventsDoNotFit):
        list(events(table, patience=60))
    assert 60 < clock.now - 1000 < 65
