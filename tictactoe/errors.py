"""
What can go wrong: one class for each kind of failure, with its exit code, its facts and its sentence.

`sentence` states what happened, and `advice` what to do next. No other module writes either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import TYPE_CHECKING, dataclass_transform

from tictactoe.formatting import clean, coins, ether_above, gwei, person

if TYPE_CHECKING:
    from tictactoe.node import Node

FAUCETS = "https://ethereum.org/developers/docs/networks lists faucets, which give away the coins of test networks."

# Advice that replaces the usual one on the embedded chain, where no faucet and no deployment would help.
_EMBEDDED = "This is the chain inside the program, which is new at every start. Choose a network with --network."


class _Template(Formatter):
    """Fills in the attributes of an error. Every fact passes `format_field`, which cleans what comes from outside."""

    def get_value(self, key: int | str, args: Sequence[object], _kwargs: Mapping[str, object]) -> object:
        return getattr(args[0], str(key))

    def format_field(self, value: object, format_spec: str) -> str:
        """Our formats first, then Python's for numbers. The format of any other fact is how many characters to show."""
        match format_spec, value:
            case "ether", int():
                return coins(value)
            case "gwei", int():
                return gwei(value)
            case "person", str():
                return clean(person(value, whole=True))
            case "clause", _:
                return clean(value).rstrip(".")
            case _, int() | float():
                return format(value, format_spec)
            case _:
                return clean(value, int(format_spec or 300))


@dataclass_transform(eq_default=False)
class TicTacToeError(Exception):
    """
    Base class of every error this package raises.

    Subclasses are dataclasses: they declare the facts that they take, and name them in `sentence` and `advice`.
    """

    exit_code = 1
    sentence = ""
    advice = ""
    # Whether another transaction came first, so that nothing was changed.
    overtaken = False

    def __init_subclass__(cls) -> None:
        dataclass(eq=False, repr=False)(cls)

    def __post_init__(self) -> None:
        self.message = self.fill(f"{self.sentence} {self.advice}".rstrip())

    def __str__(self) -> str:
        return self.message

    def fill(self, template: str) -> str:
        return _Template().vformat(template, (self,), {})

    def add(self, advice: str) -> None:
        """Append what only the caller can know."""
        self.message = f"{self.message} {advice}"


class UnexpectedError(TicTacToeError):
    """An exception that the program does not know: a bug in it, or in a library."""

    error: Exception
    sentence = "Unexpected error ({error.__class__.__name__}: {error}). `-v DEBUG` shows where."


class Interrupted(TicTacToeError):
    """Stopped with Ctrl-C."""

    exit_code = 130
    outcome: str = "Stopped. Nothing was sent."
    sentence = "{outcome:1000}"


class HungUp(Interrupted):
    """Stopped by SIGHUP: the terminal was closed."""

    exit_code = 129


class Terminated(Interrupted):
    """Stopped by SIGTERM."""

    exit_code = 143


class OutputLost(TicTacToeError):
    """Output cannot be written: the disk is full, or the reading program has exited."""

    error: OSError
    sentence = "The output cannot be written: {error.strerror}."


# -- options -------------------------------------------------------------------


class Misuse(TicTacToeError):
    """An option, an argument or the configuration is wrong."""

    exit_code = 2


class InvalidConfiguration(Misuse):
    problem: object
    sentence = "{problem:clause}. See ape-config.yaml."


class InvalidAddress(Misuse):
    text: str
    sentence = "'{text:60}' is not an address: 0x and 40 hexadecimal digits."


class WrongChecksum(Misuse):
    text: str
    sentence = "The checksum of {text:60} is wrong: at least one character was changed. Copy the address again."


class FromBlockNegative(Misuse):
    block: int
    sentence = "There is no block {block}: the first one is block 0."


class WrongOptions(Misuse):
    """An option, an answer or a program is missing, or options do not go together: one of the sentences below."""

    problem: str
    sentence = "{problem}"


