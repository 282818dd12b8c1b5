"""The game loop of `play` and its table: what every key sends, what is said and shown, and when a script is refused."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.library.expected import as_game
from tests.library.simulation import Clock, FakeChain, RefusedError, Step, forfeit, move, moves, new_game
from tests.rules.games import WON_BY_X
from tests.support.front_end import Script
from tests.support.roles import Role
from tictactoe import Game, Table, errors
from tictactoe.node import Node
from tictactoe.terminal import output_text
from tictactoe.terminal.adapter import Sender
from tictactoe.terminal.front_end import consent
from tictactoe.terminal.live import LiveTable, Patience
from tictactoe.terminal.session import Session
from tictactoe.transactions import Transaction

X, O, OTHER, STRANGER = (role.address for role in (Role.PLAYER_X, Role.PLAYER_O, Role.OTHER, Role.STRANGER))
BOTH = (Role.PLAYER_X, Role.PLAYER_O)
START = new_game(X, O)
OTHERS = new_game(OTHER, STRANGER)
RED, YELLOW = "bright_red", "yellow"
MY_ERROR = {reason: errors.Reverted(reason).message for reason in ("not your turn", "cell is taken")}
OPPONENT_MISSING = "A new game needs another player: give --against ADDRESS."
SPECTATORS_CANNOT_START = "You are only watching. To start a game, give --account ALIAS --against ADDRESS."
NO_GAME = errors.Reverted("no game in progress").message


class Front(Script):
    """Remembers every style, and how long it would have waited for a key."""

    def __init__(self, *keys: Any, answer: bool = True, interactive: bool = True) -> None:
        super().__init__(*keys, answer=answer)
        self.interactive = interactive
        self.styled: list[tuple[str, str]] = []
        self.timeouts: list[float | None] = []
        self.stages: list[str] = []

    def say(self, sentence: str, style: str = "") -> None:
        self.styled.append((sentence, style))

    def key(self, timeout: float | None) -> str | None:
        self.timeouts.append(timeout)
        return super().key(timeout)

    def progress(self, sent: Transaction, waited: float) -> None:  # noqa: ARG002
        self.stages += [sent.stage] if sent.stage not in self.stages[-1:] else []


@pytest.fixture
def chain() -> FakeChain:
    return FakeChain()


@pytest.fixture
def node(chain: FakeChain) -> Node:
    return chain.node()


@pytest.fixture(autouse=True)
def clock(chain: FakeChain, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Time that passes only when somebody sleeps. What was sent is mined a moment later."""
    clock = Clock()
    for module in ("transactions", "terminal.adapter", "terminal.session", "terminal.live"):
        monkeypatch.setattr(sys.modules[f"tictactoe.{module}"], "time", clock)
    clock.on_sleep = lambda _slept: chain.pool.mine() if chain.pool.waiting else None
    return clock


def play(
    node: Node,
    front: Front,
    *own: Role,
    players: tuple[str, str] | None = None,
    always: bool = False,
) -> LiveTable:
    sender = Sender(node, front.progress, 10.0, consent(front, always))
    accounts = {role.address: role.account for role in own}
    table = Table("0x" + "7a" * 20, node)
    live = LiveTable(table, accounts, sender, Patience(sender, front.say))
    Session(live, front).run(players)
    return live


def labels(live: LiveTable) -> list[str]:
    return [sent.label for sent in live.sender.sent]


# -- keys --------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", "123456789")
def test_digit__takes_its_cell(chain: FakeChain, node: Node, key: str) -> None:
    chain.play(START)
    front = Front(key, "q")
    live = play(node, front, Role.PLAYER_X)
    assert (chain.head.game.moves, labels(live), front.styled) == ((int(key) - 1,), ["move 1"], [])
    assert [view.chosen for view in front.views] == [None, int(key) - 1, None]
    assert front.stages == ["prepared", "sent", "mined"]


@pytest.mark.parametrize("key", ["q", "quit", "exit"])
def test_quit__reads_no_other_key(chain: FakeChain, node: Node, key: str) -> None:
    chain.play(START)
    front = Front(key, "5")
    play(node, front, Role.PLAYER_X)
    assert (front.keys, len(front.views), front.styled, chain.head.game.moves) == (["5"], 1, [], ())


