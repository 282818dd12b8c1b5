"""The table of a session: as the chain last showed it, and what the players at this keyboard send to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from ape.api.accounts import AccountAPI

from tictactoe import errors
from tictactoe.events import LONGEST_PAUSE
from tictactoe.game import Game
from tictactoe.node import Block
from tictactoe.table import Table
from tictactoe.terminal import output_text
from tictactoe.terminal.adapter import Sender
from tictactoe.terminal.changes import Change, difference
from tictactoe.terminal.signals import check_signals
from tictactoe.transactions import Transaction, report

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
            check_signals()
            pause = min(pause * 2, LONGEST_PAUSE)
            try:
                return question()
            except trouble as error:
                away = time.monotonic() - start
                if away > self.sender.patience:
                    problem = f"The node has been unreachable for {away:.0f} s. Stopped. {report(self.sender.sent)}"
                    advice = "The game is safe on the chain: run the same command again later."
                    raise errors.NodeUnreachable(problem, advice) from error


class LiveTable:
    """
    Reads the table whenever the head of the chain is a new block, and reports what happened.

    Each transaction names the game that the player saw. If another one has been started in the meantime, the contract
    refuses it, so a move or a forfeit acts on no other game, and a new game replaces no other.
    """

    def __init__(self, table: Table, accounts: Mapping[str, AccountAPI], sender: Sender, patience: Patience) -> None:
        self.table = table
        self.accounts = accounts  # by address
        self.sender = sender
        self.patience = patience
        self.head: Block | None = None
        self.game = Game()
        self.results: dict[int, Game] = {}  # by number: the games that ended during this session
        self._lower_heads = 0  # looks in a row

    def look(self, force: bool = False) -> Change | None:
        """What happened since the last look; `force` reads the table even if the head is the same."""
        return self.patience.retry(lambda: self._look(force))

    def _look(self, force: bool) -> Change | None:
        head = self.table.node.block()
        lower = self.head is not None and head.number < self.head.number
        self._lower_heads = self._lower_heads + 1 if lower else 0
        if 0 < self._lower_heads < LOOKS:
            return None
        if not force and self.head is not None and head.hash == self.head.hash:
            return None
        game = self.table.state()
        change = None if self.head is None else difference(self.game, game)
        self.head, self.game = head, game
        # A reorg may have taken back later results, and this game's end.
        self.results = {number: result for number, result in self.results.items() if number < game.number}
        if game.over:
            self.results[game.number] = game
        return change

    # -- transactions ------------------------------------------------------------------

    def mover(self, cell: int | None = None) -> AccountAPI:
        """The account whose turn it is, if it is at this keyboard. Otherwise raises what the contract would."""
        game = self.game
        if not game.in_progress:
            raise errors.Reverted("no game in progress")
        if game.player(game.turn) not in self.accounts:
            raise errors.Reverted("not your turn")
        if cell is not None and game.marks[cell]:
            raise errors.Reverted("cell is taken")
        return self.accounts[game.player(game.turn)]

    def move(self, cell: int) -> Transaction:
        account, game, limits = self.mover(cell), self.game, self.sender.limits
        return self._send(lambda: self.table.prepare_move(account, cell, game, limits))

    def forfeit(self) -> Transaction:
        account, game, limits = self.mover(), self.game, self.sender.limits
        return self._send(lambda: self.table.prepare_forfeit(account, game, limits))

    def new_game(self, x: str, o: str) -> Transaction:
        """Replace the game that was last seen here; before the first game its number is 0, which names no game."""
        account, game, limits = self.accounts.get(x) or self.accounts[o], self.game, self.sender.limits
        return self._send(lambda: self.table.prepare_new_game(account, x, o, game, limits))

    def _send(self, prepare: Callable[[], Transaction]) -> Transaction:
        # Nothing is signed yet, so this may be repeated: a key is not lost because the node is unreachable for a while.
        return self.sender.send(self.patience.retry(prepare, errors.NodeUnreachable))
