"""`ape run gas`: measure what the game costs, and compare it with the floor and with other contracts."""

from __future__ import annotations

from pathlib import Path

import click
from ape.cli import ConnectedProviderCommand

from scripts._gas import Scenarios, peers_of, table_of

ROOT = Path(__file__).parent.parent
GAS_FILE = ROOT / "tests" / "gas" / "gas.md"


@click.command(cls=ConnectedProviderCommand)
@click.option("--write", is_flag=True, help="Write the figures into tests/gas/gas.md and the README.")
def cli(write: bool) -> None:
    """Print gas, floor and ratio of fixed scenarios, measured on the embedded chain."""
    from ape import accounts

    from scripts.deploy import deploy

    costs = Scenarios(deploy, accounts.test_accounts).run()
    click.echo(table_of(costs) + "\n" + peers_of(costs), nl=False)
    if write:
        GAS_FILE.write_text(table_of(costs))
        readme = ROOT / "README.md"
        readme.write_text(in_readme(readme.read_text(), table_of(costs) + "\n" + peers_of(costs)))


def in_readme(text: str, tables: str) -> str:
    """The README's text with these tables between its two marks."""
    head, rest = text.split("<!-- gas -->\n", 1)
    _, tail = rest.split("<!-- /gas -->", 1)
    return f"{head}<!-- gas -->\n{tables}<!-- /gas -->{tail}"
