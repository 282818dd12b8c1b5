"""The options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import wraps
from typing import Any

import click

from tictactoe import errors
from tictactoe.table import checked_address
from tictactoe.transactions import Limits


class CheckedType(click.ParamType):
    """An option that a function checks. The message of a wrong value names the option."""

    def __init__(self, name: str, check: Callable[[str], Any]) -> None:
        self.name = name
        self.check = check

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self.check(value)
        except errors.UsageError as error:
            self.fail(error.message, param, ctx)


def amount(unit: str, decimals: int) -> CheckedType:
    """A decimal number of a unit, as wei."""

    def to_wei(value: str) -> int:
        try:
            wei = Decimal(value) * 10**decimals
        except InvalidOperation:
            wei = Decimal("NaN")
        if not wei.is_finite() or wei < 0 or wei != int(wei):
            raise errors.UsageError(f"{value!r} is not an amount of {unit}.")
        return int(wei)

    return CheckedType(unit, to_wei)


table_option = click.option(
    "--table",
    "table",
    type=CheckedType("table", checked_address),
    metavar="ADDRESS",
    help="The table. Default: the last one deployed from this project.",
)


def paying_options(patience: float) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The options of a command that sends transactions. The command gets the first three as `limits`."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @click.option("--expected-chain-id", type=int, metavar="ID", help="Refuse every other chain.")
        @click.option(
            "--max-fee",
            type=amount("gwei", 9),
            metavar="GWEI",
            help="Never pay more than this for one gas. Default: ask if it is far above the usual.",
        )
        @click.option(
            "--max-cost",
            type=amount("ether", 18),
            metavar="ETHER",
            # The default is in tictactoe/transactions.py.
            help="Refuse a transaction that may cost more. Default: ask above 0.05 on public chains.",
        )
        @click.option(
            "--confirmations",
            type=click.IntRange(0),
            help="Blocks to wait for after the transaction's own. Default: the network's.",
        )
        @click.option(
            "--patience",
            type=click.FloatRange(1),
            default=patience,
            show_default=True,
            help="Seconds before giving up.",
        )
        @wraps(command)
        def with_limits(expected_chain_id: int | None, max_fee: int | None, max_cost: int | None, **more: Any) -> None:
            command(limits=Limits(max_fee, max_cost, expected_chain_id), **more)

        return with_limits

    return decorate
