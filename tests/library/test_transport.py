"""What the table of failures in `tests/terminal` cannot show of the limits: what may be asked next, where they hold."""

import gzip
import itertools
import signal
import sys
import time
import tracemalloc

import ape
import ape_ethereum.provider
import pytest
from web3 import HTTPProvider

from tests.support.commands import run
from tests.support.wrong_node import USUAL, Answer, WrongNode
from tictactoe import errors, transport
from tictactoe.node import Node
from tictactoe.transport import Transport


def test_idle__is_called_before_each_question(monkeypatch):
    """A fast node may have many answers. `test_play.py` of `tests/terminal` waits for one that never comes."""
    waited = []
    monkeypatch.setattr(Node, "idle", waited.append)
    with WrongNode() as node:
        assert Transport(node.url).make_request("eth_chainId", [])["result"] == USUAL["eth_chainId"]
    assert waited[0] == 0.0


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
        assert run([sys.executable, "-c", CONNECT, server.url, how]).returncode == code


def test_connection_made_by_ape_alone__gets_the_limits(monkeypatch):
    """A program of others: only the library's own node has limits, and Ape's names are left alone."""
    monkeypatch.setattr(ape_ethereum.provider, "HTTPProvider", HTTPProvider)
    with node(*USUAL) as server, ape.networks.parse_network_choice(server.url):
        found = Node()
        with pytest.raises(errors.NodeError, match="not JSON-RPC"):
            found.code("0x" + "77" * 20)
    assert ape_ethereum.provider.HTTPProvider is HTTPProvider


# -- what comes instead of an answer ---------------------------------------------------------


def dripping():
    """A byte now and then, without end: each read succeeds."""
    while True:
        time.sleep(0.1)
        yield b" "


ENDLESS = itertools.repeat(bytes(100_000))
GZIP = {"content-encoding": "gzip"}
LONG_INTEGER = b'{"jsonrpc":"2.0","id":0,"result":%b}' % (b"1" * 6000)


@pytest.mark.parametrize(
    ("answer", "sentence", "too_much"),
    [
        (lambda *_: time.sleep(2), "did not complete its answer within 1 s", False),
        (Answer(dripping()), "did not complete its answer within 1 s", False),
        (Answer(ENDLESS), "is longer than 10 MB", True),
        (Answer(gzip.compress(bytes(10**6)) * 300, headers=GZIP), "is longer than 10 MB", True),
        (Answer(b"no gzip", headers=GZIP), "returned something that cannot be decompressed", False),
        *((Answer(body), "is not JSON-RPC", False) for body in (b"\xff\xfe", b"[]", b"<html>", LONG_INTEGER)),
        *((Answer(ENDLESS, status), f"refused the request: {status} .* Check", True) for status in (400, 413)),
        (Answer(ENDLESS, 403), "refused the request: 403 Forbidden. Check", False),
        (Answer(ENDLESS, 429), "refused the request: 429 Too Many Requests. Try again", False),
        (Answer(ENDLESS, 599), "failed: 599 an unknown status. Try again", False),
    ],
)
def test_what_is_no_answer__is_given_up_in_time_with_little_in_memory(answer, sentence, too_much, monkeypatch):
    """`too_much`: a smaller question may succeed."""
    assert transport.SECONDS == 20  # as documented
    if "within 1 s" in sentence:
        monkeypatch.setattr("tictactoe.transport.SECONDS", 1.0)
    tracemalloc.start()
    with WrongNode(wrong={"*": answer}) as node, pytest.raises(errors.NodeError, match=sentence) as caught:
        Transport(node.url).make_request("eth_getBlockByNumber", [])
    assert caught.value.too_much == too_much
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()
