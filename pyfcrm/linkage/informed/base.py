"""What an attack is, how its scores become links, and the baseline: links by the unmodified columns alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...numerics.design import design
from ...numerics.location import row_blocks
from ...progress import OnStep, discard_steps
from ...types import Array, Integers, Mask

TIE = 1e-9  # of scores: nearer ones are equal
DOUBT = np.log(100.0)  # a candidate is no less than a hundredth as likely as the likeliest
RANK = 1e-10  # of the largest eigenvalue: directions that vary less are left out
LEAST_ROOM = 1e-12  # of n: where the others do not vary as a record does, its distance is large, and finite
ALONE = 1e-9  # 1 - leverage below which the others say nothing of a record's place in X


@dataclass(frozen=True)
class Scores:
    """How well every protected record goes with every original.

    Parameters
    ----------
    block : callable
        Of a slice of the originals: (b, N), the larger the likelier; -inf for what the method rules out.
    margin : float
        A candidate is a protected record that is not ruled out and whose score is within this of the best one. Infinite
        where ruling out is all there is; for likelihoods the log of a ratio.
    """

    block: Callable[[slice], Array]
    margin: float = np.inf


@dataclass(frozen=True)
class Found:
    """What an attack finds, by original; each (n,).

    Parameters
    ----------
    share : array
        1/t where the own record is among the t that go best with an original, else 0.
    candidates : array of int
        Protected records that may be the own one.
    inside : array of bool
        Whether the own one is among them.
    """

    share: Array
    candidates: Integers
    inside: Mask

    @property
    def linked(self) -> float:
        """Records linked, per cent, ties shared."""
        return 100 * float(self.share.mean())

    @property
    def certain(self) -> float:
        """Records whose own one is the only candidate, per cent."""
        return 100 * float((self.inside & (self.candidates == 1)).mean())


def linked(scores: Scores, n: int, on_step: OnStep = discard_steps) -> Found:
    """Each of n originals with the protected records that go best with it; its own stands at its place.

    on_step : called with the originals done.
    """
    share, candidates, inside = np.zeros(n), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool)
    for rows in row_blocks(n, n):
        on_step(rows.start, n)
        S = scores.block(rows)
        best, own = S.max(axis=1), S[np.arange(len(S)), np.arange(rows.start, rows.stop)]
        there = np.isfinite(own)
        share[rows] = np.where(there & (own >= best - TIE), 1 / (best[:, None] - TIE <= S).sum(axis=1), 0.0)
        least = np.maximum(np.where(np.isfinite(best), best - scores.margin - TIE, np.inf), -np.finfo(np.float64).max)
        candidates[rows] = (least[:, None] <= S).sum(axis=1)
        inside[rows] = there & (own >= least)
    on_step(n, n)
    return Found(share, candidates, inside)


class Attack:
    """What an intruder does who knows the method: plain data that a method names."""

    @property
    def words(self) -> str:
        """What the intruder does, as a line of the report."""
        return ""

    def baseline(self, X: Array, Y: Array, on_step: OnStep = discard_steps) -> float:
        """Per cent that the columns X (n, s) link to the originals Y (n, t) without any release: the attack's baseline.

        By a model of such records that leaves each record out. on_step : called with the records done.
        """
        return baseline_from_kept_columns(X, Y, on_step)

    def calibrated(self, margins: bool) -> tuple[Attack, ...]:
        """What is left of it where the release was then moved to the original's moments, and to its margins too or not."""
        return ()

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """Of a release.

        Parameters
        ----------
        X : array, shape (n, s)
            The columns released unchanged, s may be 0.
        Y, Z : array, shape (n, t)
            Original values, which the intruder knows, and protected ones; paired by position.
        """
        raise NotImplementedError


def whitener(C: Array) -> Array:
    """W (..., t, t) with W W' the inverse of C (..., t, t) over the directions in which it varies; 0 in the others."""
    values, vectors = np.linalg.eigh(C)
    largest = np.maximum(values.max(axis=-1, keepdims=True, initial=0.0), np.finfo(np.float64).tiny)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(values > RANK * largest, 1 / np.sqrt(values), 0.0)
    return np.asarray(vectors * scale[..., None, :])


def baseline_from_kept_columns(X: Array, Y: Array, on_step: OnStep = discard_steps) -> float:
    """Per cent linked by the normal likelihood of y given each record's x, in a model that leaves the own record out.

    X : (n, s); Y : (n, t), all original. Records linked by a regression of Y on X alone,
    which equals fitting the regression n times, each without one record. 0 with no columns.
    """
    n, s = X.shape
    if not s or n < s + 3:
        return 0.0
    Q = design(X).columns
    sd = Y.std(axis=0)
    U = (Y - Y.mean(axis=0)) / np.where(sd > 0, sd, 1.0)
    P = Q @ (Q.T @ U)
    E = U - P
    W = whitener(E.T @ E / n)
    a, b, e = U @ W, P @ W, E @ W
    leverage = (Q * Q).sum(axis=1)
    others = np.where(1 - leverage < ALONE, np.inf, 1 - leverage)
    # S without i is (n S - e e'/(1 - h)) / (n - 1): v'S^-1 v gains (v'S^-1 e)^2 / (n (1 - h) - e'S^-1 e).
    room = np.maximum(n * others - (e * e).sum(axis=1), LEAST_ROOM * n)

    def block(rows: slice) -> Array:
        g = Q[rows] @ Q.T / others[rows, None]
        along = (a[rows] * e[rows]).sum(axis=1)[:, None] - e[rows] @ b.T
        size = (e[rows] ** 2).sum(axis=1)[:, None]
        d = squared(a[rows], b) + 2 * g * along + g * g * size
        return np.asarray(-0.5 * (d + (along + g * size) ** 2 / room[rows, None]))

    return linked(Scores(block), n, on_step).linked


def squared(a: Array, b: Array) -> Array:
    """(b, N) squared distances of the rows of a (b, k) and b (N, k), to rounding of the squares' own size."""
    return np.asarray((a * a).sum(axis=1)[:, None] - 2 * (a @ b.T) + (b * b).sum(axis=1))


def likelihood_of_centers(a: Array, b: Array) -> Scores:
    """Normal log likelihoods of a (n, k) around centers b (N, k), in units in which the covariance is 1."""
    return Scores(lambda rows: -0.5 * squared(a[rows], b), DOUBT)
