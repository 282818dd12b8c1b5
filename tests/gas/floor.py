"""The floor: what no contract with this interface can avoid, under two price lists."""

from tests.rules.layout import logs, storage
from tests.rules.model import X

# The two price lists. Pairs of figures are in this order.
TODAY, AMSTERDAM = 0, 1

# A byte that stays in the state (EIP-8037). An account counts as 120 bytes and a slot as 64.
STATE_BYTE = 1_530

# Each row below is a number of things, and the prices of one.
#
# Data: EIP-2028. Slots and accounts: EIP-2929. Creation code: EIP-3860. Under Amsterdam, transactions: EIP-2780; slots
# and accounts: EIP-8038; all as @ethereumjs 10.1.3 has them (glamsterdam-devnet 8.1.0). Instructions are not counted.
# The least that data costs (EIP-7623, EIP-7976) is lower than this in every transaction here.


def of_deployment(creation_code, size):
    """What it costs to store so many bytes of code. What the constructor does is instructions."""
    return total(
        (1, 21_000 + 32_000, 12_000 + 12_000 + 120 * STATE_BYTE),  # a transaction that creates a contract
        *of_data(creation_code),
        (words(len(creation_code)), 2, 2),
        (size, 200, STATE_BYTE),  # bytes of stored code
        (words(size), 0, 6),
    )


def of_transaction(data, before, after):
    """The transaction that turns one game into the other. X sends every `newGame`."""
    begins = after.number > before.number
    is_move = len(after.moves) > len(before.moves)
    events = logs(before, after)
    slots = list(zip(storage(before), storage(after), strict=True))
    return total(
        (1, 21_000, 12_000 + 3_000),  # a transaction
        *of_data(data),
        # Slots, used for the first time. X's address shares one with the game, so X's moves use only that. All other
        # transactions use O's address, too.
        (1 if is_move and before.current_player == X else 2, 2_100, 2_100),
        (sum(not old and bool(new) for old, new in slots), 20_000, 10_000 + 64 * STATE_BYTE),  # empty slots, filled
        (sum(bool(old) and new != old for old, new in slots), 2_900, 10_000),  # filled slots, changed
        # A slot that is read before it is written: the game's. The other one is only read or only written.
        (1, 0, 100),
        # The code sizes of two players: of the sender, whose account is used before, and of another account.
        (int(begins), 100 + 2_600, (100 + 100) + (3_000 + 100)),
        (len(events), 375, 375),
        (sum(len(topics) for topics, _ in events), 375, 375),
        (sum(words(len(data)) for _, data in events), 8 * 32, 8 * 32),
    )


def of_data(data):
    """The rows of zero bytes and of others."""
    return (data.count(0), 4, 4), (len(data) - data.count(0), 16, 16)


def words(size):
    """How many words of 32 bytes this many bytes need."""
    return -(-size // 32)


def total(*rows):
    return tuple(sum(number * prices[i] for number, *prices in rows) for i in (TODAY, AMSTERDAM))
