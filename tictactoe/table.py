"""The contract at an address: deploy it, find it, read it, encode calls to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ape

from tictactoe import errors
from tictactoe.game import STATUSES, Game, mark_of
from tictactoe.node import Node
from tictactoe.sending import Prepared, Sender

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI
    from ape.contracts.base import ContractContainer, ContractInstance
    from eth_typing import ChecksumAddress
    from ethpm_types import ContractType
    from web3.types import BlockIdentifier

CONTRACT = "TicTacToe"
STATE_TYPE = "(uint256,address,address,uint8[3][3],uint8,uint8,(uint8,uint8,uint8,uint8)[])"


class Table:
    """A table: the contract at an address, on the network of a node. Without a node, on the one ape is connected to."""

    def __init__(self, address: str, node: Node | None = None) -> None:
        self.node = node or Node()
        self.address = checked_address(address)
        self._type = contract_type()

    @property
    def contract(self) -> ContractInstance:
        """The same table as ape's contract object."""
        container: ContractContainer = getattr(ape.project, CONTRACT)
        return container.at(self.address, fetch_from_explorer=False)

    def calldata(self, method: str, *args: object) -> bytes:
        """The calldata of a transaction, such as `makeMove(uint8,uint8,uint256)`."""
        abi = self._type.mutable_methods[method]
        return bytes(self.node.ecosystem.encode_transaction(self.address, abi, *args).data)

    def check(self) -> None:
        """Raise unless the code at the address is this contract's, byte for byte."""
        code = self.node.code(self.address)
        if not code:
            raise errors.NoContract(self.address, self.node)
        if code != runtime_code():
            raise errors.AnotherContract(self.address)

    def state(self, block: BlockIdentifier = "latest") -> Game:
        from eth_abi.abi import decode
        from eth_utils.address import to_checksum_address

        def read() -> Game:
            selector = self.node.ecosystem.get_method_selector(self._type.view_methods["gameState()"])
            answer = self.node.call({"to": self.address, "data": bytes(selector)}, block)
            ((number, x, o, board, turn, status, history),) = decode([STATE_TYPE], answer)
            moves = tuple(row * 3 + col for row, col, _mark, _sequence in history)
            game = Game(number, to_checksum_address(x), to_checksum_address(o), moves, STATUSES[status])
            if not game.is_possible or (board, turn, history) != _board_turn_history(game):
                raise errors.WrongAnswer("a game that cannot be")
            return game

        return self.node.ask(read)


def _board_turn_history(game: Game) -> tuple[object, ...]:
    """What `gameState` returns besides, in the contract's numbers: all of it follows from the moves and the status."""
    digits = {"": 0, "X": 1, "O": 2}
    marks = [digits[mark] for mark in game.marks]
    history = tuple((cell // 3, cell % 3, digits[mark_of(move)], move) for move, cell in enumerate(game.moves, start=1))
    # The mark to move or, if the last move ended the game, of that move.
    ended_by_move = game.status in ("x_won", "o_won", "draw")
    turn = "" if game.status == "no_game" else mark_of(len(game.moves) + (0 if ended_by_move else 1))
    return (tuple(marks[0:3]), tuple(marks[3:6]), tuple(marks[6:9])), digits[turn], history


def find_table(node: Node, address: str | None = None) -> Table:
    """The table at the address; without one, the last table deployed from this project that is still on the chain."""
    if address is not None:
        table = Table(address, node)
        table.check()
        return table
    for deployment in reversed(ape.chain.contracts.deployments[CONTRACT]):
        table = Table(deployment.address, node)
        # ape gives all bare URLs one network name, so compare the code: the deployment may be on another chain.
        if node.code(table.address) == runtime_code():
            return table
    raise errors.NoTableKnown(node)


def checked_address(text: str) -> ChecksumAddress:
    """The address with its checksum; raises if the text is not an address, or has a wrong checksum."""
    from eth_utils.address import is_address, is_checksum_address, to_checksum_address

    text = text.strip()
    body = text[2:]
    mixed = body != body.lower() and body != body.upper()
    if not is_address(text.lower()) or not text.startswith("0x"):
        raise errors.InvalidAddress(text)
    if mixed and not is_checksum_address(text):
        raise errors.WrongChecksum(text)
    return to_checksum_address(text)


# -- deploying -------------------------------------------------------------------


def deploy(
    account: AccountAPI, sender: Sender | None = None, confirmations: int = 0, prepared: Prepared | None = None
) -> Table:
    """
    Deploy a table from an account, wait until it is mined and confirmed, and check it.

    `sender` reports the progress; `prepared` is a deployment whose cost has been shown before.
    """
    sender = sender or Sender(Node())
    sent = sender.send_prepared(account, prepared or sender.prepare(account, "table", creation_code()))
    # Remember the table before anything else can fail: it is paid for. `find_table` checks the code of what it finds.
    ape.chain.contracts.deployments.cache_deployment(sent.contract, CONTRACT, transaction_hash=sent.hash)
    try:
        if confirmations:
            sender.confirm(sent, confirmations)
        table = Table(sent.contract, sender.node)
        table.check()
        # As of its own block: after the confirmations somebody may well be playing.
        if table.state(sent.block) != Game():
            raise errors.NotANewTable(table.address)
    except errors.TicTacToeError as error:
        error.add(errors.look_first(sent.contract))
        raise
    return table


def contract_type() -> ContractType:
    try:
        container: ContractContainer = getattr(ape.project, CONTRACT)
    except AttributeError as err:
        # How ape reports that the contract did not compile.
        raise errors.CompilerMissing() from err
    return container.contract_type


def runtime_code() -> bytes:
    """The code of a deployed table."""
    return _code(contract_type().runtime_bytecode)


def creation_code() -> bytes:
    """
    The data of the transaction that deploys a table. The contract's constructor takes no arguments.

    The compiler appends metadata: a hash of the source, the sizes of the parts, its version, and in the last two bytes
    the length of all that. It is left out (as by `vyper --no-bytecode-metadata`), so that a changed comment changes no
    byte, and no address that is derived from these bytes.
    """
    code = _code(contract_type().deployment_bytecode)
    return code[: -int.from_bytes(code[-2:], "big")]


def _code(compiled: Any) -> bytes:
    return bytes.fromhex(compiled.bytecode.removeprefix("0x"))
