"""`uv run python -m tests.gas`: measure what the game costs."""

import click

from tests.gas import report
from tests.gas.measure import CONTRACT, PLAIN, measured


@click.command()
def cli():
    """Measure the contract, the plain one and each choice, and write the tables into docs/gas.md and the README."""
    contract, plain = measured(CONTRACT, PLAIN)
    for name, table in {**report.tables(contract, plain), "choices": report.choices_table(contract)}.items():
        report.write(name, table)


if __name__ == "__main__":
    cli(prog_name="python -m tests.gas")
