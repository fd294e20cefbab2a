"""Guessing the seed of a release whose method is known: whether it is one of the integers that people type."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from ..data.pairs import TwoFiles
from ..errors import Note
from ..methods import Method
from ..numerics.design import Design, design, orthogonal_to
from ..numerics.sorting import normal_scores
from ..progress import Progress, ProgressTracker
from ..rstream import RStream
from ..types import Array
from .report import Report

GUESSES = 10_000  # 0, 1, ..., which is what people type
ALIKE, SIGMAS, FEWEST = 0.5, 6.0, 30  # a right seed goes with the release by nearly 1, a wrong one by 1/sqrt(n)
SURE = 0.999  # goes with it as nothing but the right one does: near seeds of a weak generator may go with each other
WHAT = "trying seeds"
NOT_TRIED = "seeds are not tried: with missing values, what a seed would give is not known"


def seeds_are_tried(both: TwoFiles, method: Method | None, guesses: int) -> bool:
    """Whether there is a point: a seed undoes the method, or its generator is weak, and there are enough records, 30, of
    which fewer would go together by chance."""
    if method is None or not guesses or not method.one_for_one or both.pair.knowledge is None:
        return False
    return (method.undone_by_seed or method.weak_generator) and both.pair.in_memory and both.pair.n >= FEWEST


def with_guessed_seed(
    report: Report, both: TwoFiles, method: Method | None, guesses: int, progress: Progress | None
) -> Report:
    """The report with the integer below `guesses` from which the release was made, if there is one.

    What the method makes of the first attribute from each seed is held against what was released, both less what the
    original and the kept columns explain: their correlation is near 1 for the right seed, and chance for the others.
    The note does not say which it is.
    """
    pair = both.pair
    if pair.gaps:
        return replace(report, notes=(*report.notes, Note.of("left_out", NOT_TRIED)))
    assert method is not None
    assert pair.knowledge is not None  # see seeds_are_tried
    tracker = ProgressTracker(WHAT, 0, guesses, progress=progress)
    seed = _tried(method, (pair.knowledge.columns(), *pair.arrays()), guesses, tracker)
    if seed is None:
        return report
    wording = (
        "the release was made from a seed below {total}, found by trying them (the report's guessed_seed): with it "
        "originals come back, so release without a seed"
    )
    return replace(report, guessed_seed=seed, notes=(*report.notes, Note.of("risk", wording, total=guesses)))


def _tried(method: Method, records: tuple[Array, Array, Array], guesses: int, tracker: ProgressTracker) -> int | None:
    X, Y, Z = records
    made = method.guesser(X, Y)
    m, k = made(RStream(0)).shape
    explained = design(np.column_stack([X[:m], Y[:m]]))
    scores = normal_scores(Y[:m, :1])
    by_rank = design(np.column_stack([X[:m], Y[:m], scores, scores**2, scores**3]))
    left, ranked = _left(explained, Z[:m, :1]), _left(by_rank, normal_scores(Z[:m, :1]))
    best, found = max(ALIKE, sqrt(k / m) + SIGMAS / sqrt(m)), None
    for seed in range(guesses):
        tracker.step(seed, guesses)
        guess = made(RStream(seed))
        Q = np.linalg.qr(orthogonal_to(explained, guess))[0] if k > 1 else _left(explained, guess)
        along = Q.T @ left
        like = float(np.linalg.norm(along))
        if like > best and (k > 1 or _goes_with(by_rank, guess, ranked)):
            best, found = like, seed
            if like > SURE:
                return seed
    return found


def _goes_with(by_rank: Design, guess: Array, ranked: Array) -> bool:
    """Whether it does by ranks too: values of one margin go together in what a line does not explain."""
    return abs(float((_left(by_rank, normal_scores(guess)) * ranked).sum())) > ALIKE


def _left(explained: Design, a: Array) -> Array:
    """(m, 1) what is left of a (m, 1), of length 1."""
    rest = orthogonal_to(explained, a)
    size = float(np.linalg.norm(rest))
    return rest / size if size > 0 else rest