SEATS_CONFLICT = "Give --account for one seat, or --x and --o, not both."
BOTH_SEATS_TAKEN = "--against names the other player: give it with one seat, not with two."
OPPONENT_OUT_OF_REACH = "--against needs a network that the other player can reach: give --network."
OWN_SEAT_MISSING = (
    "--against needs your own seat as well: give --account ALIAS. "
    "`ape accounts list` shows your accounts, `ape accounts generate ALIAS` creates one."
)
OPPONENT_MISSING = "A new game needs another player: give --against ADDRESS."
INVITE_NEEDS_ONE_SEAT = "--invite waits for a friend on a network: give --network and one seat, without --against."
SPECTATORS_CANNOT_START = "You are only watching. To start a game, give --account ALIAS --against ADDRESS."
JSON_WITHOUT_MOVE = "--json prints what one move did: give --move as well. `ape run watch --json` follows a whole game."
CHAIN_ID_MISSING = "--yes spends without asking, so name the chain with --expected-chain-id ID."
NO_ANSWER = "There was no answer, so nothing was sent. In a script, use --yes and --expected-chain-id ID."
UNSUPPORTED_NODE = (
    "Only nodes at http:// and https:// addresses are supported, not ws:// and not IPC. Change --network."
)
COMPILER_MISSING = "Cannot compile the contract: `vyper` is not on the PATH. Put `uv run` before the command."


# -- the node ------------------------------------------------------------------


class NodeError(TicTacToeError):
    """The node cannot be reached, became unreachable, or returned nonsense. A later attempt may succeed."""

    exit_code = 3
    advice = "Try again, or use another node (--network)."
    too_much = False  # whether a smaller question may succeed


class RpcError(NodeError):
    """The node answered with an error of its own."""

    too_much = True
    error: str
    sentence = "The node refused: {error:clause}."
    advice = ""


class HttpRefused(NodeError):
    """The node's web server refused the request. Neither its own words nor the URL are in the sentence."""

    status: int
    phrase: str
    sentence = "The node's web server refused the request: {status} {phrase}."
    advice = "Check the address and the key in --network, or use another node."

    def __post_init__(self) -> None:
        self.too_much = self.status in (400, 413)
        if self.status == 429:
            self.advice = NodeError.advice
        super().__post_init__()


class AnswerTooLarge(NodeError):
    too_much = True
    problem: str
    sentence = "The node's answer is {problem}, so it was not read."


class MalformedAnswer(NodeError):
    """The answer cannot be decoded."""

    returned: str
    sentence = "The node returned {returned}."


class ContradictoryAnswer(MalformedAnswer):
    """The answer can be decoded, but it belongs to another question, or contradicts itself."""


class EventsDoNotFit(NodeError):
    """The node left an event out or invented one."""

    number: int
    moves: int
    kind: str
    event_number: int
    sentence = (
        "The node's events do not fit together: "
        "after game {number} with {moves} moves comes {kind} of game {event_number}."
    )


class HeadUnsettled(NodeError):
    """What was read may belong to two branches."""

    sentence = "The chain was reorganised between two answers of the node."
    advice = ""


class ImplausibleGas(NodeError):
    what: str
    gas: int
    most: int
    sentence = "The node estimates {gas:,} gas for {what}, but that needs {most:,} at most. Nothing was sent."


class TransactionUnknown(NodeError):
    sentence = "The node does not know this transaction."
    advice = ""


class ReceiptContradicts(TicTacToeError):
    """No NodeError: the node is not asked again, because it does not report what happened."""

    exit_code = 3
    transaction: str
    address: str
    sentence = (
        "The node's receipt of {transaction} names the table {address:60}, "
        "which is not the address that follows from your account and nonce."
    )
    advice = "Do not use that table, and use another node (--network)."


class NodeUnreachable(NodeError):
    """No answer at all."""

    sentence = "Cannot reach the node. Is it running, and is --network right?"


class NodeUnusable(NodeUnreachable):
    error: object
    sentence = "Cannot use the node: {error:clause}."


class NotConnected(NodeUnreachable):
    sentence = "ape is not connected to a network."
    advice = "Use `with ape.networks.parse_network_choice(...)`."


class NodeServerFailed(NodeUnreachable):
    status: int
    phrase: str
    sentence = "The node's web server failed: {status} {phrase}."


class NodeTooSlow(NodeUnreachable):
    """The node accepted the question. The limit is for the whole answer, however steadily its bytes come."""

    seconds: float
    sentence = "The node did not complete its answer within {seconds:.0f} s."


class NodeLost(NodeUnreachable):
    seconds: float
    sent: str
    sentence = "The node has been unreachable for {seconds:.0f} s. {sent:1000}"
    advice = "The game is safe on the chain: run the same command again later."


class NodeLostWhileWaiting(NodeUnreachable):
    transaction: str
    sentence = "The node became unreachable after {transaction} was sent."
    advice = "It may still be mined: check before you send another."


class NodeLostWhileConfirming(NodeUnreachable):
    transaction: str
    block: int
    sentence = "{transaction} was mined in block {block}, but the node became unreachable before it was confirmed."
    advice = ""


