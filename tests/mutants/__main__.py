"""`uv run python -m tests.mutants`: changes the contract in every small way and checks that a test notices."""

import os

import click

from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.judge import CONTRACT, compiled, quick_verdict, warm_up, whole_verdict
from tests.mutants.mutate import mutants
from tests.mutants.pool import call_for_each
from tests.mutants.report import Report


@click.command()
@click.option("--jobs", default=os.cpu_count(), show_default=True, help="How many mutants to judge at once.")
@click.option("--every", default=1, show_default=True, help="Judge only every n-th mutant.")
@click.option("--doubt", is_flag=True, help="Give the explained mutants to all tests, too (minutes each).")
def main(jobs: int, every: int, doubt: bool) -> None:
    """Judge every mutant of the contract by the tests, and list those that pass them all."""
    source = CONTRACT.read_text()
    original = compiled(source)
    if original is None:
        raise click.ClickException("The contract itself does not compile.")
    report = Report(original.mark)
    chosen = list(mutants(source))[::every]

    contracts = list(call_for_each("compile", compiled, [mutant.source for mutant in chosen], jobs))
    different = report.sort_out(zip(chosen, contracts, strict=True), original)
    warm_up()
    sources = [source, *(mutant.source for mutant in different)]
    itself, *failures = call_for_each("quick tests", quick_verdict, sources, jobs)
    if itself:
        raise click.ClickException(f"The contract itself fails {itself}.")
    survivors = report.judge(different, failures)

    survivors = survivors if doubt else [mutant for mutant in survivors if mutant.key not in EQUIVALENT]
    if survivors:
        sources = [source, *(mutant.source for mutant in survivors)]
        itself, *failures = call_for_each("all tests", whole_verdict, sources, jobs)
        if itself:
            raise click.ClickException(f"A copy of the contract itself fails {itself}.")
        report.judge(survivors, failures)
    click.echo(report.summary())
    if report.unexplained():
        raise click.ClickException("No test notices these mutants, and no reason is given why none can.")


if __name__ == "__main__":
    main()
