"""One connection to a node. Every way in which a question to it can fail becomes an exception of `errors`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

import ape
from ape.api.networks import NetworkAPI
from ape.exceptions import ProviderNotConnectedError
from evmchains import PUBLIC_CHAIN_META

from tictactoe import errors
from tictactoe.formatting import clean

if TYPE_CHECKING:
    from ape_ethereum.provider import Web3Provider
    from eth_typing import ChecksumAddress
    from web3.types import BlockIdentifier, FilterParams, LogReceipt, TxParams

T = TypeVar("T")


@dataclass(frozen=True)
class Block:
    number: int
    hash: str
    parent: str
    time: int
    base_fee: int | None


class Node:
    """One connection of ape's: by default the one that is active."""

    def __init__(self, provider: Web3Provider | None = None) -> None:
        from tictactoe.transport import guard

        connected = provider or cast("Web3Provider | None", ape.networks.active_provider)
        if connected is None:
            raise errors.NotConnected()
        self.provider = connected
        guard(self.provider)
        self.web3 = self.provider.web3
        self.network = self.provider.network
        self.ecosystem = self.network.ecosystem
        # The chain inside this process mines at once, and ends with the process.
        self.embedded = self.network.is_local and self.provider.name == "test"
        self.name = self.network.name
        self.symbol = self.ecosystem.fee_token_symbol
        self.chain_id = self.number(lambda: self.web3.eth.chain_id)
        # What `--network` calls the chain if it is a known public one, mainnet or testnet; otherwise empty.
        self.public_choice = next((choice for choice, chain_id in _public_chains() if chain_id == self.chain_id), "")
        self.public = bool(self.public_choice)
        # Whether the user named a network. With a bare URL, the chain is what the node claims. For a named network, ape
        # has compared the chain ID, but the node may give us another one than ape.
        named = type(self.network).chain_id is not NetworkAPI.chain_id
        self.chosen_by_name = named and int(self.network.chain_id) == self.chain_id
        # Seconds between two questions to the node while waiting.
        self.pace = 0.0 if self.embedded else min(1.0, max(0.2, float(self.network.block_time or 1) / 4))

    def confirmations(self, chosen: int | None) -> int:
        """How many blocks confirm a transaction: the chosen number, or else the network's."""
        usual = 0 if self.embedded else int(self.network.required_confirmations)
        return usual if chosen is None else chosen

    def ask(self, question: Callable[[], T]) -> T:
        """Ask the node. A wrong answer can make the libraries raise anything, so every exception is translated."""
        try:
            return question()
        except Exception as err:
            raise _translated_error(err) from err

    def number(self, question: Callable[[], int]) -> int:
        return self.ask(lambda: to_number(question()))

    # -- the chain ---------------------------------------------------------------

    def block(self, which: int | str = "latest") -> Block:
        """The block with this number or hash."""

        def read() -> Block:
            raw = self.web3.eth.get_block(cast("BlockIdentifier", which))
            fee = raw.get("baseFeePerGas")
            return Block(
                to_number(raw["number"]),
                to_hex(raw["hash"]),
                to_hex(raw["parentHash"]),
                to_number(raw["timestamp"]),
                None if fee is None else to_number(fee),
            )

        block = self.ask(read)
        if which not in ("latest", block.number, block.hash):
            raise errors.ContradictoryAnswer(f"block {block.number} ({block.hash}) when asked for block {which}")
        return block

    def code(self, address: ChecksumAddress, block: BlockIdentifier = "latest") -> bytes:
        """For old blocks, only an archive node knows it."""
        return self.ask(lambda: bytes(self.web3.eth.get_code(address, block)))

    def logs(self, where: FilterParams) -> list[LogReceipt]:
        return self.ask(lambda: list(self.web3.eth.get_logs(where)))

    def balance(self, address: ChecksumAddress) -> int:
        return self.number(lambda: self.web3.eth.get_balance(address))

    def nonce(self, address: str, block: BlockIdentifier = "latest") -> int:
        """How many transactions of this account are mined; with `pending`, also those that wait in the pool."""
        return self.number(lambda: self.web3.eth.get_transaction_count(cast("ChecksumAddress", address), block))

    # -- transactions ------------------------------------------------------------

    def estimate_gas(self, call: TxParams) -> int:
        return self.number(lambda: self.web3.eth.estimate_gas(call))

    def send(self, raw: bytes) -> None:
        self.ask(lambda: self.web3.eth.send_raw_transaction(raw))


def _public_chains() -> Iterator[tuple[str, int]]:
    """What `--network` calls them, and their chain IDs."""
    for ecosystem, networks in PUBLIC_CHAIN_META.items():
        for network, chain in networks.items():
            yield f"{ecosystem}:{network}", chain["chainId"]


def to_number(value: object) -> int:
    """A number from a node: an unsigned integer of at most 256 bits."""
    if not isinstance(value, int) or not 0 <= value < 2**256:
        raise ValueError("not a number of at most 256 bits")
    return value


def to_hex(value: bytes) -> str:
    if len(value) != 32:
        raise ValueError("a hash that is not 32 bytes long")
    return "0x" + bytes(value).hex()


def _translated_error(err: Exception) -> errors.TicTacToeError:
    from web3.exceptions import CannotHandleRequest, TransactionNotFound, Web3RPCError

    if isinstance(err, errors.TicTacToeError):
        return err
    if isinstance(err, TransactionNotFound):
        return errors.TransactionUnknown()
    text = clean(_message(err))
    if isinstance(err, (ProviderNotConnectedError, CannotHandleRequest, OSError)):
        return errors.NodeUnreachable()
    if (reason := _revert_reason(err)) is not None:
        return errors.Reverted(reason)
    if isinstance(err, Web3RPCError):
        return errors.RpcError(text)
    return errors.MalformedAnswer(f"an invalid answer ({type(err).__name__}: {text})")


def _message(err: Exception) -> str:
    """The node's own message, without the library's wrapping."""
    response = getattr(err, "rpc_response", None)
    if isinstance(response, dict) and isinstance(response.get("error"), dict):
        return str(response["error"].get("message", response["error"]))
    message = getattr(err, "message", None)
    return message if isinstance(message, str) else str(err)


def _revert_reason(err: Exception) -> str | None:
    """The contract's reason, if this error is a revert."""
    _, found, reason = _message(err).partition("execution reverted")
    return reason.lstrip(":, ").strip().strip("'\"") if found else None
