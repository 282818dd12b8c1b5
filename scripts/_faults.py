"""What can go wrong, as sentences with a way out. Each kind of failure has its own exit code."""

import re
import unicodedata

import click

# The table of exit codes in the README says the same; a test keeps them equal.
EXIT_CODES = {
    0: "done, or left with `q` or at the end of the input",
    1: "something nobody foresaw; `-v DEBUG` shows where",
    2: "an option, an argument or the configuration is wrong",
    3: "the node cannot be reached, went away, or answers nonsense",
    4: "the wrong chain",
    5: "no table: none is known, or what stands at the address is not this contract",
    6: "the account: locked, wrong passphrase, or you declined",
    7: "not enough funds for the transaction",
    8: "the contract refused",
    9: "the transaction was dropped, replaced, failed, or waited too long",
    10: "the explorer cannot be used, or did not verify the source; a table that was deployed stands",
    130: "stopped with Ctrl-C",
}

# Terminal escape sequences: CSI ... letter, OSC ... BEL or ST, and two-character ones.
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.", re.DOTALL)


def clean(text: object, limit: int = 300) -> str:
    """Text from outside, fit for a terminal: no escape codes, no control or direction characters, not endless."""
    plain = _ESCAPES.sub("", str(text))
    plain = "".join(" " if c in "\r\n\t" else c for c in plain if c in "\r\n\t" or unicodedata.category(c)[0] != "C")
    plain = " ".join(plain.split())
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"


class Failure(click.ClickException):
    """One sentence that says what happened and what to do."""

    exit_code = 1

    def __init__(self, sentence: str) -> None:
        super().__init__(clean(sentence, 1000))


class Misused(Failure):
    """What was asked for cannot be done as it was asked."""

    exit_code = 2


class NodeFailure(Failure):
    """The node cannot be reached, went away, or answers nonsense. Asking again later may help."""

    exit_code = 3


class NodeGone(NodeFailure):
    """Nobody answers."""


class NodeRefused(NodeFailure):
    """The node answered with an error of its own."""


class WrongChain(Failure):
    exit_code = 4


class NoTable(Failure):
    exit_code = 5


class AccountFailure(Failure):
    exit_code = 6


class NoFunds(Failure):
    exit_code = 7


class Refused(Failure):
    """The contract refused; `reason` is its own word for it."""

    exit_code = 8

    def __init__(self, reason: str) -> None:
        self.reason = clean(reason)
        super().__init__(REFUSALS.get(self.reason, f"The contract refused: {self.reason or 'it gave no reason'}."))


class TransactionFailure(Failure):
    exit_code = 9


class ExplorerFailure(Failure):
    exit_code = 10


class Interrupted(Failure):
    exit_code = 130


# Every reason of the contract, for a person. A test compares the keys with the contract's source.
REFUSALS = {
    "caller is a contract": (
        "The table is for people: your account acts through a contract (caller is a contract). "
        "Use an account that signs its own transactions."
    ),
    "player is the zero address": (
        "Nobody has the zero address (player is the zero address). Give the address of the person you play with."
    ),
    "player is a contract": (
        "At that address lives a contract, not a person (player is a contract). "
        "Ask the other player for the address of a plain account."
    ),
    "no game in progress": "There is no game in progress at this table. Start one with n.",
    "not the current game": (
        "That game is no longer on: somebody started a new one over it (not the current game). "
        "Your move was not made; look at the board again."
    ),
    "not your turn": "It is not your turn. Wait for the other player's move.",
    "off the grid": "That is off the grid. The cells have the numbers 1 to 9.",
    "cell is taken": "That cell is taken. Choose one of the cells that show a number.",
}
