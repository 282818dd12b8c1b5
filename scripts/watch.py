"""`ape run watch`: every event of a table, from its first game on."""

from __future__ import annotations

from collections import Counter

import click
from ape.cli import network_option

from tictactoe import Event, Game, events, find_table
from tictactoe.formatting import person
from tictactoe.node import Block
from tictactoe.terminal.command import Stopped, TableCommand, connect, print_json, table_option
from tictactoe.terminal.screen import Screen, View, age, outcome

PATIENCE = 60.0  # seconds without an answer after which --once gives up


@click.command(cls=TableCommand)
@network_option()
@table_option
@click.option("--from-block", type=click.IntRange(0), metavar="N", help="Skip the events before this block.")
@click.option("--once", is_flag=True, help="Print the events there are and stop, instead of waiting for more.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def cli(table: str | None, from_block: int | None, once: bool, as_json: bool) -> None:
    """Follow a table: the players, each move, each result, and the score."""
    watched, story = find_table(table, connect()), Story(from_block or 0, as_json)
    found = events(
        watched,
        from_block=from_block,
        follow=not once,
        trouble=lambda error: story.screen.say_trouble(error.sentence),
        seen=story.see,
        sleep=story.screen.wait,
        patience=PATIENCE if once else None,
    )
    if not as_json:
        story.screen.say(f"Table {watched.address} on {watched.node.name}, chain {watched.node.chain_id}.")
    exit_code = 0
    try:
        with story.screen:
            for event in found:
                if as_json:
                    print_json(event.as_json())
                else:
                    story.tell(event)
    except Stopped as stop:
        exit_code = stop.exit_code
    if not as_json:
        story.print_score()
    # Ctrl-C is a usual way to leave.
    if exit_code not in (0, 130):
        raise Stopped


class Story:
    """
    A table's events for a person: a line for each past game, and the present one as a board, which a terminal redraws
    in place and which elsewhere is followed by a line for each event.
    """

    def __init__(self, from_block: int, as_json: bool) -> None:
        self.from_block = from_block
        self.screen = Screen(self.view, plain=as_json, stderr=as_json)
        self.head: Block | None = None
        self.game = Game()
        self.reading = "waiting for the node…"
        self.complete = False  # whether everything was read
        self.caught_up = False  # whether that goes as far as `from_block`
        self.count = Counter[str]()  # of each kind of event
        self.results = Counter[str | None]()  # of each winner, None for a draw

    def view(self) -> View:
        game = self.game
        if self.head is None or not self.caught_up:
            return View(progress=self.reading)
        players = (person(game.player_x), person(game.player_o)) if game.number else ()
        title = f"Game {game.number}" if game.number else "Game"
        return View(game, title, players, outcome(game), progress=f"{age(self.head)} · q quits")

    def see(self, head: Block, read: int) -> None:
        self.head, self.reading = head, f"block {read:,} of {head.number:,}"
        self.screen.say_trouble("")

    def tell(self, event: Event) -> None:
        shown, self.game, screen, say = self.game, event.game, self.screen, self.screen.say
        change = -1 if event.taken_back else 1
        self.count[event.kind] += change
        if event.kind == "GameEnded":
            self.results[event.fields["winner"]] += change
        if event.kind == "Restarted":
            self.complete = self.caught_up = False
            self.count.clear()
            self.results.clear()
            say("The chain or its logs have changed: discard everything above. It is read again.", "bold")
        elif event.kind == "CaughtUp":
            self.complete, self.caught_up = True, event.block >= self.from_block
            screen.show()
            if not self.caught_up:
                say(f"Block {self.from_block} of --from-block is not mined yet: the newest block is {event.block}.")
            elif not screen.in_place:
                say(f"Caught up with block {event.block}.", "dim")
        elif event.taken_back:
            say(f"Taken back by a reorg: {self._line(event)}")
        elif self.caught_up and not screen.in_place:
            say(self._line(event))
        elif event.kind == "GameCreated" and shown.number:
            say(past_game(event.before))

    def _line(self, event: Event) -> str:
        fields, number = event.fields, event.fields["gameId"]
        match event.kind:
            case "GameCreated":
                over = f" over game {event.before.number}, unfinished" if event.before.in_progress else ""
                return f"Game {number} starts{over}: X {person(fields['playerX'])}, O {person(fields['playerO'])}"
            case "MoveMade":
                cell, move = fields["row"] * 3 + fields["col"] + 1, fields["sequenceNumber"]
                who = f"{fields['mark']} {person(fields['player'])}"
                return f"{who} takes cell {cell}, move {move} of game {number}, block {event.block}"
        # The game is not known if its start was not read.
        ending = outcome(event.after) if event.after.number else fields["status"].replace("_", " ")
        winner = fields["winner"]
        won = f" {person(winner)} has won {self.results[winner]}." if winner and not event.taken_back else ""
        return f"Game {number}: {ending}.{won}"

    def print_score(self) -> None:
        """Games won by each player. What a reorg took back does not count."""
        if not self.complete:
            self.screen.say("Not all events were read, so there is no score.")
            return
        counts = {"game": self.count["GameCreated"], "move": self.count["MoveMade"], "draw": self.results[None]}
        self.screen.say(", ".join(f"{many} {name}{'' if many == 1 else 's'}" for name, many in counts.items()), "bold")
        for player, won in self.results.most_common():
            if player and won:
                self.screen.say(f"{won:>6} won by {person(player, whole=True)}")


def past_game(game: Game) -> str:
    """A game that another one has replaced, in one line."""
    ending = "unfinished" if game.in_progress else outcome(game)
    moves = " ".join(str(cell + 1) for cell in game.moves)
    return f"Game {game.number}: {ending}. X {person(game.player_x)}, O {person(game.player_o)}. {moves}".rstrip()
