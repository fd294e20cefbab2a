"""Guessing the seed of a release whose method is known: whether it is one of the integers that people type."""

from dataclasses import replace
from math import sqrt

import numpy as np

from ..data.pairs import Knowledge, TwoFiles
from ..errors import Note
from ..methods import Method
from ..numerics.design import Design, design, orthogonal_to
from ..numerics.sorting import normal_scores
from ..progress import Progress, ProgressTracker
from ..rstream import RStream
from ..types import Array
from .report import Report

GUESSES = 10_000  # 0, 1, ..., the seeds that people use
MIN_CORRELATION, SIGMAS, FEWEST = 0.5, 6.0, 30  # of the right seed it is nearly 1, of a wrong one 1/sqrt(n)
CERTAIN_CORRELATION = 0.999  # of the right seed only: near seeds of a weak generator may be correlated
FOUND = (
    "the release has a seed below {total}, found by trying them (guessed_seed of the report). It gives back the originals: "
    "release without a seed"
)


def seeds_are_tried(files: TwoFiles, method: Method | None, guesses: int) -> bool:
    """Whether a seed undoes the method, or its generator is weak, with at least 30 records: fewer correlate by chance; and
    whether no value is missing: else what a seed would give is not known."""
    pair = files.pair
    if method is None or not guesses or not method.one_for_one or pair.knowledge is None:
        return False
    undone = method.undone_by_seed or method.weak_generator
    return undone and pair.in_memory and pair.n >= FEWEST and not pair.gaps


def with_guessed_seed(
    report: Report, files: TwoFiles, method: Method | None, guesses: int, progress: Progress | None
) -> Report:
    """The report with the integer below `guesses` from which the release was made, if there is one.

    The release of the first attribute from each seed is compared with the actual one. The part that the original and
    the unmodified columns explain is subtracted from both. Their correlation is near 1 for the right seed, and small
    for others. The note does not name the seed.
    """
    pair = files.pair
    assert method is not None
    assert pair.knowledge is not None  # see seeds_are_tried
    tracker = ProgressTracker("trying seeds", 0, guesses, progress=progress)
    seed = _tried(method, pair.knowledge, pair.arrays(), guesses, tracker)
    if seed is None:
        return report
    return replace(report, guessed_seed=seed, notes=(*report.notes, Note.of("risk", FOUND, total=guesses)))


def _tried(
    method: Method, known: Knowledge, files: tuple[Array, Array], guesses: int, tracker: ProgressTracker
) -> int | None:
    Y, Z = files
    X = known.columns()
    release_of = method.guesser(X, Y, known.terms)
    m, k = release_of(RStream(0)).shape
    explained = design(np.column_stack([X[:m], Y[:m]]))
    scores = normal_scores(Y[:m, :1])
    by_rank = design(np.column_stack([X[:m], Y[:m], scores, scores**2, scores**3]))
    released, ranked = _unit_residual(explained, Z[:m, :1]), _unit_residual(by_rank, normal_scores(Z[:m, :1]))
    largest, best = max(MIN_CORRELATION, sqrt(k / m) + SIGMAS / sqrt(m)), None
    for seed in range(guesses):
        tracker.step(seed, guesses)
        guess = release_of(RStream(seed))
        Q = np.linalg.qr(orthogonal_to(explained, guess))[0] if k > 1 else _unit_residual(explained, guess)
        correlation = float(np.linalg.norm(Q.T @ released))
        if correlation <= largest:
            continue
        # Ranks must correlate too: values of one margin do in what a linear model does not explain.
        if k > 1 or abs(float((_unit_residual(by_rank, normal_scores(guess)) * ranked).sum())) > MIN_CORRELATION:
            largest, best = correlation, seed
            if correlation > CERTAIN_CORRELATION:
                return seed
    return best


def _unit_residual(explained: Design, a: Array) -> Array:
    """(m, 1) the residual of a (m, 1), of length 1."""
    rest = orthogonal_to(explained, a)
    size = float(np.linalg.norm(rest))
    return rest / size if size > 0 else rest
