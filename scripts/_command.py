"""What the three commands have in common: quiet, and a sentence for every failure."""

from __future__ import annotations

import importlib.util
import logging
import os
import sys
import warnings
from typing import Any

import click
from ape.cli import ConnectedProviderCommand

from scripts._faults import AccountFailure, Failure, Interrupted, NodeGone, clean


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
        return self._told(lambda: ConnectedProviderCommand.parse_args(self, ctx, args))  # type: ignore[no-any-return]

    def invoke(self, ctx: click.Context) -> Any:
        return self._told(lambda: ConnectedProviderCommand.invoke(self, ctx))

    def _told(self, work: Any) -> Any:
        try:
            return work()
        except KeyboardInterrupt:
            raise Interrupted("Stopped. Nothing was sent.") from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as err:
            # The last line: a person gets a sentence, whatever went wrong.
            raise foreseen(err) from err


def foreseen(err: Exception) -> Failure:
    from ape.exceptions import AccountsError, ConfigError, ProviderError, ProviderNotConnectedError
    from requests.exceptions import RequestException

    text = clean(err)
    if isinstance(err, (RequestException, ProviderNotConnectedError, ConnectionError)):
        return NodeGone("No node answers there. Is it running, and is --network right?")
    if isinstance(err, AccountsError):
        return AccountFailure(f"{text.rstrip('.')}. `ape accounts list` shows the accounts there are.")
    if isinstance(err, ConfigError):
        return Failure(f"{text.rstrip('.')}. See ape-config.yaml.")
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
