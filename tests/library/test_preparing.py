"""What a transaction costs and carries, for exact answers of the node."""

from collections.abc import Callable
from typing import Any

import pytest
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from tests.support.fake_chain import TABLE, FakeChain, RefusedError
from tests.support.roles import Role
from tictactoe import errors
from tictactoe.node import Node
from tictactoe.preparing import (
    DEPLOYMENT_GAS,
    TABLE_GAS,
    Fees,
    Prepared,
    check_gas,
    current_fees,
    prepare,
    usual_price,
)

ETHER = 10**18
DATA = b"\x01" * 100


def answering(chain: FakeChain, method: str, value: object) -> None:
    chain.lies[method] = lambda _params, _true: value


@pytest.fixture
def account() -> Any:
    return Role.PLAYER_X.account


def refusing(chain: FakeChain, method: str, message: str) -> None:
    def refuse(_params: object, _answer: object) -> object:
        raise RefusedError(message, code=3 if "reverted" in message else -32000)

    chain.lies[method] = refuse


# -- a transaction -------------------------------------------------------------------------


def test_call_of_a_table__has_every_value(chain: FakeChain, node: Node, account: Any) -> None:
    prepared = prepare(node, account, "move 1", DATA, TABLE)
    assert prepared.transaction.model_dump() == {
        "chainId": 31337,
        "to": TABLE,
        "from": account.address,
        "gas": 60_000,  # a fifth more than estimated
        "nonce": 5,
        "value": 0,
        "data": "0x" + DATA.hex(),
        "type": 2,
        "maxFeePerGas": 2 * 100 + 2,
        "maxPriorityFeePerGas": 2,
        "accessList": [],
    }
    assert prepared == Prepared(
        account=account,
        label="move 1",
        transaction=prepared.transaction,
        gas=50_000,
        price=102,
        max_cost=60_000 * 202,
        usual_price=81,
        balance=ETHER,
        nonce=5,
        foreign_pending=False,
        contract="",
    )
    assert prepared.cost == 50_000 * 102
    (asked,) = [params for method, params in chain.asked if method == "eth_estimateGas"]
    assert asked[0] == {"from": account.address, "data": "0x" + DATA.hex(), "to": TABLE}
    asked_for = {params[0] for method, params in chain.asked if method in ("eth_getBalance", "eth_getTransactionCount")}
    assert asked_for == {account.address}


def test_deployment__has_the_address_of_account_and_nonce(chain: FakeChain, node: Node, account: Any) -> None:
    prepared = prepare(node, account, "table", DATA)
    assert "to" not in prepared.transaction.model_dump()
    # RLP of the account and the nonce 5.
    digest = keccak(bytes.fromhex("d694" + account.address[2:] + "05"))
    assert prepared.contract == to_checksum_address(digest[-20:])
    (asked,) = [params for method, params in chain.asked if method == "eth_estimateGas"]
    assert "to" not in asked[0]


def test_own_limit__caps_the_price_offered(node: Node, account: Any) -> None:
    prepared = prepare(node, account, "move 1", DATA, TABLE, max_price=150)
    assert (prepared.price, prepared.max_cost) == (102, 60_000 * 150)


def test_nonce__is_the_mined_one(chain: FakeChain, node: Node, account: Any) -> None:
    """So that it replaces a transaction that is stuck."""
    chain.pool.send("0x01")
    prepared = prepare(node, account, "move 1", DATA, TABLE)
    assert (prepared.nonce, prepared.foreign_pending) == (5, True)


@pytest.mark.parametrize(
    ("waiting", "own", "foreign"),
    [(0, (), False), (1, (), True), (1, (5,), False), (1, (4, 6), True), (2, (5,), True), (2, (5, 6), False)],
)
def test_foreign_transaction__is_one_with_another_nonce(
    chain: FakeChain, node: Node, account: Any, waiting: int, own: tuple[int, ...], foreign: bool
) -> None:
    for number in range(waiting):
        chain.pool.send(f"0x0{number}")
    assert prepare(node, account, "move 1", DATA, TABLE, own_nonces=own).foreign_pending == foreign


@pytest.mark.parametrize(
    ("balance", "message", "error"),
    [
        (0, "gas required exceeds allowance (0)", errors.InsufficientFunds),
        (1, "gas required exceeds allowance (1)", errors.RpcError),
        (0, "execution reverted: off the grid", errors.Reverted),
    ],
)
def test_refused_estimate__is_about_funds_if_there_are_none(
    chain: FakeChain, node: Node, account: Any, balance: int, message: str, error: type[Exception]
) -> None:
    answering(chain, "eth_getBalance", hex(balance))
    refusing(chain, "eth_estimateGas", message)
    with pytest.raises(error) as caught:
        prepare(node, account, "move 1", DATA, TABLE)
    if error is errors.InsufficientFunds:
        assert f"{account.address} has 0 ETH" in str(caught.value)


