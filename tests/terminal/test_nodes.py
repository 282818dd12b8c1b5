"""Nodes that are wrong, slow or hostile: each attack ends in one sentence and costs little."""

import itertools
import subprocess
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import ape
import pytest
from ape.logging import logger
from web3.types import RPCEndpoint

from tests.rules import layout
from tests.rules.model import Model, Status
from tests.support.anvil import Anvil, free_port
from tests.support.commands import APE, ROOT, environment
from tests.support.fake_node import BLOCK, FakeNode, Request, error, result, zipped
from tests.support.local_table import LocalTable
from tests.support.server import Answer
from tictactoe import Game, Table, errors, events
from tictactoe.changes import MovesReorged
from tictactoe.compiled import contract_type
from tictactoe.fees import current_fees
from tictactoe.follower import Event, Follower, Notice
from tictactoe.game import ZERO_ADDRESS
from tictactoe.logs import GameCreated, GameEnded, Log, LogReader, MoveMade
from tictactoe.node import Node
from tictactoe.receipts import find_receipt, is_known
from tictactoe.replay import apply
from tictactoe.sending import Sender
from tictactoe.terminal.live import LiveTable
from tictactoe.transport import DEEPEST, MAX_ANSWER_BYTES, Transport

KEY = "s3cr3tKEY/of-this+account"
TABLE, X, O = ("0x" + digits * 20 for digits in ("77", "11", "22"))


@pytest.fixture
def fake() -> Iterator[Callable[[Callable[[Request], Answer | None]], FakeNode]]:
    nodes = []

    def start(answers: Callable[[Request], Answer | None]) -> FakeNode:
        nodes.append(FakeNode(answers))
        return nodes[-1]

    yield start
    for node in nodes:
        node.__exit__()


Fake = Callable[[Callable[[Request], Answer | None]], FakeNode]
Connect = Callable[[str], Node]


def ask(url: str, method: str = "eth_getBlockByNumber") -> Any:
    return Transport(url).make_request(RPCEndpoint(method), [])


# -- answers that are too deep, too long or too slow -------------------------------------


def nested(depth: int, opening: bytes = b"[", closing: bytes = b"]") -> Answer:
    return Answer(b'{"jsonrpc":"2.0","id":0,"result":' + opening * depth + b"1" + closing * depth + b"}")


def dripping() -> Iterator[bytes]:
    """A byte now and then, without end: each read succeeds."""
    while True:
        time.sleep(0.05)
        yield b" "


def dripping_header() -> Iterator[bytes]:
    yield b"HTTP/1.0 200 OK\r\nx-wait: "
    yield from dripping()


def silence() -> Iterator[bytes]:
    time.sleep(2)
    yield b""


TOO_SLOW = "The node did not complete its answer within 0 s"
INVALID = "The node returned something that is not JSON-RPC"


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        pytest.param(nested(200_000), "nested more than 50 levels deep", id="deep-arrays"),
        pytest.param(nested(200_000, b'{"a":', b"}"), "nested more than 50 levels deep", id="deep-objects"),
        pytest.param(Answer(b"[" * 200_000), "nested more than 50 levels deep", id="arrays-never-closed"),
        pytest.param(zipped(MAX_ANSWER_BYTES * 40), "longer than 10 MB", id="gzip-bomb"),
        pytest.param(Answer(itertools.repeat(bytes(100_000))), "longer than 10 MB", id="endless"),
        pytest.param(Answer(dripping()), TOO_SLOW, id="dripping-body"),
        pytest.param(Answer(pieces_of_headers=dripping_header()), TOO_SLOW, id="dripping-headers"),
        pytest.param(Answer(pieces_of_headers=silence()), TOO_SLOW, id="accepts-and-never-answers"),
        pytest.param(Answer(b"no gzip", headers={"content-encoding": "gzip"}), "cannot be decompressed", id="not-gzip"),
        pytest.param(Answer(b"<html>"), INVALID, id="html"),
        pytest.param(Answer(b"\xff\xfe"), INVALID, id="not-utf-8"),
        pytest.param(Answer(b"[]"), INVALID, id="a-list"),
        pytest.param(Answer(b"{}"), INVALID, id="no-version"),
        pytest.param(Answer(b'{"jsonrpc":"2.0","result":' + b"1" * 6000 + b"}"), INVALID, id="a-long-integer"),
    ],
)
def test_answer_out_of_bounds__is_one_sentence(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, answer: Answer, sentence: str
) -> None:
    if sentence is TOO_SLOW:
        monkeypatch.setattr("tictactoe.transport.SECONDS", 0.3)
    url = fake(lambda _request: answer).url
    tracemalloc.start()
    start = time.monotonic()
    try:
        with pytest.raises(errors.NodeError, match=sentence) as caught:
            ask(url)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert caught.value.exit_code == 3
    assert time.monotonic() - start < 3
    assert peak < 4 * MAX_ANSWER_BYTES


