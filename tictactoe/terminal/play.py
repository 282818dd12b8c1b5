"""`play`: what each key does, and what happens at the table meanwhile."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from ape.api.accounts import AccountAPI

from tictactoe import errors
from tictactoe.events import POLLS, events_in
from tictactoe.formatting import aliases, clean, coins, short
from tictactoe.game import STATUSES, Game
from tictactoe.node import Block
from tictactoe.table import Table
from tictactoe.terminal.command import (
    NOTHING,
    Declined,
    Stopped,
    consent,
    play_command,
    print_json,
    receipt_json,
    what_was_sent,
)
from tictactoe.terminal.screen import ALARM, ALWAYS, HELP, Screen, View, age, moves, outcome
from tictactoe.transactions import PATIENCE, Transaction, look_up

SPECTATOR = "You are only watching. To play, give --account ALIAS."


# -- what happened between two looks -----------------------------------------------------------


def changes(old: Game, new: Game, name: Callable[[str], str]) -> tuple[list[str], list[str]]:
    """What a reorg took back, and what is new, in sentences."""
    if (new.number, new.player_x, new.player_o) != (old.number, old.player_x, old.player_o):
        if new.number <= old.number:
            return [f"A reorg took back game {old.number}."], []
        ended = [f"Game {old.number}: {outcome(old, name(old.player_x), name(old.player_o))}."] if old.over else []
        # It may have ended since the last look.
        over = f" in place of game {old.number}" if old.in_progress else ""
        return [], [*ended, f"Game {new.number} has started{over}."]
    kept = max(number for number in range(10) if old.moves[:number] == new.moves[:number])
    taken_back = []
    if gone := moves(old)[kept:]:
        taken_back = [f"A reorg took back {', '.join(gone)}."]
    elif old.over and new.status != old.status:
        taken_back = [f"A reorg took back the end of game {old.number}."]
    x, o = ({"you": "You"}.get(each, each) for each in map(name, (new.player_x, new.player_o)))
    played = zip(new.moves, [x, o] * 5, strict=False)
    return taken_back, [f"{mover} played {cell + 1}." for cell, mover in played][kept:]


# -- a player at a table -----------------------------------------------------------------------


class Session:
    """A table, and the players at this keyboard."""

    def __init__(
        self, table: Table, accounts: list[AccountAPI], opponent: str | None, plain: bool, stderr: bool
    ) -> None:
        self.table, self.node, self.opponent = table, table.node, opponent
        self.accounts = {str(account.address): account for account in accounts}
        self.me = next(iter(self.accounts), "")
        self.screen = Screen(self.view, plain=plain, stderr=stderr)
        self.head: Block | None = None  # none before the first look
        self.game = Game()  # at this block
        self.late = 0  # heads in a row that were lower
        self.games: dict[int, Game] = {}  # those that were seen, by number
        self.unconfirmed = False  # whether the result may still be taken back
        self.inviting = False
        self.chosen: int | None = None  # the cell of a move that is not mined yet
        self.failure: errors.TicTacToeError | None = None  # of the last key, for a script

    # -- what is shown ---------------------------------------------------------------------

    def name(self, address: str) -> str:
        if address in self.accounts:
            return "you" if len(self.accounts) == 1 else f"Player {list(self.accounts).index(address) + 1}"
        return clean(aliases().get(address, ""), 20) or short(address)

    @property
    def mine(self) -> bool:
        """Whether a player at this keyboard plays the game."""
        return bool({self.game.player_x, self.game.player_o} & {*self.accounts})

    @property
    def my_turn(self) -> bool:
        return self.game.player(self.game.turn) in self.accounts

    @property
    def seats(self) -> tuple[str, str] | None:
        """X and O of the last game with the opponent, or if none was named, with anybody."""
        for _number, game in sorted(self.games.items(), reverse=True):
            x, o = game.player_x, game.player_o
            if {x, o} == {self.me, self.opponent or (o if x == self.me else x)}:
                return x, o
        return None

    def view(self) -> View:
        clock = age(self.head) if self.head else ""
        if self.head is None or self.inviting:
            waiting = f"waiting for your friend · {clock} · q quits" if self.inviting else "waiting for the node…"
            return View(progress=waiting)
        game, sending = self.game, self.screen.sending
        players = (self.name(game.player_x), self.name(game.player_o)) if game.number else ()
        marks = players if self.mine and game.player_x != game.player_o else ()
        title = [f"Game {game.number}"] * bool(game.number) + [self.node.name] * (not self.node.embedded)
        keys = ""
        if self.my_turn:
            keys = "1-9 play  f forfeit  "
        elif self.accounts and not game.in_progress:
            keys = "n next game  s same seats  " if self.seats else "n new game  "
        return View(
            game,
            title=" · ".join(title),
            players=players,
            status=f"{sending.label}…" if sending else outcome(game, *marks),
            score=self.score(),
            clock="" if self.node.embedded or self.my_turn or not game.in_progress else clock,
            chosen=self.chosen,
            keys=keys + ALWAYS,
        )

    def score(self) -> str:
        """The wins of this game's players, and the draws; empty before the first result."""
        players = {self.game.player_x, self.game.player_o}
        results = [each for each in self.games.values() if each.over and {each.player_x, each.player_o} == players]
        won = Counter(result.player(result.winner) for result in results)
        wins = sorted(f"{self.name(player)}: {won[player]}" for player in players)
        return " · ".join([*wins, f"draws: {sum(each.status == 'draw' for each in results)}"]) if results else ""

    # -- the table -------------------------------------------------------------------------

    def look(self, block: int | None = None, quietly: bool = False) -> bool:
        """
        Read the table, at this block or a later one, and say what happened. Returns whether the game is as it was.

        Raises after too long an outage.
        """
        old, first, failed_since = self.game, self.head is None, 0.0
        while True:
            try:
                known = self._read(block)
                self.screen.say_trouble("")
                if known:
                    break
            except errors.NodeError as error:
                failed_since = failed_since or time.monotonic()
                away = time.monotonic() - failed_since
                if away > PATIENCE:
                    problem = f"The node has failed for {away:.0f} s. {what_was_sent(self.node)}"
                    advice = "The game is safe on the chain: run the same command again later."
                    raise errors.NodeUnreachable(problem, advice) from error
                self.screen.say_trouble(error.sentence)
            except errors.NoTable as error:
                error.advice = f"{what_was_sent(self.node)} {error.advice}".strip()
                raise
            self.screen.wait(self.node.pace)
        if first or self.game == old:
            return True
        self.screen.messages.clear()
        taken_back, new = changes(old, self.game, self.name)
        for sentence in taken_back if quietly else taken_back + new:
            self.screen.say(sentence)
        return False

    def _read(self, block: int | None) -> bool:
        """Read the table if there is a new block. Returns whether the node knows this one."""
        head, last = self.node.block(), self.head
        if head.number < max(block or 0, last.number if last else 0) and self.late + 1 < POLLS:
            # Behind one address are several nodes, and some are late.
            self.late += 1
            return block is None
        if last is not None and head.hash == last.hash:
            self.late = 0
            return True
        game = self.table.state(head.number)
        if last is not None and self.node.sent:
            self._look_for_own(head, last)
        self.late = 0
        if game != self.game:
            self.screen.drop()  # before the other board is shown
            self.unconfirmed = game.over and last is not None
        self.head, self.game = head, game
        # A reorg may have taken back later games.
        games = self.games | {game.number: game}
        self.games = {number: each for number, each in games.items() if number <= game.number}
        if self.inviting and self.mine:
            self.inviting = False
            self.screen.console.bell()
        depth = self.node.confirmations
        if self.unconfirmed and depth:
            with suppress(errors.NodeError, errors.NoTable):  # in that block, the table may not have been there
                self.unconfirmed = self.table.state(head.number - depth) != game
            if not self.unconfirmed:
                self.screen.say(f"The result has {depth} confirmations.")
        return True

    def _look_for_own(self, head: Block, last: Block) -> None:
        """What became of transactions that nobody waits for any more; after a reorg, also of those in old blocks."""
        reorg = head.number <= last.number or self.node.block(last.number).hash != last.hash
        for tx in self.node.sent:
            is_new = tx.block is None or tx.block > last.number
            if (is_new or reorg) and tx.stage not in ("not sent", "confirmed"):
                with suppress(errors.TransactionError):
                    self.node.ask(partial(look_up, tx, lost=self.node.nonce(tx.account.address) > tx.nonce))

    # -- transactions ----------------------------------------------------------------------

    def _act(self, made: Game, prepare: Callable[[], Transaction], question: str = "", confirmations: int = 0) -> None:
        """From the key to the receipt: ask, send, and read the table again. `made` is the game that it makes."""
        self.screen.listens = False  # until the board is shown again
        before = self.game
        prepared: Transaction | None = None
        try:
            prepared = prepare()
            consent(self.screen, prepared, question, self.look)
            self.screen.send(prepared, confirmations)
            self.look(prepared.block, quietly=True)
            if self.game.number > made.number:
                # Others have started a game right behind it, so its board was never shown.
                self.games |= {made.number: made}
                for sentence in changes(made, self.game, self.name)[1]:
                    self.screen.say(sentence)
        except (errors.Reverted, errors.TransactionError) as error:
            # The table may have changed: show it with the error.
            too_late = error.stage == "failed" or getattr(error, "reason", "") == "not the current game"
            self.look(prepared.block if prepared else None, quietly=too_late)
            same_game = self.game.number == made.number == before.number
            if too_late and self.game.number > before.number:
                cost = f"{coins(prepared.paid)} {self.node.symbol}" if prepared and prepared.paid else "nothing"
                error.sentence = f"Game {self.game.number} was started first. You came too late, which cost {cost}."
                if self.mine and not before.in_progress:
                    other = min({self.game.player_x, self.game.player_o} - {*self.accounts}, default=self.me)
                    error.sentence = f"You both started a game. {self.name(other)}'s came first, and yours cost {cost}."
                error.advice = ""
            elif same_game and error.stage == "not sent" and len(self.game.moves) > len(before.moves):
                error.sentence, error.advice = "You have moved in another window. Nothing was sent.", ""
            raise
        except errors.NodeUnreachable as error:
            error.advice = error.advice if prepared else NOTHING
            raise
        finally:
            # Not earlier: the board that was read before is not the one after the move.
            self.chosen = self.screen.sending = None
            self.screen.drop()

    def _mover(self, cell: int | None = None) -> AccountAPI:
        """The account whose turn it is on the board that the player sees. Otherwise raises what the contract would."""
        game = self.game
        if not game.in_progress:
            raise errors.Reverted("no game in progress")
        if not self.my_turn:
            refusal = errors.Reverted("not your turn")
            if not self.mine:
                refusal.sentence = "This is a game of others, so it is never your turn."
            raise refusal
        if cell is not None and game.marks[cell]:
            raise errors.Reverted("cell is taken")
        return self.accounts[game.player(game.turn)]

    def _move(self, cell: int, confirmations: int = 0) -> None:
        game, account, self.chosen = self.game, self._mover(cell), cell
        moves = (*game.moves, cell)
        made = next(each for status in STATUSES if (each := replace(game, moves=moves, status=status)).is_possible)
        self._act(made, lambda: self.table.prepare_move(account, cell, game), confirmations=confirmations)

    def _forfeit(self) -> None:
        game, account = self.game, self._mover()
        question = f"Forfeit game {game.number} as {game.turn}"
        made = replace(game, status=f"{game.turn.lower()}_forfeits")
        self._act(made, lambda: self.table.prepare_forfeit(account, game), question)

    def _new_game(self, swap: bool) -> None:
        """The next game between two."""
        game = self.game
        if self.seats is not None:
            x, o = self.seats[::-1] if swap else self.seats
        elif self.opponent is not None:
            x, o = self.me, self.opponent
        else:
            raise errors.UsageError("A new game needs another player: give --against ADDRESS.")
        account = self.accounts.get(x) or self.accounts[o]
        question = ""
        if game.in_progress:
            others = "" if self.mine else f" between {self.name(game.player_x)} and {self.name(game.player_o)}"
            question = f"Game {game.number}{others} is not finished. Start a new game in its place"
        made = Game(game.number + 1, x, o, status="in_progress")
        self._act(made, lambda: self.table.prepare_new_game(account, x, o, game), question)

    # -- keys ------------------------------------------------------------------------------

    def run(self) -> None:
        """Play until the player leaves."""
        with self.screen as screen:
            self.look()
            self._begin()
            while True:
                screen.show()
                theirs = self.game.in_progress and self.mine and not self.my_turn
                if theirs and not screen.interactive and not screen.keyboard.ended:
                    # In a pipe, a player's next key stays unread until their turn.
                    screen.wait(self.node.pace)
                elif (key := screen.key(self.node.pace)) is not None:
                    self._press(key)
                    screen.show()  # what is typed from now on is meant for the board that this has made
                elif screen.keyboard.ended and screen.in_place:
                    raise Stopped  # Ctrl-D
                elif screen.keyboard.ended:
                    break
                self.look()
        if self.failure is not None:
            raise self.failure

    def _begin(self) -> None:
        game, screen, players = self.game, self.screen, {self.game.player_x, self.game.player_o}
        if not self.me:
            screen.show()
            screen.say(SPECTATOR)
        elif self.opponent is None and not self.mine:
            # `_read` notices the game that the friend starts.
            view, self.inviting = self.view(), True
            if game.in_progress:
                screen.print_board(view)
                screen.say("This is a game of others. The line below starts one in its place.")
            screen.say("Your friend pastes this line in a clone of this project. It starts the game:")
            screen.say(play_command(self.node, self.table.address, against=self.me), "bold", wrap=False)
            screen.say("If your friend sent you a line, run that one instead.")
        # A person sees a result, and presses n for the next game. A script cannot, so the next game starts now.
        elif self.opponent and (players != {self.me, self.opponent} or not (game.in_progress or screen.interactive)):
            screen.show()
            if screen.interactive:
                self._press("n")  # who says no can still look, and start it later
            else:
                self._new_game(swap=True)

    def _press(self, key: str) -> None:
        self.failure = None
        try:
            match key:
                case "enter":
                    pass
                case "q":
                    raise Stopped
                case "?":
                    self.screen.say(HELP)
                case _ if not self.accounts:
                    raise errors.UsageError(SPECTATOR)
                case "n" | "s":
                    self._new_game(swap=key == "n")
                case "f":
                    self._forfeit()
                case _:
                    self._move(int(key) - 1)
        except errors.TicTacToeError as error:
            # A person can go on. A script stops with the error's exit code, except after a revert or its own no.
            self.failure = error
            if not self.screen.interactive and not isinstance(error, (errors.Reverted, Declined)):
                raise
            self.screen.say(str(error), ALARM)

    # -- one move --------------------------------------------------------------------------

    def move_once(self, cell: int, as_json: bool) -> None:
        """Move, wait until it is confirmed, and print what happened."""
        self.look()
        game = self.game
        try:
            self._move(cell, self.node.confirmations)
        finally:
            for sent in self.node.sent:
                if as_json and not sent.contract and sent.stage not in ("prepared", "not sent"):
                    print_json(self._as_json(sent, game, cell))
        if not as_json:
            self.screen.print_board(self.view())

    def _as_json(self, sent: Transaction, game: Game, cell: int) -> dict[str, object]:
        """The fields in docs/playing.md. Also of a move that is not mined or failed: it may have been paid for."""
        where = {"network": self.node.name, "chainId": self.node.chain_id, "table": self.table.address}
        move = {"gameId": game.number, "player": sent.account.address, "mark": game.turn}
        cells = {"sequenceNumber": len(game.moves) + 1, "row": cell // 3, "col": cell % 3}
        fields = where | move | cells | {"transaction": sent.hash, "stage": sent.stage} | receipt_json(sent)
        fields |= {"status": None, "winner": None}
        if sent.block is not None:
            # What the contract reported in this transaction; nothing if the node cannot be asked now.
            with suppress(errors.NodeError):
                for event in events_in(self.table, sent.block, sent.block):
                    if event.transaction == sent.hash:
                        fields |= {"status": "in_progress"} | dict(event.fields)
        return fields
