"""Nodes that are wrong, slow or hostile: each attack ends in one sentence and costs little."""

import itertools
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import ape
import pytest
from ape.logging import logger
from web3.types import RPCEndpoint

from tests.support import PATIENCE
from tests.support.anvil import free_port
from tests.support.commands import Command
from tests.support.fake_node import BLOCK, FakeNode, Request, error, result, zipped
from tests.support.local_table import LocalTable
from tests.support.server import Answer
from tictactoe import Table, errors
from tictactoe.changes import MovesReorged
from tictactoe.compiled import contract_type
from tictactoe.logs import LogReader
from tictactoe.node import Node
from tictactoe.preparing import current_fees
from tictactoe.sending import Sender
from tictactoe.terminal.live import LiveTable, Patience
from tictactoe.tracking import find_receipt, is_known
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
    time.sleep(PATIENCE)
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
    try:
        with pytest.raises(errors.NodeError, match=sentence) as caught:
            ask(url)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert caught.value.exit_code == 3
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


def test_node_hangs_while_ape_connects__is_one_sentence(
    fake: Fake, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ape itself would wait for half an hour."""
    monkeypatch.setattr("tictactoe.transport.SECONDS", 0.3)
    done = command("watch", "--network", fake(lambda _request: Answer(pieces_of_headers=silence())).url)
    assert done.code == 3
    assert TOO_SLOW in done.err


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


# -- refusals, and the key in the URL ------------------------------------------------


@pytest.mark.parametrize(
    ("first", "status", "sentence"),
    [
        ("eth_getCode", 301, "refused the request: 301 Moved Permanently"),
        ("web3_clientVersion", 401, "refused the request: 401 Unauthorized. Check the address and the key"),
        ("eth_chainId", 401, "refused the request: 401 Unauthorized. Check the address and the key"),
        ("eth_getCode", 401, "refused the request: 401 Unauthorized. Check the address and the key"),
        ("eth_getCode", 403, "refused the request: 403 Forbidden. Check the address and the key"),
        ("eth_getCode", 404, "refused the request: 404 Not Found. Check the address and the key"),
        ("web3_clientVersion", 429, "refused the request: 429 Too Many Requests. Try again"),
        ("eth_getCode", 429, "refused the request: 429 Too Many Requests. Try again"),
        ("eth_chainId", 500, "failed: 500 Internal Server Error. Try again"),
        ("eth_getCode", 503, "failed: 503 Service Unavailable. Try again"),
        ("eth_getCode", 599, "failed: 599 an unknown status. Try again"),
    ],
)
def test_http_error__is_status_and_reason_without_the_key(
    fake: Fake, command: Command, monkeypatch: pytest.MonkeyPatch, first: str, status: int, sentence: str
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


def test_connection_refused__does_not_print_the_key(command: Command) -> None:
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
def test_websocket_or_ipc__is_refused(command: Command, network: str) -> None:
    done = command("watch", "--network", network)
    assert done.code == 2
    assert "Only nodes at http:// and https:// addresses are supported, not ws:// and not IPC." in done.err
    assert "s3cr3t" not in done.err


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


def test_address_with_a_wrong_checksum__names_the_option(command: Command) -> None:
    wrong = "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
    for name, option in (("play", "--against"), ("play", "--table"), ("watch", "--table")):
        done = command(name, option, wrong)
        assert done.code == 2
        assert f"'{option}': The checksum of {wrong} is wrong" in done.err
        done = command(name, option, wrong[:-1])
        assert done.code == 2
        assert f"'{option}': '{wrong[:-1]}' is not an address" in done.err


def test_watch_from_a_block_to_come__prints_a_warning(command: Command, local: LocalTable) -> None:
    done = command("watch", "--network", local.anvil.url, "--table", local.address, "--once", "--from-block", "99")
    assert done.code == 0
    assert "Block 99 of --from-block is not mined yet: the newest block is 1." in done.out


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
