"""`ape run mutants`: change the contract in every small way, and see that the tests notice each change."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from threading import Lock

import click

ROOT = Path(__file__).parent.parent


@click.command()
@click.option("--jobs", default=os.cpu_count(), show_default=True, help="How many mutants to judge at once.")
@click.option("--every", default=1, show_default=True, help="Judge only every n-th mutant.")
@click.option("--suite/--no-suite", default=True, help="Ask the suite about what is left and not explained.")
@click.option("--doubt", is_flag=True, help="Ask it about what is explained too: minutes for each.")
@click.option("--write", is_flag=True, help="Write the outcome of a whole run into docs/mutants.md.")
def cli(jobs: int, every: int, suite: bool, doubt: bool, write: bool) -> None:
    """Judge every mutant of the contract by its bytecode, and list those that no test tells from the original."""
    if write and (every > 1 or not suite):
        raise click.UsageError("Only a whole run is written down: leave out --every and --no-suite.")
    sys.path.insert(0, str(ROOT))
    from tests.mutants.mutate import mutants
    from tests.mutants.oracle import compiled, fingerprint, judged, judges_mark, keep
    from tests.mutants.report import CONTRACT, REPORT, Report

    source = CONTRACT.read_text()
    original = compiled(source)
    if original is None:
        raise click.ClickException("The contract itself does not compile.")
    chosen = list(mutants(source))[::every]
    report = Report(fingerprint(original), judges_mark())
    with (
        ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=keep, initargs=(source,)) as pool,
        click.progressbar(pool.map(judged, chosen, chunksize=4), length=len(chosen), label="mutants") as verdicts,
    ):
        for mutant, (verdict, mark) in zip(chosen, verdicts, strict=True):
            report.add(mutant, verdict, mark)

    survivors = report.survivors() if doubt else report.unexplained()
    if suite and survivors:
        own, *failures = by_the_suite([source, *(mutant.source for mutant in survivors)], jobs)
        if own:
            raise click.ClickException(f"The suite fails on a copy of the contract itself: {own}")
        for mutant, test in zip(survivors, failures, strict=True):
            if test:
                report.kill(mutant, test)
    click.echo(report.summary())
    if write:
        REPORT.write_text(report.page())
    if report.unexplained():
        raise click.ClickException("There are mutants that no test notices and nobody has explained.")


def by_the_suite(sources: list[str], jobs: int) -> list[str]:
    """The first test that fails on each contract, or nothing."""
    from tests.mutants.suite import failing_test

    with (
        ThreadPoolExecutor(jobs) as pool,
        click.progressbar(range(100 * len(sources)), label="what is left, by the suite") as bar,
    ):
        lock = Lock()

        def judge(source: str) -> str:
            shown = 0

            def progress(percent: int) -> None:
                nonlocal shown
                with lock:
                    bar.update(percent - shown)
                shown = percent

            test = failing_test(source, progress=progress)
            progress(100)
            return test

        try:
            return list(pool.map(judge, sources))
        except RuntimeError as err:
            raise click.ClickException(str(err)) from err
