"""What the events of a chain must be, read from its logs' bytes and replayed by hand, and what a consumer keeps."""

from dataclasses import replace

from eth_utils.address import to_checksum_address

from tests.rules import layout
from tictactoe import Event
from tictactoe.game import STATUSES, ZERO_ADDRESS, Game

NAMES = {layout.GAME_CREATED: "GameCreated", layout.MOVE_MADE: "MoveMade", layout.GAME_ENDED: "GameEnded"}


def replayed(logs, game=None):
    """The events of these logs, as a node returns them, if the game before them is this one."""
    game, found = game or Game(), []
    for log in logs:
        found.append(_decoded(log, game))
        game = found[-1].after
    return found


def _decoded(log, before):
    kind = NAMES[bytes.fromhex(log["topics"][0][2:])]
    number, *addresses = (int(topic, 16) for topic in log["topics"][1:])
    people = [to_checksum_address(f"0x{address:040x}") for address in addresses]
    data = bytes.fromhex(log["data"][2:])
    words = [int.from_bytes(data[at : at + 32], "big") for at in range(0, len(data), 32)]
    fields = {"gameId": number}
    if kind == "GameCreated":
        fields |= {"playerX": people[0], "playerO": people[1]}
        after = Game(number, people[0], people[1], (), "in_progress")
    elif kind == "MoveMade":
        mark = "X" if words[0] % 2 else "O"
        fields |= {"player": people[0], "mark": mark, "sequenceNumber": words[0], "row": words[1], "col": words[2]}
        after = replace(before, moves=(*before.moves, words[1] * 3 + words[2]))
    else:
        fields |= {"winner": None if people[0] == ZERO_ADDRESS else people[0], "status": STATUSES[words[0]]}
        after = replace(before, status=STATUSES[words[0]])
    block, index = int(log["blockNumber"], 16), int(log["logIndex"], 16)
    return Event(kind, block, log["blockHash"], log["transactionHash"], index, fields, before, after)


def as_game(game):
    """The model's game as the library keeps it."""
    x, o = (to_checksum_address(f"0x{player:040x}") for player in (game.player_x, game.player_o))
    return Game(game.number, x, o, game.moves, game.status.name.lower())


def keep(kept, event):
    """What a consumer does with an event, as the documents say."""
    if event.kind == "Restarted":
        kept.clear()
    elif event.taken_back:
        assert replace(event, taken_back=False) == kept.pop(), "the newest event is taken back first"
    elif event.kind != "CaughtUp":
        kept.append(event)