class WrongChain(TicTacToeError):
    """The node is on a chain other than the one asked for."""

    exit_code = 4
    advice = "Nothing was sent. Check --network."


class UnexpectedChain(WrongChain):
    actual: int
    expected: int
    sentence = "This is chain {actual}, not {expected}."


class NetworkMismatch(WrongChain):
    """What ape reports when the node's chain is not that of the network. It ends with a question."""

    problem: object
    sentence = "{problem}"


# -- consent -------------------------------------------------------------------


class NeedsConsent(TicTacToeError):
    """What the player must agree to before a signature: `facts`. Raised where there is no one to ask."""

    def __post_init__(self) -> None:
        self.facts = self.fill(self.sentence)
        self.message = f"{self.facts} Nothing was sent. {self.fill(self.advice)}"


class ChainUnconfirmed(NeedsConsent):
    exit_code = 4
    name: str
    chain_id: int
    sentence = (
        "The node at this URL claims to be on {name}, chain {chain_id}. "
        "What you sign is valid on that chain, and the fee is paid there."
    )
    advice = "If you mean that chain, add --expected-chain-id {chain_id}."


class UnusualFee(NeedsConsent):
    exit_code = 7
    what: str
    price: int
    usual: int | None
    sentence = "The node asks for an unusually high fee for {what}: {price:gwei} for one gas; {comparison}."
    advice = "Try again later, use another node (--network), or set the limit with --max-fee GWEI."

    @property
    def comparison(self) -> str:
        known = self.usual is not None
        return self.fill("usual is {usual:gwei}" if known else "the node does not report what recent blocks paid")


class HighCost(NeedsConsent):
    exit_code = 7
    what: str
    most: int
    symbol: str
    sentence = "The cost is high: {what} may cost up to {most:ether} {symbol}."
    advice = "Try again later, use another node (--network), or set the limit with --max-cost ETHER."


class PaymentWaits(NeedsConsent):
    exit_code = 9
    what: str
    address: str
    sentence = (
        "Another transaction of {address:person} is waiting in the pool, and this program did not send it. "
        "If {what} is sent now, it replaces that transaction, which will then never be mined."
    )
    advice = "Wait until it is mined, or speed it up or cancel it in a wallet."


class FeeAboveLimit(TicTacToeError):
    exit_code = 7
    what: str
    price: int
    limit: int
    sentence = "One gas costs {price:gwei} now, and --max-fee allows {limit:gwei}."
    advice = "{what} was not sent. Try again later."


class CostAboveLimit(TicTacToeError):
    exit_code = 7
    what: str
    most: int
    limit: int
    symbol: str
    sentence = "{what} may cost up to {most:ether} {symbol}, and --max-cost allows {limit:ether} {symbol}."
    advice = "Nothing was sent. Try again later."


# -- the table -----------------------------------------------------------------


class NoTable(TicTacToeError):
    """No table is known, or the code at the address is not this contract's."""

    exit_code = 5


class AnotherContract(NoTable):
    address: str
    sentence = "The contract at {address} is another one: its code is not that of TicTacToe."
    advice = "Check the address, or deploy a table of your own with `ape run deploy`."


class NotANewTable(NoTable):
    address: str
    sentence = "The table at {address} does not have the state of a new one. Do not use it."


class NothingHere(NoTable):
    """The network has no table."""

    node: Node

    def __post_init__(self) -> None:
        if self.node.embedded:
            self.advice = _EMBEDDED
        super().__post_init__()


class NoContract(NothingHere):
    address: str
    sentence = "There is no contract at {address} on {node.name} (chain {node.chain_id})."
    advice = "Check the address and --network, or deploy a table with `ape run deploy`."


class NoTableKnown(NothingHere):
    sentence = "No table is known on this network ({node.name}, chain {node.chain_id})."
    advice = "Deploy one with `ape run deploy`, or give its address with --table."


class NotRemembered(TicTacToeError):
    error: OSError
    sentence = "The table is deployed and checked, but ape cannot remember it: {error.strerror}. Name it with --table."


# -- the account ---------------------------------------------------------------


class AccountError(TicTacToeError):
    """The account is missing or locked, its passphrase is wrong, or the player declined."""

    exit_code = 6


class AccountUnusable(AccountError):
    problem: object
    sentence = "{problem:clause}. `ape accounts list` shows your accounts."


class AccountMissing(AccountError):
    sentence = "Which account pays? Give --account ALIAS; `ape accounts list` shows your accounts."


