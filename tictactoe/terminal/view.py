"""What a player sees of a table, as text. The screen and the line mode both show it. Nothing here draws."""

from __future__ import annotations

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
    own: frozenset[str] = frozenset()  # the addresses at this keyboard
    names: Mapping[str, str] = field(default_factory=dict)  # of addresses
    results: Mapping[int, Game] = field(default_factory=dict)  # the games that ended in this session, by number
    network: str = ""  # empty on the embedded chain
    head: Block | None = None
    progress: str = ""  # of the last transaction
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
        if self.my_mark:
            status = output_text.my_result(self.game, self.my_mark)
        elif self._seated and self.game.player_x != self.game.player_o:
            status = output_text.result(self.game, {mark: self.player(mark) for mark in "XO"})
        else:
            status = output_text.result(self.game)
        return status[0].upper() + status[1:]

    @property
    def score(self) -> str:
        return output_text.score(self.game, self.results, self.name)

    @property
    def clock(self) -> bool:
        """Whether to show how old the newest block is: while someone else is to move."""
        return self.state in (State.WAITING, State.WATCHING) and self.head is not None

    def name(self, address: str) -> str:
        return self.names.get(address) or person(address)

    def player(self, mark: str, whole: bool = False) -> str:
        """With `whole`, the address and the name."""
        address = self.game.player(mark)
        if not self.game.number:
            return output_text.NO_PLAYER
        return f"{address}  {self.names.get(address, '')}".rstrip() if whole else self.name(address)
