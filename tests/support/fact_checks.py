"""Facts of methods that can be tried on a release: those that are wrong, or missing.

The file has X (n, 1) and Y (n, 2), continuous, linear in X with normal residuals, so that nothing but a record's own values
explains its residual.
"""

import numpy as np

from pyfcrm import Roles, RStream
from pyfcrm.methods.facts import NOT_EXAMINED
from pyfcrm.numerics.design import design, orthogonal_to

N, RELEASES, SEED = 300, 12, 7
SIGMAS = 4.5  # of a correlation by chance, 1 / sqrt(N): one in 100,000
NEAR_COPIES = 0.1  # of the records, linked by distance alone
NEAR = 0.5  # of the distance that the predictors alone leave
ROLES = Roles("x", ("a", "b"))


def file():
    stream = RStream(3)
    X = stream.rnorm_matrix(N, 1)
    common = stream.rnorm(N)[:, None]
    return X, X @ [[1.0, -0.5]] + 0.6 * common + 0.8 * stream.rnorm_matrix(N, 2) + 10


def residuals(X, A):
    """(n, t) of a regression on (1, X), each column of length 1."""
    rest = orthogonal_to(design(X), A - A.mean(axis=0))
    return rest / np.maximum(np.linalg.norm(rest, axis=0), 1e-12)


def distance(Y, Z):
    """The median over records of the largest difference, in standard deviations."""
    return float(np.median(np.abs((Y - Z) / Y.std(axis=0)).max(axis=1)))


def reissued(Y, Z):
    """The share of the released values that are original values of their column."""
    return float(np.mean([np.isin(z, y).mean() for y, z in zip(Y.T, Z.T, strict=True)]))


def linked(Y, Z):
    """The share of the records whose own release is the nearest one, in standardised values."""
    A, B = Y / Y.std(axis=0), Z / Y.std(axis=0)
    apart = ((A[:, None] - B[None]) ** 2).sum(axis=2)
    return float((apart.argmin(axis=1) == np.arange(len(Y))).mean())


def follows_own_values(X, Y, Z):
    """Whether the residuals of Z on X correlate with the original's beyond chance."""
    correlation = (residuals(X, Y) * residuals(X, Z)).sum(axis=0)
    return bool((correlation > SIGMAS / np.sqrt(N)).all())


def guesses_by_seed(method, X, Z, seed):
    """What an intruder tries who has the seed: the method again, on the release; the draws, taken off it."""
    yield method.protect(X, Z, RStream(seed))
    normals, uniforms = RStream(seed).rnorm_matrix(*Z.shape), RStream(seed).runif_matrix(*Z.shape)
    for draws in (normals, uniforms):
        D = design(draws)
        yield Z.mean(axis=0) + orthogonal_to(D, Z - Z.mean(axis=0))


def undone(method, X, Y, Z, seed):
    """Whether one of the guesses comes much nearer to the originals than the release and the predictors do."""
    rest = orthogonal_to(design(X), Z - Z.mean(axis=0))
    without_seed = min(distance(Y, Z), distance(Y, Z - rest))
    if without_seed == 0:  # nothing is left to undo
        return False
    nearest = min(distance(Y, guess) for guess in guesses_by_seed(method, X, Z, seed))
    return nearest < NEAR * without_seed


def wrong_facts(method):
    """The names of the facts that releases contradict, of a method that replaces numbers."""
    X, Y = file()
    facts = method.facts(ROLES)
    releases = [method.protect(X, Y, RStream(seed)) for seed in range(SEED, SEED + RELEASES)]
    Z = releases[0]
    wrong = set()
    if facts.reissues_values != (reissued(Y, Z) > 0.5):
        wrong.add("reissues_values")
    follows = follows_own_values(X, Y, np.mean(releases, axis=0))
    if follows and not facts.averages:
        wrong.add("averages")
    baseline = linked(Y, Z[np.roll(np.arange(N), 1)])
    near_copies = linked(Y, Z) > baseline + NEAR_COPIES
    if near_copies and facts.attacks is not NOT_EXAMINED and not facts.attacks:
        wrong.add("attacks")
    if facts.undone_by_seed is False and undone(method, X, Y, Z, SEED):
        wrong.add("undone_by_seed")
    return wrong
