"""The lines that `watch` prints for each event, and the score at the end."""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.text import Text

from tictactoe.events import Event
from tictactoe.logs import GameCreated, GameEnded, MoveMade
from tictactoe.terminal import text
from tictactoe.terminal.board import STYLES, position


class Story:
    """A table's events for a person."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.score = Score()

    def print(self, event: Event) -> None:
        self.score.count(event)
        line = text.event_line(event)
        match event.log:
            case GameCreated() as log:
                self._print_game(event, log, line)
            case MoveMade() as log:
                self._print_move(event, log, line)
            case GameEnded() as log:
                self._print_end(event, log, line)
            case _:
                self.console.print(line, style="dim" if event.kind == "CaughtUp" else "bold yellow")
        if event.taken_back:
            self.console.print(text.now(event.game), style="yellow")

    def _print_game(self, event: Event, log: GameCreated, line: str) -> None:
        if not event.taken_back:
            self.console.print()
        self._line(event, Text(line, "bold"))
        for mark, player in (("X", log.player_x), ("O", log.player_o)):
            self.console.print(Text.assemble((f"  {mark} ", STYLES[mark]), player), soft_wrap=True)

    def _print_move(self, event: Event, log: MoveMade, line: str) -> None:
        self._line(event, Text.assemble((log.mark, STYLES[log.mark]), line))
        # The number is 0 while the game is not known.
        if event.after.number and not event.taken_back:
            self.console.print(position(event.after, self.console))

    def _print_end(self, event: Event, log: GameEnded, line: str) -> None:
        self._line(event, Text(line, "yellow" if event.taken_back else "bold"))
        if not event.taken_back and log.status != "draw":
            self.console.print(text.games_won(log.winner, self.score.wins[log.winner]), style="dim")

    def _line(self, event: Event, line: Text) -> None:
        self.console.print(Text.assemble((text.taken_back(event), "yellow"), line), soft_wrap=True)

    def print_score(self) -> None:
        score = self.score
        self.console.print(text.totals(score.games, score.moves, score.draws), style="bold")
        ranked = [(player, wins) for player, wins in score.wins.most_common() if wins]
        for player, wins in ranked[:20]:
            self.console.print(text.won_by(player, wins), soft_wrap=True)
        if len(ranked) > 20:
            self.console.print(text.more_winners(len(ranked) - 20))


class Score:
    """Games won by each player, over all games. What a reorg takes back no longer counts."""

    def __init__(self) -> None:
        self.wins: Counter[str] = Counter()
        self.reset()

    def reset(self) -> None:
        self.wins.clear()
        self.games = self.draws = self.moves = 0

    def count(self, event: Event) -> None:
        step = -1 if event.taken_back else 1
        match event.log:
            case GameCreated():
                self.games += step
            case MoveMade():
                self.moves += step
            case GameEnded() as log if log.status == "draw":
                self.draws += step
            case GameEnded() as log:
                self.wins[log.winner] += step
            case _ if event.kind == "Restarted":
                self.reset()