def test_pages_and_unknown_keys__send_nothing(chain: FakeChain, node: Node) -> None:
    chain.play(START, *moves(*WON_BY_X))
    won = as_game(chain.head.game)
    history = ["Game 1: X wins", f"  X {X}", f"  O {O}", "  " + " ".join(output_text.history(won)[-1].split())]
    second = ["Game 2: X to move", f"  X {O}", f"  O {X}"]
    front = Front(
        "?", "help", "h", lambda: chain.play(new_game(O, X)), None, "h", "0", "10", "Q", "x\x1b[2J", "y" * 21, "q"
    )
    play(node, front, Role.PLAYER_X)
    where = ["Table 0x7A7a7A7a7a7a7a7A7a7a7a7A7a7A7A7A7A7A7a7A on node, chain 31337."]
    assert front.pages == [output_text.HELP.splitlines()] * 2 + [where + history, where + history + second]
    keys = [(f"'{key}' is not a key.", "") for key in ("0", "10", "Q", "x", "y" * 19 + "…")]
    assert front.styled == [("Another player started game 2.", YELLOW), *keys]
    assert chain.pool.raw == {}


@pytest.mark.parametrize(
    ("steps", "own", "key", "said"),
    [
        ([START], Role.PLAYER_O, "5", MY_ERROR["not your turn"]),
        ([START, move(4)], Role.PLAYER_O, "5", MY_ERROR["cell is taken"]),
        ([START, forfeit], Role.PLAYER_O, "5", NO_GAME),
        ([], Role.PLAYER_X, "5", NO_GAME),
        ([START], Role.PLAYER_O, "f", MY_ERROR["not your turn"]),
        ([START, forfeit], Role.PLAYER_X, "f", NO_GAME),
        ([START], Role.OTHER, "n", OPPONENT_MISSING),
    ],
)
def test_key_that_is_refused__sends_nothing(
    chain: FakeChain, node: Node, steps: list[Step], own: Role, key: str, said: str
) -> None:
    chain.play(*steps)
    front = Front(key, "q")
    live = play(node, front, own)
    assert (front.styled[-1], front.asked, labels(live)) == ((said, RED), [], [])
    # The cell is marked while the key is tried.
    playing = as_game(chain.head.game).in_progress
    assert [view.chosen for view in front.views if view.chosen is not None] == [4] * (playing and key == "5")


@pytest.mark.parametrize("answer", [True, False])
def test_forfeit__asks_first(chain: FakeChain, node: Node, answer: bool) -> None:
    chain.play(START, move(4))
    front = Front("f", "q", answer=answer)
    live = play(node, front, Role.PLAYER_O)
    assert front.asked == ["Forfeit game 1 as O?"]
    assert (as_game(chain.head.game).status, labels(live)) == (
        ("o_forfeits", ["forfeit"]) if answer else ("in_progress", [])
    )
    assert [view.game.status for view in front.views] == ["in_progress"] * 2 + [front.views[-1].game.status]


@pytest.mark.parametrize(
    ("steps", "own", "players", "key", "seats"),
    [
        ([START, forfeit], [Role.PLAYER_X], None, "n", (O, X)),
        ([START, forfeit], [Role.PLAYER_X], None, "s", (X, O)),
        ([START, forfeit], BOTH, None, "n", (O, X)),
        ([START], [Role.PLAYER_O], None, "n", (O, X)),
        ([START, forfeit], [Role.OTHER, Role.PLAYER_X], None, "n", (O, X)),
        ([new_game(O, X), forfeit], [Role.PLAYER_X], (X, O), "s", (O, X)),
        ([START, OTHERS], [Role.PLAYER_X], (X, O), "n", (X, O)),
        ([START, OTHERS, forfeit], [Role.PLAYER_X], (O, X), "s", (O, X)),
    ],
)
@pytest.mark.parametrize("answer", [True, False])
def test_next_game__has_these_seats(
    chain: FakeChain,
    node: Node,
    steps: list[Step],
    own: list[Role],
    players: tuple[str, str] | None,
    key: str,
    seats: tuple[str, str],
    answer: bool,
) -> None:
    """An unfinished game is replaced after a question. A player whose opponent is elsewhere reads which one counts."""
    chain.play(START)
    front = Front(lambda: chain.play(*steps), None, key, "q", answer=answer)
    play(node, front, *own, players=players)
    before = as_game(chain.blocks[2 + len(steps)].game)
    question = [output_text.confirm_replacing(before, others=False)] * before.in_progress
    assert front.asked == question
    started = answer or not question
    after = as_game(chain.head.game)
    assert after == (Game(before.number + 1, *seats, (), "in_progress") if started else before)
    alone = started and not {X, O} <= {role.address for role in own}
    assert (front.styled[-1:] == [(output_text.STARTED.format(game=after), "")]) == alone
    assert (front.views[-1].game, len(front.views)) == (after, 3 + len(question))


