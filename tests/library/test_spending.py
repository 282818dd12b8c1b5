"""What is signed without asking, from both sides of every limit."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.fake_chain import FakeChain
from tests.support.roles import Role
from tictactoe import errors
from tictactoe.node import Node
from tictactoe.preparing import Prepared
from tictactoe.spending import ASK_ABOVE_COST, ASK_ABOVE_PRICE, ASK_ABOVE_TIMES_USUAL, NO_LIMITS, Limits

SEPOLIA = 11155111
ME = Role.PLAYER_X.address


@pytest.fixture
def local(chain: FakeChain) -> Node:
    return chain.node()


@pytest.fixture
def public() -> Node:
    return FakeChain(SEPOLIA).node(name="sepolia")


@pytest.fixture
def named() -> Node:
    return FakeChain(SEPOLIA).node(name="sepolia", named=True)


def prepared(**facts: Any) -> Prepared:
    usual: dict[str, Any] = {
        "account": Role.PLAYER_X.account,
        "label": "move 1",
        "transaction": None,
        "gas": 50_000,
        "price": 10,
        "max_cost": 1000,
        "usual_price": 10,
        "balance": 1000,
        "nonce": 0,
        "foreign_pending": False,
        "contract": "",
    }
    return Prepared(**usual | facts)


def names(found: list[errors.NeedsConsent]) -> list[str]:
    return [type(each).__name__ for each in found]


def test_defaults__have_no_limits() -> None:
    assert Limits(None, None, None) == NO_LIMITS == Limits()
    assert (ASK_ABOVE_COST, ASK_ABOVE_PRICE, ASK_ABOVE_TIMES_USUAL) == (50_000_000_000_000_000, 5_000_000_000, 10)


# -- the player's own limits -----------------------------------------------------------------


@pytest.mark.parametrize(("limit", "refused"), [(None, False), (31337, False), (31338, True), (1, True)])
def test_expected_chain__is_compared(local: Node, limit: int | None, refused: bool) -> None:
    limits = Limits(chain_id=limit)
    if not refused:
        limits.check_chain(local)
        return
    with pytest.raises(errors.UnexpectedChain, match=f"This is chain 31337, not {limit}"):
        limits.check_chain(local)


def test_account_that_can_pay_exactly__is_enough(local: Node) -> None:
    NO_LIMITS.check(local, prepared())
    with pytest.raises(errors.InsufficientFunds) as caught:
        NO_LIMITS.check(local, prepared(balance=10**18 - 1, max_cost=10**18))
    assert f"{ME} has 1 ETH and move 1 may cost up to 1 ETH" in caught.value.message
    assert "at least 0.000000001 ETH" in caught.value.message


@pytest.mark.parametrize(
    ("limits", "facts", "error"),
    [
        (Limits(max_price=10), {}, None),
        (Limits(max_price=9), {}, errors.FeeAboveLimit("move 1", 10, 9)),
        (Limits(max_price=0), {"price": 0}, None),
        (Limits(max_price=0), {"price": 1}, errors.FeeAboveLimit("move 1", 1, 0)),
        (Limits(max_cost=1000), {}, None),
        (Limits(max_cost=999), {}, errors.CostAboveLimit("move 1", 1000, 999, "ETH")),
        (Limits(max_cost=0), {"max_cost": 1}, errors.CostAboveLimit("move 1", 1, 0, "ETH")),
    ],
)
def test_own_limit__is_kept(
    local: Node, limits: Limits, facts: dict[str, Any], error: errors.TicTacToeError | None
) -> None:
    if error is None:
        limits.check(local, prepared(**facts))
        return
    with pytest.raises(type(error)) as caught:
        limits.check(local, prepared(**facts))
    assert caught.value.message == error.message


# -- what needs consent -----------------------------------------------------------------------


def test_usual_transaction__needs_no_consent(local: Node, named: Node) -> None:
    for node in (local, named):
        assert NO_LIMITS.concerns(node, prepared()) == []


def test_chain_that_only_the_node_names__needs_consent(public: Node) -> None:
    (found,) = NO_LIMITS.concerns(public, prepared())
    assert found.message == errors.ChainUnconfirmed("sepolia", SEPOLIA).message
    assert Limits(chain_id=SEPOLIA).concerns(public, prepared()) == []


def test_foreign_transaction_in_the_pool__needs_consent(local: Node) -> None:
    (found,) = NO_LIMITS.concerns(local, prepared(foreign_pending=True))
    assert found.message == errors.PaymentWaits("move 1", ME).message


@pytest.mark.parametrize(
    ("price", "usual", "concerned"),
    [
        (ASK_ABOVE_PRICE, 1, False),
        (ASK_ABOVE_PRICE + 1, 1, True),
        (ASK_ABOVE_PRICE + 1, None, True),
        (ASK_ABOVE_PRICE, None, False),
        (ASK_ABOVE_TIMES_USUAL * ASK_ABOVE_PRICE, ASK_ABOVE_PRICE, False),
        (ASK_ABOVE_TIMES_USUAL * ASK_ABOVE_PRICE + 1, ASK_ABOVE_PRICE, True),
    ],
)
def test_unusual_price__needs_consent(local: Node, price: int, usual: int | None, concerned: bool) -> None:
    facts = prepared(price=price, usual_price=usual)
    found = NO_LIMITS.concerns(local, facts)
    assert [each.message for each in found] == [errors.UnusualFee("move 1", price, usual).message] * concerned
    assert Limits(max_price=1).concerns(local, facts) == []


@pytest.mark.parametrize(("cost", "concerned"), [(ASK_ABOVE_COST, False), (ASK_ABOVE_COST + 1, True)])
def test_high_cost_on_a_public_chain__needs_consent(named: Node, local: Node, cost: int, concerned: bool) -> None:
    facts = prepared(max_cost=cost)
    found = NO_LIMITS.concerns(named, facts)
    assert [each.message for each in found] == [errors.HighCost("move 1", cost, "ETH").message] * concerned
    assert Limits(max_cost=10).concerns(named, facts) == []
    assert NO_LIMITS.concerns(local, facts) == []


def test_all_concerns__come_in_order(public: Node) -> None:
    facts = prepared(foreign_pending=True, price=10 * ASK_ABOVE_PRICE, max_cost=2 * ASK_ABOVE_COST)
    expected = ["ChainUnconfirmed", "PaymentWaits", "UnusualFee", "HighCost"]
    assert names(NO_LIMITS.concerns(public, facts)) == expected


def test_embedded_chain__needs_no_consent(public: Node) -> None:
    public.embedded = True
    facts = replace(prepared(), foreign_pending=True, price=10 * ASK_ABOVE_PRICE, max_cost=2 * ASK_ABOVE_COST)
    assert NO_LIMITS.concerns(public, facts) == []
