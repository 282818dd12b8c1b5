"""What the three commands share: their class and how they end, signals, options, accounts, and a person's consent."""

from __future__ import annotations

import codecs
import errno
import json
import logging
import os
import re
import shlex
import shutil
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from functools import wraps
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

import ape
import ape.exceptions as ape_errors
import click
from ape.api.accounts import AccountAPI, TestAccountAPI
from ape.cli import AccountAliasPromptChoice, ConnectedProviderCommand
from ape.cli.options import NETWORK_META_KEY, ProviderSettingsOption
from ape.logging import LogLevel, logger
from rich.console import Console

from tictactoe import errors
from tictactoe.formatting import aliases, clean, coins, possible_keys
from tictactoe.node import Limits, Node
from tictactoe.table import checked_address
from tictactoe.transactions import HIGH_COST, Transaction, report

if TYPE_CHECKING:
    from tictactoe.terminal.screen import Screen

# Chains whose coins have no price, and their explorers. viem has those of the page.
TESTNETS = {
    11155111: "https://sepolia.etherscan.io",
    560048: "https://hoodi.etherscan.io",
    84532: "https://sepolia.basescan.org",
    11155420: "https://sepolia-optimism.etherscan.io",
    421614: "https://sepolia.arbiscan.io",
}
EXPLORERS = {1: "https://etherscan.io"} | TESTNETS

NOTHING = "Nothing was sent."
STARTING = "Starting..."
WHO_PAYS = "Which account pays? Give --account ALIAS."
YOUR_ACCOUNTS = "`ape accounts list` shows your accounts, `ape accounts generate ALIAS` creates one."

# -- output --------------------------------------------------------------------------------

# What an ASCII terminal shows in the place of these: as many characters, because the lines are measured before.
ASCII = dict(zip("…·│─┼▀▄█", ".-|-+'.#", strict=True))


def _ascii(err: Any) -> tuple[str, int]:
    return "".join(ASCII.get(c, "?") for c in err.object[err.start : err.end]), err.end


codecs.register_error("tictactoe", _ascii)


class QuietConsole(Console):
    """Rich's console without its guesses: no highlighting, no markup. A pipe gets no escape codes, and whole lines."""

    def __init__(self, stderr: bool = False) -> None:
        stream = sys.stderr if stderr else sys.stdout
        if not stream.encoding.lower().startswith("utf") and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="tictactoe")
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)
        self.soft_wrap = not stream.isatty() or self.is_dumb_terminal  # of which rich does not know the width

    def on_broken_pipe(self) -> None:
        """Rich would exit with 1. A reader that stops, as `| head` does, is no failure."""
        raise BrokenPipeError


def print_json(fields: dict[str, object]) -> None:
    click.echo(json.dumps(fields))


def receipt_json(sent: Transaction) -> dict[str, object]:
    """For JSON. What is not known yet is null."""
    return {"block": sent.block, "gas": sent.gas_used, "cost": None if sent.paid is None else str(sent.paid)}


# -- signals -------------------------------------------------------------------------------

# Ctrl-C, the end of the process, and the end of its terminal.
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_received: list[int] = []


class Stopped(KeyboardInterrupt):
    """By one of these signals, or else by the player's `q`."""

    def __init__(self) -> None:
        super().__init__()
        self.exit_code = 128 + _received[0] if _received else 0


def _stop(number: int, _frame: FrameType | None) -> None:
    _received.append(number)
    # Rich cannot restore the terminal if it is interrupted while it draws. So a screen looks here every 0.1 s. A second
    # signal does not interrupt what the first one has begun to end.
    if Node.idle is None and len(_received) == 1:
        check_signals()


def check_signals() -> None:
    """For every loop that waits: an exception that is raised in a callback of a compiled library is lost."""
    if _received:
        raise Stopped


# -- the click class -----------------------------------------------------------------------


