"""The options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

import click

from tictactoe.terminal.command import TABLE

C = TypeVar("C", bound=Callable[..., Any])


class Amount(click.ParamType):
    """A positive decimal number of a unit, as wei."""

    def __init__(self, name: str, decimals: int) -> None:
        self.name = name
        self.decimals = decimals

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            amount = Decimal(value) * 10**self.decimals
        except InvalidOperation:
            amount = Decimal("NaN")
        if not amount.is_finite() or amount < 0 or amount != int(amount):
            self.fail(f"{value!r} is not an amount of {self.name}.", param, ctx)
        return int(amount)


max_fee_option = click.option(
    "--max-fee", type=Amount("gwei", 9), metavar="GWEI", help="Never pay more than this for one gas."
)
max_cost_option = click.option(
    "--max-cost", type=Amount("ether", 18), metavar="ETHER", help="Refuse a transaction that may cost more."
)
expected_chain_option = click.option("--expected-chain-id", type=int, metavar="ID", help="Refuse every other chain.")
table_option = click.option(
    "--table",
    type=TABLE,
    metavar="ADDRESS|NAME",
    help="The table. Default: the last one deployed from this project.",
)
confirmations_option = click.option(
    "--confirmations",
    type=click.IntRange(0),
    help="Blocks to wait for after the transaction's own. Default: the network's.",
)


def patience_option(seconds: float | None, default: str | None = None) -> Callable[[C], C]:
    """`default` describes a default that is not a number."""
    return click.option(
        "--patience",
        type=click.FloatRange(1),
        default=seconds,
        show_default=default is None,
        help="Seconds before giving up." + (f" Default: {default}." if default else ""),
    )