class PassphraseWrong(AccountError):
    alias: str
    variable: str
    sentence = "The passphrase in {variable} does not unlock the account '{alias:60}'."


class PassphraseMissing(AccountError):
    alias: str
    variable: str
    sentence = "The account '{alias:60}' is locked, and there is no terminal to ask for its passphrase."
    advice = "Set {variable}."


class StaysLocked(AccountError):
    alias: str
    sentence = "Three wrong passphrases: the account '{alias:60}' is still locked. Nothing was sent."


class DeclinedToSign(AccountError):
    what: str
    sentence = "You declined to sign {what}. Nothing was sent."


class DeclinedToReplace(AccountError):
    sentence = "Nothing was sent, and the game goes on. For a table of your own, use `ape run deploy`."


class NotSigned(AccountError):
    what: str
    error: object
    sentence = "The account did not sign {what}: {error}. Nothing was sent. Unlock the account and try again."


class InsufficientFunds(TicTacToeError):
    """Also what a dry run prints, which sends nothing either."""

    exit_code = 7
    address: str
    balance: int
    node: Node
    what: str = ""
    most: int = 0  # unknown where the node refused to estimate it

    def __post_init__(self) -> None:
        cost = " and {what} may cost up to {most:ether} {node.symbol}" if self.most else ""
        self.sentence = (
            "Not enough funds: {address:person} has {balance:ether} {node.symbol}" + cost + ". Nothing was sent."
        )
        amount = f"at least {ether_above(self.most - self.balance, self.node.symbol)}" if self.most else "more"
        self.advice = _EMBEDDED if self.node.embedded else f"Send it {amount}, then try again. {FAUCETS}"
        super().__post_init__()


# -- the contract --------------------------------------------------------------


class Reverted(TicTacToeError):
    """The contract refused; `reason` is its own string."""

    exit_code = 8
    reason: str

    def __post_init__(self) -> None:
        self.reason = clean(self.reason)
        self.overtaken = self.reason == "not the current game"
        unknown = "The contract refused: {reason}." if self.reason else "The contract refused: it gave no reason."
        self.sentence = REASONS.get(self.reason, unknown)
        super().__post_init__()


# Every reason of the contract. A test compares the keys with the contract's source.
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
    "no game in progress": "No game is in progress at this table. Start one with n.",
    "not the current game": (
        "Another game was started first, so nothing was changed (not the current game). Look at the board again."
    ),
    "not your turn": "It is not your turn. Wait for the other player's move.",
    "off the grid": "That cell is off the grid. Cells have the numbers 1 to 9.",
    "cell is taken": "That cell is taken. Choose one that shows a number.",
}


# -- transactions --------------------------------------------------------------


class TransactionError(TicTacToeError):
    """The transaction was dropped, replaced, failed, or waited too long."""

    exit_code = 9
    transaction: str


class EarlierTransactionWaits(TransactionError):
    sentence = "An earlier transaction of yours is still waiting, and {transaction} does not pay enough to replace it."
    advice = "Nothing was sent. Wait until it is mined, or speed it up or cancel it in a wallet."


class NotAccepted(TransactionError):
    error: NodeError
    sentence = "The node did not accept {transaction}: {error:1000} Nothing was sent."


class StillWaiting(TransactionError):
    seconds: float
    sentence = "{transaction} is still waiting after {seconds:.0f} s."
    advice = "It may still be mined: check later, or speed it up in a wallet."


class Replaced(TransactionError):
    sentence = (
        "Another transaction of yours replaced {transaction}, "
        "for example because you sped it up or cancelled it in a wallet."
    )
    advice = "Look at the board before you try again."


class Dropped(TransactionError):
    sentence = "The network dropped {transaction}: it is in no block and no longer waiting. It cost nothing."
    advice = "Try again."


class MinedButReverted(TransactionError):
    overtaken = True
    block: int
    cost: int
    symbol: str
    sentence = "{transaction} was mined in block {block}, but the contract refused it: another transaction came first."
    advice = "It cost {cost:ether} {symbol}. Look at the board again."


class TransactionReorged(TransactionError):
    sentence = "A reorg took back {transaction}, and it has not been mined again."


class Unconfirmed(TransactionError):
    block: int
    seconds: float
    sentence = "{transaction} was mined in block {block}, but no new block confirmed it for {seconds:.0f} s."


def look_first(address: str) -> str:
    """Advice to add to an error once a table has been paid for."""
    return f"The table's address is {address}: check it before you deploy another (`ape run watch` finds it)."