class TableCommand(ConnectedProviderCommand):
    """A command that never ends in a traceback."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        quiet()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if sys.stdin is None:
            # Started with `<&-`: the same as the end of the input.
            sys.stdin = open(os.devnull)  # noqa: SIM115
        # Ape adds it to every command. Hidden, it still works.
        self.params.append(ProviderSettingsOption(hidden=True))  # type: ignore[no-untyped-call]
        with sentences(ctx):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        from tictactoe import transport

        # Again: parsing Ape's own `--verbosity` has reset the level.
        quiet()
        starting(STARTING)
        transport.install()
        with sentences(ctx):
            if re.search(r"(^|:)wss?://|\.ipc$", ctx.meta[NETWORK_META_KEY]["provider"].network_choice):
                raise ape_errors.NetworkError
            return super().invoke(ctx)


def quiet() -> None:
    """Silence the frameworks' own logs and warnings, unless `-v` asks for them."""
    if not any(arg in ("-v", "--verbosity") for arg in sys.argv):  # Ape takes no other form
        # This includes Ape's errors: the user sees ours instead.
        logger.set_level(LogLevel.ERROR.value + 1)
        logging.getLogger("eth").setLevel(logging.CRITICAL)
        warnings.simplefilter("ignore")


def connect(limits: Limits | None = None) -> Node:
    """The node of the command that begins. What is sent over it is said however the command ends."""
    # Not earlier: Ape takes Ctrl-C for itself when it connects. Until then, a signal ends the process at once.
    for number in ENDINGS:
        # nohup ignores SIGHUP, and it stays ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)
    node = click.get_current_context().meta[__name__] = Node(limits=limits)
    return node


def starting(words: str = "") -> None:
    """Say that the command starts, or wipe that."""
    if sys.stderr.isatty():
        click.echo(f"{words:{len(STARTING)}}\r", err=True, nl=False)


class Declined(errors.AccountError):
    """The player answered no."""


@contextmanager
def sentences(ctx: click.Context) -> Iterator[None]:
    """End the command with an exit code, and a sentence on stderr, whatever is raised."""
    try:
        yield
    except click.BadParameter as err:
        # After a wrong --network, Ape lists sixty ecosystems.
        err.message = re.sub(r" Options:\n.*", " `ape networks list` shows all.", err.message, flags=re.DOTALL)
        raise
    except (click.ClickException, click.exceptions.Exit):
        raise
    except (Exception, KeyboardInterrupt) as err:
        # click turns a Ctrl-C or a Ctrl-D at its own questions into an Abort.
        cause = err.__context__ if isinstance(err, click.Abort) else None
        for number in ENDINGS:
            signal.signal(number, signal.SIG_IGN)  # it ends already: `timeout` and `uv run` each send one
        exit_code, sentence = ending(cause or err, ctx.meta.get(__name__))
        with suppress(OSError):  # the terminal was closed
            if sentence:
                starting()
                QuietConsole(stderr=True).print(sentence)
        raise click.exceptions.Exit(exit_code) from err


def ending(err: BaseException, node: Node | None) -> tuple[int, str]:
    """The exit code, and what is to be said."""
    sent = what_was_sent(node) if node and node.sent else ""
    lost = isinstance(err, OSError) and _output_is_lost()
    if lost and _received:
        err = Stopped()  # the terminal was closed
    match err:
        case Stopped(exit_code=0) | BrokenPipeError():  # the reader of our output has stopped, as `| head` does
            return 0, sent
        case KeyboardInterrupt() | EOFError():
            nothing = "" if node and node.embedded else NOTHING
            return getattr(err, "exit_code", 130), f"Stopped. {sent or nothing}".rstrip()
        case Declined():
            return err.exit_code, str(err)
        case errors.TicTacToeError():
            return err.exit_code, f"Error: {err}"
        case OSError() if lost:
            error = errors.TicTacToeError(f"The output cannot be written: {err.strerror}.")
        case _:
            error = _from_ape(err, connected=node is not None)
    # `-v DEBUG` shows where it happened.
    logger.debug(traceback.format_exc())
    return error.exit_code, f"Error: {error} {sent}".rstrip()


