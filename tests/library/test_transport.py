"""Answers that are too deep, too long, too slow or nonsense end in a sentence, and cost little."""

import gzip
import itertools
import json
import signal
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import ape
import ape_ethereum.provider
import pytest
from web3 import HTTPProvider
from web3.types import RPCEndpoint

from tests.support import PATIENCE
from tests.support.commands import Done, run
from tests.support.fake_node import FakeNode, result
from tests.support.roles import Role
from tests.support.server import Answer, Server
from tictactoe import errors
from tictactoe.node import Node
from tictactoe.table import Table
from tictactoe.transactions import prepare
from tictactoe.transport import MAX_BYTES, Transport

KEY = "s3cr3tKEY/of-this+account"
TABLE, HASH = "0x" + "77" * 20, "0x" + "55" * 32


def ask(answer: Answer, path: str = "", method: str = "eth_getBlockByNumber") -> Any:
    with Server(lambda *_: answer) as server:
        return Transport(server.url + path).make_request(RPCEndpoint(method), [])


def zipped(size: int) -> Answer:
    """So many bytes, a thousandth as many on the way."""
    return Answer(gzip.compress(bytes(size)), headers={"content-encoding": "gzip"})


def nested(depth: int, opening: bytes = b"[", closing: bytes = b"]") -> Answer:
    return Answer(b'{"jsonrpc":"2.0","id":0,"result":' + opening * depth + b"1" + closing * depth + b"}")


def dripping() -> Iterator[bytes]:
    """A byte now and then, without end: each read succeeds."""
    while True:
        time.sleep(0.05)
        yield b" "


def silence() -> Iterator[bytes]:
    time.sleep(PATIENCE)
    yield b""


TOO_DEEP, TOO_LONG = "The node's answer is nested too deeply", "The node's answer is longer than 10 MB"
TOO_SLOW, NOT_JSON = (
    "The node did not complete its answer within 0 s",
    "The node returned something that is not JSON-RPC",
)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        pytest.param(nested(200_000), TOO_DEEP, id="deep-arrays"),
        pytest.param(nested(200_000, b'{"a":', b"}"), TOO_DEEP, id="deep-objects"),
        pytest.param(Answer(b"[" * 200_000), TOO_DEEP, id="arrays-never-closed"),
        pytest.param(zipped(MAX_BYTES * 40), TOO_LONG, id="gzip-bomb"),
        pytest.param(Answer(itertools.repeat(bytes(100_000))), TOO_LONG, id="endless"),
        pytest.param(Answer(dripping()), TOO_SLOW, id="dripping"),
        pytest.param(Answer(pieces_of_headers=silence()), TOO_SLOW, id="accepts-and-never-answers"),
        pytest.param(Answer(b"no", headers={"content-encoding": "gzip"}), "cannot be decompressed", id="not-gzip"),
        pytest.param(Answer(b"<html>"), NOT_JSON, id="html"),
        pytest.param(Answer(b"\xff\xfe"), NOT_JSON, id="not-utf-8"),
        pytest.param(Answer(b"[]"), NOT_JSON, id="a-list"),
        pytest.param(Answer(b"7"), NOT_JSON, id="a-number"),
        pytest.param(Answer(b"{}"), NOT_JSON, id="neither-result-nor-error"),
        pytest.param(Answer(b'{"jsonrpc":"2.0","result":' + b"1" * 6000 + b"}"), NOT_JSON, id="a-long-integer"),
        pytest.param(
            Answer(status=301, headers={"location": "/"}), "the request: 301 Moved Permanently", id="elsewhere"
        ),
    ],
)
def test_answer_out_of_bounds__is_one_sentence(monkeypatch: pytest.MonkeyPatch, answer: Answer, sentence: str) -> None:
    if sentence is TOO_SLOW:
        monkeypatch.setattr("tictactoe.transport.SECONDS", 0.3)
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
"""
QUESTIONS = """
    from tests.library.simulation import TABLE, X
    from tictactoe import Table, errors
    from tictactoe.node import Node

    node, hash_, failed = Node(), "0x" + "55" * 32, 0
    table, eth = Table(TABLE, node), node.web3.eth
    for question in (
        node.block, table.state, lambda: node.logs({}), lambda: node.receipt(hash_), lambda: node.knows(hash_),
        lambda: node.balance(X), lambda: node.code(TABLE), lambda: node.ask(lambda: eth.fee_history(1, 1, [])),
    ):
        try:
            question()
        except errors.NodeError:
            failed += 1
    print(failed, "failed")
"""


def connected(program: str, depth: int, kind: str, how: str) -> Done:
    """The program's end, with a node that gives this nested answer to all but what Ape needs to connect."""
    deep = Answer(f'{{"jsonrpc":"2.0","id":0,"{kind}":{"[" * depth}1{"]" * depth}}}'.encode())
    with FakeNode(lambda request: None if request["method"] in ("web3_clientVersion", "eth_chainId") else deep) as node:
        return run([sys.executable, "-c", CONNECT + program, node.url, how])


@pytest.mark.parametrize(("depth", "kind"), [(800, "error"), (990, "result"), (200_000, "result")])
def test_nested_answer__is_an_error_at_every_question(depth: int, kind: str) -> None:
    """As deep as the decoder allows, and deeper."""
    done = connected(QUESTIONS, depth, kind, "installed")
    assert (done.code, done.out.splitlines()[-1:]) == (0, ["8 failed"]), done


def test_ape_alone__is_ended_by_a_nested_answer_while_it_connects() -> None:
    """Why `install` replaces a name in a module of Ape's: connecting asks for blocks."""
    assert connected("    pass", 200_000, "result", "alone").code == -signal.SIGSEGV
    assert connected("    pass", 200_000, "result", "installed").code == 0


def test_node_that_quotes_the_key__is_quoted_without_it() -> None:
    for path in (f"/v3/{KEY}", f"?token={KEY}"):
        refusal = {"jsonrpc": "2.0", "id": 0, "error": {"code": -32000, "message": f"project {KEY} exceeds its limit"}}
        message = ask(Answer(json.dumps(refusal).encode()), path)["error"]["message"]
        assert message.startswith("project [hidden]")
        assert "s3cr3t" not in message


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


def test_rate_limit__is_the_same_sentence_for_every_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ape's own connection would repeat some of them for minutes."""
    monkeypatch.setattr(ape_ethereum.provider, "HTTPProvider", Transport)
    limited: list[bool] = []
    with (
        FakeNode(lambda _request: Answer(status=429) if limited else None) as fake,
        ape.networks.parse_network_choice(fake.url),
    ):
        node = Node()
        table, account = Table(TABLE), Role.PLAYER_X.account
        limited.append(True)
        questions: list[Callable[[], object]] = [
            *(node.block, table.check, table.state, Node, lambda: node.logs({}), lambda: node.balance(TABLE)),
            *(lambda: node.nonce(TABLE), lambda: node.knows(HASH), lambda: node.receipt(HASH)),
            lambda: prepare(node, account, "move 1", b""),
        ]
        for question in questions:
            with pytest.raises(errors.NodeRefused, match=r"429 Too Many Requests\. Try again, or use another node"):
                question()
