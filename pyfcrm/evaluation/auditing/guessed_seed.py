"""Guessing the seed of a release whose method is known: whether it is one of the integers that people type."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ...data.pairs import Pair
from ...errors import InvalidInput
from ...methods.facts import NOT_EXAMINED
from ...methods.method import NO_ROLES
from ...methods.work import Run
from ...numerics.design import Design, design, orthogonal_to
from ...numerics.sorting import normal_scores
from ...progress import Progress, ProgressTracker
from ...rstream import RStream
from ...types import Array
from ..evaluate_request import EvaluateRequest
from ..verdict.outcomes import NotExamined

GUESSES = 10_000  # 0, 1, ..., the seeds that people use
# The right seed has a correlation of nearly 1, a wrong one of about 1/sqrt(n).
MIN_CORRELATION = 0.5  # of a seed that is found
MIN_OF_VALUES = 0.25  # from which ranks are compared: drawn tails leave less of the correlation of values than of ranks
SIGMAS = 6.0  # standard deviations of a wrong seed's correlation above its mean, that a seed that is found exceeds
FEWEST = 30  # records, of which wrong seeds hardly reach these
CERTAIN_CORRELATION = 0.999  # reached by the right seed only: near seeds of a weak generator may be correlated
FOUND = (
    "the seed of the release, below {total}, was found by trial (guessed_seed of the report) and restores the originals: "
    "release without a seed"
)


@dataclass(frozen=True)
class SeedSearch:
    """Integers that were tried as the seed of a release."""

    found: int | None
    """The one from which the release was made; None for none of them."""
    tried: int
    """How many were tried at most: 0, 1, ..., `tried` - 1."""


NOT_TRIED = NotExamined("the seed is not known, and seeds could not be tried")


def seeds_are_tried(pair: Pair, request: EvaluateRequest) -> bool:
    """Whether integers are tried as the seed: a seed undoes the method, or its generator is weak.

    At least 30 records are needed, fewer correlate by chance; and no value may be missing, else what a seed would give is not
    known. Strata are released one after the other, which is not tried.
    """
    method = request.method
    if (
        method is None
        or request.strata
        or not request.guesses
        or not method.replaces_numbers()
        or pair.knowledge is None
    ):
        return False
    facts = method.facts(NO_ROLES)
    # Of a method that is not examined it is not known whether a seed restores the originals.
    undone = facts.weak_generator or (facts.undone_by_seed is not NOT_EXAMINED and facts.undone_by_seed)
    return undone and pair.in_memory and pair.n >= FEWEST and not pair.gaps


def search_seed(pair: Pair, request: EvaluateRequest, progress: Progress | None) -> SeedSearch | NotExamined:
    """Result of the search for the seed of a release among the first integers; see seeds_are_tried."""
    if not seeds_are_tried(pair, request):
        return NOT_TRIED
    return SeedSearch(found=_most_likely_seed(pair, request, progress), tried=request.guesses)


def _most_likely_seed(pair: Pair, request: EvaluateRequest, progress: Progress | None) -> int | None:
    """The integer from which the release was made; None if it is none of those to try.

    The release of the first attribute from each seed is compared with the actual one. The part that the original and
    the unmodified columns explain is subtracted from both. Their correlation is near 1 for the right seed, and small
    for others.
    """
    method = request.method
    known = pair.knowledge
    Y, Z = pair.arrays()
    assert method is not None
    assert known is not None
    guesses = request.guesses
    tracker = ProgressTracker("trying seeds", guesses, progress=progress)
    X = known.given.read()
    [(single, _)] = method.parts(NO_ROLES)
    first = RStream(0)
    try:
        release_of = single.guesser(X, Y, Run(first, terms=known.terms, names=pair.columns))
        m, k = release_of(first).shape
    except InvalidInput:  # the method names columns that are not evaluated
        return None
    explained = design(np.column_stack([X[:m], Y[:m]]))
    scores = normal_scores(Y[:m, :1])
    by_rank = design(np.column_stack([X[:m], Y[:m], scores, scores**2, scores**3]))
    released = _unit_residual(explained, Z[:m, :1])
    released_ranks = _unit_residual(by_rank, normal_scores(Z[:m, :1]))
    # A guess of k columns explains about k/m of the square of a wrong release.
    largest = max(MIN_CORRELATION, sqrt(k / m) + SIGMAS / sqrt(m))
    best = None
    for seed in range(guesses):
        tracker.step(seed, guesses)
        guess = release_of(RStream(seed))
        if k > 1:
            Q = np.linalg.qr(orthogonal_to(explained, guess))[0]
        else:
            Q = _unit_residual(explained, guess)
        correlation = float(np.linalg.norm(Q.T @ released))
        if k == 1 and correlation > MIN_OF_VALUES:
            # Ranks must correlate too: values of one margin correlate in what a linear model does not explain.
            guessed_ranks = _unit_residual(by_rank, normal_scores(guess))
            of_ranks = abs(float((guessed_ranks * released_ranks).sum()))
            if of_ranks <= MIN_CORRELATION:
                continue
            correlation = max(correlation, of_ranks)
        if correlation <= largest:
            continue
        largest = correlation
        best = seed
        if correlation > CERTAIN_CORRELATION:
            return seed
    return best


def _unit_residual(explained: Design, a: Array) -> Array:
    """Residual (m, 1) of a column (m, 1), scaled to length 1; zeros where all of it is explained."""
    rest = orthogonal_to(explained, a)
    size = float(np.linalg.norm(rest))
    return rest / size if size > 0 else rest
