"""What the table of failures in `tests/terminal` cannot show of the limits: what may be asked next, where they hold."""

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


@pytest.mark.parametrize(("status", "too_much"), [(200, True), (400, True), (413, True), (403, False), (429, False)])
def test_endless_answer__says_whether_a_smaller_question_may_succeed(status, too_much):
    endless = Answer(itertools.repeat(bytes(100_000)), status)
    with WrongNode(wrong={"*": endless}) as node, pytest.raises(errors.NodeError) as caught:
        Transport(node.url).make_request("eth_getBlockByNumber", [])
    assert caught.value.too_much == too_much


# -- where they hold -----------------------------------------------------------------------


NESTED = Answer(b'{"jsonrpc":"2.0","id":0,"result":%b%b}' % (b"[" * 200_000, b"]" * 200_000))


def node(*usual):
    """It has the usual answers to these questions, and nested ones to others."""
    return WrongNode(wrong={"*": NESTED} | {method: USUAL[method] for method in usual})


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
    with node(*USUAL) as server, ape.networks.parse_network_choice(server.url):
        found = Node()
        with pytest.raises(errors.NodeError, match="not JSON-RPC"):
            found.code("0x" + "77" * 20)
    assert ape_ethereum.provider.HTTPProvider is HTTPProvider
