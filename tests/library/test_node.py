"""A connection: what it knows about the chain, what it asks, and what the answers may be."""

from collections.abc import Callable
from typing import Any

import pytest
from ape.exceptions import ProviderNotConnectedError
from web3 import HTTPProvider, Web3
from web3.exceptions import CannotHandleRequest, Web3RPCError

from tests.support.fake_chain import OTHER, TABLE, FakeChain, RefusedError, X
from tictactoe import Table, errors
from tictactoe.compiled import runtime_code
from tictactoe.node import Block, Node, to_hex, to_number
from tictactoe.transport import Transport

SEPOLIA = 11155111
HASH = "0x" + "66" * 32


def saying(chain: FakeChain, method: str, answer: object) -> None:
    chain.lies[method] = lambda _params, _true: answer


# -- connecting ----------------------------------------------------------------------------


def test_bare_url__has_every_value(chain: FakeChain, node: Node) -> None:
    assert (node.name, node.symbol, node.chain_id) == ("node", "ETH", 31337)
    assert (node.embedded, node.public, node.chosen_by_name) == (False, False, False)
    assert node.network is node.provider.network
    assert node.ecosystem is node.network.ecosystem
    assert node.web3 is node.provider.web3
    assert chain.asked == [("eth_chainId", [])]


@pytest.mark.parametrize(
    ("chain_id", "choice"),
    [(1, "ethereum:mainnet"), (SEPOLIA, "ethereum:sepolia"), (8453, "base:mainnet"), (31337, ""), (2**40, "")],
)
def test_public_chain__is_one_that_is_listed(chain_id: int, choice: str) -> None:
    node = FakeChain(chain_id).node()
    assert (node.public, node.public_choice) == (choice != "", choice)


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
    assert (node.pace, node.confirmations(None)) == ((0.0, 0) if embedded else (1.0, 2))


@pytest.mark.parametrize(
    ("block_time", "pace"), [(None, 0.25), (0, 0.25), (0.4, 0.2), (1, 0.25), (2, 0.5), (4, 1.0), (12, 1.0)]
)
def test_pace__is_a_quarter_of_the_block_time(chain: FakeChain, block_time: float | None, pace: float) -> None:
    assert chain.node(block_time=block_time).pace == pace


@pytest.mark.parametrize(("chosen", "confirmations"), [(None, 2), (0, 0), (1, 1), (7, 7)])
def test_confirmations__are_the_chosen_or_the_network_s(node: Node, chosen: int | None, confirmations: int) -> None:
    assert node.confirmations(chosen) == confirmations


def test_default_connection__is_ape_s(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    networks = type("Networks", (), {"active_provider": node.provider})
    monkeypatch.setattr("tictactoe.node.ape.networks", networks)
    assert Node().provider is node.provider
    assert Table(TABLE).node.provider is node.provider
    networks.active_provider = None  # type: ignore[attr-defined]
    with pytest.raises(errors.NotConnected):
        Node()


def test_connection_of_ape_s__gets_limits(node: Node) -> None:
    node.provider.web3 = Web3(HTTPProvider("http://127.0.0.1:9"))  # type: ignore[misc]
    with pytest.raises(errors.NodeUnreachable):
        Node(node.provider)
    assert isinstance(node.provider.web3.provider, Transport)


# -- questions -----------------------------------------------------------------------------


def test_block__is_asked_for_by_number_hash_or_latest(chain: FakeChain, node: Node) -> None:
    chain.mine_empty(3)
    head, one = chain.head, chain.blocks[1]
    newest = Block(4, head.hash, head.parent, 1_700_000_048, 100)
    assert node.block() == node.block(4) == node.block(head.hash) == newest
    assert node.block(1) == Block(1, one.hash, one.parent, 1_700_000_012, 100)
    chain.lies["eth_getBlockByNumber"] = lambda _params, block: block | {"baseFeePerGas": None}
    assert node.block().base_fee is None


@pytest.mark.parametrize("which", [0, 2, HASH])
def test_another_block_than_asked_for__is_refused(chain: FakeChain, node: Node, which: int | str) -> None:
    answer = chain.head.json
    for method in ("eth_getBlockByNumber", "eth_getBlockByHash"):
        saying(chain, method, answer)
    with pytest.raises(errors.ContradictoryAnswer) as caught:
        node.block(which)
    assert f"block 1 ({chain.head.hash}) when asked for block {which}" in caught.value.message


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("number", hex(2**256)),
        ("timestamp", hex(2**256)),
        ("baseFeePerGas", hex(2**256)),
        ("hash", "0x12"),
        ("parentHash", "0x12"),
        ("hash", None),
    ],
)
def test_block_that_is_none__is_malformed(chain: FakeChain, node: Node, field: str, value: object) -> None:
    chain.lies["eth_getBlockByNumber"] = lambda _params, block: block | {field: value}
    with pytest.raises(errors.MalformedAnswer):
        node.block()


def test_code__is_that_of_a_block(chain: FakeChain, node: Node) -> None:
    table = Table(TABLE, node)
    assert node.code(table.address) == node.code(table.address, 1) == runtime_code()
    assert node.code(table.address, 0) == b""
    assert [params for method, params in chain.asked if method == "eth_getCode"] == [
        [TABLE, "latest"],
        [TABLE, "0x1"],
        [TABLE, "0x0"],
    ]


