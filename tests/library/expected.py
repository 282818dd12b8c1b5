"""What the events of a chain must be, read from its logs' bytes and replayed by hand, and what a consumer keeps."""

from dataclasses import replace

from eth_utils.address import to_checksum_address

from tests.rules import layout
from tictactoe import Event
from tictactoe.game import STATUSES, Game


def replayed(logs):
    """The events of these logs, as a node returns them."""
    found, game = [], Game()
    for log in logs:
        words = bytes.fromhex("".join(word.removeprefix("0x") for word in (*log["topics"], log["data"])))
        topic, (number, *values) = words[:32], [int.from_bytes(words[at : at + 32]) for at in range(32, len(words), 32)]
        if topic == layout.GAME_CREATED:
            x, o = map(address, values)
            kind, fields, after = "GameCreated", {"playerX": x, "playerO": o}, Game(number, x, o, (), "in_progress")
        elif topic == layout.MOVE_MADE:
            player, sequence, row, col = values
            kind, fields = "MoveMade", {"player": address(player), "mark": "OX"[sequence % 2]}
            fields |= {"sequenceNumber": sequence, "row": row, "col": col}
            after = replace(game, moves=(*game.moves, row * 3 + col))
        else:
            winner, status = values
            kind, fields = "GameEnded", {"winner": address(winner) if winner else None, "status": STATUSES[status]}
            after = replace(game, status=STATUSES[status])
        place = int(log["blockNumber"], 16), log["blockHash"], log["transactionHash"], int(log["logIndex"], 16)
        found.append(Event(kind, *place, {"gameId": number} | fields, game, after))
        game = after
    return found


def address(number):
    return to_checksum_address(f"0x{number:040x}")


def as_game(game):
    """The model's game as the library keeps it."""
    players = address(game.player_x), address(game.player_o)
    return Game(game.number, *players, game.moves, game.status.name.lower())


def keep(kept, event):
    """What a consumer does with an event, as the documents say."""
    if event.kind == "Restarted":
        kept.clear()
    elif event.taken_back:
        assert replace(event, taken_back=False) == kept.pop(), "the newest event is taken back first"
    elif event.kind != "CaughtUp":
        kept.append(event)