def test_node_that_is_away__is_not_about_funds(chain: FakeChain, node: Node, account: Any) -> None:
    def away(_params: object, _answer: object) -> object:
        raise errors.NodeUnreachable()

    answering(chain, "eth_getBalance", "0x0")
    chain.lies["eth_estimateGas"] = away
    with pytest.raises(errors.NodeUnreachable):
        prepare(node, account, "move 1", DATA, TABLE)


# -- fees ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "most"), [(None, 202), (1000, 202), (202, 202), (201, 201), (103, 103), (102, 102), (101, 102), (0, 102)]
)
def test_fees__leave_room_up_to_the_limit(node: Node, limit: int | None, most: int) -> None:
    """But they offer what gas costs now in any case: `spending` refuses that."""
    assert current_fees(node, limit) == Fees(102, most, {"type": 2, "max_fee": most, "max_priority_fee": 2})
    assert current_fees(node) == Fees(102, 202, {"type": 2, "max_fee": 202, "max_priority_fee": 2})


def test_chain_without_a_base_fee__has_one_price(chain: FakeChain, node: Node) -> None:
    chain.lies["eth_getBlockByNumber"] = lambda _params, block: block | {"baseFeePerGas": None}
    assert current_fees(node, 5) == Fees(90, 90, {"type": 0, "gas_price": 90})


def test_embedded_chain__takes_no_tip_and_has_no_usual_price(chain: FakeChain, node: Node) -> None:
    node.embedded = True
    assert current_fees(node) == Fees(100, 200, {"type": 2, "max_fee": 200, "max_priority_fee": 0})
    assert usual_price(node) is None
    assert {method for method, _ in chain.asked} <= {"eth_chainId", "eth_getBlockByNumber"}


@pytest.mark.parametrize(
    ("history", "price"),
    [
        ({"baseFeePerGas": ["0x1", "0x5", "0x3", "0xff"], "reward": [["0x2"], ["0x1"], ["0x1"]]}, 4),
        ({"baseFeePerGas": ["0x1", "0x5", "0xff"], "reward": [["0x2"], ["0x1"]]}, 3),
        ({"baseFeePerGas": [], "reward": []}, None),
        ({"baseFeePerGas": ["0x1"]}, None),
        ({"baseFeePerGas": ["0x1", "0x1"], "reward": [[]]}, None),
        ({"baseFeePerGas": ["0x1", "0x1"], "reward": [[hex(2**256)]]}, None),
    ],
)
def test_usual_price__is_the_median_of_recent_blocks(
    chain: FakeChain, node: Node, history: dict[str, Any], price: int | None
) -> None:
    answering(chain, "eth_feeHistory", history)
    assert usual_price(node) == price
    assert chain.asked[-1] == ("eth_feeHistory", [hex(20), "latest", [50]])


def test_usual_price_of_a_node_that_is_away__is_an_error(chain: FakeChain, node: Node) -> None:
    def away(_params: object, _answer: object) -> object:
        raise errors.NodeUnreachable()

    chain.lies["eth_feeHistory"] = away
    with pytest.raises(errors.NodeUnreachable):
        usual_price(node)


# -- gas -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "chain_id", "most"),
    [
        (b"", 1, TABLE_GAS),
        (bytes(1000), 1, TABLE_GAS),
        (bytes(1001), 1, DEPLOYMENT_GAS),
        (b"", 42161, 10 * TABLE_GAS),
        (b"", 42170, 10 * TABLE_GAS),
        (bytes(1001), 421614, 10 * DEPLOYMENT_GAS),
    ],
)
def test_gas__is_bounded(data: bytes, chain_id: int, most: int) -> None:
    node = FakeChain(chain_id).node()
    check_gas(node, "move 1", data, most)
    with pytest.raises(errors.ImplausibleGas, match=f"estimates {most + 1:,} gas for move 1, .* needs {most:,}"):
        check_gas(node, "move 1", data, most + 1)


def test_bounds__are_written_down() -> None:
    assert (TABLE_GAS, DEPLOYMENT_GAS) == (300_000, 5_400_000)


@pytest.mark.parametrize(("gas", "check"), [(300_000, lambda _: None), (300_001, None)])
def test_prepared_transaction__is_within_the_bounds(
    chain: FakeChain, node: Node, account: Any, gas: int, check: Callable[[object], None] | None
) -> None:
    answering(chain, "eth_estimateGas", hex(gas))
    if check is None:
        with pytest.raises(errors.ImplausibleGas, match="300,001 gas for move 1"):
            prepare(node, account, "move 1", DATA, TABLE)
    else:
        assert prepare(node, account, "move 1", DATA, TABLE).gas == gas
