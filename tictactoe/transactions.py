"""
One transaction of ours, up to its last confirmation: `prepare` it, look at it, `send` it.

Ape encodes and signs. But Ape's own `account.call` signs any fee that the node names, replaces a waiting payment
without asking, loses the hash when it is stopped, and counts confirmations of a block that a reorg has removed. Where
coins have a price, each of these can cost money. tests/library/test_ape.py shows each.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from statistics import median_low
from typing import TYPE_CHECKING, Any, cast

import ape
import click
from ape.exceptions import ApeException
from eth_utils.crypto import keccak

from tictactoe import errors
from tictactoe.formatting import clean, coins, gwei, person
from tictactoe.node import EMBEDDED, TICK, Node, to_hex, to_number

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI
    from ape.api.transactions import TransactionAPI
    from web3.types import TxParams

# The wait for a transaction ends after so many seconds without progress.
PATIENCE = 180.0
# A transaction counts as gone if every answer for so many seconds was that it is unknown. Behind one URL may be several
# nodes, which differ in what they know.
UNKNOWN_FOR = 15.0

# Limits of gas, about a quarter above the figures for the Amsterdam fork in docs/gas.md, which are the highest.
# Arbitrum also charges gas for the data that it posts to Ethereum.
CALL_GAS, DEPLOYMENT_GAS = 300_000, 5_400_000
GAS_FACTORS = {42161: 10, 42170: 10, 421614: 10}

# A price of one gas above this, in wei, needs consent if it is also above so many times what recent blocks paid.
UNUSUAL_PRICE, TIMES_USUAL = 5 * 10**9, 10
# On public chains, a cost above this one needs consent.
HIGH_COST = 5 * 10**16

LATER = "Nothing was sent. Try again later"
WAIT_OR_CANCEL = "Nothing was sent. Wait until that one is mined, or speed it up or cancel it in a wallet."
FAUCETS = "https://ethereum.org/developers/docs/networks lists faucets, which give away the coins of test networks."

# The stages of a transaction that was signed: what each means, and what to do if the wait ends there.
CHECK = "It may still be mined: check before you send another, or speed it up in a wallet."
STAGES = {
    "sending": ("Perhaps sent, but the node did not answer", CHECK),
    "not sent": ("Not sent", ""),
    "sent": ("Sent but not mined yet", CHECK),
    "waiting": ("Sent but not mined yet", CHECK),  # for longer than the patience
    "dropped": ("Dropped by the network", "It is in no block, no longer waits, and cost nothing. Try again."),
    "replaced": ("Replaced by another transaction of yours", "Look at the table before you try again."),
    "mined": ("Mined", "It is not confirmed yet."),
    "failed": ("Mined and paid for, but failed", "Perhaps another transaction came first."),
    "taken back": ("Taken back by a reorg, may be mined again", ""),
    "confirmed": ("Mined", ""),
}
# Those in which no node holds it.
GONE = ("not sent", "dropped", "replaced")


@dataclass
class Transaction:
    """A transaction as it was prepared, and how far it has come since."""

    node: Node
    account: AccountAPI
    label: str  # for sentences, for example `move 3` or `the table`
    request: TransactionAPI  # exactly what is signed
    nonce: int
    gas: int  # as the node estimates it
    price: int  # of one gas, in the next block
    max_cost: int  # the most that it can cost
    balance: int  # of the account
    contract: str  # the address of the contract that it creates; otherwise empty
    refusals: list[errors.TooExpensive] = field(default_factory=list)  # the balance and the player's own limits
    concerns: list[errors.TicTacToeError] = field(default_factory=list)  # what nobody has agreed to yet
    check: Callable[[int], None] | None = None  # raises unless `contract` is right in this block

    stage: str = "prepared"
    hash: str = ""
    trouble: str = ""  # why the last look failed; empty when the node answers again
    block: int | None = None  # the one that it is in; None before, and after a reorg, as are `gas_used` and `paid`
    block_hash: str = ""
    gas_used: int | None = None
    paid: int | None = None
    proved: bool = False  # the table has been checked
    confirmations: int = 0  # the blocks that must follow its own
    followed: int = 0  # the blocks that have followed so far

    @property
    def cost(self) -> int:
        """What it would cost in the next block."""
        return self.gas * self.price

    @property
    def problems(self) -> list[errors.TicTacToeError]:
        """Why it is not sent, the refusals first."""
        return [*self.refusals, *self.concerns]

    @property
    def under_way(self) -> bool:
        """Whether it was sent, or may have been, and has not failed."""
        return self.stage not in ("prepared", "not sent", "failed")


def look_first(tx: Transaction) -> str:
    """Advice for somebody who may have paid for a table; empty for other transactions."""
    if not (tx.contract and tx.under_way) or tx.stage == "dropped":
        return ""
    return f"The table's address is {tx.contract}: look there before you deploy another (`ape run watch --table`)."


def report(transactions: list[Transaction]) -> str:
    """One sentence for each outcome, with its transactions, and one for each table."""
    names: dict[str, list[str]] = {}
    for tx in transactions:
        outcome, _advice = STAGES[tx.stage]
        names.setdefault(outcome, []).append(tx.label if outcome == "Mined" else f"{tx.label} ({tx.hash})")
    if len(mined := names.get("Mined", [])) > 3:
        mined[:] = [f"{len(mined)} transactions"]  # after an evening of games
    outcomes = [f"{outcome}: {', '.join(those)}." for outcome, those in names.items()]
    return " ".join([*outcomes, *filter(None, map(look_first, transactions))]) or "Nothing was sent."


# -- before it is signed --------------------------------------------------------------------


def prepare(node: Node, account: AccountAPI, label: str, data: bytes, to: str | None = None) -> Transaction:
    """
    The transaction with gas, fees and nonce, and the concerns about it. Without `to`, the data creates a contract.

    Raises if the contract would refuse it.
    """
    address, limits = account.address, node.limits
    base_fee, balance = node.block().base_fee, node.balance(address)
    call = {"from": address, "data": data} | ({"to": to} if to else {})
    try:
        gas = node.ask(lambda: to_number(node.web3.eth.estimate_gas(cast("TxParams", call))))
    except errors.NodeError as error:
        if balance or isinstance(error, errors.NodeUnreachable):
            raise
        # Some nodes refuse to estimate gas for an account without funds.
        raise _too_poor(node, address, balance) from error
    max_gas = (CALL_GAS if to else DEPLOYMENT_GAS) * GAS_FACTORS.get(node.chain_id, 1)
    if gas > max_gas:
        problem = f"The node estimates {gas:,} gas for {label}, but that needs {max_gas:,} at most. Nothing was sent."
        raise errors.NodeError(problem)
    # A fifth more: the game may change before this is mined, and the gas of a move depends on the game.
    gas_limit = gas * 6 // 5
    # Waiting transactions do not count: so ours replaces a stuck one, instead of queueing behind it.
    nonce = node.nonce(address)
    waiting = range(nonce, node.nonce(address, "pending"))
    if base_fee is None:
        price = highest = node.ask(lambda: to_number(node.web3.eth.gas_price))
        fees: dict[str, Any] = {"type": 0, "gas_price": price}
    else:
        tip = node.ask(lambda: to_number(node.web3.eth.max_priority_fee))
        # Like wallets, leave room for the base fee to double while it waits. With `--network URL`, Ape leaves none.
        price, highest = base_fee + tip, base_fee * 2 + tip
        if limits.max_fee is not None:
            highest = max(price, min(highest, limits.max_fee))
        fees = {"type": 2, "max_fee": highest, "max_priority_fee": tip}
    request = node.ecosystem.create_transaction(
        sender=address, receiver=to, data=data, nonce=nonce, gas_limit=gas_limit, chain_id=node.chain_id, **fees
    )
    contract = "" if to else str(node.ecosystem.get_deployment_address(address, nonce))
    tx = Transaction(node, account, label, request, nonce, gas, price, gas_limit * highest, balance, contract)
    tx.refusals, tx.concerns = [*_refusals(tx)], [*_concerns(tx, waiting)]
    return tx


def _too_poor(node: Node, address: str, balance: int, cost: str = "", missing: str = "more") -> errors.TooExpensive:
    faucets = "" if node.public_choice.endswith(":mainnet") else f" {FAUCETS}"
    return errors.TooExpensive(
        f"Not enough funds: {person(address, whole=True)} has {coins(balance)} {node.symbol}{cost}. Nothing was sent.",
        EMBEDDED if node.embedded else f"Send it {missing}, then try again.{faucets}",
    )


def _refusals(tx: Transaction) -> Iterator[errors.TooExpensive]:
    """What nobody can agree to."""
    node, limits, label, most = tx.node, tx.node.limits, tx.label, f"{coins(tx.max_cost)} {tx.node.symbol}"
    if tx.balance < tx.max_cost:
        missing = f"at least {coins(tx.max_cost - tx.balance)} {node.symbol}"
        yield _too_poor(node, tx.account.address, tx.balance, f" and {label} may cost up to {most}", missing)
    if limits.max_fee is not None and tx.price > limits.max_fee:
        problem = f"One gas costs {gwei(tx.price)} now, and --max-fee allows {gwei(limits.max_fee)}."
        yield errors.TooExpensive(problem, f"{LATER}.")
    if limits.max_cost is not None and tx.max_cost > limits.max_cost:
        problem = f"The cost of {label} may reach {most}, and --max-cost allows {coins(limits.max_cost)} {node.symbol}."
        yield errors.TooExpensive(problem, f"{LATER}.")


def _concerns(tx: Transaction, waiting: range) -> Iterator[errors.TicTacToeError]:
    """What a person may agree to."""
    node, limits, address, label = tx.node, tx.node.limits, tx.account.address, tx.label
    if node.public_choice and not node.chosen_by_name and limits.chain_id is None:
        yield errors.WrongChain(
            f"The node at this URL claims to be on {node.name}, chain {node.chain_id}. "
            "What you sign is valid on that chain, and the fee is paid there.",
            f"Nothing was sent. If you mean that chain, add --expected-chain-id {node.chain_id}.",
        )
    if {*waiting} - {sent.nonce for sent in node.sent if sent.account.address == address and sent.stage not in GONE}:
        yield errors.TransactionError(
            f"Another transaction of {person(address, whole=True)} is waiting in the pool, perhaps one that an earlier "
            f"command sent. If {label} is sent now, it may take the place of that one, which is then never mined.",
            WAIT_OR_CANCEL,
        )
    unusual = limits.max_fee is None and tx.price > UNUSUAL_PRICE
    if unusual and ((usual := _usual_price(node)) is None or tx.price > TIMES_USUAL * usual):
        known = "the node does not report what recent blocks paid" if usual is None else f"usual is {gwei(usual)}"
        yield errors.TooExpensive(
            f"The node asks for an unusually high fee for {label}: {gwei(tx.price)} for one gas; {known}.",
            f"{LATER}, use another node (--network), or set the limit with --max-fee GWEI.",
        )
    if limits.max_cost is None and node.public_choice and tx.max_cost > HIGH_COST:
        yield errors.TooExpensive(
            f"The cost is high: up to {coins(tx.max_cost)} {node.symbol} for {label}.",
            f"{LATER}, use another node (--network), or set the limit with --max-cost ETHER.",
        )


def _usual_price(node: Node) -> int | None:
    """The median of what one gas cost in recent blocks; None if the node does not report it."""

    def read() -> int:
        history = node.web3.eth.fee_history(20, "latest", [50])
        # The last base fee is the next block's, which has no tips yet.
        both = zip(history["baseFeePerGas"], history["reward"], strict=False)
        return median_low(to_number(base_fee) + to_number(tips[0]) for base_fee, tips in both)

    with suppress(errors.NodeError):
        return node.ask(read)
    return None


# -- from the signature on --------------------------------------------------------------------

OnPoll = Callable[[Transaction], None]


def send(
    tx: Transaction, on_poll: OnPoll = lambda _tx: None, *, confirmations: int = 0, patience: float = PATIENCE
) -> Transaction:
    """
    Sign it, send it, and wait until it is mined, has its confirmations and is checked. Returns the same transaction.

    Nothing is prepared again: what is signed is what was shown. Raises a refusal, or a concern that is left: who agrees
    to one removes it. While it waits, `on_poll` is called every 0.1 s; it may show `stage` and `trouble`, read keys,
    and raise to stop. After the signature, every exception says how far the transaction has come: our errors in their
    sentence and `stage`, others in a note.
    """
    tx.confirmations = confirmations
    for problem in tx.problems:
        raise problem
    raw = _sign(tx)
    on_poll(tx)  # the last moment to stop before it is sent
    if tx.check is not None:
        # A table: before it is sent, so that not even a crash loses it.
        ape.chain.contracts.deployments.cache_deployment(tx.contract, "TicTacToe", transaction_hash=tx.hash)
    tx.stage = "sending"
    # After one that was dropped, the same one may be sent again.
    tx.node.sent[:] = [*(each for each in tx.node.sent if each.hash != tx.hash), tx]
    try:
        _broadcast(tx, raw)
        _follow(tx, on_poll, patience)
    except errors.TicTacToeError as error:
        error.stage = tx.stage
        if tx.stage != "not sent":
            outcome, error.advice = STAGES[tx.stage]
            error.sentence = f"{outcome}: {tx.label} ({tx.hash}). {error.sentence}"
        if tx.stage == "mined" and tx.followed == tx.confirmations:  # so only the check is missing
            error.advice = "The check of the table did not succeed."
        error.advice = f"{error.advice} {look_first(tx)}".strip()
        raise
    except BaseException as error:
        error.add_note(report([tx]))
        raise
    return tx


def _sign(tx: Transaction) -> bytes:
    """The bytes to send. From here on, its hash is known."""
    try:
        signed = tx.account.sign_transaction(tx.request)
    except click.Abort as err:  # at a question of Ape's
        if isinstance(err.__context__, KeyboardInterrupt):
            raise err.__context__ from None
        raise errors.AccountError(f"Nobody unlocked the account for {tx.label}. Nothing was sent.") from err
    except ApeException as err:
        problem = f"The account did not sign {tx.label}: {clean(err)}. Nothing was sent."
        raise errors.AccountError(problem, "Unlock the account and try again.") from err
    if signed is None or signed.signature is None:
        raise errors.AccountError(f"You declined to sign {tx.label}. Nothing was sent.")
    raw = bytes(signed.serialize_transaction())
    tx.hash = to_hex(keccak(raw))
    return raw


def _broadcast(tx: Transaction, raw: bytes) -> None:
    """Raise if it was not sent. A node that does not answer may have it: its hash is known, so `_follow` finds out."""
    node, label = tx.node, tx.label
    try:
        node.ask(lambda: node.web3.eth.send_raw_transaction(raw))
        tx.stage = "sent"
    except (errors.NodeRefused, errors.Reverted) as error:
        words = error.sentence.lower()
        # Of several nodes behind one URL, one may have taken it before another refused it.
        with suppress(errors.NodeError):
            if "already known" in words or node.knows(tx.hash):
                tx.stage = "sent"
                return
        tx.stage = "not sent"
        if "insufficient funds" in words:
            raise _too_poor(node, tx.account.address, node.balance(tx.account.address)) from error
        if "replacement transaction underpriced" in words:
            problem = f"Your earlier transaction is still waiting, and {label} does not pay enough to replace it."
            raise errors.TransactionError(problem, WAIT_OR_CANCEL) from error
        raise errors.TransactionError(f"The node did not accept {label}: {error.sentence} Nothing was sent.") from error
    except errors.NodeError as error:
        tx.trouble = error.sentence


def _follow(tx: Transaction, poll: OnPoll, patience: float) -> None:
    """Wait until it is mined, has its confirmations and is checked. Each new confirmation starts the patience again."""
    poll(tx)
    progress, deepest, unknown_since = time.monotonic(), -1, math.inf
    while True:
        now, trouble = time.monotonic(), None
        try:
            # Within `ask`, because the receipt may be nonsense.
            known = tx.node.ask(partial(look_up, tx, now - unknown_since > UNKNOWN_FOR))
            unknown_since = math.inf if known else min(unknown_since, time.monotonic())
            tx.trouble = ""
            if tx.block is not None and tx.followed >= tx.confirmations:
                if tx.check is not None:
                    tx.check(tx.block)
                    tx.proved = True
                tx.stage = "confirmed" if tx.confirmations else "mined"
                return
        except (errors.NodeError, errors.NoTable) as error:
            # An outage is no sign that it is gone.
            unknown_since, trouble = math.inf, error
            tx.trouble = error.sentence
        if tx.block is not None and tx.followed > deepest:
            progress, deepest = now, tx.followed
        if now - progress > patience:
            if trouble is not None:
                raise trouble
            if tx.stage in ("sending", "sent"):
                tx.stage = "waiting"
            raise errors.TransactionError(f"There was no progress for {patience:.0f} s.")
        for _ in range(round(tx.node.pace / TICK)):
            time.sleep(TICK)
            poll(tx)


def look_up(tx: Transaction, lost: bool = False) -> bool:
    """
    Note how far it has come. False if the node does not know it. Raise if it has failed or is gone: `send` says which.

    `lost`: it has been unknown for so long that it is gone.
    """
    node = tx.node
    # The lower of two heads counts, so that a reorg between two answers confirms nothing.
    head = node.block().number if tx.confirmations else 0
    if (receipt := node.receipt(tx.hash)) is not None:
        block, block_hash = to_number(receipt["blockNumber"]), to_hex(receipt["blockHash"])
        gas, price = to_number(receipt["gasUsed"]), to_number(receipt.get("effectiveGasPrice") or 0)
        succeeds = receipt["status"] == 1
        tx.block, tx.block_hash, tx.followed = block, block_hash, 0
        tx.gas_used, tx.paid = gas, gas * price
        # After these, because a signal may report it at any moment.
        tx.stage = "mined" if succeeds else "failed"
        if not succeeds:
            raise errors.TransactionError(f"It cost {coins(tx.paid)} {node.symbol}.")
        if tx.confirmations:
            tx.followed = max(0, min(head, node.block().number, block + tx.confirmations) - block)
        return True
    if tx.block is not None:
        # A late node has no receipt, either. Only another block at that height proves a reorg.
        if node.block().number < tx.block or node.block(tx.block).hash == tx.block_hash:
            return True
        tx.stage = "taken back"
        tx.block = tx.gas_used = tx.paid = None
    replaced = lost and node.nonce(tx.account.address, "pending") > tx.nonce
    known = node.knows(tx.hash)  # asked after that: it may be ours that was mined meanwhile
    if known and tx.stage == "sending":
        tx.stage = "sent"
    if lost and not known and (replaced or tx.stage != "taken back"):
        tx.stage = "replaced" if replaced else "dropped"
        raise errors.TransactionError(f"The node has not known it for {UNKNOWN_FOR:.0f} s.")
    return known
