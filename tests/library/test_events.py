"""What the random runs of `test_following.py` do not show: rare races, answers that do not fit, and what it costs."""

import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace

import pytest

from tests.library.expected import as_game, keep, replayed
from tests.library.simulation import OTHER, Finished, O, X, forfeit, move, moves, new_game
from tests.rules.games import DRAWN, WON_BY_X
from tictactoe import Event, errors, events
from tictactoe.events import FIRST_RANGE, PAUSE, POLLS, WIDEST_RANGE, WINDOW, EventsDoNotFit

AWAY, REFUSED = errors.NodeUnreachable(), errors.NodeRefused("The web server refused.")
TOO_MUCH = errors.NodeError("The answer is too long.", too_much=True)
DO_NOT_FIT = "The node's events do not fit together"


@pytest.fixture
def polls(table, clock):
    """Follows the table, with a step between two polls, and lists what each poll yields, errors with it."""

    def polls(*steps, **options):
        found, pending = [[]], [*steps]

        def pause():
            if not pending:
                raise Finished
            found.append([])
            pending.pop(0)()

        clock.on_sleep = pause
        with suppress(Finished):
            for event in events(table, trouble=lambda error: found[-1].append(error), **options):
                found[-1].append(event)
        return found

    return polls


def nothing():
    """Happens between two polls."""


def kept(found):
    """What a consumer has of these events in the end."""
    events = []
    for event in (each for poll in found for each in poll if isinstance(each, Event)):
        keep(events, event)
    return events


def kinds(found):
    return [event.kind if isinstance(event, Event) else str(event) for event in found]


def leave_out(chain, *missing):
    chain.lies["eth_getLogs"] = lambda _params, logs: [log for log in logs if log not in missing]


# -- rare races, and sentences of the documents ---------------------------------------------


def test_constants__are_those_of_the_documents():
    assert (WINDOW, POLLS, FIRST_RANGE, WIDEST_RANGE) == (64, 8, 100, 100_000)


@pytest.mark.parametrize("later", [[], [move(0)]])
def test_another_chain_before_any_answer__is_not_mixed_with_this_one(chain, polls, later):
    """Its table is older, with events that came before this one, and others that would fit behind its events."""
    strike = 0

    def begin(_method):
        if len(chain.asked) == strike:
            chain.begin(1)
            chain.play(new_game(), move(4))
            chain.mine_empty(40)
            chain.play(*later)
            chain.mine_empty(FIRST_RANGE + WINDOW)

    chain.before_answer = begin
    while strike <= len(chain.asked):
        strike += 1
        chain.begin(20)
        chain.play(new_game(), move(4))
        chain.mine_empty(FIRST_RANGE + WINDOW)
        chain.asked.clear()
        assert kept(polls(nothing)) == replayed(chain.logs)


def test_lower_head_of_another_branch__is_believed_at_once(chain, polls):
    """Also at a height without an event."""

    def reorganise():
        chain.reorg(4)
        chain.mine_empty(2)

    play = [lambda step=step: chain.play(step) for step in (new_game(), *moves(4, 0))]
    *_, played, _, _, _, undone = polls(*play, *[lambda: chain.mine([])] * 3, reorganise)
    assert undone == [replace(each, taken_back=True) for each in played]


@pytest.mark.parametrize("late", [0, 2])
def test_shorter_chain__is_believed_at_its_highest_head(chain, polls, late):
    """At the eighth poll, or if its node is late from the second one on, at the ninth."""

    def fall_behind():
        chain.lies["eth_getBlockByNumber"] = lambda params, block: (
            chain.blocks[-1 - late].json if params[0] == "latest" else block
        )

    play = [lambda step=step: chain.play(step) for step in (new_game(), *moves(4, 0))]
    wait = [lambda: chain.reorg(1), fall_behind, *[nothing] * (POLLS - 2)]
    _, _, _, played, *found = polls(*play, *wait, chain.lies.clear)
    undone = [replace(each, taken_back=True) for each in played]
    assert found == [[]] * (POLLS - 1) + ([[], undone] if late else [undone, []])


def test_chain_without_the_table__ends_it(chain, polls):
    """The table is checked at the start, and again after `Restarted`."""
    with pytest.raises(errors.NoTable):
        polls(lambda: chain.reorg(1), *[nothing] * POLLS)


