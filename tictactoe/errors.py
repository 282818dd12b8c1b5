"""
What can go wrong: one class for each kind of failure, with its exit code and its sentence.

A sentence states what happened and what to do next. Constructors take facts; no other module writes these sentences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tictactoe.formatting import clean, ether, ether_above, gwei, person

if TYPE_CHECKING:
    from tictactoe.node import Node

FAUCETS = "https://ethereum.org/developers/docs/networks"

# Advice that replaces the usual one on the embedded chain, where no faucet and no deployment would help.
_EMBEDDED = "This is the chain inside the program, which is new at every start. Choose a network with --network."


class TicTacToeError(Exception):
    """Base class of every error this package raises."""

    exit_code = 1
    sentence = ""
    # Whether another transaction came first, so that nothing was changed.
    overtaken = False

    def __init__(self, sentence: str | None = None) -> None:
        self.message = clean(sentence or self.sentence, 1000)
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message

    def add(self, sentence: str) -> None:
        """Append advice that only the caller can give."""
        self.message = f"{self.message} {sentence}"


class UnexpectedError(TicTacToeError):
    """An exception that the program does not know: a bug in it, or in a library."""

    def __init__(self, error: Exception) -> None:
        super().__init__(f"Unexpected error ({type(error).__name__}: {clean(error)}). `-v DEBUG` shows where.")


class Interrupted(TicTacToeError):
    """Stopped with Ctrl-C."""

    exit_code = 130
    sentence = "Stopped. Nothing was sent."


class HungUp(Interrupted):
    """Stopped by SIGHUP: the terminal was closed."""

    exit_code = 129


class Terminated(Interrupted):
    """Stopped by SIGTERM."""

    exit_code = 143


class OutputLost(TicTacToeError):
    """Output cannot be written: the disk is full, or the reading program has exited."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"The output cannot be written: {error.strerror}.")


# -- options -------------------------------------------------------------------


class Misuse(TicTacToeError):
    """An option, an argument or the configuration is wrong."""

    exit_code = 2


class InvalidConfiguration(Misuse):
    def __init__(self, problem: object) -> None:
        super().__init__(f"{clean(problem).rstrip('.')}. See ape-config.yaml.")


class InvalidAddress(Misuse):
    def __init__(self, text: str) -> None:
        super().__init__(f"{clean(text, 60)!r} is not an address: 0x and 40 hexadecimal digits.")


class WrongChecksum(Misuse):
    def __init__(self, text: str) -> None:
        super().__init__(
            f"The checksum of {clean(text, 60)} is wrong: at least one character was changed. Copy the address again."
        )


class InvalidName(Misuse):
    def __init__(self, text: str, longest: int) -> None:
        super().__init__(
            f"{clean(text, 60)!r} is not the name of a table: 1 to {longest} letters a to z and digits, with single "
            "hyphens between them, and no 0x at the start. An address is 0x and 40 hexadecimal digits."
        )


class NodeAddressUnsupported(Misuse):
    sentence = "Only nodes at http:// and https:// addresses are supported, not ws:// and not IPC. Change --network."


class CompilerMissing(Misuse):
    sentence = "Cannot compile the contract: `vyper` is not on the PATH. Put `uv run` before the command."


class FromBlockNegative(Misuse):
    def __init__(self, block: int) -> None:
        super().__init__(f"There is no block {block}: the first one is block 0.")


class SeatsConflict(Misuse):
    sentence = "Give --account for one seat, or --x and --o, not both."


class BothSeatsTaken(Misuse):
    sentence = "--against names the other player: give it with one seat, not with two."


class OpponentOutOfReach(Misuse):
    sentence = "--against needs a network that the other player can reach: give --network."


class OwnSeatMissing(Misuse):
    sentence = (
        "--against needs your own seat as well: give --account ALIAS. "
        "`ape accounts list` shows your accounts, `ape accounts generate ALIAS` creates one."
    )


class InviteNeedsOneSeat(Misuse):
    sentence = "--invite waits for a friend on a network: give --network and one seat, without --against."


class SpectatorsCannotStart(Misuse):
    sentence = "You are only watching. To start a game, give --account ALIAS --against ADDRESS."


class OpponentMissing(Misuse):
    sentence = "A new game needs another player: give --against ADDRESS."


