"""`uv run --with mutmut==3.8.1 python -m tests.mutants.programs`: changes the library and sees whether a test fails."""

import os
from pathlib import Path

import click

from tests.mutants.pool import call_for_each
from tests.mutants.programs.changes import changes, parts
from tests.mutants.programs.judge import ROOT, Case, verdict, warm_up
from tests.mutants.programs.record import Part, Parts, counts, load, save

TESTS = "tests/library/test_{}.py"
# The tests of each module, the quickest to fail first; those of its own name if it is not here.
MODULES: dict[str, tuple[str, ...]] = {
    "game": ("game",),
    "changes": ("changes",),
    "trail": ("trail", "follower"),
    "replay": ("replay",),
    "logs": ("logs", "follower"),
    "follower": ("follower",),
    "events": ("events",),
    "table": ("table", "deploy"),
    "node": ("node",),
    "receipts": ("receipts",),
    "fees": ("preparing",),
    "gas": ("preparing",),
    "preparing": ("preparing",),
    "spending": ("spending",),
    "sending": ("sending",),
    "tracking": ("tracking", "sending"),
    "terminal.live": ("live",),
    "terminal.session": ("session",),
}


@click.command()
@click.argument("modules", nargs=-1)
@click.option("--jobs", default=os.cpu_count(), show_default=True, help="How many changes to judge at once.")
@click.option("--again", is_flag=True, help="Judge what has not changed since the last time, too.")
@click.option("--show", is_flag=True, help="Print the changes that no test notices.")
def main(modules: tuple[str, ...], jobs: int, again: bool, show: bool) -> None:
    """Judge every change to these MODULES, such as `follower`, or to all, and store the verdicts."""
    record = load()
    for name in modules or MODULES:
        before = {} if again else record.get(name, {})
        record[name] = judged(name, before, jobs)
        save(record)
        found = counts(record[name])
        click.echo(f"{name}: {found.total() - found['unnoticed']:,} of {found.total():,} changes noticed")
        for part, each in record[name].items():
            for change, outcome in each.verdicts.items():
                if outcome == "unnoticed" and show:
                    click.echo(f"    {part} +{change}")


def judged(name: str, before: Parts, jobs: int) -> Parts:
    """The verdicts on the changes to a module. What was noticed in a part that is as it was is not judged again."""
    source = Path(ROOT, "tictactoe", *name.split(".")).with_suffix(".py").read_text()
    found = parts(source)
    tests = tuple(TESTS.format(each) for each in MODULES[name])
    same = {part: each for part, each in before.items() if part in found and found[part][1] == each.digest}
    kept = {(part, text) for part, each in same.items() for text, was in each.verdicts.items() if was == "noticed"}
    all_changes = changes(source)
    asked = [change for change in all_changes if (change.part, change.text) not in kept]
    module = f"tictactoe.{name}"
    warm_up(tests)
    if verdict(Case(module, source, tests)) != "unnoticed":
        raise click.ClickException(f"The tests of {name} fail without any change.")
    outcomes = call_for_each(name, verdict, [Case(module, change.source, tests) for change in asked], jobs)
    new = {(change.part, change.text): outcome for change, outcome in zip(asked, outcomes, strict=True)}
    return {
        part: Part(
            digest,
            {each.text: new.get((part, each.text), "noticed") for each in all_changes if each.part == part},
        )
        for part, (_, digest) in found.items()
    }


if __name__ == "__main__":
    main()
