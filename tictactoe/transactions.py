"""
One transaction of ours, up to its last confirmation: `prepare` it, look at it, `send` it.

Ape prepares and signs. But Ape's own `account.call` signs any fee that the node names, replaces a waiting payment
without asking, loses the hash when it is stopped, and counts confirmations of a block that a reorg has removed. Where
coins have a price, each of these can cost money. tests/library/test_ape.py shows each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import median_low
from typing import TYPE_CHECKING, Any, cast

from ape.exceptions import ApeException
from eth_utils.crypto import keccak

from tictactoe import errors
from tictactoe.formatting import clean, coins, gwei, person
from tictactoe.node import EMBEDDED, Limits, Node, to_hex, to_number

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI
    from ape.api.transactions import TransactionAPI
    from web3.types import TxReceipt

# The wait for a transaction ends after so many seconds without progress.
PATIENCE = 180.0
# A transaction counts as gone if every answer for so many seconds was that it is unknown. Behind one URL may be several
# nodes, which differ in what they know.
UNKNOWN_FOR = 15.0
# Seconds between two calls of `on_poll`.
TICK = 0.1

# Limits of gas, about a quarter above the figures for the Amsterdam fork in docs/gas.md, which are the highest.
# Arbitrum also charges gas for the data that it posts to Ethereum.
CALL_GAS, DEPLOYMENT_GAS = 300_000, 5_400_000
GAS_FACTORS = {42161: 10, 42170: 10, 421614: 10}

# A price of one gas above this, in wei, needs consent if it is also above so many times what recent blocks paid.
UNUSUAL_PRICE, TIMES_USUAL = 5 * 10**9, 10
# On public chains, a cost above this one needs consent.
HIGH_COST = 5 * 10**16

WAIT_OR_CANCEL = "Nothing was sent. Wait until that one is mined, or speed it up or cancel it in a wallet."
FAUCETS = "https://ethereum.org/developers/docs/networks lists faucets, which give away the coins of test networks."

# The stages of a transaction, and what each means to a player who stops.
STAGES = {
    "prepared": "Not sent",
    "not sent": "Not sent",
    "sending": "Perhaps sent, but the node did not answer",
    "sent": "Sent but not mined yet",
    "waiting": "Sent but not mined yet",  # for longer than the patience
    "dropped": "Dropped by the network",
    "replaced": "Replaced by another transaction of yours",
    "mined": "Mined",
    "failed": "Mined and paid for, but failed",
    "taken back": "Taken back by a reorg, may be mined again",
    "confirmed": "Mined",
}
# Those in which no node is known to hold it.
GONE = ("prepared", "not sent", "dropped", "replaced")


@dataclass
class Transaction:
    """A transaction as it was prepared, and how far it has come since."""

    node: Node
    account: AccountAPI
    label: str  # for sentences, for example `move 3`
    request: TransactionAPI  # exactly what is signed
    gas: int  # as the node estimates it
    price: int  # of one gas, in the next block
    max_cost: int  # the most that it can cost
    balance: int  # of the account
    contract: str  # the address of the contract that it creates; otherwise empty
    too_expensive: errors.TooExpensive | None = None  # why it cannot be sent, whatever a person says
    concerns: list[errors.TicTacToeError] = field(default_factory=list)  # what needs a person's consent

    stage: str = "prepared"
    hash: str = ""
    block: int | None = None
    block_hash: str = ""
    gas_used: int | None = None
    paid: int | None = None
    proved: bool = False  # the contract that it created has been checked
    confirmations: int = 0  # the blocks that must follow its own
    followed: int = 0  # the blocks that have followed so far

    @property
    def address(self) -> str:
        """Of the account."""
        return str(self.account.address)

    @property
    def nonce(self) -> int:
        return cast(int, self.request.nonce)

    @property
    def cost(self) -> int:
        """What it would cost in the next block."""
        return self.gas * self.price

    @property
    def name(self) -> str:
        return f"{self.label} ({self.hash})" if self.hash else self.label

    @property
    def under_way(self) -> bool:
        """Whether it was sent, or may have been, and has not failed."""
        return self.stage not in ("prepared", "not sent", "failed")


def agreed(tx: Transaction) -> Transaction:
    """Return the transaction, or raise its first concern: for callers that have nobody to ask."""
    if tx.concerns:
        raise tx.concerns[0]
    return tx


def report(transactions: Iterable[Transaction]) -> str:
    """One sentence for each outcome, with its transactions."""
    names: dict[str, list[str]] = {}
    for tx in transactions:
        name = tx.label if STAGES[tx.stage] == "Mined" else tx.name
        created = f" at {tx.contract}" if tx.contract and tx.under_way else ""
        names.setdefault(STAGES[tx.stage], []).append(name + created)
    if len(mined := names.get("Mined", [])) > 3:
        mined[:] = [f"{len(mined)} transactions"]  # after an evening of games
    return " ".join(f"{outcome}: {', '.join(those)}." for outcome, those in names.items()) or "Nothing was sent."


# -- before it is signed --------------------------------------------------------------------


def prepare(node: Node, account: AccountAPI, label: str, data: bytes, to: str | None = None) -> Transaction:
    """
    The transaction with gas, fees and nonce, and the reasons not to send it. Without `to`, the data creates a contract.

    Raises if the contract would refuse it.
    """
    address, limits = str(account.address), node.limits
    base_fee, usual, balance = node.block().base_fee, _usual_price(node), node.balance(address)
    gas = _estimate(node, {"from": address, "data": data} | ({"to": to} if to else {}), balance)
    max_gas = (CALL_GAS if to else DEPLOYMENT_GAS) * GAS_FACTORS.get(node.chain_id, 1)
    if gas > max_gas:
        problem = f"The node estimates {gas:,} gas for {label}, but that needs {max_gas:,} at most. Nothing was sent."
        raise errors.NodeError(problem)
    # A fifth more: the game may change before this is mined, and the gas of a move depends on the game.
    gas_limit = gas * 6 // 5
    # Waiting transactions do not count: so ours replaces a stuck one, instead of queueing behind it.
    nonce = node.nonce(address)
    waiting = range(nonce, node.nonce(address, "pending"))
    fields: dict[str, Any] = {"sender": address, "data": data, "nonce": nonce, "gas_limit": gas_limit}
    fields |= {"chain_id": node.chain_id} | ({"receiver": to} if to else {})
    if base_fee is None:
        price = highest = node.ask(lambda: to_number(node.web3.eth.gas_price))
        fields |= {"type": 0, "gas_price": price}
    else:
        tip = 0 if node.embedded else node.ask(lambda: to_number(node.web3.eth.max_priority_fee))
        # Like wallets, leave room for the base fee to double while it waits. With `--network URL`, Ape leaves none.
        price, highest = base_fee + tip, base_fee * 2 + tip
        if limits.max_fee is not None:
            highest = max(price, min(highest, limits.max_fee))
        fields |= {"type": 2, "max_fee": highest, "max_priority_fee": tip}
    request = node.ecosystem.create_transaction(**fields)
    contract = "" if to else str(node.ecosystem.get_deployment_address(address, nonce))
    tx = Transaction(node, account, label, request, gas, price, gas_limit * highest, balance, contract)
    tx.too_expensive = _too_expensive(tx, limits)
    tx.concerns = [] if node.embedded else [*_concerns(tx, limits, usual, waiting)]
    return tx


def _estimate(node: Node, call: dict[str, Any], balance: int) -> int:
    try:
        return node.ask(lambda: to_number(node.web3.eth.estimate_gas(cast(Any, call))))
    except errors.NodeError as error:
        if balance > 0 or isinstance(error, errors.NodeUnreachable):
            raise
        # Some nodes refuse to estimate gas for an account without funds.
        raise _too_poor(node, call["from"], balance) from error


def _too_poor(node: Node, address: str, balance: int, label: str = "", most: int = 0) -> errors.TooExpensive:
    """`most` is 0 where the node itself refused."""
    cost = f" and {label} may cost up to {coins(most)} {node.symbol}" if most else ""
    amount = f"at least {coins(most - balance)} {node.symbol}" if most else "more"
    return errors.TooExpensive(
        f"Not enough funds: {person(address, whole=True)} has {coins(balance)} {node.symbol}{cost}. Nothing was sent.",
        EMBEDDED if node.embedded else f"Send it {amount}, then try again. {FAUCETS}",
    )


def _too_expensive(tx: Transaction, limits: Limits) -> errors.TooExpensive | None:
    label, most, symbol = tx.label, tx.max_cost, tx.node.symbol
    if tx.balance < most:
        return _too_poor(tx.node, tx.address, tx.balance, label, most)
    if limits.max_fee is not None and tx.price > limits.max_fee:
        problem = f"One gas costs {gwei(tx.price)} now, and --max-fee allows {gwei(limits.max_fee)}."
        return errors.TooExpensive(problem, "Nothing was sent. Try again later.")
    if limits.max_cost is not None and most > limits.max_cost:
        allowed = f"and --max-cost allows {coins(limits.max_cost)} {symbol}."
        problem = f"The cost of {label} may reach {coins(most)} {symbol}, {allowed}"
        return errors.TooExpensive(problem, "Nothing was sent. Try again later.")
    return None


def _concerns(tx: Transaction, limits: Limits, usual: int | None, waiting: range) -> Iterator[errors.TicTacToeError]:
    """What needs a person's consent."""
    node, label = tx.node, tx.label
    if node.public_choice and not node.chosen_by_name and limits.chain_id is None:
        yield errors.WrongChain(
            f"The node at this URL claims to be on {node.name}, chain {node.chain_id}. "
            "What you sign is valid on that chain, and the fee is paid there.",
            f"Nothing was sent. If you mean that chain, add --expected-chain-id {node.chain_id}.",
        )
    own = {other.nonce for other in node.sent if other.address == tx.address and other.stage not in GONE}
    if set(waiting) - own:
        yield errors.TransactionError(
            f"Another transaction of {person(tx.address, whole=True)} is waiting in the pool, perhaps one that an "
            f"earlier command sent. If {label} is sent now, it takes the place of that one, which is then never mined.",
            WAIT_OR_CANCEL,
        )
    if limits.max_fee is None and tx.price > max(UNUSUAL_PRICE, TIMES_USUAL * (usual or 0)):
        known = "the node does not report what recent blocks paid" if usual is None else f"usual is {gwei(usual)}"
        yield errors.TooExpensive(
            f"The node asks for an unusually high fee for {label}: {gwei(tx.price)} for one gas; {known}.",
            "Nothing was sent. Try again later, use another node (--network), or set the limit with --max-fee GWEI.",
        )
    if limits.max_cost is None and node.public_choice and tx.max_cost > HIGH_COST:
        yield errors.TooExpensive(
            f"The cost is high: up to {coins(tx.max_cost)} {node.symbol} for {label}.",
            "Nothing was sent. Try again later, use another node (--network), or set the limit with --max-cost ETHER.",
        )