class JsonWithoutMove(Misuse):
    sentence = "--json prints what one move did: give --move as well. `ape run watch --json` follows a whole game."


class ChainIdMissing(Misuse):
    sentence = "--yes spends without asking, so name the chain with --expected-chain-id ID."


class NoAnswer(Misuse):
    sentence = "There was no answer, so nothing was sent. In a script, use --yes and --expected-chain-id ID."


# -- the node ------------------------------------------------------------------


class NodeError(TicTacToeError):
    """The node cannot be reached, became unreachable, or returned nonsense. A later attempt may succeed."""

    exit_code = 3
    too_much = False  # whether a smaller question may succeed


class NodeUnreachable(NodeError):
    """No answer at all."""

    sentence = "Cannot reach the node. Is it running, and is the network up? Try again, or use another (--network)."


class NoNodeAtAddress(NodeUnreachable):
    sentence = "Cannot reach a node there. Is it running, and is --network right?"


class NodeTooSlow(NodeUnreachable):
    """The node accepted the question. The limit is for the whole answer, however steadily its bytes come."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"The node did not complete its answer within {seconds:.0f} s. Try again, or use another (--network)."
        )


class NotConnected(NodeUnreachable):
    sentence = "ape is not connected to a network. Use `with ape.networks.parse_network_choice(...)`."


class NodeUnusable(NodeUnreachable):
    def __init__(self, error: object) -> None:
        super().__init__(f"Cannot use the node: {clean(error).rstrip('.')}. Is it running, and is --network right?")


class NodeLost(NodeUnreachable):
    """The node stayed away longer than the player's patience."""

    def __init__(self, seconds: float, sent: str) -> None:
        super().__init__(
            f"The node has been unreachable for {seconds:.0f} s. {sent} "
            "The game is safe on the chain: run the same command again later."
        )


class NodeLostWhileWaiting(NodeUnreachable):
    def __init__(self, transaction: str) -> None:
        super().__init__(
            f"The node became unreachable after {transaction} was sent. "
            "It may still be mined: check before you send another."
        )


class NodeLostWhileConfirming(NodeUnreachable):
    def __init__(self, transaction: str, block: int) -> None:
        super().__init__(
            f"{transaction} was mined in block {block}, but the node became unreachable before it was confirmed."
        )


class RpcError(NodeError):
    """The node answered with an error of its own."""

    too_much = True

    def __init__(self, error: str) -> None:
        super().__init__(f"The node refused: {error.rstrip('.')}.")


class HttpRefused(NodeError):
    """The node's web server refused the request. Neither its own words nor the URL are in the sentence."""

    def __init__(self, status: int, phrase: str) -> None:
        self.too_much = status in (400, 413)
        way_out = "Wait a little" if status == 429 else "Check the address and the key in --network"
        super().__init__(
            f"The node's web server refused the request: {status} {phrase}. {way_out}, or use another node."
        )


class NodeServerFailed(NodeUnreachable):
    def __init__(self, status: int, phrase: str) -> None:
        super().__init__(f"The node's web server failed: {status} {phrase}. Try again, or use another (--network).")


class TransactionUnknown(NodeError):
    """The node has no transaction with this hash, neither mined nor waiting."""

    sentence = "The node does not know this transaction."


class MalformedAnswer(NodeError):
    """The answer cannot be decoded."""

    def __init__(self, returned: str) -> None:
        super().__init__(f"The node returned {clean(returned)}. Use another node (--network).")


class AnswerTooLarge(NodeError):
    too_much = True

    def __init__(self, problem: str) -> None:
        super().__init__(f"The node's answer is {problem}, so it was not read. Use another node (--network).")


class ContradictoryAnswer(NodeError):
    """The answer can be decoded, but it belongs to another question, or contradicts itself."""

    def __init__(self, returned: str) -> None:
        super().__init__(f"The node returned {clean(returned)}. Use another node (--network).")


class HeadUnsettled(NodeError):
    """The head is on another branch at every question, so no branch can be read to its end."""

    sentence = "The node reports another newest block at every question. Try again later, or use another (--network)."


