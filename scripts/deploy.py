"""`ape run deploy`: deploy a new table and check that it is there."""

from __future__ import annotations

from typing import Any

import click
from ape.cli import account_option, network_option

from tictactoe.terminal.command import TableCommand
from tictactoe.terminal.deploy import Deployment, DeployOptions
from tictactoe.terminal.options import paying_options


@click.command(cls=TableCommand)
@network_option()
@account_option("--account", "account", prompt=None)
@click.option("--dry-run", is_flag=True, help="Estimate gas, fee and cost; send nothing.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before spending; needs --expected-chain-id.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@paying_options(patience=600.0)
def cli(**options: Any) -> None:
    """Deploy a new table: a contract at which two people can play."""
    Deployment(DeployOptions(**options)).run()
