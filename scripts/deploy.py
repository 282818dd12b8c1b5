"""`ape run deploy`: put a new table on a chain."""

from typing import Any

import click
from ape.cli import account_option, network_option

from scripts._command import TableCommand


def deploy(deployer: Any) -> Any:
    """Deploy the contract from an account and return it. The tests and the command both come through here."""
    from ape import project

    return project.TicTacToe.deploy(sender=deployer)


def deployment_data() -> bytes:
    """The data of the transaction that creates a table. The contract's constructor takes nothing."""
    from scripts._chain import contract_type

    return bytes.fromhex(contract_type().deployment_bytecode.bytecode.removeprefix("0x"))


@click.command(cls=TableCommand)
@network_option()
@account_option()
def cli(account: Any) -> None:
    """Deploy a new table."""
    table = deploy(account)
    click.echo(table.address)
