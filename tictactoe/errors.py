"""
What can go wrong: one class for each exit code of the commands.

The sentence is written where the error is raised. It says what happened; `advice` says what to do about it. Text from a
node, a wallet or a file is cleaned by `formatting.clean` before it enters them.
"""

from __future__ import annotations


class TicTacToeError(Exception):
    """Base class of every error that this package raises. By itself, an error that the program does not know."""

    exit_code = 1
    # How far a transaction came that was signed: `sending`, `sent`, `dropped`, ... as in `play --move --json`.
    stage = ""

    def __init__(self, sentence: str, advice: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.sentence} {self.advice}".rstrip()


class UsageError(TicTacToeError):
    """An option, an argument or the configuration is wrong."""

    exit_code = 2


TRY_AGAIN = "Try again, or use another node (--network)."
OUT_OF_REACH = "The node does not answer. Is it running, and is --network right?"


class NodeError(TicTacToeError):
    """The node failed, or answered nonsense. Asking again may succeed."""

    exit_code = 3

    def __init__(self, sentence: str = OUT_OF_REACH, advice: str = TRY_AGAIN, *, too_much: bool = False) -> None:
        super().__init__(sentence, advice)
        self.too_much = too_much  # a smaller question may succeed


class NodeUnreachable(NodeError):
    """There was no answer. The node may have received the question."""


class NodeRefused(NodeError):
    """The node answered with an error of its own, so the question had no effect."""


class WrongChain(TicTacToeError):
    """The node is on another chain than the one that is meant, or nobody said which is meant."""

    exit_code = 4


class NoTable(TicTacToeError):
    """No table is known, or the code at the address is not this contract's."""

    exit_code = 5


class AccountError(TicTacToeError):
    """The account is missing or locked, its passphrase is wrong, or the player declined."""

    exit_code = 6


class TooExpensive(TicTacToeError):
    """The account has too little, or the transaction costs more than it should."""

    exit_code = 7


class Reverted(TicTacToeError):
    """The contract refused; `reason` is its own string."""

    exit_code = 8

    def __init__(self, reason: str) -> None:
        super().__init__(REASONS.get(reason) or f"The contract refused: {reason or 'it gave no reason'}.")
        self.reason = reason


class TransactionError(TicTacToeError):
    """The transaction was dropped, replaced, failed or waits too long, or another one waits: `stage` says which."""

    exit_code = 9


# Every reason of the contract. A test compares them with its source.
REASONS = {
    "caller is a contract": (
        "Only people can play, but your account acts through a contract (caller is a contract). "
        "Use an account that signs its own transactions."
    ),
    "player is the zero address": (
        "The zero address cannot play (player is the zero address). Give the other player's address."
    ),
    "player is a contract": (
        "The player's address is a contract, not a person's account (player is a contract). "
        "Ask the other player for the address of a plain account."
    ),
    "no game in progress": "No game is in progress at this table.",
    "not the current game": (
        "Another game was started first, so nothing was changed (not the current game). Look at the board again."
    ),
    "not your turn": "It is not your turn. Wait for the other player's move.",
    "off the grid": "That cell is off the grid. Cells have the numbers 1 to 9.",
    "cell is taken": "That cell is taken.",
}
