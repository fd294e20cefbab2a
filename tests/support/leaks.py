"""Releases of known leaks: files simulated here, a release drawn afresh from their own law, which knows no record, and
the same with 1 in 20 of its records replaced by something of an original's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from support.own_methods import OwnMethod

from pyfcrm import Roles

GIVEN = ("x1", "x2")
SHARE = 0.05


def heaps(X, rng):
    """Amounts of which a third are 0."""
    e = rng.normal(size=(len(X), 4))
    Y = np.exp(1.0 + 0.5 * X[:, :1] + 0.3 * X[:, 1:] * np.array([1, -1, 0, 1]) + 0.8 * e)
    Y[:, 1:][rng.uniform(size=(len(X), 3)) < 1 / 3] = 0.0
    return Y


def identities(X, rng):
    """Parts and their sum."""
    parts = np.exp(X @ np.array([[0.6, 0.2, 0.0], [0.0, 0.4, -0.5]]) + rng.normal(size=(len(X), 3)))
    return np.column_stack([parts, parts.sum(axis=1)])


def negatives(X, rng):
    """Differences, heavy-tailed on both sides, and curved in X."""
    return np.column_stack([X[:, 0] ** 2, X[:, 1], X.sum(axis=1), X[:, 0]]) + rng.standard_t(4, size=(len(X), 4))


def whole(X, rng):
    """Counts and round sums."""
    rate = np.exp(2.0 + 0.4 * X[:, 0])
    hours = np.rint(30 + 5 * X[:, 1] + 4 * rng.normal(size=len(X)))
    pay = 10 * np.rint(200 * np.exp(0.5 * X[:, 0] + 0.6 * rng.normal(size=len(X))))
    rent = 5 * np.rint(100 * np.exp(0.7 * rng.normal(size=len(X))))
    return np.column_stack([rng.poisson(rate), hours, pay, rent]).astype(float)


LAWS = {law.__name__: law for law in (heaps, identities, negatives, whole)}


def file(law, n, seed):
    """A file of n records, and its roles."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    Y = law(X, rng)
    named = tuple(f"y{j + 1}" for j in range(Y.shape[1]))
    frame = pd.DataFrame(np.hstack([X, Y]), columns=[*GIVEN, *named])
    return (frame.astype(dict.fromkeys(named, "int64")) if law is whole else frame), Roles(GIVEN, named)


@dataclass(frozen=True)
class Fresh(OwnMethod):
    """A release drawn from the law of the file itself, with a leak in 1 in 20 records, or none."""

    law: Any = field(default=heaps)
    leak: Any = field(default=None)

    def __str__(self):
        return f"Fresh({getattr(self.law, '__name__', '')}, {getattr(self.leak, '__name__', None)})"

    def release(self, X, Y, run):
        rng = np.random.default_rng(int(1e9 * run.stream.runif(1)[0]))
        Z = self.law(X, rng)
        return Z if self.leak is None else self.leak(X, Y, Z, rng)


def some(n, rng):
    return rng.permutation(n)[: round(SHARE * n)]


def exact_copies(X, Y, Z, rng):
    """Originals in the place of other records."""
    Z[some(len(Z), rng)] = Y[some(len(Y), rng)]
    return Z


def near_copies(X, Y, Z, rng):
    """Own originals with noise of 1 per cent of a sd."""
    rows = some(len(Z), rng)
    Z[rows] = Y[rows] + 0.01 * Y.std(axis=0) * rng.normal(size=(len(rows), Y.shape[1]))
    return Z


def donors_residuals(X, Y, Z, rng):
    """The line at a record's own X with another record's residual."""
    A = np.column_stack([np.ones(len(X)), X])
    fitted = A @ np.linalg.lstsq(A, Y, rcond=None)[0]
    rows, donors = some(len(Z), rng), some(len(Y), rng)
    Z[rows] = fitted[rows] + (Y - fitted)[donors]
    return Z


def outliers_left_alone(X, Y, Z, rng):
    """Those furthest from the mean, as they came."""
    rows = np.argsort(-(((Y - Y.mean(axis=0)) / Y.std(axis=0)) ** 2).sum(axis=1))[: round(SHARE * len(Y))]
    Z[rows] = Y[rows]
    return Z


def narrow_window(X, Y, Z, rng):
    """Each value that of a record within 1 per cent of the ranks."""
    n, rows = len(Y), some(len(Z), rng)
    for j in range(Y.shape[1]):
        order = np.argsort(Y[:, j], kind="stable")
        rank = np.argsort(order)[rows] + rng.integers(-n // 100, n // 100 + 1, len(rows))
        Z[rows, j] = Y[order[np.clip(rank, 0, n - 1)], j]
    return Z


LEAKS = (exact_copies, near_copies, donors_residuals, outliers_left_alone, narrow_window)