def test_answer_within_bounds__is_read(fake: Fake) -> None:
    """Brackets in strings are no nesting, and broad is not deep."""
    value = ["[" * 1000 + '\\"{' * 1000, [[]] * 1000, "é"]
    answer = result(value)
    assert ask(fake(lambda _request: answer).url)["result"] == value
    assert ask(fake(lambda _request: nested(DEEPEST - 1)).url)


@pytest.mark.parametrize("method", ["eth_chainId", "eth_gasPrice", "eth_maxPriorityFeePerGas", "eth_getBalance"])
def test_number_of_6000_digits__is_one_sentence(fake: Fake, method: str) -> None:
    """ape compares the chain id while it connects, and Python cannot print such a number."""
    node = fake(lambda request: result("0x" + "f" * 6000) if request["method"] == method else None)
    with pytest.raises(errors.MalformedAnswer, match="a number of more than 256 bits"):
        ask(node.url, method)


@pytest.mark.parametrize("name", ["baseFeePerGas", "number", "timestamp"])
def test_number_of_6000_digits_in_a_block__is_one_sentence(fake: Fake, connect: Connect, name: str) -> None:
    blocks = iter([BLOCK, BLOCK])  # those of connecting
    huge = BLOCK | {name: "0x" + "f" * 6000}
    node = connect(
        fake(lambda request: result(next(blocks, huge)) if request["method"] == "eth_getBlockByNumber" else None).url
    )
    with pytest.raises(errors.MalformedAnswer, match="256 bits"):
        node.block()


