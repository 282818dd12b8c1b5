"""The one place that talks to a node, and the table as it stands there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from scripts._faults import NodeFailure, NodeGone, NodeRefused, NoTable, Refused, WrongChain, clean
from scripts._game import STATUSES, Game

CONTRACT = "TicTacToe"
STATE_TYPE = "(uint256,address,address,uint8[3][3],uint8,uint8,(uint8,uint8,uint8,uint8)[])"

# Where a person can look a transaction up, without a plugin.
EXPLORERS = {
    1: "https://etherscan.io",
    11155111: "https://sepolia.etherscan.io",
    17000: "https://holesky.etherscan.io",
    560048: "https://hoodi.etherscan.io",
}

# The way out for whoever meant another chain and is on ours.
EMBEDDED = "This is the chain inside the program, new at every start: name the network you mean with --network."

T = TypeVar("T")


@dataclass(frozen=True)
class Block:
    number: int
    hash: str
    parent: str
    time: int
    base_fee: int | None


@dataclass(frozen=True)
class Receipt:
    block: int
    succeeded: bool
    gas: int
    fee: int
    contract: str  # the address of the one it created, if any


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
        from web3.exceptions import CannotHandleRequest, TransactionNotFound, Web3RPCError

        text = clean(_message(err))
        if isinstance(err, (TransactionNotFound, NodeFailure, Refused)):
            return err
        if isinstance(err, HTTPError) and err.response is not None and err.response.status_code < 500:
            return NodeRefused(f"The node refuses to answer: {text}. Wait a little, or use another node (--network).")
        if isinstance(err, (RequestException, ProviderNotConnectedError, CannotHandleRequest, OSError)):
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

    def code_at(self, address: str, block: int) -> bytes:
        """Only an archive node knows it for old blocks."""
        return self.ask(lambda: bytes(self.eth.get_code(address, block)))

    def logs(self, **where: Any) -> list[Any]:
        return self.ask(lambda: list(self.eth.get_logs(where)))

    def balance(self, address: str) -> int:
        return self.ask(lambda: int(self.eth.get_balance(address)))

    # -- transactions ------------------------------------------------------------

    def gas_price(self) -> int:
        return self.ask(lambda: int(self.eth.gas_price))

    def priority_fee(self) -> int:
        return 0 if self.embedded else self.ask(lambda: int(self.eth.max_priority_fee))

    def estimate_gas(self, call: dict[str, Any]) -> int:
        return self.ask(lambda: int(self.eth.estimate_gas(call)))

    def nonce(self, address: str) -> int:
        """How many transactions of this account are mined."""
        return self.ask(lambda: int(self.eth.get_transaction_count(address)))

    def hand_over(self, raw: bytes) -> None:
        self.ask(lambda: self.eth.send_raw_transaction(raw))

    def knows(self, transaction: str) -> bool:
        """Whether it is mined or waits in the node's pool."""
        return self._if_found(lambda: self.eth.get_transaction(transaction)) is not None

    def receipt(self, transaction: str) -> Receipt | None:
        """Nothing when it is in no block, or not in one that this node has heard of."""

        def read() -> Receipt:
            raw = self.eth.get_transaction_receipt(transaction)
            gas, succeeded = int(raw["gasUsed"]), raw["status"] == 1
            return Receipt(
                int(raw["blockNumber"]),
                succeeded,
                gas,
                gas * int(raw.get("effectiveGasPrice") or 0),
                # Some nodes name the address also where nothing came of it.
                str(raw.get("contractAddress") or "") if succeeded else "",
            )

        return self._if_found(read)

    def _if_found(self, question: Callable[[], T]) -> T | None:
        from web3.exceptions import TransactionNotFound

        try:
            return self.ask(question)
        except TransactionNotFound:
            return None

    # -- explorers ---------------------------------------------------------------

    @cached_property
    def explorer(self) -> Any:
        """The network's explorer, if a plugin brings one."""
        try:
            return self.provider.network.explorer
        except Exception:  # noqa: BLE001 - the plugin asks hosts of its own; one that is away ends no game
            return None

    def explorer_link(self, kind: str, what: str) -> str:
        """Where a person can look it up; nothing when nobody knows. Our own table first: it asks nobody."""
        if base := EXPLORERS.get(self.chain_id):
            return f"{base}/{kind}/{what}"
        if self.explorer is None:
            return ""
        find = self.explorer.get_transaction_url if kind == "tx" else self.explorer.get_address_url
        try:
            return clean(find(what))
        except Exception:  # noqa: BLE001 - as above
            return ""


def _message(err: Exception) -> str:
    """What the node said, without the library's wrapping."""
    response = getattr(err, "rpc_response", None)
    if isinstance(response, dict) and isinstance(response.get("error"), dict):
        return str(response["error"].get("message", response["error"]))
    message = getattr(err, "message", None)
    return message if isinstance(message, str) else str(err)


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
        self.address = checked_address(address)
        self._type = contract_type()

    def call(self, method: str, *args: object) -> bytes:
        """The calldata of a transaction, such as `makeMove(uint8,uint8,uint256)`."""
        abi = self._type.mutable_methods[method]
        return bytes(self.node.ecosystem.encode_transaction(self.address, abi, *args).data)

    def check(self) -> None:
        """That this contract, byte for byte, stands at the address."""
        code = self.node.code(self.address)
        if not code:
            way_out = "Check the address and --network, or put up a table with `ape run deploy`."
            raise NoTable(
                f"There is no contract at {self.address} on {self.node.name} (chain {self.node.chain_id}). "
                + (EMBEDDED if self.node.embedded else way_out)
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
        table = Table(node, address)
        table.check()
        return table
    from ape import chain

    for deployment in reversed(chain.contracts.deployments[CONTRACT]):
        table = Table(node, deployment.address)
        # Several chains can share a name, as all bare URLs do: the code on this one decides.
        if node.code(table.address) == runtime_code():
            return table
    way_out = "Put one up with `ape run deploy`, or say where it is with --table ADDRESS."
    raise NoTable(
        f"No table is known on this network ({node.name}, chain {node.chain_id}). "
        + (EMBEDDED if node.embedded else way_out)
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


def ether(wei: int | None, node: Node) -> str:
    """An amount for a person: enough digits to be exact where it matters, no trailing zeros."""
    amount = f"{(wei or 0) / 10**18:.9f}".rstrip("0").rstrip(".")
    return f"{amount} {node.symbol}"