@pytest.mark.parametrize(("lost", "failures"), [(1, 0), (1, POLLS), (3, 0)])
def test_log_that_is_missing_among_old_ones__is_read_once_a_later_one_contradicts(chain, polls, lost, failures):
    """
    In eight polls in a row, however long other answers failed before: a log that comes after seven polls was only late.
    Polls with a lower head count, too.
    """
    chain.play(new_game(), move(4), move(0))
    chain.mine_empty(WINDOW)
    leave_out(chain, chain.logs[2])

    def fail():
        chain.reorg(1)
        chain.mine([])
        chain.say(eth_getLogs=AWAY)

    def contradict():
        chain.lies.clear()
        chain.reorg(lost)
        chain.play(move(8))

    caught_up, *found, restarted = polls(*[fail] * failures, contradict, *[nothing] * (POLLS - 1))
    misfits = found[failures:]
    sentence = f"{DO_NOT_FIT}: after game 1 with 1 moves comes MoveMade of game 1. {errors.TRY_AGAIN}"
    assert kinds(caught_up) == ["GameCreated", "MoveMade", "CaughtUp"]
    reported = [sentence] if lost == 1 else []
    assert [kinds(poll) for poll in misfits] == [reported] * (POLLS - 1)
    assert kinds(restarted) == ["Restarted", "GameCreated", "MoveMade", "MoveMade", "MoveMade", "CaughtUp"]


def test_missing_log__does_not_fit_what_follows(chain, table):
    """One, or all of a game: but a game may be replaced, so its last move or its forfeit may be missing."""
    chain.play(*[new_game(), *moves(*WON_BY_X)], *[new_game(), *moves(*DRAWN)], *[new_game(), move(4), forfeit])
    chain.play(new_game(), *moves(4, 0), new_game(), move(8))
    chain.mine_empty(WINDOW)
    story, fitting = replayed(chain.logs), []
    ones = [[each] for each in story]
    games = [[each for each in story if each.fields["gameId"] == number] for number in range(1, story[-1].game.number)]
    for missing in ones + games:
        places = [each.place for each in missing]
        leave_out(chain, *[log for log, each in zip(chain.logs, story, strict=True) if each.place in places])
        with suppress(EventsDoNotFit):
            list(events(table, follow=False, trouble=pytest.fail, patience=-1))
            fitting += missing
    assert fitting == [story[20], story[-3], story[-1]]
    assert [each.kind for each in fitting] == ["GameEnded", "MoveMade", "MoveMade"]


def test_from_any_block__the_present_game_is_known(chain, table):
    """Also if the first log is in the newest block whose logs are not read again."""
    chain.begin(3)
    chain.play(new_game(), *moves(4, 0))
    chain.mine_empty(WINDOW - 1)
    for first in range(chain.head.number + 1):
        *_, caught_up = events(table, from_block=first, follow=False, trouble=pytest.fail)
        assert caught_up.game == as_game(chain.head.game)


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
    polls(lambda: chain.mine([]), chain.asked.clear, lambda: chain.mine([]), nothing)
    asked = Counter(method for method, _ in chain.asked)
    assert asked == {"eth_getBlockByNumber": 1 + 4 + 1, "eth_getLogs": 1}


RANGES = {
    "wider by a quarter and one, up to the widest": (500, 10**6, None, [(2, 101), (102, 227), (228, 377), (378, 500)]),
    "halved until the node answers, then wider": (25, 10, TOO_MUCH, [(2, 25), (2, 13), (2, 7), (8, 15), (16, 25)]),
    "not again at once if one block is too much": (7, 0, TOO_MUCH, [(2, 7), (2, 4), (2, 2)]),
    "not again at once if it refuses": (7, 0, REFUSED, [(2, 7)]),
}