def test_spectator__cannot_start_a_game(chain: FakeChain, node: Node) -> None:
    chain.play(START)
    front = Front("n", "5", "q")
    play(node, front)
    assert front.styled == [
        (output_text.SPECTATOR, ""),
        (SPECTATORS_CANNOT_START, RED),
        (MY_ERROR["not your turn"], RED),
    ]
    assert front.views[0].game == as_game(chain.head.game)


# -- sitting down ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "interactive", "asks", "starts"),
    [
        ([], True, False, True),
        ([START], True, False, False),
        ([new_game(O, X)], True, False, False),
        ([START, forfeit], True, False, False),
        ([START, forfeit], False, False, True),
        ([new_game(O, X), forfeit], False, False, True),
        ([OTHERS], True, True, True),
        ([new_game(X, OTHER)], True, True, True),
        ([OTHERS, forfeit], True, False, True),
    ],
)
def test_sitting_down__replaces_no_game_of_these_two(
    chain: FakeChain, node: Node, steps: list[Step], interactive: bool, asks: bool, starts: bool
) -> None:
    chain.play(*steps)
    before = as_game(chain.head.game)
    front = Front("q", interactive=interactive)
    play(node, front, *BOTH, players=(X, O))
    after = as_game(chain.head.game)
    assert after == (Game(before.number + 1, X, O, (), "in_progress") if starts else before)
    assert front.asked == [output_text.confirm_replacing(before, others=True)] * asks
    # The game that is over, or that the question is about, is on the board first.
    assert [view.game for view in front.views] == [before] * (asks or (not interactive)) + [after]
    assert front.styled == []


def test_game_of_others__stays_if_the_answer_is_no(chain: FakeChain, node: Node) -> None:
    chain.play(OTHERS)
    with pytest.raises(errors.AccountError):
        play(node, Front("q", answer=False), Role.PLAYER_X, players=(X, O))
    assert chain.head.game.number == 1


def test_first_game_that_is_not_accepted__ends_the_session(chain: FakeChain, node: Node) -> None:
    chain.lies |= {"eth_sendRawTransaction": refusing("go away"), "eth_getTransactionByHash": lambda *_: None}
    with pytest.raises(errors.TransactionError):
        play(node, Front("q"), Role.PLAYER_X, players=(X, O))


def test_game_that_the_opponent_started_first__is_the_one_to_play(chain: FakeChain, node: Node) -> None:
    chain.play(START, forfeit)

    def meanwhile(_params: object, answer: object) -> object:
        if chain.head.game.number == 1:
            chain.play(START)
            raise RefusedError("execution reverted: not the current game", code=3)
        return answer

    chain.lies["eth_estimateGas"] = meanwhile
    front = Front("q", interactive=False)
    play(node, front, Role.PLAYER_X, players=(X, O))
    assert front.styled == [
        ("Another player started game 2.", YELLOW),
        (errors.Reverted("not the current game").message, YELLOW),
    ]
    assert [view.game.number for view in front.views] == [1, 2, 2]


@pytest.mark.parametrize(
    ("steps", "own", "said"),
    [
        ([OTHERS], [Role.PLAYER_X], [(output_text.NOT_A_PLAYER, "")]),
        ([OTHERS], [], [(output_text.SPECTATOR, "")]),
        ([START], [Role.PLAYER_O], []),
        ([OTHERS, forfeit], [Role.PLAYER_X], []),
        ([], [], []),
    ],
)
def test_game_of_others__is_only_watched(
    chain: FakeChain, node: Node, steps: list[Step], own: list[Role], said: list[tuple[str, str]]
) -> None:
    chain.play(*steps)
    front = Front("q")
    play(node, front, *own)
    assert (front.styled, len(front.views)) == (said, 1 + len(said))


# -- a person and a script -----------------------------------------------------------------------


@pytest.mark.parametrize(("embedded", "timeout"), [(True, None), (False, 1.0)])
def test_key__is_waited_for_until_the_next_look(
    chain: FakeChain, node: Node, embedded: bool, timeout: float | None
) -> None:
    chain.play(START)
    node.embedded = embedded
    front = Front(None, "h", "q")
    play(node, front, Role.PLAYER_X)
    assert front.timeouts == [timeout] * 3
    view = front.views[0]
    assert (view.own, view.network, view.head) == ((X,), *(("", None) if embedded else ("node", node.block())))
    assert front.pages[0][0].startswith("Table ") != embedded


