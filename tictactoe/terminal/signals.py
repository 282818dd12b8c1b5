"""SIGTERM and SIGHUP end a command as Ctrl-C does: in order, and with a list of what was sent."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from tictactoe import errors
from tictactoe.sending import Sender
from tictactoe.terminal.output_text import what_was_sent

ENDINGS = {
    signal.SIGINT: errors.Interrupted,
    signal.SIGTERM: errors.Terminated,
    signal.SIGHUP: errors.HungUp,
}


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
    """Raise `Stopped` at a signal."""
    _handle(_stop)


def _handle(handler: Callable[[int, FrameType | None], None]) -> None:
    """Replaces ape's handler as well."""
    if threading.current_thread() is threading.main_thread():
        for number in ENDINGS:
            # nohup ignores SIGHUP, and it stays ignored.
            if number is signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)


def _end(number: int, _frame: FrameType | None) -> None:
    error = ENDINGS[signal.Signals(number)]()
    os.write(2, f"{error.message}\n".encode())
    os._exit(error.exit_code)


def _stop(number: int, _frame: FrameType | None) -> None:
    raise Stopped(number)


def interrupted_error(stop: BaseException, *outcome: str) -> errors.Interrupted:
    """The error for an interrupt. If click turned it into an Abort, the interrupt is that one's context."""
    for cause in (stop, stop.__context__):
        if isinstance(cause, Stopped):
            return ENDINGS[cause.number](*outcome)
    return errors.Interrupted(*outcome)


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


@contextmanager
def reporting_what_was_sent(sender: Sender) -> Iterator[None]:
    """If the block is stopped or fails without a sentence of ours, the error lists what was sent."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise interrupted_error(stop, _report(sender)) from None
    except errors.TicTacToeError:
        raise
    except Exception as error:
        if not any(sent.under_way for sent in sender.sent):
            raise
        failure = errors.OutputLost(error) if isinstance(error, OSError) else errors.UnexpectedError(error)
        failure.add(_report(sender))
        raise failure from error


def _report(sender: Sender) -> str:
    tables = [errors.look_first(sent.contract) for sent in sender.sent if sent.contract and sent.under_way]
    return " ".join([what_was_sent(sender.sent), *tables])
