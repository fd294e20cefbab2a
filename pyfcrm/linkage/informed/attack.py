"""What an attack is; and what the columns that leave as they came tell alone, by a regression on them: its yardstick."""

from __future__ import annotations

import numpy as np

from ...numerics.design import design
from ...progress import OnStep, discard_steps
from ...types import Array
from .links import Scores, linked

RANK = 1e-10  # of the largest eigenvalue: directions that vary less are left out
LEAST_ROOM = 1e-12  # of n: where the others do not vary as a record does, its distance is large, and finite
ALONE = 1e-9  # 1 - leverage below which the others say nothing of a record's place in X


class Attack:
    """What an intruder does who knows the method: plain data that a method names.

    words : what is done, as a line of the report says it.
    """

    @property
    def words(self) -> str:
        """What the intruder does."""
        raise TypeError(f"{type(self).__name__} does not say what it does")

    def alone(self, X: Array, Y: Array, on_step: OnStep = discard_steps) -> float:
        """Per cent that the columns X (n, s) link to the originals Y (n, t) without any release: the attack's yardstick.

        By a model of such records that leaves each record out. on_step : called with the records done.
        """
        return given_x_alone(X, Y, on_step)

    def calibrated(self, margins: bool) -> tuple[Attack, ...]:
        """What is left of it where the release was moved to moments, and to margins too or not, afterwards."""
        return ()

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """Of a release.

        Parameters
        ----------
        X : array, shape (n, s)
            The columns that leave as they came, s may be 0: they come with the release.
        Y, Z : array, shape (n, t)
            Original values, which the intruder knows, and protected ones; paired by position.
        """
        raise TypeError(f"{type(self).__name__} does not say how it scores")


def whitener(C: Array) -> Array:
    """W (..., t, t) with W W' the inverse of C (..., t, t) over the directions in which it varies; 0 in the others."""
    values, vectors = np.linalg.eigh(C)
    largest = np.maximum(values.max(axis=-1, keepdims=True, initial=0.0), np.finfo(np.float64).tiny)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(values > RANK * largest, 1 / np.sqrt(values), 0.0)
    return np.asarray(vectors * scale[..., None, :])


def given_x_alone(X: Array, Y: Array, on_step: OnStep = discard_steps) -> float:
    """Per cent linked by the normal likelihood of y given each record's x, in a model that leaves the own record out.

    X : (n, s); Y : (n, t), all original. What X tells anyone who knows how such records go: the yardstick of every linkage
    beside a release that holds X. Equals fitting the regression n times, each without one record. 0 with no columns.
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
