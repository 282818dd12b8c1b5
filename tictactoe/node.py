"""One connection to a node. Every way in which a question to it can fail becomes an error of ours, here."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import ape
from ape.api.networks import NetworkAPI
from evmchains import PUBLIC_CHAIN_META

from tictactoe.errors import NodeError, NodeRefused, NodeUnreachable, Reverted, TicTacToeError, WrongChain
from tictactoe.formatting import clean

if TYPE_CHECKING:
    from ape_ethereum.provider import Web3Provider
    from eth_typing import ChecksumAddress
    from web3.types import BlockIdentifier, TxReceipt

    from tictactoe.transactions import Transaction

T = TypeVar("T")

# Seconds between two looks at keys and signals, while something is awaited.
TICK = 0.1

# What `--network` calls the known public chains, mainnets and testnets, by their IDs.
PUBLIC_CHOICES = {
    chain["chainId"]: f"{ecosystem}:{network}"
    for ecosystem, networks in PUBLIC_CHAIN_META.items()
    for network, chain in networks.items()
}

# Advice where no faucet and no deployment would help.
EMBEDDED = "This is the chain inside the program, which is new at every start. Choose a network with --network."


@dataclass(frozen=True)
class Limits:
    """The player's own limits, the first two in wei. Where one is set, nothing is asked: what exceeds it is refused."""

    max_fee: int | None = None  # for one gas
    max_cost: int | None = None  # of one transaction
    chain_id: int | None = None  # of the chain that is meant


@dataclass(frozen=True)
class Block:
    number: int
    hash: str
    parent: str
    time: int
    base_fee: int | None


class Node:
    """One connection of Ape's, by default the one that is active, and the player's limits for what is sent over it."""

    # For programs with a screen: it is called before each question and every 0.1 s until the answer, with the seconds
    # so far. If it raises, nobody waits any longer.
    idle: ClassVar[Callable[[float], object] | None] = None

    def __init__(self, provider: Web3Provider | None = None, limits: Limits | None = None) -> None:
        from tictactoe.transport import guard

        self.provider = provider or cast("Web3Provider", ape.chain.provider)
        guard(self.provider)
        self.web3 = self.provider.web3
        self.network = self.provider.network
        self.ecosystem = self.network.ecosystem
        self.name = self.network.name
        self.symbol = self.ecosystem.fee_token_symbol
        # The chain inside this process mines at once, and ends with the process.
        self.embedded = self.network.is_local and self.provider.name == "test"
        self.chain_id = self.ask(lambda: to_number(self.web3.eth.chain_id))
        self.limits = limits or Limits()
        if self.limits.chain_id not in (None, self.chain_id):
            problem = f"This is chain {self.chain_id}, not {self.limits.chain_id}."
            raise WrongChain(problem, "Nothing was sent. Check --network.")
        # Empty if the chain is not a public one.
        self.public_choice = PUBLIC_CHOICES.get(self.chain_id, "")
        # Whether the user named the network. With a bare URL, the chain is what the node claims. For a named network
        # Ape has compared the chain ID, but the node may give us another one than Ape.
        named = type(self.network).chain_id is not NetworkAPI.chain_id
        self.chosen_by_name = named and int(self.network.chain_id) == self.chain_id
        # Seconds between two questions to the node while waiting.
        self.pace = TICK if self.embedded else min(1.0, max(0.2, float(self.network.block_time or 1) / 4))
        # How many blocks confirm a transaction.
        self.confirmations = 0 if self.embedded else int(self.network.required_confirmations)
        # What this program has sent over this connection.
        self.sent: list[Transaction] = []

    def ask(self, question: Callable[[], T]) -> T:
        """Ask the node. A wrong answer can make the libraries raise anything, so every exception is translated."""
        try:
            return question()
        except TicTacToeError:
            raise
        except Exception as err:
            raise _translated(err) from err

    def block(self, which: int | str = "latest") -> Block:
        """The block with this number."""

        def read() -> Block:
            raw = self.web3.eth.get_block(cast("BlockIdentifier", which))
            number, time = to_number(raw["number"]), to_number(raw["timestamp"])
            base_fee = None if raw.get("baseFeePerGas") is None else to_number(raw["baseFeePerGas"])
            return Block(number, to_hex(raw["hash"]), to_hex(raw["parentHash"]), time, base_fee)

        return self.ask(read)

    def code(self, address: ChecksumAddress, block: BlockIdentifier = "latest") -> bytes:
        """For old blocks, only an archive node knows it."""
        return self.ask(lambda: bytes(self.web3.eth.get_code(address, block)))

    def balance(self, address: ChecksumAddress) -> int:
        return self.ask(lambda: to_number(self.web3.eth.get_balance(address)))

    def nonce(self, address: ChecksumAddress, block: BlockIdentifier = "latest") -> int:
        """How many transactions of this account are mined; with `pending`, also those that wait in the pool."""
        return self.ask(lambda: to_number(self.web3.eth.get_transaction_count(address, block)))

    def knows(self, transaction: str) -> bool:
        """Whether a transaction is mined or waits in the node's pool."""
        return self.ask(lambda: _or_none(self.web3.eth.get_transaction, transaction)) is not None

    def receipt(self, transaction: str) -> TxReceipt | None:
        """None while the transaction is in no block that the node has seen."""
        return self.ask(lambda: _or_none(self.web3.eth.get_transaction_receipt, transaction))


def _or_none(question: Callable[[Any], T], transaction: str) -> T | None:
    from web3.exceptions import TransactionNotFound

    with suppress(TransactionNotFound):
        return question(transaction)
    return None


def to_number(value: object) -> int:
    """A number from a node: unsigned, and of at most 256 bits."""
    if not isinstance(value, int) or value < 0:
        raise ValueError("not a number")
    if value >= 2**256:
        raise NodeError("The node returned a number of more than 256 bits.")
    return value


def to_hex(value: bytes) -> str:
    if len(value) != 32:
        raise ValueError("a hash that is not 32 bytes long")
    return "0x" + bytes(value).hex()


def _translated(err: Any) -> TicTacToeError:
    from web3.exceptions import CannotHandleRequest, Web3RPCError

    if isinstance(err, (CannotHandleRequest, OSError)):
        return NodeUnreachable()
    words = getattr(err, "message", None) or err
    # The node's own message, without the library's wrapping.
    with suppress(AttributeError, LookupError, TypeError):
        words = err.rpc_response["error"]["message"]
    words = clean(words)
    _, reverted, reason = words.partition("execution reverted")
    if reverted:
        return Reverted(reason.lstrip(":, ").strip().strip("'\""))
    if isinstance(err, Web3RPCError):
        return NodeRefused(f"The node refused: {words.rstrip('.')}.", "", too_much=True)
    return NodeError(f"The node returned an invalid answer ({type(err).__name__}: {words}).")