def test_piped_key__is_read_in_its_player_s_turn(chain: FakeChain, node: Node, clock: Clock) -> None:
    chain.play(START, move(4))
    usual, keys = clock.on_sleep, []

    def on_sleep(slept: float) -> None:
        keys.append(list(front.keys))
        chain.play(move(0)) if slept == 3 else usual(slept)

    clock.on_sleep = on_sleep
    front = Front("9", interactive=False)
    play(node, front, Role.PLAYER_X)
    assert keys[:3] == [["9"]] * 3
    assert (chain.head.game.moves, front.styled[0]) == ((4, 0, 8), ("O played 1.", YELLOW))


@pytest.mark.parametrize(
    ("own", "interactive"), [(Role.OTHER, False), (Role.PLAYER_X, True)], ids=["spectator", "person"]
)
def test_key_of_others__is_read_at_once(
    chain: FakeChain, node: Node, clock: Clock, own: Role, interactive: bool
) -> None:
    chain.play(START, move(4))
    front = Front("h", "q", interactive=interactive)
    play(node, front, own)
    assert (clock.slept, len(front.pages)) == ([], 1)


def test_end_of_the_input__ends_the_session(chain: FakeChain, node: Node, clock: Clock) -> None:
    """Also while the opponent is to move."""
    chain.play(START, move(4))
    play(node, Front(interactive=False), Role.PLAYER_X)
    assert clock.slept == []


@pytest.mark.parametrize(("keys", "raises"), [(["5"], True), (["5", "h"], False), (["f"], True), (["5", None], True)])
def test_script_that_ends_with_a_refusal__fails(
    chain: FakeChain, node: Node, keys: list[str | None], raises: bool
) -> None:
    """The contract's refusals do not end it, but the last key decides about its exit code."""
    chain.play(START, forfeit)
    front = Front(*keys, interactive=False)
    if raises:
        with pytest.raises(errors.Reverted, match=NO_GAME):
            play(node, front, Role.PLAYER_X)
    else:
        play(node, front, Role.PLAYER_X)
    assert front.styled == [(NO_GAME, RED)]


def refusing(message: str) -> Callable[[object, object], object]:
    def refuse(_params: object, _answer: object) -> object:
        raise RefusedError(message)

    return refuse


@pytest.mark.parametrize("interactive", [True, False])
def test_other_failure__ends_a_script(chain: FakeChain, node: Node, interactive: bool) -> None:
    chain.play(START)
    chain.lies |= {"eth_sendRawTransaction": refusing("go away"), "eth_getTransactionByHash": lambda *_: None}
    front = Front("5", "q", interactive=interactive)
    if not interactive:
        with pytest.raises(errors.TransactionError):
            play(node, front, Role.PLAYER_X)
    else:
        play(node, front, Role.PLAYER_X)
        assert [style for _, style in front.styled] == [RED]
        assert "go away" in front.styled[0][0]
    assert chain.head.game.moves == ()


# -- what is said and shown ----------------------------------------------------------------------


def test_refused_move__is_shown_with_the_board_of_now(chain: FakeChain, node: Node) -> None:
    """X's other device was faster."""
    chain.play(START)

    def other_device(_params: object, answer: object) -> object:
        chain.play(move(0))
        return answer

    chain.lies["eth_estimateGas"] = other_device
    front = Front("5", "q")
    live = play(node, front, Role.PLAYER_X)
    (mine,) = live.sender.sent
    failed = f"{mine.name} was mined in block 4, but the contract refused it: another transaction came first. "
    failed += "It cost 0.000000001 ETH. Look at the board again."
    assert front.styled == [("X played 1.", YELLOW), (failed, RED)]
    assert [view.game.moves for view in front.views] == [(), (), (0,), (0,)]


@pytest.mark.parametrize("refused", [True, False])
def test_table__is_read_after_a_transaction_even_if_the_head_is_the_same(
    chain: FakeChain, node: Node, refused: bool
) -> None:
    """A late node behind a balancer may answer about the head. Otherwise only a new head is a reason to read it."""
    chain.play(START)
    head = chain.head.json
    chain.lies["eth_getBlockByNumber"] = lambda _params, _answer: head

    def other_device(_params: object, answer: object) -> object:
        if refused:
            chain.play(move(0))
        return answer

    chain.lies["eth_estimateGas"] = other_device
    front = Front(None, None, "5", None, "q")
    play(node, front, Role.PLAYER_X)
    assert front.views[-1].game.moves == ((0,) if refused else (4,))
    assert [method for method, _ in chain.asked].count("eth_call") == 2


