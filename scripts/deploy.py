"""`ape run deploy`: deploy a new table and check that it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from ape.cli import account_option, network_option

from tictactoe.spending import Limits
from tictactoe.terminal.command import NAME, TableCommand
from tictactoe.terminal.deploy import PUBLISHERS, DeployOptions, deploy_table
from tictactoe.terminal.options import (
    confirmations_option,
    expected_chain_option,
    max_cost_option,
    max_fee_option,
    patience_option,
)

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI


@click.command(cls=TableCommand)
@network_option()
@account_option("--account", "account", prompt=None)
@click.option("--name", type=NAME, metavar="NAME", help="Give the table a name; it has one address on all chains then.")
@click.option("--dry-run", is_flag=True, help="Estimate gas, fee and cost; send nothing.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before spending; needs --expected-chain-id.")
@expected_chain_option
@max_fee_option
@max_cost_option
@confirmations_option
@patience_option(600.0)
@click.option(
    "--publish",
    type=click.Choice(PUBLISHERS),
    is_flag=False,
    flag_value=PUBLISHERS[0],
    help="Verify the source, at Sourcify by default.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def cli(
    account: AccountAPI | None,
    name: str | None,
    dry_run: bool,
    yes: bool,
    expected_chain_id: int | None,
    max_fee: int | None,
    max_cost: int | None,
    confirmations: int | None,
    patience: float,
    publish: str | None,
    as_json: bool,
) -> None:
    """Deploy a new table: a contract at which two people can play."""
    limits = Limits(max_fee, max_cost, expected_chain_id)
    deploy_table(account, DeployOptions(name, dry_run, yes, limits, confirmations, patience, publish, as_json))
