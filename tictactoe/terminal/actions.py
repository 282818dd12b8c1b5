"""What the players at this keyboard send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tictactoe import errors
from tictactoe.terminal import output_text
from tictactoe.terminal.live import LiveTable
from tictactoe.terminal.retry import Patience

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI


class Actions:
    """
    Each transaction names the game that the player saw. If another one has been started in the meantime, the contract
    refuses it, so a move or a forfeit acts on no other game, and a new game replaces no other.
    """

    def __init__(self, live: LiveTable, accounts: Mapping[str, AccountAPI], patience: Patience) -> None:
        self.live = live
        self.accounts = accounts
        self.patience = patience

    def require_turn(self) -> None:
        """Raise unless an account at this keyboard has the turn."""
        self._mover()

    def _mover(self, cell: int | None = None) -> AccountAPI:
        """The account whose turn it is, if it is at this keyboard. Otherwise raises what the contract would."""
        game = self.live.game
        if reason := game.refusal(self.accounts, cell):
            raise errors.Reverted(reason)
        return self.accounts[game.player(game.turn)]

    def move(self, cell: int) -> None:
        game, account = self.live.game, self._mover(cell)
        self._send(account, output_text.move_name(game), "makeMove", cell // 3, cell % 3, game.number)

    def forfeit(self) -> None:
        self._send(self._mover(), output_text.FORFEIT, "forfeit", self.live.game.number)

    def new_game(self, x: str, o: str) -> None:
        """Replace the game that was last seen here; before the first game its number is 0, which names no game."""
        account = self.accounts.get(x) or self.accounts[o]
        self._send(account, output_text.NEW_GAME, "newGame", x, o, self.live.game.number)

    def _send(self, account: AccountAPI, label: str, method: str, *arguments: object) -> None:
        table, sender = self.live.table, self.live.sender
        data = table.calldata(method, *arguments)
        # Nothing is signed yet, so this may be repeated: a key is not lost because the node is unreachable for a while.
        prepared = self.patience.retry(
            lambda: sender.prepare(account, label, data, table.address), trouble=errors.NodeUnreachable
        )
        self.live.expect(sender.send_prepared(prepared))
