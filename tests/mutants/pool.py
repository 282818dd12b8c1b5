"""Many processes, each of which judges one mutant."""

from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from typing import TypeVar

import click

Question = TypeVar("Question")
Answer = TypeVar("Answer")


def call_for_each(
    label: str, function: Callable[[Question], Answer], questions: Sequence[Question], jobs: int
) -> Iterator[Answer]:
    """Calls the function with each in a process of its own, several at once, with a progress bar."""
    with (
        get_context("fork").Pool(jobs, maxtasksperchild=1) as pool,
        click.progressbar(pool.imap(function, questions), length=len(questions), label=label) as bar,
    ):
        yield from bar
