"""The contract at an address: deploy it, find it, read it, play at it."""

from __future__ import annotations

from bisect import bisect_left
from contextlib import suppress
from typing import TYPE_CHECKING

import ape.contracts
from eth_utils.address import is_address, is_checksum_address, is_checksum_formatted_address, to_checksum_address

from tictactoe import errors
from tictactoe.formatting import clean
from tictactoe.game import STATUSES, Game
from tictactoe.node import EMBEDDED, Node, to_number
from tictactoe.transactions import Transaction, prepare, send

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI
    from eth_typing import ChecksumAddress
    from web3.types import BlockIdentifier, TxParams


class Table:
    """
    A table: the contract at an address.

    `new_game`, `move` and `forfeit` send a transaction and return it once it is mined. They ask nothing: they raise
    what would need a person's consent. `game` is the game that the player saw, by default the present one; the
    transaction acts on that game and on no other.
    """

    def __init__(self, address: str, node: Node | None = None) -> None:
        self.node: Node = node or Node()
        self.address = checked_address(address)
        # Ape's own object for the same table.
        self.contract = ape.contracts.ContractInstance(self.address, ape.project.TicTacToe.contract_type)

    def __repr__(self) -> str:
        return f"Table({self.address!r})"

    def check(self, block: BlockIdentifier = "latest") -> None:
        """Raise unless the code at the address is this contract's, byte for byte."""
        code = self.node.code(self.address, block)
        if code == runtime_code():
            return
        problem = f"There is no contract at {self.address} on {self.node.name} (chain {self.node.chain_id})."
        if code:
            problem = f"The contract at {self.address} is another one: its code is not that of TicTacToe."
        advice = "Check the address and --network, or deploy a table with `ape run deploy`."
        raise errors.NoTable(problem, EMBEDDED if self.node.embedded else advice)

    def check_new(self, block: int) -> None:
        """Raise unless the table is there in the block that deployed it. Since then, a game may have been started."""
        self.check(block)
        if self.state(block) != Game():
            raise errors.NoTable(f"The table at {self.address} does not have the state of a new one. Do not use it.")

    def state(self, block: BlockIdentifier = "latest") -> Game:
        """The game that is on, or that was on last, in one call."""
        call: TxParams = {"to": self.address, "data": self.contract.gameState.encode_input()}

        def read() -> Game:
            answer = bytes(self.node.web3.eth.call(call, block))
            # Not with eth_abi: Ape makes it read missing data as zeros, so it counts to any length that a node invents.
            words = [int.from_bytes(answer[at : at + 32], "big") for at in range(0, len(answer), 32)]
            if not answer:
                self.check(block)  # after a restart of its node, or a deep reorg, the table may be gone
            if len(words) < 17 or len(words) != 17 + 4 * words[16]:
                raise ValueError("a game of another length")
            x, o = (to_checksum_address(player.to_bytes(20, "big")) for player in words[2:4])
            moves = tuple(row * 3 + col for row, col in zip(words[17::4], words[18::4], strict=True))
            game = Game(words[1], x, o, moves, STATUSES[words[14]])
            if not game.is_possible:
                raise ValueError("a game that cannot be")
            return game

        return self.node.ask(read)

    # -- playing: each transaction acts on the game that the player saw, and on no other ----------

    def prepare_new_game(self, account: AccountAPI, x: str, o: str, game: Game | None = None) -> Transaction:
        """Before the first game, the number is 0, which names no game."""
        number = (game or self.state()).number
        return self._prepare(account, "the new game", "newGame", *map(checked_address, (x, o)), number)

    def prepare_move(self, account: AccountAPI, cell: int, game: Game | None = None) -> Transaction:
        game = game or self.state()
        if cell not in range(9):
            raise errors.Reverted("off the grid")
        return self._prepare(account, f"move {len(game.moves) + 1}", "makeMove", cell // 3, cell % 3, game.number)

    def prepare_forfeit(self, account: AccountAPI, game: Game | None = None) -> Transaction:
        return self._prepare(account, "the forfeit", "forfeit", (game or self.state()).number)

    def _prepare(self, account: AccountAPI, label: str, method: str, *arguments: object) -> Transaction:
        data = getattr(self.contract, method).encode_input(*arguments)
        return prepare(self.node, account, label, data, self.address)

    def new_game(self, account: AccountAPI, x: str, o: str, game: Game | None = None) -> Transaction:
        return send(self.prepare_new_game(account, x, o, game))

    def move(self, account: AccountAPI, cell: int, game: Game | None = None) -> Transaction:
        """Take a cell, 0 to 8."""
        return send(self.prepare_move(account, cell, game))

    def forfeit(self, account: AccountAPI, game: Game | None = None) -> Transaction:
        return send(self.prepare_forfeit(account, game))


def find_table(address: str | None = None, node: Node | None = None) -> Table:
    """The table at this address, or else the last one that was deployed from this project. Its code was checked."""
    node = node or Node()
    if address is not None:
        table = Table(address, node)
        table.check()
        return table
    for deployment in reversed(ape.project.TicTacToe.deployments):
        # Ape gives all bare URLs one network name, so compare the code: the deployment may be on another chain.
        if node.code(deployment.address) == runtime_code():
            return Table(deployment.address, node)
    where = f"{node.name}, chain {node.chain_id}"
    advice = "Deploy one with `ape run deploy`, or give its address with --table."
    raise errors.NoTable(f"No table is known on this network ({where}).", EMBEDDED if node.embedded else advice)


def first_block(table: Table, head: int) -> int:
    """The block in which the table was deployed; 0 if the node does not know, so that all blocks are read."""
    known = ape.project.TicTacToe.deployments
    sent = [each.txn_hash for each in known if each.address == table.address and each.txn_hash]
    with suppress(errors.TicTacToeError):
        if receipt := next(filter(None, map(table.node.receipt, sent)), None):
            return table.node.ask(lambda: to_number(receipt["blockNumber"]))
        # Bisect: the first block in which the address has code.
        return bisect_left(range(head), True, key=lambda block: bool(table.node.code(table.address, block)))
    return 0


def checked_address(text: str) -> ChecksumAddress:
    """The address with its checksum; raises if the text is not an address, or has a wrong checksum."""
    text = text.strip()
    if not is_address(text) or not text.startswith("0x"):
        raise errors.UsageError(f"'{clean(text, 60)}' is not an address: 0x and 40 hexadecimal digits.")
    if is_checksum_formatted_address(text) and not is_checksum_address(text):
        problem = f"The checksum of {text} is wrong: at least one character was changed."
        raise errors.UsageError(problem, "Copy the address again.")
    return to_checksum_address(text)


def runtime_code() -> bytes:
    """The code of a deployed table, as Ape compiles it."""
    return bytes(ape.project.TicTacToe.contract_type.get_runtime_bytecode())


# -- deploying -------------------------------------------------------------------------------


def prepare_deployment(account: AccountAPI, node: Node | None = None) -> Transaction:
    """What `account.deploy(project.TicTacToe)` would send."""
    creation_code = ape.project.TicTacToe.contract_type.get_deployment_bytecode()
    prepared = prepare(node or Node(), account, "the table", creation_code)
    prepared.check = Table(prepared.contract, prepared.node).check_new
    return prepared


def deploy(account: AccountAPI, node: Node | None = None) -> Table:
    """Deploy a table, wait until it is mined, and check it."""
    sent = send(prepare_deployment(account, node))
    return Table(sent.contract, sent.node)
