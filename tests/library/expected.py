"""What the events of a chain must be, read from its logs' bytes and replayed by hand."""

from dataclasses import dataclass, replace
from typing import Any

from eth_utils.address import to_checksum_address

from tests.library.simulation import FakeChain, Json, status_word
from tests.rules import layout
from tests.rules.model import Model
from tictactoe import Event
from tictactoe.game import STATUSES, Game

NAMES = {layout.GAME_CREATED: "GameCreated", layout.MOVE_MADE: "MoveMade", layout.GAME_ENDED: "GameEnded"}
NOBODY = "0x" + "0" * 40


@dataclass(frozen=True)
class Expected:
    json: Json
    before: Game
    after: Game

    def taken_back(self) -> tuple[Json, Game, Game]:
        return self.json | {"takenBack": True}, self.before, self.after

    def read(self) -> tuple[Json, Game, Game]:
        return self.json, self.before, self.after


def seen(event: Event) -> tuple[dict[str, Any], Game, Game]:
    """Every value of an event."""
    return event.as_json(), event.before, event.after


def expected(chain: FakeChain, game: Game | None = None, first: int = 0) -> list[Expected]:
    """From this block on, if the game before it is this one."""
    return replayed([log for log in chain.logs if int(log["blockNumber"], 16) >= first], game)


def replayed(logs: list[Json], game: Game | None = None) -> list[Expected]:
    """The events of these logs, as a node returns them."""
    game, found = game or Game(), []
    for log in logs:
        fields, after = _decoded(log, game)
        found.append(Expected(fields, game, after))
        game = after
    return found


def _decoded(log: Json, game: Game) -> tuple[Json, Game]:
    kind = NAMES[bytes.fromhex(log["topics"][0][2:])]
    number, *addresses = (int(topic, 16) for topic in log["topics"][1:])
    people = [to_checksum_address(f"0x{address:040x}") for address in addresses]
    data = bytes.fromhex(log["data"][2:])
    words = [int.from_bytes(data[at : at + 32], "big") for at in range(0, len(data), 32)]
    if kind == "GameCreated":
        own: Json = {"playerX": people[0], "playerO": people[1]}
        game = Game(number, people[0], people[1], (), "in_progress")
    elif kind == "MoveMade":
        mark = "X" if words[0] % 2 else "O"
        own = {"player": people[0], "mark": mark, "sequenceNumber": words[0], "row": words[1], "col": words[2]}
        game = replace(game, moves=(*game.moves, words[1] * 3 + words[2]))
    else:
        own = {"winner": None if people[0] == NOBODY else people[0], "status": STATUSES[words[0]]}
        game = replace(game, status=STATUSES[words[0]])
    place = {
        "block": int(log["blockNumber"], 16),
        "blockHash": log["blockHash"],
        "transaction": log["transactionHash"],
        "logIndex": int(log["logIndex"], 16),
    }
    return {"event": kind, "takenBack": False, "gameId": number, **own, **place}, game


def as_game(game: Model) -> Game:
    """The model's game as the library keeps it."""
    x, o = (to_checksum_address(f"0x{player:040x}") for player in (game.player_x, game.player_o))
    return Game(game.number, x, o, game.moves, status_word(game.status))
