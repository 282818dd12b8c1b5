"""What the table of failures in `tests/terminal` cannot show of the limits: what they leave, and where they hold."""

import itertools
import signal
import sys

import ape
import ape_ethereum.provider
import pytest
from web3 import HTTPProvider

from tests.support.commands import run
from tests.support.wrong_node import USUAL, Answer, WrongNode
from tictactoe import errors
from tictactoe.node import Node
from tictactoe.transport import Transport


def nested(kind="result", depth=200_000):
    return Answer(b'{"jsonrpc":"2.0","id":0,"%b":%b1%b}' % (kind.encode(), b"[" * depth, b"]" * depth))


def ask(answer):
    with WrongNode(wrong={"*": answer}) as node:
        return Transport(node.url).make_request("eth_getBlockByNumber", [])


TOO_DEEP, REFUSED = "The node's answer is nested too deeply", "The node's web server refused"


@pytest.mark.parametrize(
    ("answer", "sentence", "too_much"),
    [
        (nested(), TOO_DEEP, False),
        (nested("error"), TOO_DEEP, False),
        (Answer(itertools.repeat(bytes(100_000))), "The node's answer is longer than 10 MB", True),
        *((Answer(status=status), REFUSED, True) for status in (400, 413)),
        *((Answer(status=status), REFUSED, False) for status in (403, 429)),
    ],
    ids=["deep", "deep error", "endless", "400", "413", "403", "429"],
)
def test_failure__says_whether_a_smaller_question_may_succeed(answer, sentence, too_much):
    """And Python's recursion limit is as before."""
    usual = sys.getrecursionlimit()
    with pytest.raises(errors.NodeError, match=sentence) as caught:
        ask(answer)
    assert (caught.value.too_much, sys.getrecursionlimit()) == (too_much, usual)
    assert "result" in ask(nested(depth=50))


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