class EventsDoNotFit(NodeError):
    """The node left an event out or invented one."""

    def __init__(self, number: int, moves: int, kind: str, event_number: int) -> None:
        super().__init__(
            f"The node's events do not fit together: after game {number} with {moves} moves comes "
            f"{kind} of game {event_number}. Use another node (--network)."
        )


class WrongChain(TicTacToeError):
    """The node is on a chain other than the one asked for."""

    exit_code = 4


class UnexpectedChain(WrongChain):
    def __init__(self, actual: int, expected: int) -> None:
        super().__init__(f"This is chain {actual}, not {expected}. Nothing was sent. Check --network.")


class NetworkMismatch(WrongChain):
    """What ape reports when the node's chain is not that of the network."""

    def __init__(self, problem: object) -> None:
        super().__init__(f"{clean(problem).rstrip('?. ')}? Nothing was sent. Check --network.")


class ImplausibleGas(NodeError):
    def __init__(self, what: str, gas: int, most: int) -> None:
        super().__init__(
            f"The node estimates {gas:,} gas for {what}, but that needs {most:,} at most. Nothing was sent. "
            "Use another node (--network)."
        )


class ReceiptContradicts(TicTacToeError):
    """No NodeError: the node is not asked again, because it does not report what happened."""

    exit_code = 3

    def __init__(self, transaction: str, address: str) -> None:
        super().__init__(
            f"The node's receipt of {transaction} names the table {clean(address, 60)}, which is not the address that "
            "follows from your account and nonce. Do not use that table, and use another node (--network)."
        )


# -- consent -------------------------------------------------------------------


class NeedsConsent(TicTacToeError):
    """What the player must agree to before a signature: `facts`. Raised where there is no one to ask."""

    def __init__(self, facts: str, way_out: str) -> None:
        self.facts = clean(facts, 1000)
        super().__init__(f"{facts} Nothing was sent. {way_out}")


class ChainUnconfirmed(NeedsConsent):
    exit_code = 4

    def __init__(self, name: str, chain_id: int) -> None:
        super().__init__(
            f"The node at this URL claims to be on {name}, chain {chain_id}. What you sign is valid on that chain, and "
            "the fee is paid there.",
            f"If you mean that chain, add --expected-chain-id {chain_id}.",
        )


class UnusualFee(NeedsConsent):
    exit_code = 7

    def __init__(self, what: str, price: int, usual: int | None) -> None:
        paid = "the node does not report what recent blocks paid" if usual is None else f"usual is {gwei(usual)}"
        super().__init__(
            f"The node asks for an unusually high fee for {what}: {gwei(price)} for one gas; {paid}.",
            "Try again later, use another node (--network), or set the limit with --max-fee GWEI.",
        )


class HighCost(NeedsConsent):
    exit_code = 7

    def __init__(self, what: str, most: int, symbol: str) -> None:
        super().__init__(
            f"The cost is high: {what} may cost up to {ether(most, symbol)}.",
            "Try again later, use another node (--network), or set the limit with --max-cost ETHER.",
        )


class PaymentWaits(NeedsConsent):
    exit_code = 9

    def __init__(self, what: str, address: str) -> None:
        super().__init__(
            f"Another transaction of {person(address, whole=True)} is waiting in the pool, and this program did not "
            f"send it. If {what} is sent now, it replaces that transaction, which will then never be mined.",
            "Wait until it is mined, or speed it up or cancel it in a wallet.",
        )


class FeeAboveLimit(TicTacToeError):
    exit_code = 7

    def __init__(self, what: str, price: int, limit: int) -> None:
        super().__init__(
            f"One gas costs {gwei(price)} now, and --max-fee allows {gwei(limit)}. {what} was not sent. "
            "Try again later."
        )


class CostAboveLimit(TicTacToeError):
    exit_code = 7

    def __init__(self, what: str, most: int, limit: int, symbol: str) -> None:
        super().__init__(
            f"{what} may cost up to {ether(most, symbol)}, and --max-cost allows {ether(limit, symbol)}. "
            "Nothing was sent. Try again later."
        )


# -- the table -----------------------------------------------------------------


class NoTable(TicTacToeError):
    """No table is known, or the code at the address is not this contract's."""

    exit_code = 5