def _usual_price(node: Node) -> int | None:
    """The median of what one gas cost in recent blocks; None if the node does not report it."""
    if node.embedded:
        return None

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
    prepared: Transaction, on_poll: OnPoll = lambda _tx: None, *, confirmations: int = 0, patience: float = PATIENCE
) -> Transaction:
    """
    Sign it, send it, and wait until it is mined and has its confirmations. Returns the same transaction.

    Nothing is prepared again: what is signed is what was shown. While it waits, `on_poll` is called every 0.1 s; it may
    draw, read keys, and raise to stop. After the signature, every exception says how far the transaction has come: our
    errors in `stage`, others in a note.
    """
    tx = prepared
    tx.confirmations = confirmations
    if tx.too_expensive is not None:
        raise tx.too_expensive
    raw = _sign(tx)
    tx.node.sent.append(tx)
    try:
        _broadcast(tx, raw)
        _follow(tx, on_poll, patience)
    except errors.TicTacToeError as error:
        error.stage = tx.stage
        raise
    except BaseException as error:
        error.add_note(report([tx]))
        raise
    return tx


def _sign(tx: Transaction) -> bytes:
    """The bytes to send. From here on, its hash is known."""
    try:
        signed = tx.account.sign_transaction(tx.request)
    except ApeException as err:
        problem = f"The account did not sign {tx.label}: {clean(err)}. Nothing was sent."
        raise errors.AccountError(problem, "Unlock the account and try again.") from err
    if signed is None or signed.signature is None:
        raise errors.AccountError(f"You declined to sign {tx.label}. Nothing was sent.")
    raw = bytes(signed.serialize_transaction())
    tx.hash = to_hex(keccak(raw))
    return raw


