"""The one place that talks to a node: the table's state, and transactions with each of their stages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from scripts._faults import (
    AccountFailure,
    NodeFailure,
    NodeGone,
    NodeRefused,
    NoFunds,
    NoTable,
    Refused,
    TransactionFailure,
    WrongChain,
    clean,
)
from scripts._game import STATUSES, Game

CONTRACT = "TicTacToe"
STATE_TYPE = "(uint256,address,address,uint8[3][3],uint8,uint8,(uint8,uint8,uint8,uint8)[])"

# Where a person can look a transaction up, when no explorer plugin says better.
EXPLORERS = {
    1: "https://etherscan.io",
    11155111: "https://sepolia.etherscan.io",
    17000: "https://holesky.etherscan.io",
    560048: "https://hoodi.etherscan.io",
}

T = TypeVar("T")


@dataclass(frozen=True)
class Block:
    number: int
    hash: str
    parent: str
    time: int
    base_fee: int | None


class Node:
    """A connection of ape's, with every way it can fail turned into a sentence."""

    def __init__(self, provider: Any) -> None:
        self.provider = provider
        self.eth = provider.web3.eth
        self.ecosystem = provider.network.ecosystem
        # The chain inside this process mines at once and lives only as long as it.
        self.embedded: bool = provider.network.is_local and provider.name == "test"
        self.name: str = provider.network.name
        self.symbol: str = self.ecosystem.fee_token_symbol
        self.chain_id: int = self.ask(lambda: int(self.eth.chain_id))
        self.pace = 0.0 if self.embedded else min(1.0, max(0.2, float(provider.network.block_time or 1) / 4))

    def ask(self, question: Callable[[], T]) -> T:
        """Ask the node something. A lying node can make the libraries raise anything; all of it becomes a `Failure`."""
        try:
            return question()
        except Exception as err:
            raise self._failure(err) from err

    def _failure(self, err: Exception) -> Exception:
        from ape.exceptions import ProviderNotConnectedError
        from requests.exceptions import HTTPError, RequestException
        from web3.exceptions import TransactionNotFound, Web3RPCError

        text = clean(_message(err))
        if isinstance(err, (TransactionNotFound, NodeFailure, Refused)):
            return err
        if isinstance(err, HTTPError):
            return NodeRefused(f"The node refuses to answer: {text}. Wait a little, or use another node (--network).")
        if isinstance(err, (RequestException, ProviderNotConnectedError, OSError)):
            return NodeGone(
                "The node does not answer. Is it running, and is the network up? Try again, or use another (--network)."
            )
        if (reason := _revert_reason(err)) is not None:
            return Refused(reason)
        if isinstance(err, Web3RPCError):
            return NodeRefused(f"The node refuses: {text}.")
        kind = type(err).__name__
        return NodeFailure(f"The node's answer makes no sense ({kind}: {text}). Use another node (--network).")

    # -- blocks ----------------------------------------------------------------

    def block(self, which: int | str = "latest") -> Block:
        def read() -> Block:
            raw = self.eth.get_block(which)
            fee = raw.get("baseFeePerGas")
            return Block(
                int(raw["number"]),
                _hex(raw["hash"]),
                _hex(raw["parentHash"]),
                int(raw["timestamp"]),
                None if fee is None else int(fee),
            )

        return self.ask(read)

    def code(self, address: str) -> bytes:
        return self.ask(lambda: bytes(self.eth.get_code(address)))

    def balance(self, address: str) -> int:
        return self.ask(lambda: int(self.eth.get_balance(address)))

    def explorer_link(self, kind: str, what: str) -> str:
        explorer = self.provider.network.explorer
        if explorer is not None:
            link = explorer.get_transaction_url(what) if kind == "tx" else explorer.get_address_url(what)
            return clean(link)
        base = EXPLORERS.get(self.chain_id)
        return f"{base}/{kind}/{what}" if base else ""


def _message(err: Exception) -> str:
    """What the node said, without the library's wrapping."""
    response = getattr(err, "rpc_response", None)
    if isinstance(response, dict) and isinstance(response.get("error"), dict):
        return str(response["error"].get("message", response["error"]))
    return str(err)


