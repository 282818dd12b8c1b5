"""The follower against a real node: what it told and did not take back is what the chain holds, whatever happens."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import ape
import pytest
from eth_utils.address import to_checksum_address

from tests.terminal.chain import LocalTable, calldata
from tests.terminal.proxy import Proxy, error
from tictactoe import Event, Table, TicTacToeError, events
from tictactoe.errors import NodeError
from tictactoe.events import NEAR, WINDOW, Follower
from tictactoe.logs import Log, MoveMade
from tictactoe.node import Node
from tictactoe.trail import POLLS


class Story:
    """A reader who believes what it is told."""

    def __init__(self, follower: Follower) -> None:
        self.follower = follower
        self.told: list[Event] = []

    def listen(self) -> list[Event]:
        news = list(self.follower.news())
        for event in news:
            self.take(event)
        return news

    def take(self, event: Event) -> None:
        if event.kind == "Restarted":
            self.told.clear()
        elif event.taken_back:
            last = self.told.pop()
            assert replace(event, taken_back=False) == last, "the newest is taken back first"
        elif event.kind != "CaughtUp":
            self.told.append(event)

    def check(self, local: LocalTable, table: Table) -> None:
        assert [(log.transaction, log.index) for log in logs(self.told)] == local.logs()
        state = table.state()
        assert self.follower.game == state
        assert (self.told[-1].after if self.told else self.follower.game) == state


@pytest.fixture
def story(table: Table) -> Story:
    return Story(Follower(table, None, None))


def logs(news: list[Event]) -> list[Log]:
    return [event.log for event in news if isinstance(event.log, Log)]


def moves(news: list[Event]) -> list[MoveMade]:
    return [log for log in logs(news) if isinstance(log, MoveMade)]


def kinds(news: list[Event]) -> list[tuple[str, bool]]:
    return [(event.kind, event.taken_back) for event in news]


def test_events__a_game__is_told_in_order(local: LocalTable, table: Table, story: Story) -> None:
    local.new_game()
    local.move(1, 4, 2, 5, 3)
    assert [kind for kind, _ in kinds(story.listen())] == ["GameCreated", *["MoveMade"] * 5, "GameEnded", "CaughtUp"]
    story.check(local, table)
    assert story.told[-1].game.status == "x_won"
    assert story.listen() == []


def test_events__of_every_ending__have_the_words_of_the_specification(local: LocalTable, story: Story) -> None:
    """The words stand here once more: whoever listens has written them down, too."""
    endings = (
        ((1, 4, 2, 5, 3), None, "x_won", local.x),
        ((1, 4, 2, 5, 9, 6), None, "o_won", local.o),
        ((1, 2, 3, 5, 4, 6, 8, 7, 9), None, "draw", None),
        ((), local.x, "x_forfeits", local.o),
        ((1,), local.o, "o_forfeits", local.x),
    )
    state = story.follower.table.state
    assert state().status == "no_game"
    for cells, loser, word, winner in endings:
        local.new_game()
        assert state().status == "in_progress"
        local.move(*cells)
        if loser is not None:
            local.send(loser, local.address, calldata("forfeit()"))
        (ended,) = [event.as_json() for event in story.listen() if event.kind == "GameEnded"]
        assert ended["status"] == state().status == word
        assert ended["winner"] == (winner and to_checksum_address(winner))


def test_events__the_head_block__is_not_lost(local: LocalTable, table: Table, story: Story) -> None:
    """One look after each block, and several blocks between two looks."""
    local.new_game()
    story.listen()
    for cell in (5, 1, 9, 3):
        local.move(cell)
        assert [event.log.cell + 1 for event in story.listen() if isinstance(event.log, MoveMade)] == [cell]
        story.check(local, table)
    local.move(7, 6)
    local.move(2)
    story.listen()
    story.check(local, table)


@pytest.mark.parametrize("depth", range(1, 6))
def test_events__reorganised_at_equal_height__takes_back_and_tells_anew(
    local: LocalTable, table: Table, story: Story, depth: int
) -> None:
    local.new_game()
    local.move(5, 1, 9, 3, 2)
    story.listen()
    height = local.anvil.rpc("eth_blockNumber")

    local.anvil.rpc("anvil_reorg", depth, [])
    assert local.anvil.rpc("eth_blockNumber") == height
    news = story.listen()
    # A block a move: so many blocks, so many moves.
    assert kinds(news) == [("MoveMade", True)] * depth
    assert [log.move for log in moves(news)] == list(range(5, 5 - depth, -1))
    story.check(local, table)

    local.move(8)
    story.listen()
    story.check(local, table)


@pytest.mark.parametrize("depth", range(1, 6))
def test_events__reorganised_to_other_moves__tells_those(
    local: LocalTable, table: Table, story: Story, depth: int
) -> None:
    """The chain goes back and other moves are mined: lower than before, then as high, then higher."""
    moves, others = (5, 1, 9, 3, 2), (8, 7, 4, 6, 2, 1)
    local.new_game()
    local.move(*moves[: 5 - depth])
    snapshot = local.anvil.rpc("evm_snapshot")
    local.move(*moves[5 - depth :])
    story.listen()
    told_to = table.node.block().number

    local.anvil.rpc("evm_revert", snapshot)
    # The timestamp differs, so that not even an equal move gives an equal block.
    local.anvil.rpc("evm_increaseTime", 60)
    local.move(*others[: depth - 1])
    for height, cell in ((-1, others[depth - 1]), (0, others[depth]), (1, None)):
        assert table.node.block().number - told_to == height
        for _ in range(POLLS):
            story.listen()
        story.check(local, table)
        assert [event.log.cell + 1 for event in story.told if isinstance(event.log, MoveMade)] == [
            *moves[: 5 - depth],
            *others[: depth + height],
        ]
        if cell is not None:
            local.move(cell)


def test_events__a_whole_game_taken_back__the_one_before_is_on_again(
    local: LocalTable, table: Table, story: Story
) -> None:
    local.new_game()
    local.move(5)
    story.listen()
    local.new_game(o=local.people[2])
    story.listen()
    assert story.follower.game.number == 2
    local.anvil.rpc("anvil_reorg", 1, [])
    story.listen()
    assert (story.follower.game.number, story.follower.game.moves) == (1, (4,))
    story.check(local, table)


def test_events__a_lower_head__is_not_believed_at_once(local: LocalTable, table: Table, story: Story) -> None:
    """A node behind a load balancer is late now and then. Nothing is taken back for that."""
    local.new_game()
    snapshot = local.anvil.rpc("evm_snapshot")
    local.move(5)
    story.listen()
    local.anvil.rpc("evm_revert", snapshot)
    assert story.listen() == []
    assert story.listen() == []
    assert kinds(story.listen()) == [("MoveMade", True)]
    story.check(local, table)


def test_events__deeper_than_the_window__begins_again(local: LocalTable, table: Table, story: Story) -> None:
    local.new_game()
    snapshot = local.anvil.rpc("evm_snapshot")
    local.move(5)
    for _ in range(4):  # looks in between, so that there is something old to forget
        local.anvil.rpc("anvil_mine", hex(WINDOW))
        story.listen()
    local.anvil.rpc("evm_revert", snapshot)
    local.anvil.rpc("evm_increaseTime", 60)
    local.move(7)
    news = [event for _ in range(4) for event in story.listen()]
    assert news[0].kind == "Restarted"
    story.check(local, table)


def test_events__from_a_block__knows_the_game_it_comes_into(local: LocalTable, table: Table) -> None:
    local.new_game()
    local.move(5, 1)
    start = int(local.anvil.rpc("eth_blockNumber"), 16) + 1
    local.move(9)
    follower = Follower(table, start, None)
    assert kinds(list(follower.news())) == [("MoveMade", False), ("CaughtUp", False)]
    assert follower.game == table.state()


@pytest.mark.parametrize("ahead", [1, 3])
def test_events__from_a_block_to_come__knows_the_game_it_comes_into(
    local: LocalTable, table: Table, ahead: int
) -> None:
    local.new_game()
    local.move(5)
    follower = Follower(table, table.node.block().number + ahead, None)
    assert kinds(list(follower.news())) == [("CaughtUp", False)]
    assert follower.caught_up
    told = []
    for cell in (1, 9, 3, 7):
        local.move(cell)
        told += list(follower.news())
    assert [log.move for log in moves(told)] == list(range(1 + ahead, 6))
    assert follower.game == table.state()
    # What is told can be taken back, and no more than that.
    local.anvil.rpc("anvil_reorg", 1, [])
    assert kinds(list(follower.news())) == [("MoveMade", True)]
    assert follower.game == table.state()


@pytest.fixture
def through(connect: Callable[[str], Node], local: LocalTable) -> Iterator[Callable[..., tuple[Table, Proxy]]]:
    """The same table seen through a node that misbehaves."""
    proxies = []

    def see(behaviour: Any) -> tuple[Table, Proxy]:
        proxy = Proxy(local.anvil.url, behaviour)
        proxies.append(proxy)
        return Table(local.address, connect(proxy.url)), proxy

    yield see
    for proxy in proxies:
        proxy.__exit__(None, None, None)


@pytest.mark.parametrize("widest", [1, 7, 100])
def test_events__a_node_that_limits_ranges__is_asked_for_less(
    local: LocalTable, through: Callable[..., tuple[Table, Proxy]], widest: int
) -> None:
    """Also one that counts the logs in its answer, as the big ones do."""
    refused = 0

    def limit(request: dict[str, Any], real: Callable[[], dict[str, Any]]) -> Any:
        nonlocal refused
        if request["method"] == "eth_getLogs" and "fromBlock" in request["params"][0]:
            where = request["params"][0]
            if int(where["toBlock"], 16) - int(where["fromBlock"], 16) + 1 > widest:
                refused += 1
                return error(request, f"query exceeds max block range {widest}")
            reply = real()
            if len(reply["result"]) > 3:
                refused += 1
                return error(request, "query returned more than 3 results")
            return reply
        return real()

    for _ in range(3):
        local.new_game()
        local.move(1, 4, 2, 5, 3)
        local.anvil.rpc("anvil_mine", hex(20))
    table, _ = through(limit)
    story = Story(Follower(table, None, None))
    while not story.follower.caught_up:
        story.listen()
    story.check(local, table)
    assert refused > 0


def test_events__a_node_that_leaves_a_log_out__is_not_believed(
    local: LocalTable, through: Callable[..., tuple[Table, Proxy]]
) -> None:
    def forget(request: dict[str, Any], real: Callable[[], dict[str, Any]]) -> Any:
        reply = real()
        if request["method"] == "eth_getLogs":
            reply["result"] = [log for log in reply["result"] if log["transactionHash"] != missing]
        return reply

    local.new_game()
    local.move(5, 1)
    missing = local.logs()[1][0]
    table, _ = through(forget)
    with pytest.raises(NodeError, match="do not fit together: after game 1 with 0 moves comes MoveMade of game 1"):
        list(Follower(table, None, None).news())


NONSENSE = {
    "null": None,
    "a-string": "hello",
    "a-number": 7,
    "a-list": [1, {"a": None}],
    "an-object": {"number": "0xzz", "hash": 5},
    "endless-text": "0x" + "f" * 5000,
    "escape-codes": "\x1b[2J\x1b]0;owned\x07\u202egnp.exe",
}


@pytest.mark.parametrize("method", ["eth_getLogs", "eth_getBlockByNumber", "eth_call", "eth_getCode"])
def test_events__a_node_that_lies__is_a_sentence(
    local: LocalTable, through: Callable[..., tuple[Table, Proxy]], method: str
) -> None:
    """Whatever a node answers is a failure with a sentence, without its escape codes."""
    lie: Any = None
    lying = False

    def nonsense(request: dict[str, Any], real: Callable[[], dict[str, Any]]) -> Any:
        if lying and request["method"] == method:
            return {"jsonrpc": "2.0", "id": request["id"], "result": lie}
        return real()

    local.new_game()
    table, _ = through(nonsense)
    lying = True

    def look() -> None:
        seen = Table(local.address, Node(table.node.provider))
        seen.check()
        seen.state()
        list(Follower(seen, 0, None).news())

    for name, lie in NONSENSE.items():  # noqa: B007 - the proxy reads `lie`
        with pytest.raises(TicTacToeError) as caught:
            look()
        assert type(caught.value) is not TicTacToeError, name
        assert "\x1b" not in caught.value.message
        assert "\u202e" not in caught.value.message
        assert 20 < len(caught.value.message) <= 1000


def test_events__node_killed_and_restarted__misses_nothing(
    local: LocalTable, table: Table, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The generator itself, in a thread, over a node that dies with its state saved and comes back with it."""
    anvil = local.anvil
    state = tmp_path_factory.mktemp("state") / "state.json"
    local.new_game()
    local.move(5)
    anvil.keep_state(state)

    story: list[Event] = []
    troubles: list[str] = []
    caught_up, gone, done = threading.Event(), threading.Event(), threading.Event()

    def trouble(failure: TicTacToeError) -> None:
        troubles.append(failure.message)
        gone.set()

    provider = table.node.provider

    def listen() -> None:
        with ape.networks.parse_network_choice(anvil.url):
            for event in events(Table(local.address, Node(provider)), trouble=trouble):
                story.append(event)
                if event.kind == "CaughtUp":
                    caught_up.set()
                if isinstance(event.log, MoveMade) and event.log.move == 4:
                    done.set()
                    return

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    assert caught_up.wait(30)
    anvil.stop()
    assert gone.wait(30)
    anvil.start()
    local.move(1, 9, 3)
    assert done.wait(60)
    thread.join(10)
    moves = [event.log.cell + 1 for event in story if isinstance(event.log, MoveMade)]
    assert moves == [5, 1, 9, 3]
    assert "Cannot reach the node" in troubles[0]


def test_events__near_the_head__reads_under_the_blocks_hash(local: LocalTable, table: Table) -> None:
    """By number, an answer could belong to a branch that is gone a moment later."""
    local.new_game()
    local.anvil.rpc("anvil_mine", hex(NEAR * 3))
    asked: list[Any] = []
    real = table.node.logs

    def logs(where: Any) -> Any:
        asked.append(where)
        return real(where)

    table.node.logs = logs  # type: ignore[method-assign]
    list(Follower(table, None, None).news())
    assert sum("blockHash" in where for where in asked) == NEAR
    assert all(where.get("toBlock", 0) <= table.node.block().number - NEAR for where in asked)
