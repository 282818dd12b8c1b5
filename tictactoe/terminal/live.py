"""The table of a session: as the chain last showed it, and what the players at this keyboard send to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from ape.api.accounts import AccountAPI

from tictactoe import errors
from tictactoe.changes import Change, difference
from tictactoe.events import LONGEST_PAUSE
from tictactoe.game import Game
from tictactoe.node import Block
from tictactoe.sending import Sender
from tictactoe.table import Table
from tictactoe.terminal import output_text
from tictactoe.tracking import Sent, Stage

T = TypeVar("T")

# Believe a lower head after so many looks in a row: it may only be late.
LOOKS = 3


class Patience:
    """Repeats a question until the node answers it, for at most the sender's patience."""

    def __init__(self, sender: Sender, say: Callable[[str, str], None]) -> None:
        self.sender = sender
        self.say = say

    def retry(self, question: Callable[[], T], trouble: type[errors.NodeError] = errors.NodeError) -> T:
        """The answer. Errors other than `trouble` are raised at once."""
        try:
            return question()
        except trouble as error:
            self.say(output_text.TRYING_AGAIN.format(trouble=error.message), "yellow")
        answer = self._retry_until_answered(question, trouble)
        self.say(output_text.NODE_IS_BACK, "yellow")
        return answer

    def _retry_until_answered(self, question: Callable[[], T], trouble: type[errors.NodeError]) -> T:
        start, pause = time.monotonic(), self.sender.node.pace or 0.1
        while True:
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
            try:
                return question()
            except trouble as error:
                away = time.monotonic() - start
                if away > self.sender.patience:
                    raise errors.NodeLost(away, output_text.what_was_sent(self.sender.sent)) from error


class LiveTable:
    """
    Reads the table whenever the head of the chain is a new block, and reports what happened.

    Each transaction names the game that the player saw. If another one has been started in the meantime, the contract
    refuses it, so a move or a forfeit acts on no other game, and a new game replaces no other.
    """

    def __init__(
        self, table: Table, accounts: Mapping[str, AccountAPI], sender: Sender, patience: Patience, confirmations: int
    ) -> None:
        self.table = table
        self.accounts = accounts  # by address
        self.sender = sender
        self.patience = patience
        self.confirmations = confirmations
        self.head: Block | None = None
        self.game = Game()
        self.results: dict[int, Game] = {}  # by number: the games that ended during this session
        self._unconfirmed: list[Sent] = []
        self._lower_heads = 0  # looks in a row

    def look(self, force: bool = False) -> list[Change | Sent]:
        """What happened since the last look; `force` reads the table even if the head is the same."""
        return self.patience.retry(lambda: self._look(force))

    def _look(self, force: bool) -> list[Change | Sent]:
        head = self.table.node.block()
        lower = self.head is not None and head.number < self.head.number
        self._lower_heads = self._lower_heads + 1 if lower else 0
        if 0 < self._lower_heads < LOOKS:
            return []
        if not force and self.head is not None and head.hash == self.head.hash:
            return []
        game = self.table.state()
        change = None if self.head is None else difference(self.game, game)
        self.head, self.game = head, game
        # A reorg may have taken back later results, and this game's end.
        self.results = {number: result for number, result in self.results.items() if number < game.number}
        if game.over:
            self.results[game.number] = game
        return [*([change] if change else []), *self._settle(head)]

    def _settle(self, head: Block) -> list[Sent]:
        """Those that were mined again and refused. One that a reorg took back is still expected."""
        for sent in self._unconfirmed:
            self.sender.recheck_receipt(sent, head.number, self.confirmations)
        refused = [sent for sent in self._unconfirmed if sent.stage is Stage.FAILED]
        self._unconfirmed = [sent for sent in self._unconfirmed if sent.stage not in (Stage.CONFIRMED, Stage.FAILED)]
        return refused

    @property
    def progress(self) -> str:
        """How safe the last transaction is; empty where nothing confirms it."""
        if not self.sender.sent or self.head is None or not self.confirmations:
            return ""
        sent = self.sender.sent[-1]
        return output_text.confirming(sent, self.head.number - sent.block, self.confirmations)

    # -- transactions ------------------------------------------------------------------

    def mover(self, cell: int | None = None) -> AccountAPI:
        """The account whose turn it is, if it is at this keyboard. Otherwise raises what the contract would."""
        if reason := self.game.refusal(self.accounts, cell):
            raise errors.Reverted(reason)
        return self.accounts[self.game.player(self.game.turn)]

    def move(self, cell: int) -> Sent:
        row, col = divmod(cell, 3)
        return self._send(self.mover(cell), output_text.MOVE.format(len(self.game.moves) + 1), "makeMove", row, col)

    def forfeit(self) -> Sent:
        return self._send(self.mover(), output_text.FORFEIT, "forfeit")

    def new_game(self, x: str, o: str) -> Sent:
        """Replace the game that was last seen here; before the first game its number is 0, which names no game."""
        return self._send(self.accounts.get(x) or self.accounts[o], output_text.NEW_GAME, "newGame", x, o)

    def _send(self, account: AccountAPI, label: str, method: str, *arguments: object) -> Sent:
        data = self.table.calldata(method, *arguments, self.game.number)
        # Nothing is signed yet, so this may be repeated: a key is not lost because the node is unreachable for a while.
        prepared = self.patience.retry(
            lambda: self.sender.prepare(account, label, data, self.table.address), errors.NodeUnreachable
        )
        sent = self.sender.send_prepared(prepared)
        if self.confirmations:
            self._unconfirmed.append(sent)
        return sent