def _revert_reason(err: Exception) -> str | None:
    """The contract's reason, if this error is a revert."""
    text = _message(err)
    _, found, reason = text.partition("execution reverted")
    if not found:
        return None
    return reason.lstrip(":, ").strip().strip("'\"")


def _hex(value: Any) -> str:
    return "0x" + bytes(value).hex()


# -- the table -------------------------------------------------------------------


def contract_type() -> Any:
    from ape import project

    return getattr(project, CONTRACT).contract_type


def runtime_code() -> bytes:
    return bytes.fromhex(contract_type().runtime_bytecode.bytecode.removeprefix("0x"))


class Table:
    """The contract at an address."""

    def __init__(self, node: Node, address: str) -> None:
        self.node = node
        self.address = address
        self._type = contract_type()

    def call(self, method: str, *args: object) -> bytes:
        """The calldata of a transaction, such as `makeMove(uint8,uint8,uint256)`."""
        abi = self._type.mutable_methods[method]
        return bytes(self.node.ecosystem.encode_transaction(self.address, abi, *args).data)

    def check(self) -> None:
        """That this contract, byte for byte, stands at the address."""
        code = self.node.code(self.address)
        if not code:
            raise NoTable(
                f"There is no contract at {self.address} on {self.node.name} (chain {self.node.chain_id}). "
                "Check the address and --network, or put up a table with `ape run deploy`."
            )
        if code != runtime_code():
            raise NoTable(
                f"Another contract stands at {self.address}: its code is not that of {CONTRACT}. "
                "Check the address, or put up a table of your own with `ape run deploy`."
            )

    def state(self, block: int | str = "latest") -> Game:
        from eth_abi.abi import decode
        from eth_utils.address import to_checksum_address

        def read() -> Game:
            selector = self.node.ecosystem.get_method_selector(self._type.view_methods["gameState()"])
            answer = bytes(self.node.eth.call({"to": self.address, "data": bytes(selector)}, block))
            ((number, x, o, _board, _turn, status, history),) = decode([STATE_TYPE], answer)
            cells = tuple(row * 3 + col for row, col, _player, _sequence in history)
            if len(set(cells)) != len(cells) or any(cell > 8 for cell in cells):
                raise ValueError("a move that no board has")
            return Game(number, to_checksum_address(x), to_checksum_address(o), cells, STATUSES[status])

        return self.node.ask(read)


def find_table(node: Node, address: str | None) -> Table:
    """The table at the address, or the last one this project deployed on the network that is still there."""
    if address is not None:
        table = Table(node, checked_address(address))
        table.check()
        return table
    from ape import chain

    for deployment in reversed(chain.contracts.deployments[CONTRACT]):
        table = Table(node, deployment.address)
        # Several chains can share a name, as all bare URLs do: the code on this one decides.
        if node.code(table.address) == runtime_code():
            return table
    raise NoTable(
        f"No table is known on this network ({node.name}, chain {node.chain_id}). "
        "Put one up with `ape run deploy`, or say where it is with --table ADDRESS."
    )


def checked_address(text: str) -> str:
    """The address in its checksummed form; a sentence when it is none."""
    import click
    from eth_utils.address import is_address, is_checksum_address, to_checksum_address

    text = text.strip()
    body = text[2:]
    mixed = body != body.lower() and body != body.upper()
    if not is_address(text) or not text.startswith("0x") or (mixed and not is_checksum_address(text)):
        raise click.BadParameter(f"{clean(text, 60)!r} is not an address: 0x and 40 hexadecimal digits.")
    return str(to_checksum_address(text))


def check_chain(node: Node, expected: int | None) -> None:
    if expected is not None and expected != node.chain_id:
        raise WrongChain(
            f"This is chain {node.chain_id}, not {expected} as you expected. Nothing was sent. Check --network."
        )


# -- transactions ------------------------------------------------------------------


@dataclass
class Sent:
    """A transaction of ours, as far as it has come: signing, sent, mined, confirmed, or failed."""

    what: str
    hash: str = ""
    stage: str = "signing"
    block: int = 0
    block_hash: str = ""
    gas: int = 0
    fee: int = 0
    contract: str = ""


@dataclass(frozen=True)
class Prepared:
    """A transaction that nobody has signed yet, and what it would cost."""

    transaction: Any
    gas: int  # as the node estimates it
    fee: int  # for one gas, in the block that is next
    most: int  # what it costs at the very worst

    @property
    def cost(self) -> int:
        return self.gas * self.fee


