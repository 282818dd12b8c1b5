"""Signing and sending: what is signed, what is asked first, and what a node's refusals mean."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from ape.api.accounts import AccountAPI
from ape.exceptions import SignatureError
from eth_account import Account
from eth_utils.crypto import keccak

from tests.support.clock import Clock
from tests.support.fake_chain import TABLE, FakeChain, RefusedError
from tests.support.roles import Role
from tictactoe import errors
from tictactoe.node import Node
from tictactoe.preparing import Prepared
from tictactoe.sending import Sender
from tictactoe.spending import NO_LIMITS, Limits
from tictactoe.tracking import Sent, Stage

SEPOLIA = 11155111
DATA = b"\x01" * 100
ME = Role.PLAYER_X.address


@pytest.fixture
def shown() -> list[tuple[Stage, float]]:
    return []


@pytest.fixture
def sender(node: Node, shown: list[tuple[Stage, float]], clock: Clock, chain: FakeChain) -> Sender:
    """The chain mines a transaction two seconds after it was sent."""
    clock.on_sleep = lambda slept: chain.pool.mine() if slept == 2 else None
    return Sender(node, lambda sent, waited: shown.append((sent.stage, waited)))


def send(sender: Sender, account: Any = None) -> Sent:
    return sender.send(account or Role.PLAYER_X.account, "move 1", DATA, TABLE)


def failing(chain: FakeChain, failure: BaseException) -> None:
    def fail(_params: object, _answer: object) -> object:
        raise failure

    chain.lies["eth_sendRawTransaction"] = fail


def test_defaults__are_careful(node: Node) -> None:
    sender = Sender(node)
    assert (sender.agree, sender.patience, sender.limits, sender.sent) == (None, 180.0, NO_LIMITS, [])


def test_transaction__is_signed_sent_and_mined(
    chain: FakeChain, sender: Sender, shown: list[tuple[Stage, float]]
) -> None:
    sent = send(sender)
    (raw,) = chain.pool.raw.values()
    assert Account.recover_transaction(raw) == ME
    assert sender.sent == [sent]
    assert sent == Sent("move 1", "0x" + keccak(raw).hex(), Stage.MINED, 2, 40_000, 40_000 * 102, "", ME, 5)
    assert shown == [(Stage.SIGNING, 0), (Stage.SENT, 0), (Stage.SENT, 1), (Stage.SENT, 2), (Stage.MINED, 0)]


def test_deployment__knows_its_address_before_it_is_mined(sender: Sender) -> None:
    prepared = sender.prepare(Role.PLAYER_X.account, "table", DATA)
    sent = sender.start(prepared)
    assert (sent.contract, sent.stage, sent.account, sent.nonce) == (prepared.contract, Stage.SENT, ME, 5)


def test_own_transactions__are_those_of_the_account(chain: FakeChain, sender: Sender) -> None:
    """The other account's nonces say nothing about this one's."""
    sender.start(sender.prepare(Role.PLAYER_X.account, "move 1", DATA, TABLE))
    assert len(chain.pool.waiting) == 1
    assert not sender.prepare(Role.PLAYER_X.account, "move 1", DATA, TABLE).foreign_pending
    assert sender.prepare(Role.PLAYER_O.account, "move 1", DATA, TABLE).foreign_pending


def test_own_limit__caps_the_price(sender: Sender) -> None:
    sender.limits = Limits(max_price=150)
    assert sender.prepare(Role.PLAYER_X.account, "move 1", DATA, TABLE).max_cost == 60_000 * 150


# -- consent -------------------------------------------------------------------------------


@pytest.fixture
def sepolia() -> FakeChain:
    return FakeChain(SEPOLIA)


@pytest.fixture
def public(sepolia: FakeChain, clock: Clock) -> Sender:
    """On a public chain that only the node names."""
    clock.on_sleep = lambda _slept: sepolia.pool.mine() if sepolia.pool.waiting else None
    return Sender(sepolia.node(name="sepolia"))


def test_first_concern_without_a_person__is_an_error(sepolia: FakeChain, public: Sender) -> None:
    sepolia.lies["eth_maxPriorityFeePerGas"] = lambda _params, _true: hex(10**10)
    for limits, error in ((NO_LIMITS, errors.ChainUnconfirmed), (Limits(chain_id=SEPOLIA), errors.UnusualFee)):
        public.limits = limits
        with pytest.raises(error):
            send(public)
    assert public.sent == []


@pytest.mark.parametrize("says", [True, False])
def test_person__is_asked_about_every_transaction(public: Sender, says: bool) -> None:
    """With all concerns, and without any. The chain is asked about only once."""
    asked: list[tuple[Prepared, list[str]]] = []
    public.limits = own = Limits(max_price=10**12, max_cost=10**18)

    def agree(prepared: Prepared, concerns: list[errors.NeedsConsent]) -> bool:
        asked.append((prepared, [type(each).__name__ for each in concerns]))
        return says

    public.agree = agree
    if says:
        assert [send(public).stage, send(public).stage] == [Stage.MINED] * 2
        assert [concerns for _, concerns in asked] == [["ChainUnconfirmed"], []]
        assert public.limits == replace(own, chain_id=SEPOLIA)
    else:
        with pytest.raises(errors.DeclinedToSign, match="You declined to sign move 1"):
            send(public)
        assert (public.sent, public.limits) == ([], own)
    assert asked[0][0].label == "move 1"


def test_account_that_cannot_pay__is_not_asked(chain: FakeChain, sender: Sender) -> None:
    sender.agree = lambda *_: pytest.fail("asked")
    chain.lies["eth_getBalance"] = lambda _params, _true: hex(60_000 * 202 - 1)
    with pytest.raises(errors.InsufficientFunds):
        send(sender)
    chain.lies["eth_getBalance"] = lambda _params, _true: hex(60_000 * 202)
    sender.agree = None
    assert send(sender).stage is Stage.MINED


# -- signing -------------------------------------------------------------------------------


def wallet(sign: Callable[[Any], Any]) -> AccountAPI:
    return cast(AccountAPI, SimpleNamespace(address=ME, sign_transaction=sign))


def unsigned(transaction: Any) -> Any:
    return transaction


def locked(_transaction: Any) -> Any:
    raise SignatureError("the account is locked")


@pytest.mark.parametrize(
    ("sign", "error", "stage"),
    [
        (lambda _: None, errors.DeclinedToSign("move 1"), Stage.DECLINED),
        (unsigned, errors.DeclinedToSign("move 1"), Stage.DECLINED),
        (locked, errors.NotSigned("move 1", "the account is locked"), Stage.NOT_SIGNED),
    ],
    ids=["declined", "unsigned", "locked"],
)
def test_transaction_that_is_not_signed__is_not_sent(
    chain: FakeChain, sender: Sender, sign: Callable[[Any], Any], error: errors.TicTacToeError, stage: Stage
) -> None:
    with pytest.raises(type(error)) as caught:
        send(sender, wallet(sign))
    assert caught.value.message == error.message
    assert [(sent.stage, sent.hash, sent.under_way) for sent in sender.sent] == [(stage, "", False)]
    assert chain.pool.raw == {}


# -- what a node says about it -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ("insufficient funds for gas * price + value", errors.InsufficientFunds),
        ("INSUFFICIENT FUNDS", errors.InsufficientFunds),
        ("replacement transaction underpriced", errors.EarlierTransactionWaits),
        ("Replacement transaction underpriced", errors.EarlierTransactionWaits),
        ("transaction underpriced", errors.NotAccepted),
        ("nonce too low", errors.NotAccepted),
    ],
)
def test_refusal_of_the_node__says_what_it_means(
    chain: FakeChain, sender: Sender, message: str, error: type[errors.TicTacToeError]
) -> None:
    failing(chain, RefusedError(message))
    balances = iter([10**18])
    chain.lies["eth_getBalance"] = lambda _params, _true: hex(next(balances, 10**17))
    with pytest.raises(error, match="Nothing was sent") as caught:
        send(sender)
    (sent,) = sender.sent
    assert (sent.stage, sent.under_way) == (Stage.NOT_SENT, False)
    if error is errors.InsufficientFunds:
        assert f"{ME} has 0.1 ETH" in caught.value.message
    else:
        assert "move 1" in caught.value.message
        assert (message in caught.value.message) == (error is errors.NotAccepted)


def test_node_that_knows_it_already__has_it(chain: FakeChain, sender: Sender) -> None:
    failing(chain, RefusedError("already known"))
    assert send(sender).stage is Stage.MINED


def test_node_that_is_away__may_have_it(chain: FakeChain, sender: Sender, shown: list[tuple[Stage, float]]) -> None:
    failing(chain, errors.NodeUnreachable())
    assert send(sender).stage is Stage.MINED
    assert shown[:3] == [(Stage.SIGNING, 0), (Stage.SENDING, 0), (Stage.SENT, 0)]


def test_transaction_that_is_interrupted_while_it_is_sent__is_known(chain: FakeChain, sender: Sender) -> None:
    """The node has it, so a report must name it."""
    failing(chain, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        sender.start(sender.prepare(Role.PLAYER_X.account, "table", DATA))
    (sent,) = sender.sent
    assert [sent.hash] == chain.pool.waiting
    assert (sent.stage, sent.account, sent.nonce, sent.contract[:2]) == (Stage.SENDING, ME, 5, "0x")


def test_reverting_transaction__is_not_sent(chain: FakeChain, sender: Sender) -> None:
    def revert(_params: object, _answer: object) -> object:
        raise RefusedError("execution reverted: not your turn", code=3)

    chain.lies["eth_estimateGas"] = revert
    with pytest.raises(errors.Reverted) as caught:
        send(sender)
    assert (caught.value.reason, sender.sent) == ("not your turn", [])
