"""What the table of failures in `tests/terminal` cannot show of the limits: their cost, and where they hold."""

import gzip
import itertools
import signal
import sys
import tracemalloc

import ape
import ape_ethereum.provider
import pytest
from web3 import HTTPProvider

from tests.support.commands import run
from tests.support.wrong_node import USUAL, Answer, WrongNode
from tictactoe import errors
from tictactoe.node import Node
from tictactoe.transport import MAX_BYTES, Transport


def nested(kind="result", depth=200_000):
    return Answer(b'{"jsonrpc":"2.0","id":0,"%b":%b1%b}' % (kind.encode(), b"[" * depth, b"]" * depth))


def ask(answer):
    with WrongNode(wrong={"*": answer}) as node:
        return Transport(node.url).make_request("eth_getBlockByNumber", [])


TOO_DEEP, TOO_LONG = "The node's answer is nested too deeply", "The node's answer is longer than 10 MB"
BOMB = Answer(gzip.compress(bytes(MAX_BYTES * 40)), headers={"content-encoding": "gzip"})


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        pytest.param(nested(), TOO_DEEP, id="deep"),
        pytest.param(nested("error"), TOO_DEEP, id="deep-error"),
        pytest.param(BOMB, TOO_LONG, id="gzip-bomb"),
        pytest.param(Answer(itertools.repeat(bytes(100_000))), TOO_LONG, id="endless"),
    ],
)
def test_answer_out_of_bounds__takes_little_memory(answer, sentence):
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
    assert "result" in ask(nested(depth=50))


@pytest.mark.parametrize(("status", "too_much"), [(400, True), (413, True), (403, False), (429, False)])
def test_refusal_of_a_web_server__may_be_about_the_size_of_the_question(status, too_much):
    with pytest.raises(errors.NodeRefused) as caught:
        ask(Answer(status=status))
    assert caught.value.too_much == too_much


# -- where they hold -----------------------------------------------------------------------


def node(*usual):
    """It has the usual answers to these questions, and nested ones to others."""
    return WrongNode(wrong={"*": nested()} | {method: USUAL[method] for method in usual})


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


@pytest.mark.parametrize(("how", "code"), [("alone", -signal.SIGSEGV), ("installed", 0)])
def test_ape_alone__is_ended_by_a_nested_answer_while_it_connects(how, code):
    """Why `install` replaces a name in a module of Ape's: connecting asks for blocks."""
    with node("web3_clientVersion", "eth_chainId") as server:
        assert run([sys.executable, "-c", CONNECT, server.url, how]).code == code


def test_connection_made_by_ape_alone__gets_the_limits(monkeypatch):
    """A program of others: only the library's own node has limits, and Ape's names are left alone."""
    monkeypatch.setattr(ape_ethereum.provider, "HTTPProvider", HTTPProvider)
    with (
        node(*USUAL) as server,
        ape.networks.parse_network_choice(server.url),
        pytest.raises(errors.NodeError, match=TOO_DEEP),
    ):
        Node().code("0x" + "77" * 20)
    assert ape_ethereum.provider.HTTPProvider is HTTPProvider
