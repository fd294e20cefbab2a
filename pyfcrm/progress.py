"""Telling how far long work is, and letting whoever is told stop it."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int, str], None]
"""Called with (done, of how many at most, what). What it raises stops the work, errors.Cancelled best of all."""

PARTS = 1000  # of one of several tasks, each of which tells in units of its own


def tell(progress: Progress | None, done: int, most: int, what: str) -> None:
    """progress(done, most, what), where somebody listens."""
    if progress is not None:
        progress(done, most, what)


def within(progress: Progress | None, task: int, tasks: int, what: str = "") -> Progress | None:
    """The callback for task number `task`, from 0, of `tasks`: all of them are one course, in thousandths of a task.

    what : said before the task's own words, unless they are the same. None where nobody listens.
    """
    if progress is None:
        return None

    def inner(done: int, most: int, words: str) -> None:
        said = f"{what}: {words}" if what and words and words != what else what or words
        progress(task * PARTS + PARTS * min(done, most) // max(most, 1), tasks * PARTS, said)

    return inner


def still(progress: Progress | None, done: int, most: int, what: str) -> Progress | None:
    """The callback for work inside one step, told that the step goes on: often enough to be stopped in the middle."""
    if progress is None:
        return None

    def inner(_done: int, _most: int, _what: str) -> None:
        progress(done, most, what)

    return inner
