"""`uv run python -m tests.gas`: measure what the game costs."""

import click

from tests.gas import report
from tests.gas.measure import CONTRACT, PLAIN, measured


@click.command()
@click.option("--write", is_flag=True, help="Write the tables into docs/gas.md and the README.")
def cli(write: bool) -> None:
    """Print what the contract and the plain one cost, and what each choice is worth."""
    contract, plain = measured(CONTRACT, PLAIN)
    for name, table in {**report.tables(contract, plain), "choices": report.choices_table(contract)}.items():
        click.echo(table)
        if write:
            report.write(name, table)


if __name__ == "__main__":
    cli(prog_name="python -m tests.gas")