@dataclass
class Sender:
    """Sends an account's transactions, one after another, and remembers them all."""

    node: Node
    # Told of every step, for the screen: the transaction, and seconds since it was sent.
    show: Callable[[Sent, float], None]
    # Asked before each signature, when the person wishes to be.
    approve: Callable[[str], bool] | None = None
    patience: float = 180.0
    sent: list[Sent] = field(default_factory=list)

    def prepare(self, account: Any, what: str, data: bytes, to: str | None = None) -> Prepared:
        """The transaction with gas and fees filled in. The contract's refusals show here, before anything is paid."""
        node = self.node
        call: dict[str, Any] = {"from": account.address, "data": data}
        fields: dict[str, Any] = {"sender": account.address, "data": data, "chain_id": node.chain_id}
        if to is not None:
            call["to"] = fields["receiver"] = to
        head = node.block()
        if head.base_fee is None:
            fields |= {"type": 0, "gas_price": node.ask(lambda: int(node.eth.gas_price))}
            price = now = fields["gas_price"]
        else:
            tip = 0 if node.embedded else node.ask(lambda: int(node.eth.max_priority_fee))
            # Room for the base fee to double while the transaction waits, as wallets leave it.
            price, now = head.base_fee * 2 + tip, head.base_fee + tip
            fields |= {"type": 2, "max_fee": price, "max_priority_fee": tip}
        balance = node.balance(account.address)
        if balance == 0:
            raise self._no_funds(account, what, balance, None)
        estimate = node.ask(lambda: int(node.eth.estimate_gas(call)))
        # What is mined may differ a little from what was estimated, if the game moves on in between.
        fields["gas_limit"] = estimate * 6 // 5
        if balance < fields["gas_limit"] * price:
            raise self._no_funds(account, what, balance, fields["gas_limit"] * price)
        # Not "pending": a stuck transaction of ours is meant to be replaced by trying again.
        fields["nonce"] = node.ask(lambda: int(node.eth.get_transaction_count(account.address)))
        return Prepared(node.ecosystem.create_transaction(**fields), estimate, now, fields["gas_limit"] * price)

    def _no_funds(self, account: Any, what: str, balance: int, cost: int | None) -> NoFunds:
        needs = f" and {what} may cost up to {ether(cost, self.node)}" if cost else ""
        return NoFunds(
            f"Not enough funds: {account.address} has {ether(balance, self.node)}{needs}. "
            "Nothing was sent. Fund the account (on a testnet from a faucet) and try again."
        )

    def send(self, account: Any, what: str, data: bytes, to: str | None = None) -> Sent:
        """Sign, send, and wait until it is mined. `what` is a word for the person, such as `move 3`."""
        prepared = self.prepare(account, what, data, to)
        entry = Sent(what)
        self.sent.append(entry)
        self.show(entry, 0)
        if self.approve is not None and not self.approve(what):
            entry.stage = "declined"
            raise AccountFailure(f"You declined to sign {what}. Nothing was sent.")
        signed = self._sign(account, what, prepared.transaction, entry)
        raw = bytes(signed.serialize_transaction())
        entry.hash = _hex(signed.txn_hash)
        entry.stage = "sending"
        try:
            self.node.ask(lambda: self.node.eth.send_raw_transaction(raw))
        except NodeGone:
            # It may have arrived all the same. Its hash is known, so the wait below will tell.
            self.show(entry, 0)
        except NodeFailure as err:
            if "already known" not in err.message:
                entry.stage = "not sent"
                if "insufficient funds" in err.message:
                    raise self._no_funds(account, what, self.node.balance(account.address), None) from err
                raise TransactionFailure(f"The node did not take {what}: {err.message} Nothing was sent.") from err
        entry.stage = "sent"
        return self._wait(entry, account.address, int(signed.nonce))

    def _sign(self, account: Any, what: str, transaction: Any, entry: Sent) -> Any:
        from ape.exceptions import ApeException

        try:
            signed = account.sign_transaction(transaction)
        except ApeException as err:
            entry.stage = "not signed"
            raise AccountFailure(
                f"The account did not sign {what}: {clean(err)}. Nothing was sent. Unlock the account and try again."
            ) from err
        if signed is None or signed.signature is None:
            entry.stage = "declined"
            raise AccountFailure(f"You declined to sign {what}. Nothing was sent.")
        return signed

    def confirm(self, entry: Sent, confirmations: int) -> None:
        """Wait until so many blocks stand on the transaction's, and it is still in the chain."""
        from web3.exceptions import TransactionNotFound

        node, start = self.node, time.monotonic()
        while True:
            waited = time.monotonic() - start
            try:
                depth = node.block().number - entry.block
                if depth >= confirmations:
                    receipt = node.ask(lambda: node.eth.get_transaction_receipt(entry.hash))
                    if int(receipt["blockNumber"]) == entry.block:
                        entry.stage = "confirmed"
                        self.show(entry, waited)
                        return
                    # A reorganisation moved it to another block: count from there.
                    entry.block = int(receipt["blockNumber"])
            except TransactionNotFound:
                if waited > self.patience:
                    raise TransactionFailure(
                        f"A reorganisation of the chain took {what_hash(entry)} back and it was not mined again. "
                        "Nothing was paid. Try again."
                    ) from None
            except NodeFailure:
                if waited > self.patience:
                    raise
            self.show(entry, waited)
            time.sleep(node.pace)

    def _wait(self, entry: Sent, sender: str, nonce: int) -> Sent:
        from web3.exceptions import TransactionNotFound

        node = self.node
        start = last_seen = time.monotonic()
        while True:
            waited = time.monotonic() - start
            self.show(entry, waited)
            try:
                used = node.ask(lambda: int(node.eth.get_transaction_count(sender)))
                try:
                    receipt = node.ask(lambda: node.eth.get_transaction_receipt(entry.hash))
                    return self._mined(entry, receipt)
                except TransactionNotFound:
                    pass
                if used > nonce:
                    entry.stage = "replaced"
                    raise TransactionFailure(
                        f"Another transaction of yours was mined in place of {what_hash(entry)} (it was replaced, "
                        "perhaps sped up or cancelled in a wallet). Look at the board before you try again."
                    )
                try:
                    node.ask(lambda: node.eth.get_transaction(entry.hash))
                    last_seen = time.monotonic()
                except TransactionNotFound:
                    # A node behind a load balancer may not know it for a moment.
                    if time.monotonic() - last_seen > min(15.0, self.patience / 4):
                        entry.stage = "dropped"
                        raise TransactionFailure(
                            f"The network dropped {what_hash(entry)}: it is in no block and no longer waiting. "
                            "Nothing was paid. Try again."
                        ) from None
            except NodeFailure:
                # Gone while we wait: the transaction does not depend on our node, so wait on.
                if waited > self.patience:
                    raise NodeGone(
                        f"The node went away while {what_hash(entry)} was under way. It was sent and may still be "
                        "mined: run the same command again later, the board will show."
                    ) from None
            if waited > self.patience:
                entry.stage = "waiting"
                raise TransactionFailure(
                    f"After {self.patience:.0f} s {what_hash(entry)} still waits in the pool. It may yet be mined: run "
                    "the same command again later, or speed it up in a wallet."
                )
            time.sleep(node.pace)

    def _mined(self, entry: Sent, receipt: Any) -> Sent:
        def read() -> None:
            entry.block = int(receipt["blockNumber"])
            entry.block_hash = _hex(receipt["blockHash"])
            entry.gas = int(receipt["gasUsed"])
            entry.fee = entry.gas * int(receipt.get("effectiveGasPrice") or 0)
            entry.contract = str(receipt.get("contractAddress") or "")
            entry.stage = "mined" if receipt["status"] == 1 else "failed"

        self.node.ask(read)
        self.show(entry, 0)
        if entry.stage == "failed":
            raise TransactionFailure(
                f"{what_hash(entry)} was mined in block {entry.block} but refused: somebody was faster. "
                f"It cost {ether(entry.fee, self.node)}. Look at the board again."
            )
        return entry


def what_hash(entry: Sent) -> str:
    return f"{entry.what} ({entry.hash})"


def ether(wei: int | None, node: Node) -> str:
    """An amount for a person: enough digits to be exact where it matters, no trailing zeros."""
    amount = f"{(wei or 0) / 10**18:.9f}".rstrip("0").rstrip(".")
    return f"{amount} {node.symbol}"