class NoContract(NoTable):
    def __init__(self, address: str, node: Node) -> None:
        way_out = "Check the address and --network, or deploy a table with `ape run deploy`."
        super().__init__(
            f"There is no contract at {address} on {node.name} (chain {node.chain_id}). "
            + (_EMBEDDED if node.embedded else way_out)
        )


class AnotherContract(NoTable):
    def __init__(self, address: str) -> None:
        super().__init__(
            f"The contract at {address} is another one: its code is not that of TicTacToe. "
            "Check the address, or deploy a table of your own with `ape run deploy`."
        )


class NoTableKnown(NoTable):
    def __init__(self, node: Node) -> None:
        way_out = "Deploy one with `ape run deploy`, or give its address with --table."
        super().__init__(
            f"No table is known on this network ({node.name}, chain {node.chain_id}). "
            + (_EMBEDDED if node.embedded else way_out)
        )


class NotDeployedYet(NoTable):
    def __init__(self, name: str, address: str, node: Node) -> None:
        super().__init__(
            f"The table {name} is not deployed yet on {node.name} (chain {node.chain_id}). It will be at {address}. "
            f"To deploy it, use the same --network with `ape run deploy --name {name} --account ALIAS`."
        )


class NoFactory(NoTable):
    def __init__(self, node: Node) -> None:
        way_out = "Deploy a table without --name, and give its address with --table."
        super().__init__(
            f"There are no names on this network ({node.name}, chain {node.chain_id}): "
            "the factory that deploys tables with names is not on it. " + (_EMBEDDED if node.embedded else way_out)
        )


class NotRemembered(TicTacToeError):
    """The table is deployed and checked, but ape's file of deployments could not be written."""

    def __init__(self, error: OSError) -> None:
        super().__init__(
            f"The table is deployed and checked, but ape cannot remember it: {error.strerror}. Name it with --table."
        )


class NotANewTable(NoTable):
    def __init__(self, address: str) -> None:
        super().__init__(f"The table at {address} does not have the state of a new one. Do not use it.")


# -- the account ---------------------------------------------------------------


class AccountError(TicTacToeError):
    """The account is missing or locked, its passphrase is wrong, or the player declined."""

    exit_code = 6


class AccountUnusable(AccountError):
    def __init__(self, problem: object) -> None:
        super().__init__(f"{clean(problem).rstrip('.')}. `ape accounts list` shows your accounts.")


class AccountMissing(AccountError):
    sentence = "Which account pays? Give --account ALIAS; `ape accounts list` shows your accounts."


class PassphraseWrong(AccountError):
    def __init__(self, alias: str, variable: str) -> None:
        super().__init__(f"The passphrase in {variable} does not unlock the account '{clean(alias, 60)}'.")


class PassphraseMissing(AccountError):
    def __init__(self, alias: str, variable: str) -> None:
        super().__init__(
            f"The account '{clean(alias, 60)}' is locked, and there is no terminal to ask for its passphrase. "
            f"Set {variable}."
        )


class StaysLocked(AccountError):
    def __init__(self, alias: str) -> None:
        super().__init__(
            f"Three wrong passphrases: the account '{clean(alias, 60)}' is still locked. Nothing was sent."
        )


class Declined(AccountError):
    sentence = "You declined. Nothing was sent."


class DeclinedToSign(AccountError):
    def __init__(self, what: str) -> None:
        super().__init__(f"You declined to sign {what}. Nothing was sent.")


class DeclinedToReplace(AccountError):
    sentence = "Nothing was sent, and the game goes on. For a table of your own, use `ape run deploy`."


class NotSigned(AccountError):
    def __init__(self, what: str, error: object) -> None:
        super().__init__(
            f"The account did not sign {what}: {clean(error)}. Nothing was sent. Unlock the account and try again."
        )


class InsufficientFunds(TicTacToeError):
    exit_code = 7

    def __init__(self, address: str, balance: int, node: Node, what: str = "", most: int = 0) -> None:
        needs = f" and {what} may cost up to {ether(most, node.symbol)}" if most else ""
        way_out = _EMBEDDED if node.embedded else f"{fund(most - balance, node.symbol)} Then try again."
        super().__init__(
            f"Not enough funds: {person(address, whole=True)} has {ether(balance, node.symbol)}{needs}. "
            f"Nothing was sent. {way_out}"
        )