def test_node_hangs_while_ape_connects__is_one_sentence(
    fake: Fake, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """ape itself would wait for half an hour."""
    monkeypatch.setattr("tictactoe.transport.SECONDS", 0.3)
    done = command("watch", "--network", fake(lambda _request: Answer(pieces_of_headers=silence())).url)
    assert done.code == 3
    assert TOO_SLOW in done.err


def test_deep_answer_while_ape_connects__is_one_sentence(fake: Fake, command: Callable[..., Any]) -> None:
    done = command("watch", "--network", fake(lambda _request: nested(200_000)).url)
    assert done.code == 3
    assert "nested more than 50 levels deep" in done.err


def test_connection_made_by_ape_alone__gets_the_limits(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of others: only the library's own node has limits, and ape's names are left alone."""
    import ape_ethereum.provider
    from web3 import HTTPProvider

    monkeypatch.setattr(ape_ethereum.provider, "HTTPProvider", HTTPProvider)
    url = fake(lambda request: nested(200_000) if request["method"] == "eth_getCode" else None).url
    with ape.networks.parse_network_choice(url), pytest.raises(errors.AnswerTooLarge):
        Node().code(Table(TABLE).address)


# -- refusals, and the key in the URL ------------------------------------------------


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (301, "refused the request: 301 Moved Permanently"),
        (401, "refused the request: 401 Unauthorized. Check the address and the key"),
        (403, "refused the request: 403 Forbidden. Check the address and the key"),
        (404, "refused the request: 404 Not Found. Check the address and the key"),
        (429, "refused the request: 429 Too Many Requests. Wait a little"),
        (500, "failed: 500 Internal Server Error. Try again"),
        (503, "failed: 503 Service Unavailable. Try again"),
        (599, "failed: 599 an unknown status. Try again"),
    ],
)
@pytest.mark.parametrize("first", ["web3_clientVersion", "eth_chainId", "eth_getCode"])
def test_http_error__is_status_and_reason_without_the_key(
    fake: Fake,
    command: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    first: str,
    status: int,
    sentence: str,
) -> None:
    """While ape connects, and after. `-v DEBUG` shows more, but not that."""
    url = fake(lambda request: Answer(status=status, headers={"location": "/"}) if request["method"] == first else None)
    monkeypatch.setattr("sys.argv", ["ape", "run", "watch", "-v", "DEBUG"])
    logger.set_level("DEBUG")
    done = command("watch", "--network", f"{url.url}/v3/{KEY}", "--table", TABLE)
    assert done.code == 3
    assert sentence in done.err
    for part in KEY.split("/"):
        assert part not in done.out + done.err


def test_rate_limit__is_the_same_sentence_for_every_call(fake: Fake, connect: Connect) -> None:
    """ape would repeat some of them for minutes."""
    limited = False
    node = connect(fake(lambda _request: Answer(status=429) if limited else None).url)
    table = Table(TABLE, node)
    limited = True
    calls: list[Callable[[], Any]] = [
        node.block,
        lambda: current_fees(node),
        table.check,
        table.state,
        lambda: LogReader(table).in_range(0, 5),
        lambda: node.balance(table.address),
        lambda: node.nonce(table.address),
        lambda: node.estimate_gas({"to": table.address}),
        lambda: node.send(b"\x02"),
        lambda: is_known(node, BLOCK["hash"]),
        lambda: find_receipt(node, BLOCK["hash"]),
        Node,
    ]
    for call in calls:
        with pytest.raises(errors.HttpRefused, match="429 Too Many Requests"):
            call()


def test_connection_refused__does_not_print_the_key(command: Callable[..., Any]) -> None:
    for url in (f"http://127.0.0.1:{free_port()}/v3/{KEY}", f"http://anna:{KEY}@127.0.0.1:{free_port()}"):
        done = command("watch", "--network", url)
        assert done.code == 3
        assert "Is it running, and is --network right?" in done.err
        for part in KEY.split("/"):
            assert part not in done.out + done.err


def test_node_that_quotes_the_key__is_quoted_without_it(fake: Fake) -> None:
    answer = error(f"project {KEY} exceeds its limit")
    for url in (f"/v3/{KEY}", f"?token={KEY}"):
        message = ask(fake(lambda _request: answer).url + url)["error"]["message"]
        assert message.startswith("project ")
        assert "s3cr3t" not in message


@pytest.mark.parametrize(
    "network", ["ws://127.0.0.1:1", "wss://h/s3cr3t", "/var/geth.ipc", "ethereum:sepolia:ws://127.0.0.1:1"]
)
def test_websocket_or_ipc__is_refused(command: Callable[..., Any], network: str) -> None:
    done = command("watch", "--network", network)
    assert done.code == 2
    assert "Only nodes at http:// and https:// addresses are supported, not ws:// and not IPC." in done.err
    assert "s3cr3t" not in done.err


# -- answers to another question -------------------------------------------------------


def test_another_block_than_asked_for__is_refused(fake: Fake, connect: Connect) -> None:
    node = connect(fake(lambda request: result(BLOCK) if request["method"] == "eth_getBlockByHash" else None).url)
    assert node.block(5).number == node.block(node.block().hash).number == 5
    for asked in (4, 6, "0x" + "66" * 32):
        with pytest.raises(errors.ContradictoryAnswer, match=f"block 5 .* when asked for block {asked}"):
            node.block(asked)


def test_another_transaction_than_asked_for__is_refused(
    local: LocalTable, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = connect(local.anvil.url)
    (mined,) = local.anvil.rpc("eth_getBlockByNumber", "latest", False)["transactions"]
    for method, ask_node in (("get_transaction_receipt", find_receipt), ("get_transaction", is_known)):
        assert ask_node(node, mined)
        returned = getattr(node.web3.eth, method)(mined)
        monkeypatch.setattr(node.web3.eth, method, lambda _hash, returned=returned: returned)
        with pytest.raises(errors.ContradictoryAnswer, match=f"{mined} when asked for"):
            ask_node(node, "0x" + "66" * 32)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda log: [log, log], "the same event of block 2 twice"),
        (lambda log: [log | {"removed": True}], "an event of block 2 that it marks as removed by a reorg"),
        (lambda log: [log | {"blockNumber": 3}], "an event of another block than asked for, 3"),
        (lambda log: [log | {"address": X}], f"an event of another contract, {X}"),
    ],
    ids=["twice", "removed", "another-block", "another-contract"],
)
def test_log_that_does_not_belong_here__is_refused(
    local: LocalTable, connect: Connect, monkeypatch: pytest.MonkeyPatch, change: Callable[[Any], Any], sentence: str
) -> None:
    local.new_game()
    table = Table(local.address, connect(local.anvil.url))
    reader = LogReader(table)
    assert [log.kind for log in reader.in_range(2, 2)] == ["GameCreated"]
    real = table.node.logs
    monkeypatch.setattr(table.node, "logs", lambda where: change(dict(real(where)[0])))
    with pytest.raises(errors.ContradictoryAnswer, match=f"The node returned {sentence}. Use another node"):
        reader.in_range(2, 2)


# -- impossible games ------------------------------------------------------------------


WON, DRAWN = "14253", "123546879"


def game(keys: str = "", status: str = "in_progress", number: int = 1, x: str = X, o: str = O) -> Game:
    return Game(number, x, o, tuple(int(key) - 1 for key in keys), status)


@pytest.mark.parametrize(
    "impossible",
    [
        pytest.param(game("1", "x_won"), id="won-after-one-move"),
        pytest.param(game(WON), id="line-in-progress"),
        pytest.param(game(WON, "o_won"), id="line-of-the-other"),
        pytest.param(game(WON, "draw"), id="line-and-draw"),
        pytest.param(game(WON, "o_forfeits"), id="line-and-forfeit"),
        pytest.param(game(WON + "9", "o_won"), id="move-after-a-line"),
        pytest.param(game(DRAWN), id="full-in-progress"),
        pytest.param(game(DRAWN, "o_forfeits"), id="full-and-forfeit"),
        pytest.param(game("15", "draw"), id="draw-after-two-moves"),
        pytest.param(game("5", "x_forfeits"), id="forfeit-out-of-turn"),
        pytest.param(game("55"), id="cell-taken-twice"),
        pytest.param(replace(game(), moves=(9,)), id="off-the-grid"),
        pytest.param(game(number=0), id="number-zero"),
        pytest.param(game(number=2**52), id="number-beyond-the-last"),
        pytest.param(game(x=ZERO_ADDRESS), id="no-player-X"),
        pytest.param(game(o=ZERO_ADDRESS), id="no-player-O"),
        pytest.param(Game(moves=(4,)), id="no-game-with-a-move"),
        pytest.param(Game(number=1), id="no-game-with-a-number"),
        pytest.param(Game(player_x=X), id="no-game-with-a-player"),
    ],
)
def test_game_against_the_rules__is_impossible(impossible: Game) -> None:
    assert not impossible.is_possible


@pytest.fixture
def shown(fake: Fake, connect: Connect) -> Callable[[bytes], Game]:
    """The game that the library reads in this return value of `gameState`."""
    returned = b""
    node = connect(fake(lambda request: result("0x" + returned.hex()) if request["method"] == "eth_call" else None).url)
    table = Table(TABLE, node)

    def read(value: bytes) -> Game:
        nonlocal returned
        returned = value
        return table.state()

    return read


def returned_for(game: Game, changes: dict[int, int] | None = None) -> bytes:
    """What `gameState` returns for this game, with other values in some of its words."""
    status = Status[game.status.upper()]
    value = layout.game_state(Model(game.number, int(game.player_x, 16), int(game.player_o, 16), game.moves, status))
    for index, word in (changes or {}).items():
        value = value[: 32 * index] + layout.word(word) + value[32 * (index + 1) :]
    return value


@pytest.mark.parametrize(
    "possible",
    [
        Game(),
        game(),
        game("5"),
        game(WON, "x_won"),
        game("9" + WON, "o_won"),
        game(DRAWN, "draw"),
        game("", "x_forfeits"),
        game("5", "o_forfeits"),
        game("5", number=2**52 - 1, o=X),
    ],
)
def test_possible_game__is_read(shown: Callable[[bytes], Game], possible: Game) -> None:
    assert shown(returned_for(possible)) == possible


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(returned_for(game(WON)), id="impossible-game"),
        pytest.param(returned_for(game("5"), {4: 1}), id="board-with-more"),
        pytest.param(returned_for(game("5"), {8: 0}), id="board-with-less"),
        pytest.param(returned_for(game("5"), {8: 2}), id="board-with-the-other-mark"),
        pytest.param(returned_for(game("5"), {13: 1}), id="wrong-turn"),
        pytest.param(returned_for(game("5"), {13: 0}), id="no-turn"),
        pytest.param(returned_for(game("5"), {14: 7}), id="unknown-status"),
        pytest.param(returned_for(game("7"), {17: 1, 18: 3}), id="column-of-the-next-row"),
        pytest.param(returned_for(game("5"), {19: 2}), id="wrong-mark"),
        pytest.param(returned_for(game("5"), {20: 2}), id="wrong-sequence-number"),
        pytest.param(returned_for(game("5"))[:-32], id="cut"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_return_value_that_is_no_game__is_refused(shown: Callable[[bytes], Game], value: bytes) -> None:
    with pytest.raises(errors.NodeError) as caught:
        shown(value)
    assert caught.value.exit_code == 3


def logged(kind: type[Log], **fields: Any) -> Any:
    return kind(number=1, block=5, block_hash="", transaction="", index=0, **fields)


PLAYED = Game(1, X, O, (0, 3, 1, 4), "in_progress")
LINE = replace(PLAYED, moves=(*PLAYED.moves, 2))


def test_possible_events__are_applied() -> None:
    assert apply(PLAYED, logged(MoveMade, player=X, move=5, cell=2)) == LINE
    assert apply(LINE, logged(GameEnded, winner=X, status="x_won")) == replace(LINE, status="x_won")
    assert apply(PLAYED, logged(GameEnded, winner=O, status="x_forfeits")) == replace(PLAYED, status="x_forfeits")


@pytest.mark.parametrize(
    ("game", "log"),
    [
        (PLAYED, logged(GameEnded, winner=X, status="x_won")),
        (PLAYED, logged(GameEnded, winner=ZERO_ADDRESS, status="draw")),
        (PLAYED, logged(GameEnded, winner=X, status="o_forfeits")),
        (LINE, logged(GameEnded, winner=O, status="x_won")),
        (LINE, logged(MoveMade, player=O, move=6, cell=8)),
        (LINE, replace(logged(GameCreated, player_x=X, player_o=O), number=2)),
        (PLAYED, replace(logged(GameCreated, player_x=X, player_o=ZERO_ADDRESS), number=2)),
    ],
    ids=["no-line", "not-full", "out-of-turn", "wrong-winner", "after-a-line", "line-without-end", "no-player"],
)
def test_impossible_event__is_refused(game: Game, log: Log) -> None:
    assert apply(game, log) is None


# -- late nodes --------------------------------------------------------------------------


class Clock:
    """Time that passes only in `sleep`."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    # By its full name: the package has a function `events`.
    monkeypatch.setattr(import_module("tictactoe.events"), "time", clock)
    return clock


def heads(table: Table, monkeypatch: pytest.MonkeyPatch, *behind: int) -> None:
    """The next heads are so many blocks behind."""
    answers, real = iter(behind), table.node.block
    newest = real().number

    def block(which: int | str = "latest") -> Any:
        return real(newest - next(answers)) if which == "latest" else real(which)

    monkeypatch.setattr(table.node, "block", block)


@pytest.fixture
def follower(local: LocalTable, connect: Connect) -> Follower:
    """It has read a game with three moves, one in each block."""
    local.new_game()
    local.play("519")
    follower = Follower(Table(local.address, connect(local.anvil.url)))
    assert len(list(follower.new_events())) == 5
    return follower


def test_late_node_now_and_then__takes_nothing_back(follower: Follower, monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = [1, 0, 1, 0, 2, 1, 0, 1, 1, 0, 3, 0]
    heads(follower.table, monkeypatch, *pattern)
    assert [list(follower.new_events()) for _ in pattern] == [[]] * len(pattern)
    assert follower.game.moves == (4, 0, 8)


def test_late_node_while_playing__takes_nothing_back(follower: Follower, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state is read at the newest block, so a late node could make the table show an old one."""
    live = LiveTable(follower.table, Sender(follower.node), 0)
    live.look()
    real_state = follower.table.state
    heads(follower.table, monkeypatch, 1, 0, 2, 1, 0, 1, 1, 1)
    monkeypatch.setattr(follower.table, "state", lambda: real_state(4))
    assert [live.look() for _ in range(7)] == [[]] * 7
    (reorg,) = live.look()
    assert isinstance(reorg, MovesReorged)


def test_lower_head_three_times_in_a_row__is_a_reorg(follower: Follower, monkeypatch: pytest.MonkeyPatch) -> None:
    heads(follower.table, monkeypatch, 1, 0, 1, 1, 1)
    seen = [list(follower.new_events()) for _ in range(5)]
    assert [len(events) for events in seen] == [0, 0, 0, 0, 1]
    assert seen[-1][0].taken_back
    assert follower.game.moves == (4, 0)


def test_endless_branch__is_refused(follower: Follower, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each parent claims to be as high as its child."""
    head = follower.node.block()
    real, number, hashes = follower.node.block, head.number + 4, itertools.count(1)

    def block(which: int | str = "latest") -> Any:
        if isinstance(which, int):
            return real(which)
        parent = next(hashes)
        assert parent < 100, "it does not end"
        return replace(head, number=number, hash=f"0x{parent:064x}", parent=f"0x{parent + 1:064x}")

    monkeypatch.setattr(follower.node, "block", block)
    with pytest.raises(errors.ContradictoryAnswer, match=f"block {number} as the parent of block {number}"):
        list(follower.new_events())


def test_head_on_another_branch_at_every_poll__is_reported(
    follower: Follower, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """No branch can be read to its end. Silence would look like a table at which nothing happens."""
    head = follower.node.block()
    real, hashes = follower.node.block, itertools.count(1)

    def block(which: int | str = "latest") -> Any:
        new = next(hashes)
        fresh = replace(head, number=head.number + 1, hash=f"0x{new:064x}", parent=f"0x{new + 10**6:064x}")
        return fresh if which == "latest" else real(which)

    reported: list[errors.TicTacToeError] = []
    story = events(follower.table, trouble=reported.append, patience=60)
    while next(story).kind != "CaughtUp":
        pass
    monkeypatch.setattr(follower.node, "block", block)
    start = clock.now
    with pytest.raises(errors.HeadUnsettled):
        next(story)
    assert 60 < clock.now - start < 65
    assert [type(error) for error in reported] == [errors.HeadUnsettled]


@pytest.mark.parametrize(
    ("failure", "repeated"),
    [
        (errors.AnswerTooLarge("longer than 10 MB"), True),
        (errors.RpcError("query exceeds max block range"), True),
        (errors.HttpRefused(413, "Content Too Large"), True),
        (errors.HttpRefused(429, "Too Many Requests"), False),
    ],
)
def test_too_many_logs__are_read_in_smaller_ranges(
    follower: Follower, monkeypatch: pytest.MonkeyPatch, failure: errors.NodeError, repeated: bool
) -> None:
    """But a node that is asked too often is not asked again at once."""
    follower.table.node.web3.provider.make_request(RPCEndpoint("anvil_mine"), ["0x20"])
    read, asked = follower.reader.in_range, []

    def in_range(first: int, last: int) -> list[Log]:
        asked.append(last - first + 1)
        if last - first >= 3:
            raise failure
        return read(first, last)

    monkeypatch.setattr(follower.reader, "in_range", in_range)
    if repeated:
        list(follower.new_events())
        assert follower.caught_up
        assert len(asked) > 2
    else:
        with pytest.raises(errors.HttpRefused):
            list(follower.new_events())
        assert len(asked) == 1


# -- a node that is away -----------------------------------------------------------------


CAUGHT_UP = Event(Notice("CaughtUp", 5, BLOCK["hash"]), Game(), Game())


def test_node_away_for_an_hour__is_reported_once(
    fake: Fake, connect: Connect, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    back = clock.now + 3600
    reported: list[errors.TicTacToeError] = []

    def new_events(_follower: Follower) -> Iterator[Event]:
        if clock.now < back:
            raise errors.NodeUnreachable()
        yield CAUGHT_UP

    monkeypatch.setattr(Follower, "new_events", new_events)
    table = Table(TABLE, connect(fake(lambda _request: None).url))
    assert next(iter(events(table, trouble=reported.append))) == CAUGHT_UP
    assert clock.now - back < 2
    assert len(reported) == 1
    assert clock.slept[:3] == [0.5, 1, 2]
    assert set(clock.slept[3:]) == {2}


@pytest.mark.usefixtures("clock")
def test_other_trouble_in_the_same_outage__is_reported(
    fake: Fake, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    away, refused = errors.NodeUnreachable(), errors.HttpRefused(429, "Too Many Requests")
    outages = iter([away, refused, away, refused, None, refused, None])
    reported: list[errors.TicTacToeError] = []

    def new_events(_follower: Follower) -> Iterator[Event]:
        if (failure := next(outages)) is not None:
            raise failure
        yield CAUGHT_UP

    monkeypatch.setattr(Follower, "new_events", new_events)
    story = iter(events(Table(TABLE, connect(fake(lambda _request: None).url)), trouble=reported.append))
    assert [next(story), next(story)] == [CAUGHT_UP] * 2
    assert reported == [away, refused, refused]


# -- small ones ----------------------------------------------------------------------------


def test_events_from_a_negative_block__raise_at_once() -> None:
    with pytest.raises(errors.Misuse, match="There is no block -1"):
        events(TABLE, from_block=-1)


def test_events_where_no_contract_is__raise(fake: Fake, connect: Connect) -> None:
    node = connect(fake(lambda request: result("0x") if request["method"] == "eth_getCode" else None).url)
    with pytest.raises(errors.NoContract):
        list(events(Table(TABLE, node), follow=False))


def test_address_with_a_wrong_checksum__names_the_option(command: Callable[..., Any]) -> None:
    wrong = "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
    for name, option in (("play", "--against"), ("play", "--table"), ("watch", "--table")):
        done = command(name, option, wrong)
        assert done.code == 2
        assert f"'{option}': The checksum of {wrong} is wrong" in done.err
        done = command(name, option, wrong[:-1])
        assert done.code == 2
        assert f"'{option}': '{wrong[:-1]}' is not an address" in done.err


def test_watch_from_a_block_to_come__prints_a_warning(command: Callable[..., Any], local: LocalTable) -> None:
    done = command("watch", "--network", local.anvil.url, "--table", local.address, "--once", "--from-block", "99")
    assert done.code == 0
    assert "Block 99 of --from-block is not mined yet: the newest block is 1." in done.out


@pytest.mark.parametrize(("arguments", "code"), [("play", 0), ("deploy --network {url} --account TEST::0", 2)])
def test_closed_stdin__is_the_end_of_the_input(anvil: Anvil, arguments: str, code: int) -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec {APE} run {arguments.format(url=anvil.url)} <&-"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == code
    assert "Unexpected error" not in done.stderr


def test_missing_compiler__is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Uncompiled:
        """ape's project, when a contract did not compile."""

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(f"{name} - vyper 0.4.3 has not been installed.")

    monkeypatch.setattr("tictactoe.compiled.ape", type("Ape", (), {"project": Uncompiled()}))
    with pytest.raises(AttributeError):
        contract_type()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(errors.CompilerMissing, match="Put `uv run` before the command"):
        contract_type()