def test_news__are_said_once(chain: FakeChain, node: Node) -> None:
    chain.play(START)
    front = Front(
        *("5", lambda: chain.play(move(0)), None, None, lambda: chain.reorg(2), lambda: chain.mine_empty(3), None),
        *(lambda: chain.play(OTHERS), None, "q"),
    )
    play(node, front, Role.PLAYER_X)
    assert front.styled == [
        ("O played 1.", YELLOW),
        ("A reorg took back move 1 (X5), 2 (O1). This is the board now.", YELLOW),
        ("Another player started game 2, replacing unfinished game 1.", YELLOW),
        ("You are not a player in it, so you watch.", YELLOW),
    ]
    assert [view.game.moves for view in front.views] == [(), (), (4,), (4, 0), (4, 0), (), ()]


def test_reorg_behind_an_own_move__is_said(chain: FakeChain, node: Node) -> None:
    """The board alone would not show it."""
    chain.play(START, *moves(4, 0))

    def reorganise() -> None:
        chain.reorg(2)
        chain.play(*moves(4, 1))

    front = Front(reorganise, "9", "q")
    play(node, front, Role.PLAYER_X)
    assert chain.head.game.moves == (4, 1, 8)
    assert front.styled == [("A reorg took back move 2 (O1). This is the board now.", YELLOW)]


def test_results__are_those_of_this_session_and_this_branch(chain: FakeChain, node: Node) -> None:
    chain.play(START, forfeit)
    first = as_game(chain.head.game)
    front = Front(
        *(lambda: chain.play(new_game(O, X), forfeit), None, lambda: chain.play(START), None),
        *(lambda: chain.reorg(2), lambda: chain.mine_empty(3), None, "q"),
    )
    play(node, front, Role.PLAYER_X)
    second = Game(2, O, X, (), "x_forfeits")
    assert [dict(view.results) for view in front.views] == [
        {1: first},
        {1: first, 2: second},
        {1: first, 2: second},
        {1: first},
    ]


def test_late_node__is_waited_for(chain: FakeChain, node: Node) -> None:
    chain.play(START, move(4))
    late = chain.blocks[2].json
    answers = iter([chain.head.json, late, late, chain.head.json, late, late, late])
    chain.lies["eth_getBlockByNumber"] = lambda _params, _answer: next(answers)
    front = Front(None, None, None, None, None, "q")
    play(node, front, Role.PLAYER_O)
    assert [view.head.number for view in front.views if view.head] == [3, 3, 3, 3, 3, 2]


@pytest.mark.parametrize("always", [True, False])
def test_signature__is_asked_for_if_the_player_wants_that(chain: FakeChain, node: Node, always: bool) -> None:
    chain.play(START)
    front = Front("5", "q", answer=False)
    play(node, front, Role.PLAYER_X, always=always)
    assert [question[:11] for question in front.asked] == ["Sign move 1"] * always
    assert (chain.head.game.moves, len(front.styled)) == (() if always else (4,), int(always))


# -- a node that fails -----------------------------------------------------------------------------


def away(until: float, clock: Clock) -> Callable[[object, object], object]:
    def answer(_params: object, answer: object) -> object:
        if clock.now < 1000 + until:
            raise errors.NodeUnreachable()
        return answer

    return answer


@pytest.mark.parametrize("method", ["eth_getBlockByNumber", "eth_call", "eth_estimateGas"])
def test_node_that_comes_back__loses_no_key(chain: FakeChain, node: Node, clock: Clock, method: str) -> None:
    chain.play(START)
    front = Front(lambda: chain.lies.update({method: away(5, clock)}), "5", "q")
    play(node, front, Role.PLAYER_X)
    assert front.styled == [
        (output_text.TRYING_AGAIN.format(trouble=errors.NodeUnreachable().message), YELLOW),
        (output_text.NODE_IS_BACK, YELLOW),
    ]
    assert chain.head.game.moves == (4,)


@pytest.mark.parametrize(("method", "sent"), [("eth_getBlockByNumber", "Nothing was sent."), ("eth_call", "Mined:")])
def test_node_that_stays_away__ends_the_session(
    chain: FakeChain, node: Node, clock: Clock, method: str, sent: str
) -> None:
    """After the patience, and with what was sent."""
    chain.play(START)
    front = Front(lambda: chain.lies.update({method: away(10**6, clock)}), "5", "q")
    with pytest.raises(errors.NodeUnreachable) as caught:
        play(node, front, Role.PLAYER_X)
    assert sent in caught.value.message
    assert front.keys == ["q"]
    assert 10 < clock.now - 1000 < 15
