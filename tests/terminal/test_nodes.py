"""Nodes that are wrong, slow or hostile, seen by the library. `failures.py` has what the commands say."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import ape
import pytest
from web3.types import RPCEndpoint

from tests.support import PATIENCE
from tests.support.fake_node import BLOCK, FakeNode, Request, result
from tests.support.local_table import LocalTable
from tests.support.server import Answer
from tictactoe import Table, errors
from tictactoe.changes import MovesReorged
from tictactoe.compiled import contract_type
from tictactoe.events import TableLogs
from tictactoe.node import Node
from tictactoe.preparing import current_fees
from tictactoe.sending import Sender
from tictactoe.terminal.live import LiveTable, Patience
from tictactoe.tracking import find_receipt, is_known
from tictactoe.transport import DEEPEST, Transport

TABLE = "0x" + "77" * 20


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


def nested(depth: int) -> Answer:
    return Answer(b'{"jsonrpc":"2.0","id":0,"result":' + b"[" * depth + b"1" + b"]" * depth + b"}")


def dripping_header() -> Iterator[bytes]:
    """A byte now and then, without end: each read succeeds."""
    yield b"HTTP/1.0 200 OK\r\nx-wait: "
    while True:
        time.sleep(0.05)
        yield b" "


TOO_SLOW = "The node did not complete its answer within 0 s"


def test_headers_that_drip__are_given_up(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """`failures.py` has the other answers that are too deep, too long or too slow."""
    monkeypatch.setattr("tictactoe.transport.SECONDS", 0.3)
    with pytest.raises(errors.NodeTooSlow, match=TOO_SLOW):
        ask(fake(lambda _request: Answer(pieces_of_headers=dripping_header())).url)


def test_answer_within_bounds__is_read(fake: Fake) -> None:
    """Brackets in strings are no nesting, and broad is not deep."""
    value = ["[" * 1000 + '\\"{' * 1000, [[]] * 1000, "é"]
    answer = result(value)
    assert ask(fake(lambda _request: answer).url)["result"] == value
    assert ask(fake(lambda _request: nested(DEEPEST - 1)).url)


def test_name_that_takes_long_to_resolve__is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tictactoe.transport.SECONDS", 0.3)
    monkeypatch.setattr("socket.getaddrinfo", lambda *_args, **_more: time.sleep(PATIENCE))
    with pytest.raises(errors.NodeTooSlow, match=TOO_SLOW):
        ask("http://node.example.org")


def test_connection_made_by_ape_alone__gets_the_limits(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of others: only the library's own node has limits, and ape's names are left alone."""
    import ape_ethereum.provider
    from web3 import HTTPProvider

    monkeypatch.setattr(ape_ethereum.provider, "HTTPProvider", HTTPProvider)
    url = fake(lambda request: nested(200_000) if request["method"] == "eth_getCode" else None).url
    with ape.networks.parse_network_choice(url), pytest.raises(errors.AnswerTooLarge):
        Node().code(Table(TABLE).address)


# -- refusals ------------------------------------------------


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
        lambda: TableLogs(table).logs(0, 5),
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


# -- a late node -------------------------------------------------------------------------


def test_late_node_while_playing__takes_nothing_back(
    local: LocalTable, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state is read at the newest block, so a late node could make the table show an old one."""
    local.new_game()
    local.play("519")
    sender = Sender(table.node)
    live = LiveTable(table, {}, sender, Patience(sender, print), 0)
    live.look()
    behind, newest = iter((1, 0, 2, 1, 0, 1, 1, 1)), local.anvil.height
    block, old_state = table.node.block, table.state(4)
    monkeypatch.setattr(table.node, "block", lambda: block(newest - next(behind)))
    monkeypatch.setattr(table, "state", lambda: old_state)
    assert [live.look() for _ in range(7)] == [[]] * 7
    (reorg,) = live.look()
    assert isinstance(reorg, MovesReorged)


# -- small ones ----------------------------------------------------------------------------


def test_missing_compiler__is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Uncompiled:
        """ape's project, when a contract did not compile."""

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(f"{name} - vyper 0.4.3 has not been installed.")

    monkeypatch.setattr("tictactoe.compiled.ape", type("Ape", (), {"project": Uncompiled()}))
    with pytest.raises(AttributeError):
        contract_type()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(errors.WrongOptions, match="Put `uv run` before the command"):
        contract_type()
