"""`ape run mutants`: change the contract in every small way, and see that the tests notice each change."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tests.mutants.mutate import Mutant

ROOT = Path(__file__).parent.parent
SUITE = ("tests/unit", "tests/property", "tests/gas")


@click.command()
@click.option("--jobs", default=os.cpu_count(), show_default=True, help="How many mutants to judge at once.")
@click.option("--every", default=1, show_default=True, help="Judge only every n-th mutant.")
@click.option("--suite/--no-suite", default=True, help="Ask the whole suite about what the fast judge lets pass.")
@click.option("--write", is_flag=True, help="Write the outcome into docs/mutants.md.")
def cli(jobs: int, every: int, suite: bool, write: bool) -> None:
    """Judge every mutant of the contract by its bytecode, and list those that no test tells from the original."""
    sys.path.insert(0, str(ROOT))
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    from tests.mutants.mutate import mutants
    from tests.mutants.oracle import compiled, fingerprint, judged, keep
    from tests.mutants.report import CONTRACT, REPORT, Report

    source = CONTRACT.read_text()
    original = compiled(source)
    if original is None:
        raise click.ClickException("the contract itself does not compile")
    chosen = list(mutants(source))[::every]
    report = Report(fingerprint(original), every)
    with (
        ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=keep, initargs=(source,)) as pool,
        click.progressbar(pool.map(judged, chosen, chunksize=4), length=len(chosen), label="mutants") as verdicts,
    ):
        for mutant, (verdict, mark) in zip(chosen, verdicts, strict=True):
            report.add(mutant, verdict, mark)

    survivors = report.survivors()
    if suite and survivors:
        with click.progressbar(survivors, label="survivors, by the whole suite") as left:
            for mutant in left:
                if test := killed_by_suite(mutant):
                    report.kill(mutant, test)
    click.echo(report.summary())
    if write:
        REPORT.write_text(report.page())
    if report.unexplained():
        raise click.ClickException("there are mutants that no test notices and nobody has explained")


def killed_by_suite(mutant: Mutant) -> str | None:
    """The test that fails on the mutant, in a copy of the project that has it for its contract."""
    with tempfile.TemporaryDirectory() as copy:
        for name in ("ape-config.yaml", "pyproject.toml", "README.md", "scripts", "tests", "contracts"):
            if (ROOT / name).is_dir():
                shutil.copytree(
                    ROOT / name, Path(copy, name), ignore=shutil.ignore_patterns("node_modules", "__pycache__")
                )
            elif (ROOT / name).exists():
                shutil.copy(ROOT / name, copy)
        Path(copy, "contracts", "TicTacToe.vy").write_text(mutant.source)
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider", *SUITE]
        ran = subprocess.run(command, cwd=copy, capture_output=True, text=True)  # noqa: S603
    failed = [line.split()[1] for line in ran.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0] if failed else None