@pytest.mark.parametrize(("blocks", "most", "failure", "asked"), RANGES.values(), ids=RANGES)
def test_blocks__are_read_in_ranges_that_the_node_answers(chain, polls, monkeypatch, blocks, most, failure, asked):
    """From the table's first block on."""
    monkeypatch.setattr(sys.modules["tictactoe.events"], "WIDEST_RANGE", 150)
    chain.begin(2)
    chain.play(new_game(), move(4))
    chain.mine_empty(blocks - chain.head.number)
    seen = []

    def answer(params, logs):
        if int(params[0]["toBlock"], 16) - int(params[0]["fromBlock"], 16) >= most:
            raise failure
        return logs

    chain.lies["eth_getLogs"] = answer
    found = polls(seen=lambda head, read: seen.append((read, head.number)))
    ranges = [params[0] for method, params in chain.asked if method == "eth_getLogs"]
    assert [(int(where["fromBlock"], 16), int(where["toBlock"], 16)) for where in ranges] == asked
    assert blocks < 500 or seen == [(last, 500) for _, last in asked]
    assert kept(found) == (replayed(chain.logs) if most else [])


# -- answers that do not belong here -------------------------------------------------------------------


def words(*values):
    return "0x" + "".join(f"{value:064x}" for value in values)


NOT_ASKED_FOR = "events that were not asked for"
INVALID = "an invalid answer"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda _move, end: [end | {"blockNumber": "0x0"}], NOT_ASKED_FOR),
        (lambda _move, end: [end | {"blockNumber": "0x9"}], NOT_ASKED_FOR),
        (lambda _move, end: [end | {"address": OTHER}], NOT_ASKED_FOR),
        # An end without its move, a second end, and a move after a line and after the end.
        (lambda _move, end: [end], DO_NOT_FIT),
        (lambda move, end: [move, end, end | {"logIndex": "0x9"}], DO_NOT_FIT),
        (lambda move, _end: [move, move | {"logIndex": "0x9", "data": words(6, 2, 2)}], DO_NOT_FIT),
        (lambda move, end: [move, end, move | {"logIndex": "0x9", "data": words(6, 2, 2)}], DO_NOT_FIT),
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


def test_following__asks_again_after_a_pause(chain, table, clock, polls):
    numbers = []
    found = polls(nothing, lambda: chain.play(new_game()), seen=lambda head, _read: numbers.append(head.number))
    assert [kinds(poll) for poll in found] == [["CaughtUp"], [], ["GameCreated"]]
    assert (clock.slept, numbers) == ([table.node.pace] * 3, [1, 1, 2])


def test_trouble__is_reported_until_it_ends(chain, table, clock, polls):
    """After it has ended, the patience begins anew."""
    table.node.pace = 0.5
    away, refuse = (lambda error=error: chain.say(eth_getBlockByNumber=error) for error in (AWAY, REFUSED))
    (caught_up,), *found = polls(away, refuse, away, refuse, chain.lies.clear, refuse, chain.lies.clear, patience=3.5)
    assert caught_up.kind == "CaughtUp"
    assert found == [[AWAY], [REFUSED], [AWAY], [REFUSED], [], [REFUSED], []]
    assert clock.slept == [0.5, *[PAUSE] * 4, 0.5, PAUSE, 0.5]


# The last one is longer than the eight polls after which everything is read again.
@pytest.mark.parametrize(("patience", "pauses"), [(0.0, 1), (1.5, 2), (9.5, 10)])
def test_patience__ends_at_the_first_later_attempt(chain, table, clock, patience, pauses):
    """Although ranges are answered: reading again and again is no progress if an old log is always missing."""
    chain.play(new_game(), move(4))
    chain.mine_empty(FIRST_RANGE + WINDOW)
    chain.play(move(0))
    leave_out(chain, chain.logs[1])
    with pytest.raises(EventsDoNotFit):
        list(events(table, patience=patience))
    assert clock.slept == [PAUSE] * pauses


def test_patience__begins_anew_with_each_range_of_old_blocks(chain, table, clock, monkeypatch):
    """The first question for each one fails."""
    monkeypatch.setattr(sys.modules["tictactoe.events"], "WIDEST_RANGE", FIRST_RANGE)
    chain.mine_empty(5 * FIRST_RANGE - chain.head.number)
    asked, trouble = set(), []

    def answer(params, logs):
        first = params[0]["fromBlock"]
        if first not in asked:
            asked.add(first)
            raise AWAY
        return logs

    chain.lies["eth_getLogs"] = answer
    assert kinds(events(table, follow=False, patience=1, trouble=trouble.append)) == ["CaughtUp"]
    assert (clock.slept, trouble) == ([PAUSE] * 5, [AWAY] * 5)
