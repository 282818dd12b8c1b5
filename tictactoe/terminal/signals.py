"""SIGTERM and SIGHUP end a command as Ctrl-C does: in order, and with a list of what was sent."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from tictactoe import errors
from tictactoe.formatting import clean
from tictactoe.node import Node
from tictactoe.table import look_first
from tictactoe.transactions import report

ENDINGS = {
    signal.SIGINT: errors.Interrupted,
    signal.SIGTERM: errors.Terminated,
    signal.SIGHUP: errors.HungUp,
}

_received: list[int] = []


class Stopped(KeyboardInterrupt):
    """What the signals raise in the main thread."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = signal.Signals(number)


def end_at_once() -> None:
    """
    End the process at a signal. For the time before anything can be sent, in which ape and its libraries are loaded: an
    exception that is raised in a callback of a compiled library is lost.
    """
    _handle(_end)


def handle_signals() -> None:
    """Raise `Stopped` at a signal, and at the next `check_signals` if that was lost."""
    _received.clear()
    _handle(_stop)


def check_signals() -> None:
    """Every loop that waits calls this: of a handler's exceptions, one in a compiled library's callback is lost."""
    if _received:
        raise Stopped(_received[0])


def _handle(handler: Callable[[int, FrameType | None], None]) -> None:
    """Replaces ape's handler as well."""
    if threading.current_thread() is threading.main_thread():
        for number in ENDINGS:
            # nohup ignores SIGHUP, and it stays ignored.
            if number is signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)


def _end(number: int, _frame: FrameType | None) -> None:
    error = ENDINGS[signal.Signals(number)]("Stopped. Nothing was sent.")
    os.write(2, f"{error.message}\n".encode())
    os._exit(error.exit_code)


def _stop(number: int, _frame: FrameType | None) -> None:
    _received.append(number)
    raise Stopped(number)


def interrupted_error(stop: BaseException, outcome: str = "Nothing was sent.") -> errors.Interrupted:
    """The error for an interrupt. If click turned it into an Abort, the interrupt is that one's context."""
    for cause in (stop, stop.__context__):
        if isinstance(cause, Stopped):
            return ENDINGS[cause.number](f"Stopped. {outcome}")
    return errors.Interrupted(f"Stopped. {outcome}")


@contextmanager
def defer_signals() -> Iterator[None]:
    """Defers the signals until the block ends: if rich is interrupted while it draws, it cannot restore the cursor."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    usual = {number: signal.getsignal(number) for number in ENDINGS}
    for number, handler in usual.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, lambda number, _frame: received.append(number))
    try:
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
    if received:
        signal.raise_signal(received[0])


class OutputLost(errors.TicTacToeError):
    """Output cannot be written: the disk is full, or the reading program has exited."""


@contextmanager
def reporting_what_was_sent(node: Node) -> Iterator[None]:
    """If the block is stopped or fails without a sentence of ours, the error lists what was sent."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise interrupted_error(stop, _report(node)) from None
    except errors.TicTacToeError:
        raise
    except Exception as err:
        if not any(each.under_way for each in node.sent):
            raise
        if isinstance(err, OSError):
            problem: tuple[type[errors.TicTacToeError], str] = (
                OutputLost,
                f"The output cannot be written: {err.strerror}.",
            )
        else:
            problem = (
                errors.TicTacToeError,
                f"Unexpected error ({type(err).__name__}: {clean(err)}). `-v DEBUG` shows where.",
            )
        raise problem[0](problem[1], f"Stopped. {_report(node)}") from err


def _report(node: Node) -> str:
    tables = [look_first(each.contract) for each in node.sent if each.contract and each.under_way]
    return " ".join([report(node.sent), *tables])
