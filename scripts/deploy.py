"""`ape run deploy`: put a new table on a chain."""

from typing import Any

import click
from ape import project
from ape.cli import ConnectedProviderCommand, account_option, network_option


def deploy(deployer: Any) -> Any:
    """Deploy the contract from an account and return it. The tests and the command both come through here."""
    return project.TicTacToe.deploy(sender=deployer)


@click.command(cls=ConnectedProviderCommand)
@network_option()
@account_option()
def cli(account: Any) -> None:
    """Deploy a new table."""
    table = deploy(account)
    click.echo(table.address)