def _broadcast(tx: Transaction, raw: bytes) -> None:
    node, tx.stage = tx.node, "sending"
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
            raise _too_poor(node, tx.address, node.balance(tx.address)) from error
        if "replacement transaction underpriced" in words:
            problem = f"An earlier transaction of yours is still waiting, and {tx.label} does not pay enough to "
            raise errors.TransactionError(f"{problem}replace it.", WAIT_OR_CANCEL) from error
        raise errors.TransactionError(
            f"The node did not accept {tx.label}: {error.sentence} Nothing was sent."
        ) from error
    except errors.NodeError:
        # The node may have it. Its hash is known, so `_follow` finds out.
        return


def _follow(tx: Transaction, poll: OnPoll, patience: float) -> None:
    """Wait until it is mined and has its confirmations. Each new confirmation starts the patience again."""
    poll(tx)
    progress, deepest = time.monotonic(), -1
    unknown_since: float | None = None
    while True:
        now, trouble = time.monotonic(), None
        try:
            known = _look(tx, unknown_since is not None and now - unknown_since > UNKNOWN_FOR)
            unknown_since = None if known else unknown_since or time.monotonic()
        except errors.NodeError as error:
            # An outage is no sign that it is gone.
            unknown_since, trouble = None, error
        if tx.stage == "mined":
            if tx.followed >= tx.confirmations:
                tx.stage = "confirmed" if tx.confirmations else "mined"
                return
            if tx.followed > deepest:
                progress, deepest = now, tx.followed
        if tx.stage in ("failed", "dropped", "replaced") or now - progress > patience:
            raise _ending(tx, patience, trouble) from trouble
        for _ in range(max(1, round(tx.node.pace / TICK))):
            time.sleep(TICK)
            poll(tx)


