"""One sitting at a table: the board, the keys, the score over its rounds, and the other side's moves as they land."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import ape
from rich.console import Console

from tictactoe import errors
from tictactoe.formatting import clean, short
from tictactoe.game import ZERO_ADDRESS, Game, mark_of
from tictactoe.node import Block, Node
from tictactoe.sending import Sender, Sent, Stage
from tictactoe.table import Table, checked_address, deploy, find_table
from tictactoe.terminal.board import position
from tictactoe.terminal.command import unlock
from tictactoe.terminal.console import console
from tictactoe.terminal.keys import Keyboard
from tictactoe.terminal.seats import Seats
from tictactoe.terminal.status import Stages
from tictactoe.terminal.text import HELP, result, what_was_sent

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI

T = TypeVar("T")


class Session:
    def __init__(
        self,
        node: Node,
        table: Table,
        accounts: Mapping[str, AccountAPI],
        screen: Console,
        keys: Keyboard,
        *,
        patience: float = 180.0,
        confirmations: int = 0,
        ask_before_signing: bool = False,
    ) -> None:
        self.node = node
        self.table = table
        self.accounts = dict(accounts)  # by address: those who sit at this keyboard
        self.screen = screen
        self.keys = keys
        self.alive = keys.is_terminal and screen.is_terminal
        self.confirmations = confirmations
        approve = (lambda what: self.ask(f"Sign {what}?")) if ask_before_signing else None
        self.stages = Stages(screen, node)
        self.sender = Sender(node, self.stages.show, approve, patience)
        self.game = Game()
        self.head: Block | None = None
        self.results: dict[int, Game] = {}  # the rounds that ended while we sat here
        self.notes: list[str] = []
        self.unconfirmed: list[Sent] = []
        self.failure: errors.TicTacToeError | None = None  # what the last key ended in, if it was refused
        self._drawn: Game | None = None

    # -- the sitting -----------------------------------------------------------

    def run(self, players: tuple[str, str] | None) -> None:
        """Play until somebody quits. With `players`, X and O, begin a game unless they are in one already."""
        try:
            self._look()
            if players is not None:
                self._sit_down(*players)
            while self._step():
                pass
        except KeyboardInterrupt:
            raise errors.Interrupted(what_was_sent(self.sender.sent)) from None
        finally:
            self._clear_line()

    def _sit_down(self, x: str, o: str) -> None:
        """Begin a game between these two, unless they have one: coming back to a table must not cost what is on it."""
        game = self.game
        if {game.player_x, game.player_o} != {x, o}:
            self._ask_over_others(game)
            self._new_game(x, o)
        elif game.in_progress:
            if (game.player_x, game.player_o) != (x, o):
                self.notes.append(f"Game {game.number} goes on, and {self._seats(game)}.")
        else:
            self._draw()
            against = "".join(f" against {short(player)}" for player in (x, o) if player not in self.accounts)
            if not self.alive or self.ask(f"Game {game.number}{against} is over. Start the next one?"):
                self._new_game(x, o)

    def _ask_over_others(self, game: Game) -> None:
        between = f"{short(game.player_x)} and {short(game.player_o)}"
        if game.in_progress and not self.ask(f"Game {game.number} is on between {between}. Start a new one over it?"):
            raise errors.DeclinedToReplace()

    def _seats(self, game: Game) -> str:
        if len(self.accounts) == 1:
            (me,) = self.accounts
            return f"you play {game.seats(me)} in it"
        return f"{short(game.player_x)} plays X, {short(game.player_o)} plays O in it"

    def _step(self) -> bool:
        """One round of looking at the chain and at the keyboard. False when the player leaves."""
        self._look()
        self._draw_if_changed()
        mover = self.accounts.get(self.game.player(self.game.turn))
        waiting = self.game.in_progress and mover is None
        seated = any(self.game.seats(address) for address in self.accounts)
        if not self.alive and waiting and seated:
            # A pipe's lines are moves, each for its own turn; whoever only watches may leave at the end of them.
            time.sleep(self.node.pace)
            return True
        if self.alive and waiting:
            self.stages.spin(self._waiting_text())
        elif self.alive:
            self._prompt()
        line = self.keys.line(None if self.node.embedded else self.node.pace)
        if self.keys.ended:
            if self.failure is not None:
                raise self.failure
            return False
        if line:
            self.stages.close()
            self._prompted = False
            return self._key(line.lower())
        return True

    _prompted = False

    def _prompt(self) -> None:
        if self._prompted:
            return
        self.stages.close()
        if self.game.in_progress:
            text = f"{self.game.turn}, your move (1-9, ? for help): "
        else:
            text = "n for a new game, q to quit: "
        self.screen.print(text, end="")
        self._prompted = True

    def _key(self, key: str) -> bool:
        self.failure = None
        try:
            if key == "q":
                return False
            if key in ("?", "help"):
                self.screen.print(HELP)
            elif key == "h":
                self._history()
            elif key == "n":
                self._again()
            elif key == "f":
                self._forfeit()
            elif key in tuple("123456789"):
                self._move(int(key) - 1)
            else:
                self.screen.print(f"{clean(key, 20)!r} is no key here.")
                self.screen.print(HELP)
        except errors.NodeUnreachable:
            raise
        except errors.TicTacToeError as failure:
            # A mistake is told and the game goes on. A script that ends here hears of it in its exit code.
            self.stages.close()
            self.failure = failure
            self.screen.print(failure.message, style="bright_red")
            if not self.alive and not isinstance(failure, errors.Reverted):
                raise
        return True

    # -- the keys --------------------------------------------------------------

    def _mover(self) -> AccountAPI:
        """The account at this keyboard whose turn it is."""
        if not self.game.in_progress:
            raise errors.Reverted("no game in progress")
        account = self.accounts.get(self.game.player(self.game.turn))
        if account is None:
            raise errors.Reverted("not your turn")
        return account

    def _move(self, cell: int) -> None:
        game, account = self.game, self._mover()
        if game.marks[cell]:
            raise errors.Reverted("cell is taken")
        data = self.table.calldata("makeMove(uint8,uint8,uint256)", cell // 3, cell % 3, game.number)
        self._send(account, f"move {len(game.moves) + 1}", data)

    def _forfeit(self) -> None:
        account = self._mover()
        if self.ask(f"{self.game.turn} gives game {self.game.number} up. Sure?"):
            self._send(account, "forfeit", self.table.calldata("forfeit(uint256)", self.game.number))

    def _again(self) -> None:
        """A new round: against the same player, in the same seats or swapped."""
        game = self.game
        if not self.accounts:
            raise errors.SpectatorsCannotStart()
        if game.number == 0 or not (game.player_x in self.accounts or game.player_o in self.accounts):
            raise errors.OpponentMissing()
        if game.in_progress and not self.ask(f"Game {game.number} is not finished. Start a new one over it?"):
            return
        swap = game.player_x != game.player_o and self.ask("Swap seats?")
        self._new_game(*((game.player_o, game.player_x) if swap else (game.player_x, game.player_o)))

    def _new_game(self, x: str, o: str) -> None:
        """Begin one over the game that is seen here; if somebody began another meanwhile, that one is seen instead."""
        seen = self.game.number
        self._look()
        if self.game.number != seen:
            return
        account = self.accounts.get(x) or self.accounts[o]
        self._send(account, "new game", self.table.calldata("newGame(address,address)", x, o))

    def _history(self) -> None:
        for game in [*(g for n, g in self.results.items() if n != self.game.number), self.game]:
            self.screen.print(f"Game {game.number}: {result(game)}")
            for mark in "XO":
                if game.player(mark) != ZERO_ADDRESS:
                    self.screen.print(f"  {mark} {game.player(mark)}")
            for i, cell in enumerate(game.moves):
                self.screen.print(f"  {i + 1}. {mark_of(i + 1)} to cell {cell + 1}")

    def ask(self, question: str) -> bool:
        """Yes or no. The end of the input is a no."""
        self.stages.close()
        self.screen.print(f"{question} [y/N] ", end="" if self.alive else "\n")
        return (self.keys.line(None) or "").lower() in ("y", "yes")

    # -- the chain -------------------------------------------------------------

    def _send(self, account: AccountAPI, what: str, data: bytes) -> None:
        try:
            # Nothing is signed yet: a node that is away for a moment is asked again, so that the key is not lost.
            prepared = self._patiently(
                lambda: self.sender.prepare(account, what, data, self.table.address), errors.NodeUnreachable
            )
            sent = self.sender.send_prepared(account, prepared)
        except (errors.Reverted, errors.TransactionError):
            # Something changed under us: show what, with the sentence.
            self._look(force=True)
            self._draw_if_changed()
            raise
        finally:
            self.stages.close()
        if self.confirmations:
            self.unconfirmed.append(sent)
        self._look(force=True, ours=True)

    def _look(self, force: bool = False, ours: bool = False) -> None:
        """Read the table again when the chain's head is another. Outlives a node that is gone for a while."""
        self._patiently(lambda: self._read(force, ours), errors.NodeError)

    def _read(self, force: bool, ours: bool) -> None:
        head = self.node.block()
        if not force and self.head is not None and head.hash == self.head.hash:
            return
        game = self.table.state()
        self._compare(self.game, game, ours)
        self.head, self.game = head, game
        if game.winner or game.status == "draw":
            self.results[game.number] = game
        self._confirm(head)

    def _patiently(self, ask: Callable[[], T], trouble: type[errors.NodeError]) -> T:
        """Ask the node until it answers. Without an answer for as long as we have patience, the sitting ends."""
        pause, gone_since = self.node.pace or 0.1, 0.0
        while True:
            try:
                answer = ask()
                break
            except trouble as failure:
                if self.head is None:
                    raise
                now = time.monotonic()
                if not gone_since:
                    gone_since = now
                    self.stages.close()
                    self.screen.print(f"{failure.message} Trying again…", style="yellow")
                if now - gone_since > self.sender.patience:
                    raise errors.NodeLost(now - gone_since, what_was_sent(self.sender.sent)) from failure
                time.sleep(pause)
                pause = min(pause * 2, 8.0)
        if gone_since:
            self.notes.append("The node is back.")
        return answer

    def _compare(self, old: Game, new: Game, ours: bool) -> None:
        """Say what happened between two positions, when it was not simply our own move."""
        if self.head is None or new == old:
            return
        for number in [n for n in self.results if n > new.number]:
            del self.results[number]
        same = (new.number, new.player_x, new.player_o) == (old.number, old.player_x, old.player_o)
        if same and new.moves[: len(old.moves)] == old.moves and (old.in_progress or new.status == old.status):
            if not ours:
                for i in range(len(old.moves), len(new.moves)):
                    self.notes.append(f"{mark_of(i + 1)} played {new.moves[i] + 1}.")
            return
        if same:
            self.results.pop(new.number, None)
            both = zip(old.moves, new.moves, strict=False)
            kept = next((i for i, (was, now) in enumerate(both) if was != now), min(len(old.moves), len(new.moves)))
            taken = ", ".join(f"{i + 1} ({mark_of(i + 1)}{old.moves[i] + 1})" for i in range(kept, len(old.moves)))
            what = f"took back move {taken}" if taken else "took back the end of the game"
            self.notes.append(f"The chain was reorganised and {what}. This is how it stands now.")
        elif new.number <= old.number:
            self.results.pop(old.number, None)
            self.notes.append(f"The chain was reorganised and took back game {old.number}. This is how it stands now.")
        elif not ours:
            lost = f" over game {old.number}, which was not finished" if old.in_progress else ""
            self.notes.append(f"Somebody started game {new.number}{lost}.")
            if self.accounts and not any(new.seats(address) for address in self.accounts):
                self.notes.append("You are not in it: you watch.")

    def _confirm(self, head: Block) -> None:
        """Told when it is so. What a reorganisation took back is told by the board, and waited for again."""
        for sent in list(self.unconfirmed):
            self.sender.look_again(sent, head.number, self.confirmations)
            if sent.stage is Stage.CONFIRMED:
                self.unconfirmed.remove(sent)
                self.notes.append(f"{sent.what} is confirmed, block {sent.block} has {self.confirmations} more on it.")
            elif sent.stage is Stage.FAILED:
                self.unconfirmed.remove(sent)
                self.notes.append(f"{sent.what} was mined again, in block {sent.block}, and refused.")

    # -- the screen ------------------------------------------------------------

    def _draw_if_changed(self) -> None:
        if self._drawn != self.game:
            self._draw()
        elif self.notes:
            self._clear_line()
            for note in self.notes:
                self.screen.print(note, style="yellow", soft_wrap=True)
            self.notes.clear()

    def _draw(self) -> None:
        self._clear_line()
        who = {}
        if len(self.accounts) == 1:
            (me,) = self.accounts
            who = dict.fromkeys(self.game.seats(me), "you")
        self.screen.print(position(self.game, self.screen, who=who, score=self._score(), notes=self.notes))
        self.notes.clear()
        ended = self.game.in_progress is False and self.game.number > 0
        if ended and self._drawn != self.game:
            self.screen.print(f"Game {self.game.number}: {result(self.game)}.", style="bold")
        self._drawn = self.game

    def _score(self) -> str:
        if not self.results:
            return ""
        if self.game.player_x == self.game.player_o:
            wins = {mark: sum(g.winner == mark for g in self.results.values()) for mark in "XO"}
        else:
            wins = {short(p): 0 for p in (self.game.player_x, self.game.player_o)}
            for game in self.results.values():
                if game.winner:
                    name = short(game.player(game.winner))
                    wins[name] = wins.get(name, 0) + 1
        draws = sum(game.status == "draw" for game in self.results.values())
        parts = [f"{name} {count}" for name, count in wins.items()]
        return " · ".join([*parts, f"draws {draws}"])

    def _waiting_text(self) -> str:
        age = max(0, time.time() - self.head.time) if self.head else 0
        number = self.head.number if self.head else 0
        who = short(self.game.player(self.game.turn))
        return f"waiting for {self.game.turn} ({who}) · block {number}, {age:.0f} s ago"

    def _clear_line(self) -> None:
        """Nothing moves on the screen, and no prompt stands half-answered."""
        self.stages.close()
        if self._prompted:
            self.screen.print()
            self._prompted = False


