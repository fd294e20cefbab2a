"""Guessing the seed of a release whose method is known: whether it is one of the integers that people type."""

from __future__ import annotations

from functools import partial
from math import sqrt

import numpy as np

from ..data.pairs import TwoFiles
from ..methods import Method
from ..numerics.design import design, orthogonal_to
from ..progress import Course, Progress, run_cancellable
from ..rstream import RStream
from ..types import Array

GUESSES = 10_000  # 0, 1, ..., which is what people type
ALIKE, SIGMAS, FEWEST = 0.5, 6.0, 30  # a right seed goes with the release by nearly 1, a wrong one by 1/sqrt(n)
WHAT = "trying seeds"


def guessed_seed(both: TwoFiles, method: Method, guesses: int, progress: Progress | None) -> int | None:
    """The integer below `guesses` from which the release was made, None where there is none, or trying helps nobody.

    What the method makes of the first attribute from each seed is held against what was released, both less what the
    original and the kept columns explain: their correlation is near 1 for the right seed, and chance for the others.
    Only where a seed undoes the method or its generator is weak; from 30 records, as fewer go together by chance.
    """
    pair = both.pair
    known = pair.knowledge
    helps = (method.undone_by_seed or method.weak_generator) and method.one_for_one
    if not guesses or not helps or known is None or not pair.in_memory or pair.n < FEWEST:
        return None
    Y, Z = pair.arrays()
    course = Course(WHAT, 0, guesses)
    return run_cancellable(partial(_tried, method, (known.columns(), Y, Z), guesses, course), progress, course)


def _tried(method: Method, records: tuple[Array, Array, Array], guesses: int, course: Course) -> int | None:
    X, Y, Z = records
    explained = design(np.column_stack([X, Y[:, 0]]))
    wanted = _unit(orthogonal_to(explained, Z[:, :1])[:, 0])
    made, enough = method.guesser(X, Y), max(ALIKE, SIGMAS / sqrt(len(Y)))
    for seed in range(guesses):
        course.step(seed, guesses)
        if abs(float(wanted @ _unit(orthogonal_to(explained, made(RStream(seed))[:, None])[:, 0]))) > enough:
            return seed
    return None


def _unit(a: Array) -> Array:
    size = float(np.linalg.norm(a))
    return a / size if size > 0 else a
