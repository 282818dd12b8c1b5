"""A connection: what it knows about the chain, and what becomes of every answer and every failure."""

from collections.abc import Callable
from typing import Any

import pytest
from ape.exceptions import ProviderNotConnectedError
from web3.exceptions import CannotHandleRequest, Web3RPCError

from tests.library.simulation import FIRST_NONCE, TABLE, FakeChain, Sent, X, moves, new_game
from tictactoe import Game, Table, errors
from tictactoe.node import Block, Node

SEPOLIA = 11155111
HASH = "0x" + "66" * 32


# -- connecting ----------------------------------------------------------------------------


def test_bare_url__has_every_value(chain: FakeChain, node: Node) -> None:
    assert (node.name, node.symbol, node.chain_id, node.sent) == ("node", "ETH", 31337, [])
    assert (node.embedded, node.public_choice, node.chosen_by_name) == (False, "", False)
    assert (node.network, node.ecosystem) == (node.provider.network, node.network.ecosystem)
    assert node.web3 is node.provider.web3
    assert chain.asked == [("eth_chainId", [])]


@pytest.mark.parametrize(
    ("chain_id", "choice"),
    [(1, "ethereum:mainnet"), (SEPOLIA, "ethereum:sepolia"), (8453, "base:mainnet"), (31337, ""), (2**40, "")],
)
def test_public_chain__is_one_that_is_listed(chain_id: int, choice: str) -> None:
    assert FakeChain(chain_id).node().public_choice == choice


@pytest.mark.parametrize(
    ("network", "chosen"),
    [({"named": True}, True), ({"named": True, "chain_id": 1}, False), ({"chain_id": SEPOLIA}, False), ({}, False)],
)
def test_network__is_chosen_by_its_name_and_its_chain(network: Any, chosen: bool) -> None:
    assert FakeChain(SEPOLIA).node(**network).chosen_by_name == chosen


@pytest.mark.parametrize(
    ("local", "name", "embedded"), [(True, "test", True), (False, "test", False), (True, "node", False)]
)
def test_embedded_chain__is_ape_s_local_one(chain: FakeChain, local: bool, name: str, embedded: bool) -> None:
    provider: Any = chain.node(is_local=local).provider
    provider.name = name
    node = Node(provider)
    assert node.embedded == embedded
    assert (node.pace, node.confirmations()) == ((0.0, 0) if embedded else (1.0, 2))
    assert [node.confirmations(chosen) for chosen in (0, 7)] == [0, 7]


@pytest.mark.parametrize(
    ("block_time", "pace"), [(None, 0.25), (0, 0.25), (0.4, 0.2), (1, 0.25), (2, 0.5), (4, 1.0), (12, 1.0)]
)
def test_pace__is_a_quarter_of_the_block_time(chain: FakeChain, block_time: float | None, pace: float) -> None:
    assert chain.node(block_time=block_time).pace == pace


