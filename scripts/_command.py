"""What the three commands have in common: quiet, and a sentence for every failure."""

from __future__ import annotations

import importlib.util
import logging
import os
import signal
import sys
import threading
import traceback
import warnings
from typing import Any

import click
from ape.cli import ConnectedProviderCommand

from scripts._faults import AccountFailure, Failure, Interrupted, Misused, NodeGone, WrongChain, clean


def quiet() -> None:
    """Nothing of the frameworks' own between the player and the board, unless `-v` asks for it."""
    from ape.logging import LogLevel, logger

    if not any(arg in ("-v", "--verbosity") for arg in sys.argv):
        # ape's errors come to the person as our sentences.
        logger.set_level(LogLevel.ERROR.value + 1)
        logging.getLogger("eth").setLevel(logging.CRITICAL)
        warnings.simplefilter("ignore")


def postpone(name: str) -> None:
    """Let a package load when it is first used. ape imports pandas at every start, for queries we never make."""
    if name not in sys.modules and (spec := importlib.util.find_spec(name)) and spec.loader:
        spec.loader = importlib.util.LazyLoader(spec.loader)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)


class TableCommand(ConnectedProviderCommand):
    """A command of ape's that never ends in a traceback."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        quiet()
        postpone("pandas")
        if threading.current_thread() is threading.main_thread():
            # ape ends the process on the spot at Ctrl-C; a player shall hear first what was sent and what was not.
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return self._told(lambda: ConnectedProviderCommand.parse_args(self, ctx, args))  # type: ignore[no-any-return]

    def invoke(self, ctx: click.Context) -> Any:
        # Again: parsing ape's own `--verbosity` has set the level back.
        quiet()
        return self._told(lambda: ConnectedProviderCommand.invoke(self, ctx))

    def _told(self, work: Any) -> Any:
        from ape.logging import logger

        try:
            return work()
        except KeyboardInterrupt:
            raise Interrupted("Stopped. Nothing was sent.") from None
        except BrokenPipeError:
            # Whoever read our output has had enough, as `| head` does. Python must not try to flush once more.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(0) from None
        except click.Abort:
            # Ctrl-C or the end of the input at a question, and all questions come before anything is sent.
            raise Interrupted("Stopped. Nothing was sent.") from None
        except (click.ClickException, click.exceptions.Exit):
            raise
        except Exception as err:
            # The last line: a person gets a sentence, whatever went wrong; `-v DEBUG` shows where.
            logger.debug(traceback.format_exc())
            raise foreseen(err) from err


def foreseen(err: Exception) -> Failure:
    from ape.exceptions import (
        AccountsError,
        ConfigError,
        NetworkMismatchError,
        ProviderError,
        ProviderNotConnectedError,
    )
    from requests.exceptions import RequestException

    text = clean(err)
    if isinstance(err, NetworkMismatchError):
        return WrongChain(f"{text.rstrip('?. ')}? Nothing was sent. Check --network.")
    if isinstance(err, (RequestException, ProviderNotConnectedError, ConnectionError)):
        return NodeGone("No node answers there. Is it running, and is --network right?")
    if isinstance(err, AccountsError):
        return AccountFailure(f"{text.rstrip('.')}. `ape accounts list` shows the accounts there are.")
    if isinstance(err, ConfigError):
        return Misused(f"{text.rstrip('.')}. See ape-config.yaml.")
    if isinstance(err, ProviderError):
        return NodeGone(f"The node cannot be used: {text.rstrip('.')}. Is it running, and is --network right?")
    return Failure(f"Something unforeseen happened ({type(err).__name__}: {text}). `-v DEBUG` shows more.")


def unlock(account: Any) -> None:
    """Let the account sign for as long as this command runs; a keyfile's passphrase is asked once, before the board."""
    from ape.exceptions import AccountsError

    if not hasattr(account, "set_autosign") or not getattr(account, "locked", False):
        return
    alias = clean(account.alias, 60)
    variable = f"APE_ACCOUNTS_{account.alias}_PASSPHRASE"
    if os.environ.get(variable):
        try:
            account.set_autosign(True)
        except AccountsError as err:
            raise AccountFailure(f"The passphrase in {variable} does not open the account '{alias}'.") from err
        return
    if not sys.stdin.isatty():
        raise AccountFailure(
            f"The account '{alias}' is locked, and there is no terminal to ask for its passphrase. Set {variable}."
        )
    for _ in range(3):
        try:
            account.set_autosign(True, passphrase=click.prompt(f"Passphrase of '{alias}'", hide_input=True))
            return
        except AccountsError:
            click.echo("That does not open it.")
    raise AccountFailure(f"The account '{alias}' stays locked: three wrong passphrases. Nothing was sent.")
