"""The game loop of `play`: what each key does, and when keys are read."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from tictactoe import errors
from tictactoe.changes import GameAdvanced, GameReplaced
from tictactoe.terminal import output_text
from tictactoe.terminal.actions import Actions
from tictactoe.terminal.consent import Consent
from tictactoe.terminal.live import LiveTable
from tictactoe.terminal.retry import Patience
from tictactoe.terminal.seats import State
from tictactoe.terminal.signals import accounting
from tictactoe.terminal.view import View
from tictactoe.tracking import Sent

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI


class FrontEnd(Protocol):
    """The screen, or lines."""

    @property
    def interactive(self) -> bool:
        """Whether someone reads it and can answer."""

    @property
    def ended(self) -> bool:
        """Whether the input has ended."""

    def show(self, view: View) -> None: ...
    def say(self, sentence: str, style: str = "") -> None: ...
    def page(self, lines: list[str]) -> None: ...
    def progress(self, sent: Sent, waited: float) -> None: ...
    def key(self, timeout: float | None) -> str | None: ...
    def ask(self, question: str) -> bool: ...


class Session:
    """Joins the parts: the live table, the actions of the players at this keyboard, and what they see and press."""

    def __init__(
        self,
        live: LiveTable,
        accounts: Mapping[str, AccountAPI],
        names: Mapping[str, str],
        front: FrontEnd,
        *,
        confirm_each: bool,
    ) -> None:
        self.live = live
        self.accounts = accounts  # by address
        self.names = names  # by address
        self.front = front
        self.players: tuple[str, str] | None = None
        self.patience = Patience(live.sender, front.say)
        self.actions = Actions(live, accounts, self.patience)
        self.failure: errors.TicTacToeError | None = None  # the error of the last key, if it failed
        live.sender.show = front.progress
        live.sender.agree = Consent(live.table.node, front.say, front.ask, front.interactive, always=confirm_each)

    def run(self, players: tuple[str, str] | None) -> None:
        """Play until the player quits. With `players` (X first), resume their game or start one."""
        self.players = players
        with accounting(self.live.sender):
            self.live.look()
            if players is not None:
                self._sit_down(*players)
            while self._step():
                pass

    def _sit_down(self, x: str, o: str) -> None:
        """Start a game unless these two already have one: reconnecting must not overwrite it."""
        game = self.live.game
        same_players = {game.player_x, game.player_o} == {x, o}
        if same_players and game.in_progress:
            if (game.player_x, game.player_o) != (x, o):
                self.front.say(output_text.resumed(game, self.accounts), "yellow")
            return
        if same_players:
            self._show()
            # A person sees the result, and presses n for the next game. A script cannot, so it starts now.
            if self.front.interactive:
                return
        elif game.in_progress and not self._confirm(output_text.confirm_over_others(game)):
            raise errors.DeclinedToReplace()
        try:
            self._act(lambda: self.actions.new_game(x, o))
        except errors.TicTacToeError as error:
            if not error.overtaken:
                raise
            self.front.say(error.message, "yellow")

    def _step(self) -> bool:
        """Look at the chain, then at the keyboard. False when the player leaves."""
        self._look()
        state, node = self._show().state, self.live.table.node
        if state is State.WAITING and not self.front.interactive and not self.front.ended:
            # With piped input, a player's next key stays unread until their turn. Spectators never get a turn, so
            # their input is read at once.
            time.sleep(node.pace)
            return True
        key = self.front.key(None if node.embedded else node.pace)
        if key is None and self.front.ended:
            if self.failure is not None:
                raise self.failure
            return False
        return self._press(key) if key else True

    def _press(self, key: str) -> bool:
        """Do what the key means. False for quit."""
        self.failure = None
        try:
            match key:
                case "q" | "quit" | "exit":
                    return False
                case "?" | "help":
                    self.front.page(output_text.HELP.splitlines())
                case "h":
                    self.front.page(_history(self.live))
                case "n" | "s":
                    self._next_round(swap=key == "n")
                case "f":
                    self._forfeit()
                case "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9":
                    self._move(int(key) - 1)
                case _:
                    self.front.say(output_text.unknown_key(key))
        except errors.NodeUnreachable:
            raise
        except errors.TicTacToeError as error:
            # A person goes on. A script ends with the error's exit code; after a revert, only if no key follows.
            self.failure = error
            if not self.front.interactive and not isinstance(error, errors.Reverted):
                raise
            self.front.say(error.message, "bright_red")
        return True

    # -- keys ------------------------------------------------------------------------

    def _move(self, cell: int) -> None:
        if self.live.game.in_progress:
            self._show(chosen=cell)
        self._act(lambda: self.actions.move(cell))

    def _forfeit(self) -> None:
        self.actions.require_turn()
        if self._confirm(output_text.confirm_forfeit(self.live.game)):
            self._act(self.actions.forfeit)

    def _next_round(self, swap: bool) -> None:
        """Another game between the same players, in the same seats or swapped."""
        game = self.live.game
        if not self.accounts:
            raise errors.WrongOptions(errors.SPECTATORS_CANNOT_START)
        x, o = game.player_x, game.player_o
        if not any(game.seats(address) for address in self.accounts):
            if self.players is None:
                raise errors.WrongOptions(errors.OPPONENT_MISSING)
            x, o = self.players
        elif swap:
            x, o = o, x
        if game.in_progress and not self._confirm(output_text.confirm_unfinished(game)):
            return
        self._act(lambda: self.actions.new_game(x, o))
        if not {x, o} <= set(self.accounts):
            self.front.say(output_text.started(self.live.game))

    def _confirm(self, question: str) -> bool:
        self._show()
        return self.front.ask(question)

    # -- the table and what is shown ---------------------------------------------------

    def _show(self, chosen: int | None = None) -> View:
        live, node = self.live, self.live.table.node
        view = View(
            game=live.game,
            own=frozenset(self.accounts),
            names=self.names,
            results=live.results,
            network="" if node.embedded else node.name,
            head=None if node.embedded else live.head,
            progress=live.progress,
            chosen=chosen,
        )
        self.front.show(view)
        return view

    def _act(self, action: Callable[[], None]) -> None:
        """Send a transaction, then show the result."""
        try:
            action()
        except (errors.Reverted, errors.TransactionError, errors.AccountError):
            # The table may have changed: show it with the error.
            self._look(force=True)
            self._show()
            raise
        self._look(force=True, ours=True)

    def _look(self, force: bool = False, ours: bool = False) -> None:
        """Say what changed. After a transaction of `ours`, leave out moves and new games: the board shows them."""
        for news in self.patience.retry(lambda: self.live.look(force)):
            if isinstance(news, Sent):
                self.front.say(output_text.refused_again(news), "yellow")
            elif not (ours and isinstance(news, GameAdvanced | GameReplaced)):
                for note in output_text.change(news, self.accounts):
                    self.front.say(note, "yellow")


def _history(live: LiveTable) -> list[str]:
    game, table = live.game, live.table
    games = [*(result for number, result in live.results.items() if number != game.number), game]
    where = [] if table.node.embedded else [output_text.table_line(table.address, table.node)]
    return where + [line for each in games for line in output_text.history(each)]
