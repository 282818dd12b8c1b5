"""`uv run --with mutmut==3.8.1 python -m tests.mutants.programs`: changes the library and sees whether a test fails."""

import os
from pathlib import Path

import click

from tests.mutants.pool import call_for_each
from tests.mutants.programs.changes import Change, changes
from tests.mutants.programs.judge import Case, verdict, warm_up
from tests.mutants.programs.record import (
    ENDLESS,
    MODULES,
    NOT_JUDGED,
    NOTICED,
    PAGE,
    ROOT,
    UNNOTICED,
    Part,
    Parts,
    digests,
    load,
    page,
    save,
    summary,
)

TESTS = "tests/library/test_{}.py"
SAVE_EVERY = 20


@click.command()
@click.argument("modules", nargs=-1)
@click.option("--jobs", default=os.cpu_count(), show_default=True, help="How many changes to judge at once.")
@click.option("--again", is_flag=True, help="Judge what has not changed since the last time, too.")
def main(modules: tuple[str, ...], jobs: int, again: bool) -> None:
    """Judge every change to these MODULES, such as `follower`, or to all, and store the verdicts."""
    for name in modules or MODULES:
        if again:
            save(load() | {name: {}})
        judge(name, jobs)
        click.echo("\n".join(summary(name, load()[name])))
    PAGE.write_text(page(load()))


def judge(name: str, jobs: int) -> None:
    """Judge the changes to a module. What was noticed in a part that is as it was is not judged again."""
    source = Path(ROOT, "tictactoe", *name.split(".")).with_suffix(".py").read_text()
    record = load()
    every = changes(source)
    record[name] = begun(every, digests(source), record.get(name, {}))
    save(record)
    asked = [each for each in every if record[name][each.part].verdicts[each.text] in (UNNOTICED, NOT_JUDGED)]
    tests = tuple(TESTS.format(each) for each in MODULES[name])
    warm_up(tests)
    module = f"tictactoe.{name}"
    if verdict(Case(module, source, tests)) != UNNOTICED:
        raise click.ClickException(f"The tests of {name} fail without any change.")
    outcomes = call_for_each(name, verdict, [Case(module, change.source, tests) for change in asked], jobs)
    for number, (change, outcome) in enumerate(zip(asked, outcomes, strict=True), start=1):
        record[name][change.part].verdicts[change.text] = outcome
        if number % SAVE_EVERY == 0:
            save(record)
    save(record)


def begun(every: list[Change], marks: dict[str, str], before: Parts) -> Parts:
    """The record with the verdicts that are still right."""
    found: Parts = {}
    for change in every:
        old = before.get(change.part)
        was = old.verdicts.get(change.text, NOT_JUDGED) if old and old.digest == marks[change.part] else NOT_JUDGED
        part = found.setdefault(change.part, Part(marks[change.part], {}))
        part.verdicts[change.text] = was if was in (NOTICED, ENDLESS) else NOT_JUDGED
    return found


if __name__ == "__main__":
    main()