def test_default_connection__is_ape_s(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    networks = type("Networks", (), {"active_provider": node.provider})
    monkeypatch.setattr("tictactoe.node.ape.networks", networks)
    assert Node().provider is Table(TABLE).node.provider is node.provider
    networks.active_provider = None  # type: ignore[attr-defined]
    with pytest.raises(errors.NodeUnreachable, match="ape is not connected to a network"):
        Node()


# -- questions -----------------------------------------------------------------------------


def test_block__is_asked_for_by_number_or_latest(chain: FakeChain, node: Node) -> None:
    chain.mine_empty(3)
    head, one = chain.head, chain.blocks[1]
    newest = Block(4, head.hash, head.parent, 1_700_000_048, 100)
    assert node.block() == node.block(4) == newest
    assert node.block(1) == Block(1, one.hash, one.parent, 1_700_000_012, 100)
    chain.lies["eth_getBlockByNumber"] = lambda _params, block: block | {"baseFeePerGas": None}
    assert node.block().base_fee is None


@pytest.mark.parametrize("number", [0, 2])
def test_another_block_than_asked_for__is_refused(chain: FakeChain, node: Node, number: int) -> None:
    chain.lies["eth_getBlockByNumber"] = lambda _params, _true: chain.head.json
    with pytest.raises(errors.NodeError, match=f"returned block 1 .* when asked for block {number}"):
        node.block(number)


def test_receipt_of_another_transaction__is_refused(chain: FakeChain, node: Node) -> None:
    chain.add(Sent(HASH, FIRST_NONCE))
    chain.mine_sent()
    chain.lies["eth_getTransactionReceipt"] = lambda _params, true: true | {"transactionHash": "0x" + "55" * 32}
    with pytest.raises(errors.NodeError, match=r"returned the receipt of 0x5555.* when asked for that of 0x6666"):
        node.receipt(HASH)


# -- answers -------------------------------------------------------------------------------------

NONSENSE = (None, 7, -1, "hello", "", "0x", "0xzz", "0x" + "f" * 65, [1], {"a": None}, "\x1b[2J", True)


def answer_to(question: Callable[[], object]) -> object:
    """Or the error."""
    try:
        return question()
    except errors.NodeError as error:
        return error


def test_nonsense__is_an_error_of_the_node_or_changes_nothing(chain: FakeChain, node: Node) -> None:
    """In place of an answer, and of each of its fields."""
    chain.play(new_game(), *moves(4, 0))
    chain.add(Sent(mine := HASH, FIRST_NONCE))
    chain.mine_sent()
    table = Table(TABLE, node)
    questions: dict[str, tuple[Callable[[], object], type]] = {
        "eth_chainId": (lambda: Node(node.provider).chain_id, int),
        "eth_getBlockByNumber": (node.block, Block),
        "eth_getCode": (lambda: node.code(table.address), bytes),
        "eth_getBalance": (lambda: node.balance(X), int),
        "eth_getTransactionCount": (lambda: node.nonce(X), int),
        "eth_getTransactionReceipt": (lambda: node.receipt(mine), type(node.receipt(mine))),
        "eth_getTransactionByHash": (lambda: node.knows(mine), bool),
        "eth_call": (table.state, Game),
    }
    refused, true = 0, dict[str, Any]()
    for method, (question, kind) in questions.items():
        chain.lies[method] = lambda _params, answer, method=method: true.setdefault(method, answer)
        question()
        fields = true[method] if isinstance(true[method], dict) else {}
        for lie in [*NONSENSE, *(fields | {field: value} for field in fields for value in NONSENSE)]:
            chain.lies[method] = lambda _params, _true, lie=lie: lie
            found = answer_to(question)
            if isinstance(found, errors.NodeError):
                assert found.message.isprintable()
                refused += 1
            else:
                assert found is None or isinstance(found, kind), (method, lie, found)
        chain.lies.clear()
    assert refused > 150


# -- failures ------------------------------------------------------------------------------------


class OddError(Exception):
    """A library's, with its message in an attribute."""

    def __init__(self, message: object) -> None:
        super().__init__("wrapped")
        self.message = message


def rpc_error(message: str, response: object = None) -> Exception:
    error = Web3RPCError(message)
    error.rpc_response = response  # type: ignore[assignment]
    return error


OUT_OF_REACH = "Cannot reach the node. Is it running, and is --network right? " + errors.TRY_AGAIN
NOT_CONNECTED: Exception = ProviderNotConnectedError.__new__(ProviderNotConnectedError)


@pytest.mark.parametrize(
    ("raised", "kind", "message"),
    [
        (errors.WrongChain("own"), errors.WrongChain, "own"),
        (OSError("refused"), errors.NodeUnreachable, OUT_OF_REACH),
        (NOT_CONNECTED, errors.NodeUnreachable, OUT_OF_REACH),
        (CannotHandleRequest("no"), errors.NodeUnreachable, OUT_OF_REACH),
        (rpc_error("slow\x1b[2J down"), errors.NodeRefused, "The node refused: slow down."),
        (rpc_error("raw", {"error": {"message": "quota."}}), errors.NodeRefused, "The node refused: quota."),
        (rpc_error("raw", {"error": {"code": 7}}), errors.NodeRefused, "The node refused: {'code': 7}."),
        (rpc_error("raw", {"error": "text"}), errors.NodeRefused, "The node refused: raw."),
        (rpc_error("x" * 1000), errors.NodeRefused, f"The node refused: {'x' * 299}…."),
        (rpc_error("execution reverted: not your turn"), errors.Reverted, errors.REASONS["not your turn"]),
        (rpc_error("execution reverted, 'off the grid'"), errors.Reverted, errors.REASONS["off the grid"]),
        (rpc_error('execution reverted: "cell is taken" '), errors.Reverted, errors.REASONS["cell is taken"]),
        (rpc_error("VM: execution reverted"), errors.Reverted, "The contract refused: it gave no reason."),
        (rpc_error("execution reverted: X before X"), errors.Reverted, "The contract refused: X before X."),
        *(
            (raised, errors.NodeError, f"The node returned an invalid answer ({words}). {errors.TRY_AGAIN}")
            for raised, words in (
                (OddError("own words"), "OddError: own words"),
                (OddError(7), "OddError: wrapped"),
                (KeyError("hash"), "KeyError: 'hash'"),
                (ValueError("odd"), "ValueError: odd"),
            )
        ),
    ],
)
def test_every_failure__becomes_one_of_ours(
    node: Node, raised: Exception, kind: type[errors.TicTacToeError], message: str
) -> None:
    def fail() -> object:
        raise raised

    with pytest.raises(kind) as caught:
        node.ask(fail)
    assert (type(caught.value), caught.value.message) == (kind, message)
    assert raised in (caught.value, caught.value.__cause__)