def _look(tx: Transaction, lost: bool) -> bool:
    """Note how far it has come. False if the node does not know it. `lost`: unknown for so long that it is gone."""
    node = tx.node
    # Asked before the receipt: if ours was mined, the receipt is there.
    replaced = lost and node.nonce(tx.address, "pending") > tx.nonce
    # The lower of two heads counts, so that a reorg between two answers confirms nothing.
    head = node.block().number if tx.confirmations else 0
    if (receipt := node.receipt(tx.hash)) is not None:
        node.ask(lambda: _note(tx, receipt))  # within `ask`, because it may be nonsense
        if tx.confirmations:
            tx.followed = max(0, min(head, node.block().number) - cast(int, tx.block))
        return True
    if tx.stage == "mined":
        # A late node has no receipt, either. Only another block at that height proves a reorg.
        block = cast(int, tx.block)
        if node.block().number < block or node.block(block).hash == tx.block_hash:
            return True
        tx.stage = "taken back"
    known = node.knows(tx.hash)
    if known and tx.stage == "sending":
        tx.stage = "sent"
    elif not known and replaced:
        tx.stage = "replaced"
    elif not known and lost and tx.stage != "taken back":
        tx.stage = "dropped"
    return known


def _note(tx: Transaction, receipt: TxReceipt) -> None:
    block, block_hash = to_number(receipt["blockNumber"]), to_hex(receipt["blockHash"])
    gas, price = to_number(receipt["gasUsed"]), to_number(receipt.get("effectiveGasPrice") or 0)
    stage = "mined" if receipt["status"] == 1 else "failed"
    tx.block, tx.block_hash, tx.followed = block, block_hash, 0
    tx.gas_used, tx.paid = gas, gas * price
    # Last, because a signal may report it at any moment.
    tx.stage = stage


def _ending(tx: Transaction, patience: float, trouble: errors.NodeError | None) -> errors.TicTacToeError:
    """The error that ends the wait."""
    mined = f"{tx.name} was mined in block {tx.block}"
    match tx.stage:
        case "failed":
            problem = f"{mined}, but failed: probably another transaction came first."
            advice = f"It cost {coins(tx.paid or 0)} {tx.node.symbol}. Look at the board again."
        case "replaced":
            problem = f"Another transaction of yours replaced {tx.name}, "
            problem += "for example because you sped it up or cancelled it in a wallet."
            advice = "Look at the board before you try again."
        case "dropped":
            problem = f"The network dropped {tx.name}: it is in no block and no longer waiting. It cost nothing."
            advice = "Try again."
        case "mined" if trouble:
            return errors.NodeError(f"{mined}, but the node failed before it was confirmed.", "")
        case "mined":
            problem, advice = f"{mined}, but no new block confirmed it for {patience:.0f} s.", ""
        case _ if trouble:
            advice = "It may still be mined: check before you send another."
            return errors.NodeError(f"The node failed after {tx.name} was signed.", advice)
        case "taken back":
            problem, advice = f"A reorg took back {tx.name}, and it has not been mined again.", ""
        case _:
            tx.stage = "waiting"
            problem = f"{tx.name} is still waiting after {patience:.0f} s."
            advice = "It may still be mined: check later, or speed it up in a wallet."
    return errors.TransactionError(problem, advice)
