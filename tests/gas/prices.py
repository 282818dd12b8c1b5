"""Two price lists of the EVM, and the floor that each of them sets."""

from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """What any contract with this interface must do in one transaction. Instructions are not counted."""

    data: bytes
    slots: int = 0  # storage slots that it reads or writes
    changed: int = 0  # of these, slots that get another value
    filled: int = 0  # of these, slots that held nothing before
    players: bool = False  # looks for code at two addresses, one of which is the sender's
    topics: int = 0
    logged: int = 0  # words of data in the logs
    logs: int = 0
    creates: bool = False


@dataclass(frozen=True)
class Prices:
    name: str
    fork: str  # by @ethereumjs' name
    call: int  # a transaction, before its data
    creation: int  # the same, if it creates a contract
    code_byte: int
    code_word: int
    changed_slot: int
    filled_slot: int
    second_access: int  # of a slot that was read, when it is written
    cold_code: int  # the size of the code at an address
    warm_code: int  # the same, at an address that was used before in the transaction
    zero_byte: int = 4
    byte: int = 16
    initcode_word: int = 2
    slot: int = 2_100  # its first use in a transaction
    log: int = 375
    topic: int = 375
    logged_word: int = 8 * 32

    def parts(self, work: Work, code: int) -> Counter[str]:
        """The parts of the floor: what the work alone costs. `code` is the number of bytes that it stores as code.

        The least that a transaction's data costs (EIP-7623, EIP-7976) is lower than this in every scenario.
        """
        written = self.changed_slot * work.changed + self.filled_slot * work.filled
        if written:
            # The slot with the game is always read first. The other one is only written.
            written += self.second_access
        parts = Counter(
            {
                "transaction": self.creation if work.creates else self.call,
                "data": sum(self.byte if byte else self.zero_byte for byte in work.data),
                "slots used": self.slot * work.slots,
                "slots written": written,
                "players' code": self.cold_code + self.warm_code if work.players else 0,
                "events": self.log * work.logs + self.topic * work.topics + self.logged_word * work.logged,
            }
        )
        if work.creates:
            parts["creation code"] = self.initcode_word * words(len(work.data))
            parts["stored code"] = self.code_byte * code + self.code_word * words(code)
        return parts


def words(size: int) -> int:
    return (size + 31) // 32


# Calldata: EIP-2028. Slots and accounts: EIP-2929. Creation code: EIP-3860.
MAINNET = Prices(
    name="mainnet today",
    fork="osaka",
    call=21_000,
    creation=21_000 + 32_000,
    code_byte=200,
    code_word=0,
    changed_slot=2_900,
    filled_slot=20_000,
    second_access=0,
    cold_code=2_600,
    warm_code=100,
)

# EIP-8037: what stays in the state has a price by the byte. An account counts as 120 bytes and a slot as 64.
STATE_BYTE = 1_530

# Transactions: EIP-2780. Slots and accounts: EIP-8038. All as @ethereumjs 10.1.3 has them (glamsterdam-devnet 8.1.0).
AMSTERDAM = Prices(
    name="Amsterdam",
    fork="amsterdam",
    call=12_000 + 3_000,
    creation=12_000 + 12_000 + 120 * STATE_BYTE,
    code_byte=STATE_BYTE,
    code_word=6,
    changed_slot=10_000,
    filled_slot=10_000 + 64 * STATE_BYTE,
    second_access=100,
    cold_code=3_000 + 100,
    warm_code=100 + 100,
)
