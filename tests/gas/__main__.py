"""`uv run python -m tests.gas`: measure what the game costs."""

import click
from ape import networks
from ape.logging import LogLevel, logger

from tests.gas import chains, report


@click.command()
@click.option("--write", is_flag=True, help="Write the figures into tests/gas, docs/gas.md and the README.")
def cli(write: bool) -> None:
    """Print gas, floor and ratio of fixed scenarios, at mainnet's prices and at Amsterdam's."""
    logger.set_level(LogLevel.WARNING)
    with networks.parse_network_choice("ethereum:local:test"):
        measured = chains.both()
    click.echo("\n".join(map(report.table, measured)), nl=False)
    if write:
        for file, text in report.files(*measured).items():
            file.write_text(text)


if __name__ == "__main__":
    cli(prog_name="python -m tests.gas")