def test_numbers_of_an_account__are_asked_for_by_its_address(chain: FakeChain, node: Node) -> None:
    chain.asked.clear()
    assert node.balance(X) == 10**18
    chain.pool.send("0x01")
    assert (node.nonce(OTHER), node.nonce(OTHER, "pending")) == (5, 6)
    assert node.estimate_gas({"to": TABLE}) == 50_000
    node.send(b"\x01\x02")
    assert [each for each in chain.asked if each[0] != "eth_chainId"] == [
        ("eth_getBalance", [X, "latest"]),
        ("eth_getTransactionCount", [OTHER, "latest"]),
        ("eth_getTransactionCount", [OTHER, "pending"]),
        ("eth_estimateGas", [{"to": TABLE}, "latest"]),
        ("eth_sendRawTransaction", ["0x0102"]),
    ]


def test_logs__are_returned_as_they_are(node: Node) -> None:
    assert node.logs({"address": Table(TABLE, node).address, "fromBlock": 0, "toBlock": 1}) == []


@pytest.mark.parametrize("method", ["eth_getBalance", "eth_getTransactionCount", "eth_estimateGas", "eth_chainId"])
@pytest.mark.parametrize("value", [hex(2**256), None, "hello", [1]])
def test_number_that_is_none__is_malformed(chain: FakeChain, node: Node, method: str, value: object) -> None:
    saying(chain, method, value)
    calls: dict[str, Callable[[], object]] = {
        "eth_getBalance": lambda: node.balance(X),
        "eth_getTransactionCount": lambda: node.nonce(X),
        "eth_estimateGas": lambda: node.estimate_gas({}),
        "eth_chainId": lambda: Node(node.provider),
    }
    with pytest.raises(errors.MalformedAnswer):
        calls[method]()


@pytest.mark.parametrize(("value", "fits"), [(0, True), (2**256 - 1, True), (2**256, False), (-1, False), ("1", False)])
def test_number__is_at_most_256_bits(value: object, fits: bool) -> None:
    if fits:
        assert to_number(value) == value
        return
    with pytest.raises(ValueError, match=r"^not a number of at most 256 bits$"):
        to_number(value)


def test_hash__is_32_bytes() -> None:
    assert to_hex(bytes(31) + b"\x0a") == "0x" + "00" * 31 + "0a"
    for length in (31, 33):
        with pytest.raises(ValueError, match=r"^a hash that is not 32 bytes long$"):
            to_hex(bytes(length))


# -- failures --------------------------------------------------------------------------------


class OddError(Exception):
    """A library's, with its message in an attribute."""

    def __init__(self, message: object) -> None:
        super().__init__("wrapped")
        self.message = message


def rpc_error(message: str, response: object = None) -> Exception:
    error = Web3RPCError(message)
    error.rpc_response = response  # type: ignore[assignment]
    return error


NOT_CONNECTED: Exception = ProviderNotConnectedError.__new__(ProviderNotConnectedError)
OWN = errors.HttpRefused(429, "Too Many Requests")


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (OWN, OWN),
        (OSError("refused"), errors.NodeUnreachable()),
        (NOT_CONNECTED, errors.NodeUnreachable()),
        (CannotHandleRequest("no"), errors.NodeUnreachable()),
        (rpc_error("slow\x1b[2J down"), errors.RpcError("slow down")),
        (rpc_error("raw", {"error": {"message": "quota"}}), errors.RpcError("quota")),
        (rpc_error("raw", {"error": {"code": 7}}), errors.RpcError("{'code': 7}")),
        (rpc_error("raw", {"error": "text"}), errors.RpcError("raw")),
        (rpc_error("execution reverted: not your turn"), errors.Reverted("not your turn")),
        (rpc_error("execution reverted, 'off the grid'"), errors.Reverted("off the grid")),
        (rpc_error('execution reverted: "cell is taken" '), errors.Reverted("cell is taken")),
        (rpc_error("VM: execution reverted"), errors.Reverted("")),
        (rpc_error("execution reverted: X before X"), errors.Reverted("X before X")),
        (rpc_error("execution reverted: no execution reverted"), errors.Reverted("no execution reverted")),
        (OddError("own words"), errors.MalformedAnswer("an invalid answer (OddError: own words)")),
        (OddError(7), errors.MalformedAnswer("an invalid answer (OddError: wrapped)")),
        (KeyError("hash"), errors.MalformedAnswer("an invalid answer (KeyError: 'hash')")),
        (ValueError("odd"), errors.MalformedAnswer("an invalid answer (ValueError: odd)")),
    ],
)
def test_every_failure__becomes_one_of_ours(node: Node, raised: Exception, error: errors.TicTacToeError) -> None:
    def fail() -> object:
        raise raised

    with pytest.raises(type(error)) as caught:
        node.ask(fail)
    assert type(caught.value) is type(error)
    assert caught.value.message == error.message
    if raised is not OWN:
        assert caught.value.__cause__ is raised


def test_unknown_transaction__is_an_error_of_its_own(node: Node) -> None:
    with pytest.raises(errors.TransactionUnknown):
        node.ask(lambda: node.web3.eth.get_transaction(HASH))  # type: ignore[arg-type]


def test_node_s_own_words__are_in_the_error(chain: FakeChain, node: Node) -> None:
    def refuse(_params: object, _answer: object) -> object:
        raise RefusedError("limit of 5 requests")

    chain.lies["eth_getBalance"] = refuse
    with pytest.raises(errors.RpcError, match="The node refused: limit of 5 requests"):
        node.balance(X)