@dataclass(frozen=True)
class Options:
    """What a player may choose about a session."""

    table: str | None = None
    against: str | None = None
    ask: bool = False
    patience: float = 180.0
    confirmations: int | None = None  # the network's own number


def play(account: AccountAPI | None, x: AccountAPI | None, o: AccountAPI | None, options: Options) -> None:
    """Take the seats, find the table, and play until the player quits."""
    if account is not None and (x is not None or o is not None):
        raise errors.SeatsConflict()
    if options.against is not None and x is not None and o is not None:
        raise errors.BothSeatsTaken()
    screen = console()
    node = Node()
    against = None if options.against is None else checked_address(options.against)
    if node.embedded:
        if against is not None:
            raise errors.OpponentOutOfReach()
        seats = Seats.at_one_keyboard(ape.accounts.test_accounts, account, x, o)
    else:
        seats = Seats.online(account, x, o, against)

    if node.embedded and options.table is None:
        # The chain started with this process: it has no table yet.
        table = deploy(next(iter(seats.accounts.values())), Sender(node))
    else:
        table = find_table(node, options.table)
    for seat in seats.accounts.values():
        unlock(seat)
    session = Session(
        node,
        table,
        seats.accounts,
        screen,
        Keyboard(),
        patience=options.patience,
        confirmations=node.confirmations if options.confirmations is None else options.confirmations,
        ask_before_signing=options.ask,
    )
    if not node.embedded:
        _introduce(screen, table, seats)
    session.run(seats.players)


def _introduce(screen: Console, table: Table, seats: Seats) -> None:
    node = table.node
    screen.print(f"Table {table.address} on {node.name}, chain {node.chain_id}.", soft_wrap=True)
    if not seats.accounts:
        screen.print("You watch. Take a seat with --account ALIAS.")
        return
    game = table.state()
    if seats.players is None and game.in_progress and not any(game.seats(seat) for seat in seats.accounts):
        screen.print("You are not a player of this game: you watch instead. --against ADDRESS starts your own.")
