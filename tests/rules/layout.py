"""The model's game as bytes: in storage, in the return value of `gameState()`, in the logs; and refusals as bytes.

Written from the specification and from the drawing at the head of the contract. The tests compare these bytes with the
contract's: that leaves nothing undecoded, and it is fast enough for every position.
"""

from functools import cache

from eth_utils.crypto import keccak

from tests.rules.model import Model, O, Refused, Status, X

Log = tuple[tuple[bytes, ...], bytes]  # topics and data

GAME_CREATED = keccak(text="GameCreated(uint256,address,address)")
MOVE_MADE = keccak(text="MoveMade(uint256,address,uint8,uint8,uint8)")
GAME_ENDED = keccak(text="GameEnded(uint256,address,uint8)")


@cache
def word(value: int) -> bytes:
    return value.to_bytes(32, "big")


def selector(signature: str) -> bytes:
    return keccak(text=signature)[:4]


@cache
def call(signature: str, *arguments: int) -> bytes:
    return selector(signature) + b"".join(map(word, arguments))


def storage(game: Model) -> tuple[int, int]:
    """The two slots. The first in hexadecimal: the number (13 digits), X's address, status, next move, cells 8 to 0."""
    if game.status == Status.NO_GAME:
        return 0, 0
    cells = [game.moves.index(cell) + 1 if cell in game.moves else 0 for cell in range(8, -1, -1)]
    digits = "".join(map(str, cells))
    # The next move, which a forfeiter does not make. After a win or a draw, the last move.
    move = len(game.moves) + (game.status not in (Status.X_WON, Status.O_WON, Status.DRAW))
    first = f"{game.number:013x}{game.player_x:040x}{game.status:x}{move:x}{digits}"
    return int(first, 16), game.player_o


def game_state(game: Model) -> bytes:
    """The return value of `gameState()`: a dynamic tuple whose last part is the history."""
    out = [word(32), word(game.number), word(game.player_x), word(game.player_o)]
    out += [word(mark) for mark in game.board]
    out += [word(game.current_player), word(game.status), word(15 * 32), word(len(game.moves))]
    for i, cell in enumerate(game.moves):
        out += [word(cell // 3), word(cell % 3), word(X if i % 2 == 0 else O), word(i + 1)]
    return b"".join(out)


def logs(before: Model, after: Model) -> list[Log]:
    """The logs of the transaction that turned one game into the other, in order."""
    if after == before:
        return []
    number = word(after.number)
    if after.number != before.number:
        return [((GAME_CREATED, number, word(after.player_x), word(after.player_o)), b"")]
    out: list[Log] = []
    if len(after.moves) > len(before.moves):
        cell = after.moves[-1]
        data = word(len(after.moves)) + word(cell // 3) + word(cell % 3)
        out.append(((MOVE_MADE, number, word(before.mover)), data))
    if after.status != Status.IN_PROGRESS:
        out.append(((GAME_ENDED, number, word(after.winner)), word(after.status)))
    return out


@cache
def refused(revert_data: bytes) -> Refused:
    """The refusal with this revert data: none, or exactly what the ABI makes of `Error(string)`."""
    length = int.from_bytes(revert_data[36:68], "big")
    reason = revert_data[68 : 68 + length]
    padding = bytes(-length % 32)
    if revert_data and revert_data != call("Error(string)", 32, length) + reason + padding:
        raise ValueError(f"this is no Error(string): {revert_data.hex()}")
    return Refused(reason.decode())
