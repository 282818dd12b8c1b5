"""The table of a session as the chain last showed it."""

from __future__ import annotations

from tictactoe.changes import Change, difference
from tictactoe.game import Game
from tictactoe.node import Block
from tictactoe.sending import Sender
from tictactoe.table import Table
from tictactoe.terminal import output_text
from tictactoe.tracking import Sent, Stage
from tictactoe.trail import Lateness


class LiveTable:
    """Reads the table whenever the head of the chain is a new block, and reports what happened."""

    def __init__(self, table: Table, sender: Sender, confirmations: int) -> None:
        self.table = table
        self.sender = sender
        self.confirmations = confirmations
        self.head: Block | None = None
        self.game = Game()
        self.results: dict[int, Game] = {}  # by number: the games that ended during this session
        self._unconfirmed: list[Sent] = []
        self._lateness = Lateness()

    def look(self, force: bool = False) -> list[Change | Sent]:
        """What happened since the last look; `force` reads the table even if the head is the same."""
        head = self.table.node.block()
        if self.head is not None and self._lateness.is_late(head.number, self.head.number):
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

    @property
    def progress(self) -> str:
        """How safe the last transaction is; empty where nothing confirms it."""
        if not self.sender.sent or self.head is None or not self.confirmations:
            return ""
        sent = self.sender.sent[-1]
        return output_text.confirming(sent, self.head.number - sent.block, self.confirmations)

    def expect(self, sent: Sent) -> None:
        """Follow a mined transaction until it is confirmed."""
        if self.confirmations:
            self._unconfirmed.append(sent)

    def _settle(self, head: Block) -> list[Sent]:
        """Those that were mined again and refused. One that a reorg took back is still expected."""
        for sent in self._unconfirmed:
            self.sender.recheck_receipt(sent, head.number, self.confirmations)
        refused = [sent for sent in self._unconfirmed if sent.stage is Stage.FAILED]
        self._unconfirmed = [sent for sent in self._unconfirmed if sent.stage not in (Stage.CONFIRMED, Stage.FAILED)]
        return refused