def _from_ape(err: BaseException, connected: bool) -> errors.TicTacToeError:
    """Ape's own exceptions. Some quote a URL, which may have a key."""
    problem = clean(err).rstrip(".")
    match err:
        case ape_errors.NetworkMismatchError():
            return errors.WrongChain(problem, f"{NOTHING} Check --network.")
        case ape_errors.NetworkError():
            only = "Only nodes at http:// and https:// addresses are supported, not ws:// and not IPC."
            return errors.UsageError(only, "Change --network.")
        case ape_errors.AccountsError():
            return errors.AccountError(f"{problem}.", YOUR_ACCOUNTS)
        case ape_errors.ConfigError():
            return errors.UsageError(f"{problem}.", "See ape-config.yaml.")
        case AttributeError() if shutil.which("vyper") is None:  # how Ape says that the contract did not compile
            problem = "Cannot compile the contract: `vyper` is not on the PATH."
            return errors.UsageError(problem, "Put `uv run` before the command.")
        case OSError(errno=errno.ENOSPC | errno.EDQUOT | errno.EROFS | errno.EACCES | errno.EPERM):
            return errors.TicTacToeError(f"Ape's folder {ape.config.DATA_FOLDER} cannot be written: {err.strerror}.")
    if isinstance(err, ape_errors.ProviderError) or not connected:
        # While Ape connects, a node's nonsense can make it raise anything.
        return errors.NodeUnreachable(f"Cannot use the node: {problem}.")
    return errors.TicTacToeError(f"Unexpected error ({type(err).__name__}: {problem}).", "`-v DEBUG` shows where.")


def _output_is_lost() -> bool:
    try:
        if getattr(sys.stdout, "write_through", False):
            sys.stdout.write("\n")  # with PYTHONUNBUFFERED, Python has not kept what it could not write
        sys.stdout.flush()
    except OSError:
        # Python flushes once more at exit. That would fail, too, and exit with 120.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False


def what_was_sent(node: Node) -> str:
    """Empty on the chain inside the program, where nothing is paid for."""
    return "" if node.embedded else report(node.sent)


# -- options -------------------------------------------------------------------------------


def amount(unit: str, decimals: int) -> Callable[[str], int]:
    """The type of an option that is a decimal number of a unit. Its value is in wei."""

    def to_wei(text: str) -> int:
        with suppress(InvalidOperation, OverflowError):
            wei = Decimal(text) * 10**decimals
            if wei >= 0 and wei == int(wei):
                return int(wei)
        raise click.BadParameter(f"{text!r} is not an amount of {unit}.")

    return to_wei


class OwnAccount(AccountAliasPromptChoice):
    """Ape's type, but a missing account has the exit code of all trouble with accounts."""

    def fail(self, message: str, *_: object, **__: object) -> NoReturn:
        raise errors.AccountError(message, YOUR_ACCOUNTS)


account_option = click.option("--account", type=OwnAccount(), metavar="ALIAS", help="The account that signs and pays.")
TABLE_HELP = "The table. Default: the last one deployed from this project."
table_option = click.option("--table", type=checked_address, metavar="ADDRESS", help=TABLE_HELP)


def player_address(text: str) -> str:
    """The address of a player who is named by it, or by the alias of an account of the user's own."""
    named = {alias: address for address, alias in aliases().items()}
    return named.get(text.strip()) or checked_address(text)


AGAINST_HELP = "Start or resume a game with this player."
against_option = click.option("--against", type=player_address, metavar="ADDRESS|ALIAS", help=AGAINST_HELP)


