"""The contract at an address: deploy it, find it, read it, encode calls to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import ape
from eth_utils.address import to_checksum_address

from tictactoe import errors
from tictactoe.addresses import checked_address
from tictactoe.compiled import CONTRACT, container, contract_type, creation_code, runtime_code
from tictactoe.game import STATUSES, Game, mark_of
from tictactoe.node import Node
from tictactoe.preparing import Prepared
from tictactoe.sending import Sender
from tictactoe.tracking import Sent, find_receipt

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI
    from ape.contracts.base import ContractInstance
    from eth_typing import ChecksumAddress
    from web3.types import BlockIdentifier, TxParams


class Table:
    """A table: the contract at an address, on the network of a node. Without a node, on the one ape is connected to."""

    def __init__(self, address: str, node: Node | None = None) -> None:
        self.node: Node = node or Node()
        self.address = checked_address(address)
        abi = [entry.model_dump() for entry in contract_type().abi]
        # It encodes and decodes, and asks the node nothing.
        self.web3_contract = self.node.web3.eth.contract(self.address, abi=abi)

    def __repr__(self) -> str:
        return f"Table({self.address!r})"

    @property
    def contract(self) -> ContractInstance:
        """The same table as ape's contract object."""
        return container().at(self.address, fetch_from_explorer=False)

    def calldata(self, method: str, *arguments: object) -> bytes:
        """The data of a transaction, for example `calldata("makeMove", row, col, number)`."""
        return bytes.fromhex(self.web3_contract.encode_abi(method, arguments).removeprefix("0x"))

    def exists(self, block: int) -> bool:
        """Whether the address had code in this block. For old blocks, only an archive node knows."""
        return bool(self.node.code(self.address, block))

    def check(self) -> None:
        """Raise unless the code at the address is this contract's, byte for byte."""
        code = self.node.code(self.address)
        if not code:
            raise errors.NoContract(self.node, self.address)
        if code != runtime_code():
            raise errors.AnotherContract(self.address)

    def state(self, block: int | str = "latest") -> Game:
        """The game that is on, or that was on last, in one call."""

        def read() -> Game:
            call: TxParams = {"to": self.address, "data": self.calldata("gameState")}
            answer = bytes(self.node.web3.eth.call(call, cast("BlockIdentifier", block)))
            # Decoded by hand: for a length that a hostile node makes up, web3's codec counts to 2**256.
            words = [int.from_bytes(answer[at : at + 32], "big") for at in range(0, len(answer), 32)]
            number, x, o, status = *words[1:4], words[14]
            moves = tuple(row * 3 + col for row, col in zip(words[17::4], words[18::4], strict=True))
            game = Game(number, _address(x), _address(o), moves, STATUSES[status])
            if not game.is_possible or answer != _game_state(game):
                raise errors.ContradictoryAnswer("a game that cannot be")
            return game

        return self.node.ask(read)


def _address(word: int) -> ChecksumAddress:
    return to_checksum_address(word.to_bytes(20, "big"))


def _game_state(game: Game) -> bytes:
    """What `gameState()` returns for this game: everything follows from its moves and its status."""
    digits = {"": 0, "X": 1, "O": 2}
    # The mark to move; if a move ended the game, the mark of that move.
    ended_by_move = game.status in ("x_won", "o_won", "draw")
    turn = "" if game.status == "no_game" else mark_of(len(game.moves) + (not ended_by_move))
    words = [32, game.number, int(game.player_x, 16), int(game.player_o, 16), *(digits[mark] for mark in game.marks)]
    # The words before the history, and its length.
    words += [digits[turn], STATUSES.index(game.status), 15 * 32, len(game.moves)]
    for move, cell in enumerate(game.moves, start=1):
        words += [cell // 3, cell % 3, digits[mark_of(move)], move]
    return b"".join(word.to_bytes(32, "big") for word in words)


def find_table(address: str | None = None, node: Node | None = None) -> Table:
    """The table at this address; without one, the last known table that is still on the chain."""
    node = node or Node()
    if address is not None:
        table = Table(address, node)
        table.check()
        return table
    for deployment in reversed(_deployments()):
        table = Table(deployment.address, node)
        # ape gives all bare URLs one network name, so compare the code: the deployment may be on another chain.
        if node.code(table.address) == runtime_code():
            return table
    raise errors.NoTableKnown(node)


def first_block(table: Table, head: int) -> int:
    """The block in which the table was deployed; 0 if the node does not know, so that all blocks are read."""
    try:
        if (remembered := _remembered_block(table)) is not None:
            return remembered
        # Bisect: the first block in which the address has code.
        low, high = 0, head
        while low < high:
            middle = (low + high) // 2
            if table.exists(middle):
                high = middle
            else:
                low = middle + 1
        return low
    except errors.TicTacToeError:
        return 0


def _deployments() -> list[ContractInstance]:
    """First those of ape-config.yaml, then those deployed from this project, the newest last."""
    deployments: list[ContractInstance] = ape.chain.contracts.get_deployments(container())
    return deployments


def _remembered_block(table: Table) -> int | None:
    """From ape's memory of deployments, if it is right about this chain."""
    for deployment in _deployments():
        if deployment.address == table.address and deployment.txn_hash:
            receipt = find_receipt(table.node, deployment.txn_hash)
            if receipt and (receipt.block == 0 or not table.exists(receipt.block - 1)):
                return receipt.block
    return None


# -- deploying -------------------------------------------------------------------


def deploy(account: AccountAPI, sender: Sender | None = None, confirmations: int = 0) -> Table:
    """Deploy a table, wait until it is mined and confirmed, and check it. `sender` may report the progress."""
    sender = sender or Sender(Node())
    return deploy_prepared(prepare_deployment(account, sender), sender, confirmations)


def prepare_deployment(account: AccountAPI, sender: Sender) -> Prepared:
    """The transaction that deploys a table."""
    return sender.prepare(account, "table", creation_code())


def deploy_prepared(prepared: Prepared, sender: Sender, confirmations: int = 0) -> Table:
    """
    Deploy with a transaction whose cost has been shown before.

    From the moment it is sent, it is paid for or may be: every error that is raised then has the table's address.
    """
    before = len(sender.sent)
    try:
        sent = sender.start(prepared)
        # Before it is mined, so that not even a crash loses the table. `find_table` checks the code of what it finds.
        forgotten = _remember(sent)
        sender.wait(sent)
        if confirmations:
            sender.confirm(sent, confirmations)
        table = Table(sent.contract, sender.node)
        table.check()
        # As of its own block: a game may have been started since.
        if table.state(sent.block) != Game():
            raise errors.NotANewTable(table.address)
        if forgotten is not None:
            raise errors.NotRemembered(forgotten)
    except errors.TicTacToeError as error:
        for sent in sender.sent[before:]:
            if sent.under_way:
                error.add(errors.look_first(sent.contract))
        raise
    return table


def _remember(sent: Sent) -> OSError | None:
    """Add the table to ape's memory of deployments, which is a file. Returns what prevented it."""
    try:
        ape.chain.contracts.deployments.cache_deployment(sent.contract, CONTRACT, transaction_hash=sent.hash)
    except OSError as error:
        return error
    return None
