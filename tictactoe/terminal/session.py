"""The game loop of `play`: what each key does, and when keys are read."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from enum import Enum, auto
from typing import TYPE_CHECKING

from tictactoe import errors
from tictactoe.changes import GameAdvanced, GameReplaced
from tictactoe.game import Game
from tictactoe.terminal import output_text
from tictactoe.terminal.actions import Actions
from tictactoe.terminal.consent import Consent, is_yes
from tictactoe.terminal.display import Display
from tictactoe.terminal.keyboard import Keyboard
from tictactoe.terminal.live import LiveTable
from tictactoe.terminal.retry import Patience
from tictactoe.terminal.signals import accounting
from tictactoe.tracking import Sent

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI


class State(Enum):
    MY_TURN = auto()
    WAITING = auto()  # for the opponent
    WATCHING = auto()  # a game of two others
    NO_TURN = auto()  # the game is over, or there is none yet


def state_of(game: Game, own: Collection[str]) -> State:
    """For a player with these addresses."""
    if not game.in_progress:
        return State.NO_TURN
    if game.player(game.turn) in own:
        return State.MY_TURN
    return State.WAITING if any(game.seats(address) for address in own) else State.WATCHING


class Session:
    """Joins the parts: the live table, the actions of the players at this keyboard, the keys and the display."""

    def __init__(
        self,
        live: LiveTable,
        accounts: Mapping[str, AccountAPI],
        display: Display,
        keyboard: Keyboard,
        *,
        confirm_each: bool,
    ) -> None:
        self.live = live
        self.accounts = accounts  # by address
        self.display = display
        self.keyboard = keyboard
        # A person at a terminal, not a pipe.
        self.interactive = keyboard.is_terminal and display.console.is_terminal
        self.patience = Patience(live.sender, display)
        self.actions = Actions(live, accounts, self.patience)
        self.failure: errors.TicTacToeError | None = None  # the error of the last key, if it failed
        live.sender.show = display.status.show
        live.sender.agree = Consent(live.table.node, display.line, self._confirm, self.interactive, always=confirm_each)

    def run(self, players: tuple[str, str] | None) -> None:
        """Play until the player quits. With `players`, X and O, resume their game or start one."""
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
        same_players = {game.player_x, game.player_o} == {x, o}
        if same_players and game.in_progress:
            if (game.player_x, game.player_o) != (x, o):
                self.display.note(output_text.resumed(game, self.accounts))
            return
        if same_players:
            self.display.draw(game, self.live.results)
            others = [player for player in (x, o) if player not in self.accounts]
            # Nothing is lost by starting the next game, so a script is not asked.
            if self.interactive and not self._confirm(output_text.start_next(game, others)):
                return
        elif game.in_progress and not self._confirm(output_text.confirm_over_others(game)):
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
            # With piped input, a player's next key stays unread until their turn. Spectators never get a turn, so
            # their input is read at once, and its end ends the session.
            time.sleep(node.pace)
            return True
        key = self.keyboard.line(None if node.embedded else node.pace)
        if self.keyboard.ended:
            if self.failure is not None:
                raise self.failure
            return False
        return self._press(key.lower()) if key else True

    def _prompt(self, state: State) -> None:
        match state:
            case State.MY_TURN:
                self.display.prompt(output_text.prompt(self.live.game))
            case State.NO_TURN:
                self.display.prompt(output_text.PROMPT_OVER)
            case State.WAITING | State.WATCHING:
                self.display.wait(output_text.waiting_for(self.live.game, self.live.head))

    def _press(self, key: str) -> bool:
        """Do what the key means. False for quit."""
        self.display.key_pressed()
        self.failure = None
        try:
            match key:
                case "q":
                    return False
                case "?" | "help":
                    self.display.say(output_text.HELP)
                case "h":
                    self._print_history()
                case "n":
                    self._next_round()
                case "f":
                    self._forfeit()
                case "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9":
                    self._act(lambda: self.actions.move(int(key) - 1))
                case _:
                    self.display.say(output_text.unknown_key(key))
                    self.display.say(output_text.HELP)
        except errors.NodeUnreachable:
            raise
        except errors.TicTacToeError as error:
            # Report the error and continue. A script gets it as the exit code.
            self.failure = error
            self.display.say(error.message, "bright_red")
            if not self.interactive and not isinstance(error, errors.Reverted):
                raise
        return True

    # -- keys ------------------------------------------------------------------------

    def _forfeit(self) -> None:
        self.actions.require_turn()
        if self._confirm(output_text.confirm_forfeit(self.live.game)):
            self._act(self.actions.forfeit)

    def _next_round(self) -> None:
        """Another game between the same players, in the same seats or swapped."""
        game = self.live.game
        if not self.accounts:
            raise errors.SpectatorsCannotStart()
        if not any(game.seats(address) for address in self.accounts):
            raise errors.OpponentMissing()
        if game.in_progress and not self._confirm(output_text.confirm_unfinished(game)):
            return
        x, o = game.player_x, game.player_o
        if x != o and self._confirm(output_text.SWAP_SEATS):
            x, o = o, x
        self._act(lambda: self.actions.new_game(x, o))

    def _print_history(self) -> None:
        game = self.live.game
        for each in [*(result for number, result in self.live.results.items() if number != game.number), game]:
            for line in output_text.history(each):
                self.display.say(line)

    def _confirm(self, question: str) -> bool:
        """Yes or no. End of input counts as no."""
        if self.interactive:
            self.keyboard.discard_pending()
        self.display.question(output_text.yes_or_no(question), same_line=self.interactive)
        return is_yes(self.keyboard.line(None) or "")

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
        """Show what changed. With `ours`, show only reorgs and settled transactions: the board shows the rest."""
        for news in self.patience.retry(lambda: self.live.look(force)):
            if isinstance(news, Sent):
                self.display.note(output_text.settled(news, self.live.confirmations))
            elif not (ours and isinstance(news, GameAdvanced | GameReplaced)):
                for note in output_text.change(news, self.accounts):
                    self.display.note(note)
