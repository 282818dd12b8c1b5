"""The click class of the three commands: quiet frameworks, a sentence and an exit code for every failure."""

from __future__ import annotations

import errno
import logging
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable
from functools import wraps
from typing import IO, Any, TypeVar

import click
from ape.cli import ConnectedProviderCommand
from ape.cli.options import NETWORK_META_KEY
from ape.exceptions import (
    AccountsError,
    ConfigError,
    NetworkError,
    NetworkMismatchError,
    ProviderError,
    ProviderNotConnectedError,
)
from ape.logging import LogLevel, logger

from tictactoe import errors
from tictactoe.formatting import clean
from tictactoe.terminal.signals import OutputLost, end_at_once, handle_signals, interrupted_error

T = TypeVar("T")

UNSUPPORTED_NODE = (
    "Only nodes at http:// and https:// addresses are supported, not ws:// and not IPC. Change --network."
)


def quiet() -> None:
    """Silence the frameworks' own logs and warnings, unless `-v` asks for them."""
    if not any(arg in ("-v", "--verbosity") for arg in sys.argv):
        # This includes ape's errors: the user sees ours instead.
        logger.set_level(LogLevel.ERROR.value + 1)
        logging.getLogger("eth").setLevel(logging.CRITICAL)
        warnings.simplefilter("ignore")


class TableCommand(ConnectedProviderCommand):
    """A command that never ends in a traceback."""

    def __init__(self, *args: Any, callback: Callable[..., Any], **kwargs: Any) -> None:
        @wraps(callback)
        def begin(*args: Any, **kwargs: Any) -> Any:
            self.connected = True
            handle_signals()
            return callback(*args, **kwargs)

        super().__init__(*args, callback=begin, **kwargs)  # type: ignore[no-untyped-call]
        self.connected = False

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        quiet()
        end_at_once()
        if sys.stdin is None:
            # Started with `<&-`: the same as the end of the input.
            sys.stdin = open(os.devnull)  # noqa: SIM115
        return _reported(lambda: ConnectedProviderCommand.parse_args(self, ctx, args))

    def invoke(self, ctx: click.Context) -> Any:
        from tictactoe import transport

        # Again: parsing ape's own `--verbosity` has reset the level.
        quiet()
        transport.install()
        self.connected = False
        return _reported(lambda: self._run(ctx), lambda err: unexpected(err) if self.connected else unusable(err))

    def _run(self, ctx: click.Context) -> Any:
        network = ctx.meta[NETWORK_META_KEY]["provider"].network_choice
        if re.search(r"(^|:)wss?://|\.ipc$", network):
            raise errors.UsageError(UNSUPPORTED_NODE)
        return ConnectedProviderCommand.invoke(self, ctx)


def _reported(work: Callable[[], T], unknown: Translation | None = None) -> T:
    """Turn every exception into one that click prints as a sentence, with its exit code."""
    try:
        return work()
    except (KeyboardInterrupt, click.Abort) as err:
        # click.Abort: Ctrl-C or the end of the input at a question. All questions come before anything is sent.
        raise _click_error(interrupted_error(err)) from err
    except BrokenPipeError:
        # The reader of our output has stopped, as `| head` does.
        stop_printing()
        raise click.exceptions.Exit(0) from None
    except click.BadParameter as err:
        # After a wrong --network, ape lists sixty ecosystems.
        err.message = re.sub(r" Options:\n.*", " `ape networks list` shows all.", err.message, flags=re.DOTALL)
        raise
    except (click.ClickException, click.exceptions.Exit):
        raise
    except Exception as err:
        error = translated_error(err, unknown or unexpected)
        if error is not err:
            # `-v DEBUG` shows where it happened.
            logger.debug(traceback.format_exc())
        if isinstance(error, OutputLost):
            stop_printing()
        raise _click_error(error) from err


def stop_printing() -> None:
    """Keep Python from flushing once more at exit: that would fail, too, and exit with 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Report(click.ClickException):
    """For an end that is no error, such as Ctrl-C."""

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(self.message, file, err=True)


def _click_error(error: errors.TicTacToeError) -> click.ClickException:
    shown = (Report if isinstance(error, errors.Interrupted) else click.ClickException)(error.message)
    shown.exit_code = error.exit_code
    return shown


Translation = Callable[[Exception], errors.TicTacToeError]


def unexpected(err: Exception) -> errors.TicTacToeError:
    return errors.TicTacToeError(f"Unexpected error ({type(err).__name__}: {clean(err)}). `-v DEBUG` shows where.")


def unusable(err: Exception) -> errors.TicTacToeError:
    """While ape connects, nonsense from the node can make it raise anything."""
    return errors.NodeUnreachable(f"Cannot use the node: {clean(err).rstrip('.')}.")


# ape's own exceptions and ours, which are made from them. NetworkError: a URL with another scheme; its text quotes it.
TRANSLATIONS: tuple[tuple[type[Exception], Translation], ...] = (
    (NetworkMismatchError, lambda err: errors.WrongChain(clean(err), "Nothing was sent. Check --network.")),
    (ProviderNotConnectedError, lambda _: errors.NodeUnreachable()),
    (ConnectionError, lambda _: errors.NodeUnreachable()),
    (NetworkError, lambda _: errors.UsageError(UNSUPPORTED_NODE)),
    (
        AccountsError,
        lambda err: errors.AccountError(f"{clean(err).rstrip('.')}. `ape accounts list` shows your accounts."),
    ),
    (ConfigError, lambda err: errors.UsageError(f"{clean(err).rstrip('.')}. See ape-config.yaml.")),
    (ProviderError, unusable),
)


def translated_error(err: Exception, unknown: Translation = unexpected) -> errors.TicTacToeError:
    if isinstance(err, errors.TicTacToeError):
        return err
    if isinstance(err, OSError) and err.errno == errno.ENOSPC:
        return OutputLost(f"The output cannot be written: {err.strerror}.")
    return next((translate for kind, translate in TRANSLATIONS if isinstance(err, kind)), unknown)(err)
