"""What the model's game looks like in storage, in a return value and in the logs, byte by byte.

Written from the specification and the drawing at the head of the contract, so that raw bytes can be compared: that is
fast enough for every position, and nothing of what the contract answers goes unread.
"""

from functools import cache

from eth_utils.crypto import keccak

from tests.rules.model import EMPTY, Model, O, Status, X

Log = tuple[tuple[bytes, ...], bytes]  # topics and data

GAME_CREATED = keccak(text="GameCreated(uint256,address,address)")
MOVE_MADE = keccak(text="MoveMade(uint256,address,uint8,uint8,uint8)")
GAME_ENDED = keccak(text="GameEnded(uint256,address,uint8)")


def word(value: int) -> bytes:
    return value.to_bytes(32, "big")


WORDS = [word(value) for value in range(16)]


def selector(signature: str) -> bytes:
    return keccak(text=signature)[:4]


@cache
def call(signature: str, *arguments: int) -> bytes:
    return selector(signature) + b"".join(map(word, arguments))


def storage(game: Model) -> tuple[int, int]:
    """The two slots. In hexadecimal: 13 digits of number, X's address, status, the next move, the cells from 8 to 0."""
    if game.status == Status.NO_GAME:
        return 0, 0
    cells = [game.moves.index(cell) + 1 if cell in game.moves else 0 for cell in range(8, -1, -1)]
    digits = "".join(map(str, cells))
    # The next move, which a forfeiter does not make; after a win or a draw, the last one.
    move = len(game.moves) + (game.status not in (Status.X_WON, Status.O_WON, Status.DRAW))
    first = f"{game.number:013x}{game.player_x:040x}{game.status:x}{move:x}{digits}"
    return int(first, 16), game.player_o


def game_state(game: Model) -> bytes:
    """What `gameState()` returns: a dynamic tuple whose history comes last."""
    out = [word(32), word(game.number), word(game.player_x), word(game.player_o)]
    out += [WORDS[mark] for mark in game.board]
    out += [WORDS[game.current_player], WORDS[game.status], word(15 * 32), WORDS[len(game.moves)]]
    for i, cell in enumerate(game.moves):
        out += [WORDS[cell // 3], WORDS[cell % 3], WORDS[X if i % 2 == 0 else O], WORDS[i + 1]]
    return b"".join(out)


def logs(before: Model, after: Model) -> list[Log]:
    """What a transaction that turned one game into the other has emitted, in order."""
    number = word(after.number)
    if after.number != before.number:
        return [((GAME_CREATED, number, word(after.player_x), word(after.player_o)), b"")]
    out: list[Log] = []
    if len(after.moves) > len(before.moves):
        cell = after.moves[-1]
        mover = before.player_x if before.current_player == X else before.player_o
        data = WORDS[len(after.moves)] + WORDS[cell // 3] + WORDS[cell % 3]
        out.append(((MOVE_MADE, number, word(mover)), data))
    if after.status != Status.IN_PROGRESS:
        winner = {
            Status.X_WON: after.player_x,
            Status.O_FORFEITS: after.player_x,
            Status.O_WON: after.player_o,
            Status.X_FORFEITS: after.player_o,
            Status.DRAW: EMPTY,
        }[after.status]
        out.append(((GAME_ENDED, number, word(winner)), WORDS[after.status]))
    return out
