"""What the table of failures in `tests/terminal` cannot show of the limits: their cost, and where they hold."""

import gzip
import itertools
import json
import signal
import sys
import tracemalloc
from typing import Any

import ape
import ape_ethereum.provider
import pytest
from web3 import HTTPProvider
from web3.types import RPCEndpoint

from tests.support.commands import run
from tests.support.fake_node import FakeNode, result
from tests.support.server import Answer, Server
from tictactoe import errors
from tictactoe.node import Node
from tictactoe.table import Table
from tictactoe.transport import MAX_BYTES, Transport

KEY = "s3cr3tKEY/of-this+account"
TABLE, HASH = "0x" + "77" * 20, "0x" + "55" * 32


def ask(answer: Answer, path: str = "", method: str = "eth_getBlockByNumber") -> Any:
    with Server(lambda *_: answer) as server:
        return Transport(server.url + path).make_request(RPCEndpoint(method), [])


def zipped(size: int) -> Answer:
    """So many bytes, a thousandth as many on the way."""
    return Answer(gzip.compress(bytes(size)), headers={"content-encoding": "gzip"})


def nested(depth: int, kind: str = "result") -> Answer:
    return Answer(f'{{"jsonrpc":"2.0","id":0,"{kind}":{"[" * depth}1{"]" * depth}}}'.encode())


TOO_DEEP, TOO_LONG = "The node's answer is nested too deeply", "The node's answer is longer than 10 MB"


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        pytest.param(nested(200_000), TOO_DEEP, id="deep"),
        pytest.param(nested(200_000, "error"), TOO_DEEP, id="deep-error"),
        pytest.param(zipped(MAX_BYTES * 40), TOO_LONG, id="gzip-bomb"),
        pytest.param(Answer(itertools.repeat(bytes(100_000))), TOO_LONG, id="endless"),
    ],
)
def test_answer_out_of_bounds__takes_little_memory(answer: Answer, sentence: str) -> None:
    usual = sys.getrecursionlimit()
    tracemalloc.start()
    try:
        with pytest.raises(errors.NodeError, match=sentence) as caught:
            ask(answer)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (caught.value.exit_code, caught.value.too_much) == (3, sentence is TOO_LONG)
    assert peak < 4 * MAX_BYTES
    assert sys.getrecursionlimit() == usual


@pytest.mark.parametrize(("status", "too_much"), [(400, True), (413, True), (403, False), (429, False)])
def test_refusal_of_a_web_server__may_be_about_the_size_of_the_question(status: int, too_much: bool) -> None:
    with pytest.raises(errors.NodeRefused) as caught:
        ask(Answer(status=status))
    assert caught.value.too_much == too_much


def test_answer_within_bounds__is_read() -> None:
    """Brackets in strings are no nesting, and broad is not deep."""
    value = ["[" * 1000 + '\\"{' * 1000, [[]] * 10_000, "é"]
    assert ask(result(value))["result"] == value
    assert ask(nested(50))


# Libraries of Ape's have raised Python's recursion limit.
CONNECT = """
import sys, ape
sys.setrecursionlimit(100_000)
if sys.argv[2] == "installed":
    from tictactoe import transport
    transport.install()
with ape.networks.parse_network_choice(sys.argv[1]):
    pass
"""


def connected(how: str) -> int:
    """How a program ends that connects to a node with nested answers to all but the first two questions."""
    first = ("web3_clientVersion", "eth_chainId")
    with FakeNode(lambda request: None if request["method"] in first else nested(200_000)) as node:
        return run([sys.executable, "-c", CONNECT, node.url, how]).code


def test_ape_alone__is_ended_by_a_nested_answer_while_it_connects() -> None:
    """Why `install` replaces a name in a module of Ape's: connecting asks for blocks."""
    assert (connected("alone"), connected("installed")) == (-signal.SIGSEGV, 0)


def test_node_that_quotes_the_key__is_quoted_without_it() -> None:
    for path in (f"/v3/{KEY}", f"?token={KEY}"):
        refusal = {"jsonrpc": "2.0", "id": 0, "error": {"code": -32000, "message": f"project {KEY} exceeds its limit"}}
        message = ask(Answer(json.dumps(refusal).encode()), path)["error"]["message"]
        assert message.startswith("project [hidden]")
        assert not any(part in message for part in KEY.split("/"))


def test_connection_made_by_ape_alone__gets_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of others: only the library's own node has limits, and Ape's names are left alone."""
    monkeypatch.setattr(ape_ethereum.provider, "HTTPProvider", HTTPProvider)
    with (
        FakeNode(lambda request: nested(200_000) if request["method"] == "eth_getCode" else None) as fake,
        ape.networks.parse_network_choice(fake.url),
        pytest.raises(errors.NodeError, match=TOO_DEEP),
    ):
        Node().code(Table(TABLE).address)
    assert ape_ethereum.provider.HTTPProvider is HTTPProvider
