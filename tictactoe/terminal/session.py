"""The game loop of `play`: what each key does, and when keys are read."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from tictactoe import errors
from tictactoe.formatting import clean
from tictactoe.terminal import output_text
from tictactoe.terminal.adapter import overtaken
from tictactoe.terminal.changes import GameAdvanced, GameReplaced
from tictactoe.terminal.front_end import FrontEnd
from tictactoe.terminal.live import LiveTable
from tictactoe.terminal.seats import State
from tictactoe.terminal.signals import check_signals
from tictactoe.terminal.view import View


class Session:
    """Connects the live table with what the players at this keyboard see and press."""

    def __init__(self, live: LiveTable, front: FrontEnd) -> None:
        self.live = live
        self.front = front
        self.players: tuple[str, str] | None = None
        self.failure: errors.TicTacToeError | None = None  # the error of the last key, if it failed

    def run(self, players: tuple[str, str] | None) -> None:
        """Play until the player quits. With `players` (X first), resume their game or start one."""
        self.players = players
        self.live.look()
        if players is not None:
            self._sit_down(*players)
        elif self.live.game.in_progress and not any(map(self.live.game.seats, self.live.accounts)):
            self._show()
            self.front.say(output_text.NOT_A_PLAYER if self.live.accounts else output_text.SPECTATOR)
        while self._step():
            pass

    def _sit_down(self, x: str, o: str) -> None:
        """Start a game unless these two already have one: reconnecting must not overwrite it."""
        game = self.live.game
        if {game.player_x, game.player_o} == {x, o}:
            # A person sees a result, and presses n for the next game. A script cannot, so the next game starts now.
            if game.in_progress or self.front.interactive:
                return
            self._show()
        elif game.in_progress and not self._confirm(output_text.confirm_replacing(game, others=True)):
            raise errors.AccountError(
                "Nothing was sent, and the game goes on.", "For a table of your own, use `ape run deploy`."
            )
        try:
            self._act(lambda: self.live.new_game(x, o))
        except errors.TicTacToeError as error:
            if not overtaken(error):
                raise
            self.front.say(error.message, "yellow")

    def _step(self) -> bool:
        """Look at the chain, then at the keyboard. False when the player leaves."""
        check_signals()
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
                    self.front.say(output_text.UNKNOWN_KEY.format(key=clean(key, 20)))
        except errors.NodeUnreachable:
            raise
        except errors.TicTacToeError as error:
            # A person can go on. A script stops with the error's exit code, except after a revert: then it can, too.
            self.failure = error
            if not self.front.interactive and not isinstance(error, errors.Reverted):
                raise
            self.front.say(error.message, "bright_red")
        return True

    # -- keys ------------------------------------------------------------------------

    def _move(self, cell: int) -> None:
        if self.live.game.in_progress:
            self._show(chosen=cell)
        self._act(lambda: self.live.move(cell))

    def _forfeit(self) -> None:
        self.live.mover()
        if self._confirm(output_text.CONFIRM_FORFEIT.format(game=self.live.game)):
            self._act(self.live.forfeit)

    def _next_round(self, swap: bool) -> None:
        """Another game between the same players, in the same seats or swapped."""
        game, accounts = self.live.game, self.live.accounts
        if not accounts:
            problem = "You are only watching. To start a game, give --account ALIAS --against ADDRESS."
            raise errors.UsageError(problem)
        x, o = game.player_x, game.player_o
        if not any(game.seats(address) for address in accounts):
            if self.players is None:
                raise errors.UsageError("A new game needs another player: give --against ADDRESS.")
            x, o = self.players
        elif swap:
            x, o = o, x
        if game.in_progress and not self._confirm(output_text.confirm_replacing(game, others=False)):
            return
        self._act(lambda: self.live.new_game(x, o))
        if not {x, o} <= set(accounts):
            self.front.say(output_text.STARTED.format(game=self.live.game))

    def _confirm(self, question: str) -> bool:
        self._show()
        return bool(self.front.ask(question))

    # -- the table and what is shown ---------------------------------------------------

    def _show(self, chosen: int | None = None) -> View:
        live, node = self.live, self.live.table.node
        view = View(live.game, tuple(live.accounts), live.results, chosen=chosen)
        if not node.embedded:
            view = replace(view, network=node.name, head=live.head)
        self.front.show(view)
        return view

    def _act(self, action: Callable[[], object]) -> None:
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
        """Say what changed. After our own transaction (`ours`), leave out what the board shows: moves and new games."""
        news = self.live.look(force)
        if news is not None and not (ours and isinstance(news, GameAdvanced | GameReplaced)):
            for note in output_text.change(news, self.live.accounts):
                self.front.say(note, "yellow")


def _history(live: LiveTable) -> list[str]:
    games = live.results | {live.game.number: live.game}
    where = [] if live.table.node.embedded else [output_text.TABLE.format(table=live.table)]
    return where + [line for game in games.values() for line in output_text.history(game)]
