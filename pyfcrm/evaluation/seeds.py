"""Guessing the seed of a release whose method is known: whether it is one of the integers that people type."""

from __future__ import annotations

from functools import partial
from math import sqrt

import numpy as np

from ..data.pairs import TwoFiles
from ..methods import Method
from ..numerics.design import Design, design, orthogonal_to
from ..numerics.sorting import normal_scores
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
    made = method.guesser(X, Y)
    m, k = made(RStream(0)).shape
    explained = design(np.column_stack([X[:m], Y[:m]]))
    scores = normal_scores(Y[:m, :1])
    by_rank = design(np.column_stack([X[:m], Y[:m], scores, scores**2, scores**3]))
    left, ranked = _left(explained, Z[:m, :1]), _left(by_rank, normal_scores(Z[:m, :1]))
    enough = max(ALIKE, sqrt(k / m) + SIGMAS / sqrt(m))
    for seed in range(guesses):
        course.step(seed, guesses)
        guess = made(RStream(seed))
        Q = np.linalg.qr(orthogonal_to(explained, guess))[0] if k > 1 else _left(explained, guess)
        along = Q.T @ left
        if np.linalg.norm(along) > enough:
            fitted = normal_scores(guess)
            if abs(float((_left(by_rank, fitted) * ranked).sum())) > ALIKE:
                return seed
    return None


def _left(explained: Design, a: Array) -> Array:
    """(m, 1) what is left of a (m, 1), of length 1."""
    rest = orthogonal_to(explained, a)
    size = float(np.linalg.norm(rest))
    return rest / size if size > 0 else rest
