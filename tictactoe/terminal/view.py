"""What a player sees of a table, as text. The screen and the line mode both show it. Nothing here draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from tictactoe.formatting import person
from tictactoe.game import Game
from tictactoe.node import Block
from tictactoe.terminal import output_text
from tictactoe.terminal.seats import State


@dataclass(frozen=True)
class View:
    game: Game = field(default_factory=Game)
    own: tuple[str, ...] = ()  # the addresses at this keyboard
    results: Mapping[int, Game] = field(default_factory=dict)  # the games that ended in this session, by number
    network: str = ""  # empty on the embedded chain
    head: Block | None = None
    chosen: int | None = None  # the cell of a move that is not signed yet

    @property
    def state(self) -> State:
        if not self.game.in_progress:
            return State.NO_TURN
        if self.game.player(self.game.turn) in self.own:
            return State.MY_TURN
        return State.WAITING if self._seated else State.WATCHING

    @property
    def _seated(self) -> bool:
        return any(self.game.seats(address) for address in self.own)

    @property
    def my_mark(self) -> str:
        """Empty unless exactly one seat is at this keyboard."""
        seats = [mark for mark in "XO" if self.game.player(mark) in self.own]
        return seats[0] if len(seats) == 1 else ""

    @property
    def title(self) -> str:
        title = output_text.title(self.game)
        return f"{title} · {self.network}" if self.network else title

    @property
    def status(self) -> str:
        """Whose turn it is, or how the game ended, from the side of the players at this keyboard."""
        named = self._seated and not self.my_mark and self.game.player_x != self.game.player_o
        names = {mark: self.player(mark) if named else mark for mark in "XO"}
        status = output_text.result(self.game, names, self.my_mark)
        return status[0].upper() + status[1:]

    @property
    def score(self) -> str:
        """The wins of this game's players and the draws; empty before the first result."""
        game, results = self.game, self.results.values()
        if not results:
            return ""
        if game.player_x == game.player_o:
            # One person in both seats has one address, so count by mark.
            wins = {mark: sum(each.winner == mark for each in results) for mark in "XO"}
        else:
            won = Counter(each.player(each.winner) for each in results)
            wins = {self.name(player): won[player] for player in sorted((game.player_x, game.player_o), key=self.name)}
        return output_text.score(wins, draws=sum(each.status == "draw" for each in results))

    @property
    def clock(self) -> bool:
        """Whether to show how old the newest block is: while someone else is to move."""
        return self.state in (State.WAITING, State.WATCHING) and self.head is not None

    def name(self, address: str) -> str:
        return self._own_name(address) or person(address)

    def _own_name(self, address: str) -> str:
        """What a player at this keyboard is called."""
        if address not in self.own:
            return ""
        return output_text.YOU if len(self.own) == 1 else output_text.PLAYER.format(self.own.index(address) + 1)

    def player(self, mark: str, whole: bool = False) -> str:
        """With `whole`, the address and the name."""
        address = self.game.player(mark)
        if not self.game.number:
            return output_text.NO_PLAYER
        return f"{address}  {self._own_name(address)}".rstrip() if whole else self.name(address)
