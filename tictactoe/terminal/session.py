"""A session at a table: what each key does, and when keys are read."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from enum import Enum, auto
from typing import TYPE_CHECKING

from tictactoe import errors
from tictactoe.changes import GameAdvanced, GameReplaced
from tictactoe.game import Game
from tictactoe.sending import Sent
from tictactoe.terminal import text
from tictactoe.terminal.actions import Actions
from tictactoe.terminal.consent import Consent
from tictactoe.terminal.display import Display
from tictactoe.terminal.keys import Keyboard
from tictactoe.terminal.live import LiveTable
from tictactoe.terminal.patience import Patience
from tictactoe.terminal.signals import accounting

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI


class State(Enum):
    MY_TURN = auto()
    WAITING = auto()  # for the opponent
    WATCHING = auto()  # a game of two others
    OVER = auto()  # or no game yet


def state_of(game: Game, own: Collection[str]) -> State:
    """For a player with these addresses."""
    if not game.in_progress:
        return State.OVER
    if game.player(game.turn) in own:
        return State.MY_TURN
    return State.WAITING if any(game.seats(address) for address in own) else State.WATCHING


class Session:
    """Joins the parts: the live table, the actions of the players at this keyboard, the keys and the display."""

    def __init__(
        self, live: LiveTable, accounts: Mapping[str, AccountAPI], display: Display, keys: Keyboard, *, ask: bool
    ) -> None:
        self.live = live
        self.accounts = accounts  # by address
        self.display = display
        self.keys = keys
        # A person at a terminal, not a pipe.
        self.interactive = keys.is_terminal and display.console.is_terminal
        self.patience = Patience(live.sender, display)
        self.actions = Actions(live, accounts, self.patience)
        self.failure: errors.TicTacToeError | None = None  # of the last key
        live.sender.show = display.status.show
        live.sender.agree = Consent(live.table.node, display.line, self._ask, self.interactive, always=ask)

    def run(self, players: tuple[str, str] | None) -> None:
        """Play until the player quits. With `players`, X and O, start a game between them or resume theirs."""
        with accounting(self.live.sender):
            try:
                self.live.look()
                if players is not None:
                    self._sit_down(*players)
                while self._step():
                    pass
            finally:
                self.display.clear_line()

    def _sit_down(self, x: str, o: str) -> None:
        """Start a game unless these two already have one: reconnecting must not overwrite it."""
        game = self.live.game
        theirs = {game.player_x, game.player_o} == {x, o}
        if theirs and game.in_progress:
            if (game.player_x, game.player_o) != (x, o):
                self.display.note(text.resumed(game, self.accounts))
            return
        if theirs:
            self.display.draw(game, self.live.results)
            others = [player for player in (x, o) if player not in self.accounts]
            if self.interactive and not self._ask(text.start_next(game, others)):
                return
        elif game.in_progress and not self._ask(text.confirm_over_others(game)):
            raise errors.DeclinedToReplace()
        try:
            self._act(lambda: self.actions.new_game(x, o))
        except errors.TicTacToeError as error:
            if not error.overtaken:
                raise
            self.display.note(error.message)

    def _step(self) -> bool:
        """Look at the chain, then at the keyboard. False when the player leaves."""
        self._look()
        state, node = state_of(self.live.game, self.accounts), self.live.table.node
        self.display.show(self.live.game, self.live.results)
        if self.interactive:
            self._prompt(state)
        elif state is State.WAITING:
            # With piped input, don't read the next key until it's our turn. Spectators have no turn, so for them the
            # end of the input ends the session.
            time.sleep(node.pace)
            return True
        key = self.keys.line(None if node.embedded else node.pace)
        if self.keys.ended:
            if self.failure is not None:
                raise self.failure
            return False
        return self._press(key.lower()) if key else True

    def _prompt(self, state: State) -> None:
        match state:
            case State.MY_TURN:
                self.display.prompt(text.prompt(self.live.game))
            case State.OVER:
                self.display.prompt(text.PROMPT_OVER)
            case State.WAITING | State.WATCHING:
                self.display.wait(text.waiting_for(self.live.game, self.live.head))

    def _press(self, key: str) -> bool:
        """Do what the key means. False for quit."""
        self.display.key_pressed()
        self.failure = None
        try:
            match key:
                case "q":
                    return False
                case "?" | "help":
                    self.display.say(text.HELP)
                case "h":
                    self._print_history()
                case "n":
                    self._next_round()
                case "f":
                    self._forfeit()
                case "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9":
                    self._act(lambda: self.actions.move(int(key) - 1))
                case _:
                    self.display.say(text.unknown_key(key))
                    self.display.say(text.HELP)
        except errors.NodeUnreachable:
            raise
        except errors.TicTacToeError as error:
            # Report the error and continue; a script sees it in the exit code.
            self.failure = error
            self.display.say(error.message, "bright_red")
            if not self.interactive and not isinstance(error, errors.Reverted):
                raise
        return True

    # -- keys ------------------------------------------------------------------------

    def _forfeit(self) -> None:
        self.actions.mover()
        if self._ask(text.confirm_forfeit(self.live.game)):
            self._act(self.actions.forfeit)

    def _next_round(self) -> None:
        """Another game between the same players, in the same seats or swapped."""
        game = self.live.game
        if not self.accounts:
            raise errors.SpectatorsCannotStart()
        if not any(game.seats(address) for address in self.accounts):
            raise errors.OpponentMissing()
        if game.in_progress and not self._ask(text.confirm_unfinished(game)):
            return
        x, o = game.player_x, game.player_o
        if x != o and self._ask(text.SWAP_SEATS):
            x, o = o, x
        self._act(lambda: self.actions.new_game(x, o))

    def _print_history(self) -> None:
        game = self.live.game
        for each in [*(result for number, result in self.live.results.items() if number != game.number), game]:
            for line in text.history(each):
                self.display.say(line)

    def _ask(self, question: str) -> bool:
        """Yes or no. The end of the input is a no."""
        if self.interactive:
            self.keys.forget()
        self.display.question(text.yes_or_no(question), same_line=self.interactive)
        return (self.keys.line(None) or "").lower() in ("y", "yes")

    # -- the table and the display -----------------------------------------------------

    def _act(self, action: Callable[[], None]) -> None:
        """Send a transaction, then show the result."""
        try:
            action()
        except (errors.Reverted, errors.TransactionError):
            # The table may have changed: show it with the error.
            self._look(force=True)
            self.display.show(self.live.game, self.live.results)
            raise
        finally:
            self.display.status.close()
        self._look(force=True, ours=True)

    def _look(self, force: bool = False, ours: bool = False) -> None:
        """Note what happened at the table. `ours`: we did it ourselves, so only a reorg is worth a note."""
        for news in self.patience.ask(lambda: self.live.look(force)):
            if isinstance(news, Sent):
                self.display.note(text.settled(news, self.live.confirmations))
            elif not (ours and isinstance(news, GameAdvanced | GameReplaced)):
                for note in text.change(news, self.accounts):
                    self.display.note(note)