def limits_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that bound what is signed. The command gets them as `limits`."""
    fee = "Never pay more than this for one gas. Default: ask if it is far above the usual."
    cost = f"Refuse a transaction that may cost more. Default: ask above {coins(HIGH_COST)} on public chains."

    @click.option("--expected-chain-id", type=int, metavar="ID", help="Refuse every other chain.")
    @click.option("--max-fee", type=amount("gwei", 9), metavar="GWEI", help=fee)
    @click.option("--max-cost", type=amount("ether", 18), metavar="ETHER", help=cost)
    @wraps(command)
    def with_limits(expected_chain_id: int | None, max_fee: int | None, max_cost: int | None, **more: Any) -> None:
        command(limits=Limits(max_fee, max_cost, expected_chain_id), **more)

    return with_limits


# -- accounts ------------------------------------------------------------------------------


def own_account() -> AccountAPI | None:
    """For a player who named no account: the only one there is, or on a terminal the one that they choose."""
    owned: dict[str, AccountAPI] = {str(account.alias): account for account in ape.accounts}
    if len(owned) > 1 and sys.stdin.isatty():
        return owned[click.prompt("Which account do you play with?", type=click.Choice(sorted(owned)))]
    return next(iter(owned.values())) if len(owned) == 1 else None


def who_plays(node: Node, account: AccountAPI | None, against: str | None) -> tuple[list[AccountAPI], str | None]:
    """The accounts that sign at this keyboard, none for a spectator; and the opponent, if one is known."""
    if node.embedded:
        if against is not None:
            raise errors.UsageError("--against needs a network that the other player can reach: give --network.")
        # Nobody else can reach this chain.
        seated = [*filter(None, [account]), *(each for each in ape.accounts.test_accounts if each != account)][:2]
        return seated, str(seated[1].address)
    account = account or (own_account() if against is not None else None)
    if against is not None and account is None:
        raise errors.UsageError("--against needs your own seat as well: give --account ALIAS.", YOUR_ACCOUNTS)
    return [account] if account else [], against


def asks_by_itself(account: AccountAPI) -> bool:
    """Whether it prints and asks while it signs, as the plugins of hardware wallets do."""
    return not hasattr(account, "set_autosign") and not isinstance(account, TestAccountAPI)


def unlock(account: AccountAPI) -> None:
    """Let the account sign until the command ends. Ape takes a keyfile's passphrase from the environment, or asks."""
    if not hasattr(account, "set_autosign") or not getattr(account, "locked", False):
        return
    alias = clean(account.alias, 60)
    variable = f"APE_ACCOUNTS_{alias}_PASSPHRASE"
    # Ape asks a pipe, too, and would take a player's first move for the passphrase.
    if not (os.environ.get(variable) or sys.stdin.isatty()):
        problem = f"The account '{alias}' is locked, and there is no terminal to ask for its passphrase."
        raise errors.AccountError(problem, f"Set {variable}.")
    level = logger.level
    logger.set_level(min(level, LogLevel.ERROR))  # Ape says which attempt is wrong
    try:
        account.set_autosign(True)
    except ape_errors.AccountsError as error:
        problem = f"The passphrase is wrong, so the account '{alias}' is still locked. {NOTHING}"
        raise errors.AccountError(problem) from error
    finally:
        logger.set_level(level)


# -- a person's consent --------------------------------------------------------------------


def consent(
    screen: Screen, prepared: Transaction, question: str = "", still: Callable[[], bool] = lambda: True
) -> None:
    """
    Raise unless it may be sent. Asks the question, if there is one; about what needs consent; and where coins have a
    price, always. Where there is nobody to ask, what needs consent is an error.
    """
    for problem in prepared.refusals if screen.interactive else prepared.problems:
        raise problem
    node, facts = prepared.node, [concern.sentence for concern in prepared.concerns]
    costs_money = bool(node.public_choice) and node.chain_id not in TESTNETS
    if facts or (screen.interactive and costs_money):
        cost, most = (f"{coins(wei)} {node.symbol}" for wei in (prepared.cost, prepared.max_cost))
        question = f"{question or f'Sign {prepared.label}'} for about {cost}, at most {most}"
    if question and not screen.ask("\n".join([*facts, f"{question}?"]), still):
        raise Declined(NOTHING)
    if facts:
        # The next transaction does not ask about the chain again.
        node.limits = replace(node.limits, chain_id=node.chain_id)
    prepared.concerns.clear()


# -- what a friend pastes ------------------------------------------------------------------


def play_command(node: Node, table: str, **options: str) -> str:
    """
    A `play` at this table, quoted for a shell. With `against="0x…"` it is for a friend, who joins or starts the game
    against this opponent.
    """
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return shlex.join(["uv", "run", "ape", "run", "play", "--network", _network(node), "--table", table, *words])


def _network(node: Node) -> str:
    """What a friend passes as `--network` to be on the same chain. Never a URL that may contain a key."""
    network = node.network
    url = str(node.provider.provider_settings.get("uri") or "")
    parsed = urlsplit(url)
    if url and not ("@" in parsed.netloc or parsed.query or parsed.fragment or possible_keys(url)):
        return url if network.is_adhoc else f"{network.choice}:{url}"
    if node.chosen_by_name:
        return network.choice
    if network.is_local and not url:
        return f"{network.choice}:{node.provider.name}"
    return node.public_choice or f"NODE-OF-CHAIN-{node.chain_id}"
