"""The prices of what transactions do, and the floor: what no contract with this interface can avoid."""

from collections import Counter

from tests.rules.layout import logs, storage
from tests.rules.model import X

# The two price lists. Pairs of figures are in this order.
TODAY, AMSTERDAM = 0, 1

# A byte that stays in the state (EIP-8037). An account counts as 120 bytes and a slot as 64.
STATE_BYTE = 1_530

# Data: EIP-2028. Slots and accounts: EIP-2929. Creation code: EIP-3860. Under Amsterdam, transactions: EIP-2780; slots
# and accounts: EIP-8038; all as @ethereumjs 10.1.3 has them (glamsterdam-devnet 8.1.0).
PRICES = {
    "a transaction": (21_000, 12_000 + 3_000),
    "a transaction that creates a contract": (21_000 + 32_000, 12_000 + 12_000 + 120 * STATE_BYTE),
    "a zero byte of data": (4, 4),
    "another byte of data": (16, 16),
    "32 bytes of creation code": (2, 2),
    "a byte of stored code": (200, STATE_BYTE),
    "32 bytes of stored code": (0, 6),
    "a slot, used for the first time": (2_100, 2_100),
    "an empty slot, filled": (20_000, 10_000 + 64 * STATE_BYTE),
    "a filled slot, changed": (2_900, 10_000),
    "a slot, read before it is written": (0, 100),
    "the code sizes of the sender and of another account": (100 + 2_600, 100 + 100 + 3_000 + 100),
    "an event": (375, 375),
    "a topic of an event": (375, 375),
    "32 bytes of an event's data": (8 * 32, 8 * 32),
}
# Below is how many of each a transaction pays for. Instructions are not counted. The least that data costs (EIP-7623,
# EIP-7976) is lower than this in every transaction here.


def of_data(data):
    return Counter({"a zero byte of data": data.count(0), "another byte of data": len(data) - data.count(0)})


def of_deployment(creation_code, runtime):
    """What it costs to store so many bytes of code. What the constructor does is instructions."""
    return of_data(creation_code) + Counter(
        {
            "a transaction that creates a contract": 1,
            "32 bytes of creation code": -(-len(creation_code) // 32),
            "a byte of stored code": runtime,
            "32 bytes of stored code": -(-runtime // 32),
        }
    )


def of_transaction(data, before, after):
    """The parts of a transaction that turns one game into the other. X sends every `newGame`."""
    begins = after.number > before.number
    is_move = len(after.moves) > len(before.moves)
    events = logs(before, after)
    slots = list(zip(storage(before), storage(after), strict=True))
    return of_data(data) + Counter(
        {
            "a transaction": 1,
            # X's address shares a slot with the game, so X's moves use one slot. All others use O's address, too.
            "a slot, used for the first time": 1 if is_move and before.current_player == X else 2,
            "an empty slot, filled": sum(not old and bool(new) for old, new in slots),
            "a filled slot, changed": sum(bool(old) and new != old for old, new in slots),
            # The slot with the game is read first. The other one is only read or only written.
            "a slot, read before it is written": 1,
            "the code sizes of the sender and of another account": int(begins),
            "an event": len(events),
            "a topic of an event": sum(len(topics) for topics, _ in events),
            "32 bytes of an event's data": sum(len(words) // 32 for _, words in events),
        }
    )