def unfunded(address: str, balance: int, max_cost: int, symbol: str) -> str:
    """What a dry run prints about an account that cannot pay: no error, because nothing was to be sent."""
    return f"{person(address, whole=True)} has {ether(balance, symbol)}. {fund(max_cost - balance, symbol)}"


def fund(missing: int, symbol: str) -> str:
    """What to do about an account that cannot pay."""
    amount = f"at least {ether_above(missing, symbol)}" if missing > 0 else "more"
    return f"Send it {amount}. {FAUCETS} lists faucets, which give away the coins of test networks."


# -- the contract --------------------------------------------------------------


class Reverted(TicTacToeError):
    """The contract refused; `reason` is its own string."""

    exit_code = 8

    def __init__(self, reason: str) -> None:
        self.reason = clean(reason)
        self.overtaken = self.reason == "not the current game"
        super().__init__(REASONS.get(self.reason, f"The contract refused: {self.reason or 'it gave no reason'}."))


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


class EarlierTransactionWaits(TransactionError):
    def __init__(self, what: str) -> None:
        super().__init__(
            f"An earlier transaction of yours is still waiting, and {what} does not pay enough to replace it. "
            "Nothing was sent. Wait until it is mined, or speed it up or cancel it in a wallet."
        )


class NotAccepted(TransactionError):
    def __init__(self, what: str, error: NodeError) -> None:
        super().__init__(f"The node did not accept {what}: {error.message} Nothing was sent.")


class StillWaiting(TransactionError):
    def __init__(self, transaction: str, seconds: float) -> None:
        super().__init__(
            f"{transaction} is still waiting after {seconds:.0f} s. It may still be mined: "
            "check later, or speed it up in a wallet."
        )


class Replaced(TransactionError):
    def __init__(self, transaction: str) -> None:
        super().__init__(
            f"Another transaction of yours replaced {transaction}, for example because you "
            "sped it up or cancelled it in a wallet. Look at the board before you try again."
        )


class Dropped(TransactionError):
    def __init__(self, transaction: str) -> None:
        super().__init__(
            f"The network dropped {transaction}: it is in no block and no longer waiting. It cost nothing. Try again."
        )


class MinedButReverted(TransactionError):
    overtaken = True

    def __init__(self, transaction: str, block: int, cost: int, symbol: str) -> None:
        super().__init__(
            f"{transaction} was mined in block {block}, but the contract refused it: another transaction came first. "
            f"It cost {ether(cost, symbol)}. Look at the board again."
        )


class TransactionReorged(TransactionError):
    def __init__(self, transaction: str) -> None:
        super().__init__(f"A reorg took back {transaction}, and it has not been mined again.")


class Unconfirmed(TransactionError):
    def __init__(self, transaction: str, block: int, seconds: float) -> None:
        super().__init__(
            f"{transaction} was mined in block {block}, but no new block confirmed it for {seconds:.0f} s."
        )


# -- the explorer --------------------------------------------------------------


class ExplorerError(TicTacToeError):
    """The explorer cannot be used, or did not verify the source. A deployed table is unaffected."""

    exit_code = 10


class NoExplorer(ExplorerError):
    def __init__(self, network: str) -> None:
        super().__init__(
            f"--publish etherscan needs ape's explorer plugin and an explorer for {network}. Install the plugin with "
            "`uv sync --extra verify`, set ETHERSCAN_API_KEY, and try again. Nothing was sent."
        )


class NothingToPublish(ExplorerError):
    sentence = f"Only this program can see tables on this chain, so --publish has no use. Nothing was sent. {_EMBEDDED}"


class NotVerified(ExplorerError):
    def __init__(self, problem: object) -> None:
        super().__init__(
            f"The table is deployed, but its source was not verified: {clean(problem).rstrip('.')}. "
            "docs/integrating.md shows how to do it by hand."
        )


def look_first(address: str) -> str:
    """Advice to add to an error once a table has been paid for."""
    return f"The table's address is {address}: check it before you deploy another (`ape run watch` finds it)."


def deployed_by_another(address: str) -> str:
    """Advice to add to an error when the table with this name was deployed meanwhile."""
    return f"Another account deployed this table first, and it is the same: {address}."
