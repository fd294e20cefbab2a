"""Point masses in the model release: which columns are on one together is drawn for every record from a model given X,
with as many records on each as the original has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..rstream import RStream
from ..types import Array, Integers, Mask
from .margins import FEWEST, point_masses

SHARE = 0.05  # of the records that a heap has at least
MOST = 2  # point masses of a column; where more values are frequent they are distinguished by rank
SAMPLE = 20_000  # records, evenly spaced, that the chances are fitted to
ALIKE = 20  # records of one pattern, from which on what none or hardly any of them does is a rule
HARDLY = 0.1  # of those records, and fewer than 10, are hardly any
RIDGE, STEPS = 1.0, 12


@dataclass(frozen=True)
class Heaps:
    """values, columns (k,) : the heaps and the columns they are in; on (n, k) which records are on which."""

    values: Array
    columns: Integers
    on: Mask

    def of(self, j: int) -> Integers:
        """The heaps of column j."""
        return np.flatnonzero(self.columns == j)


def heaps_of(Y: Array) -> Heaps:
    """The heaps of Y (n, t): at most two point masses a column, each of a twentieth of the records at least.

    Where fewer than ten records are on no heap of a column, they are counted to the nearest one.
    """
    found = [(j, value) for j, y in enumerate(Y.T) for value in _frequent(y)]
    columns = np.array([j for j, _ in found], dtype=np.int64)
    values = np.array([value for _, value in found], dtype=np.float64)
    on = Y[:, columns] == values
    heaps = Heaps(values, columns, on)
    for j in range(Y.shape[1]):
        here = heaps.of(j)
        free = ~on[:, here].any(axis=1)
        if len(here) and free.sum() < FEWEST:
            for record in np.flatnonzero(free):
                on[record, here[np.abs(values[here] - Y[record, j]).argmin()]] = True
    return heaps


def _frequent(y: Array) -> Array:
    """(at most 2,) The heaps of y (n,), ascending."""
    values, counts = point_masses(y)
    order = np.argsort(-counts, kind="stable")[:MOST]
    return np.sort(values[order[counts[order] >= SHARE * len(y)]])


def drawn_heaps(F: Array, heaps: Heaps, stream: RStream) -> Mask:
    """(n, k) which heaps the released records are on, heap after heap.

    F (n, q), what is given; heaps.on (n, k), the originals. Each heap by a logistic regression on F and the heaps before it, and
    as many records as are on it in the original. A record is on one heap of a column at most, and on one at least where the
    originals are. Where hardly a record (fewer than 10, and than a tenth) of those alike in a heap before, or in all of them, is
    on it, or off it, none is. Draws: n uniforms a heap. Source: order sampling, Rosén (1997).
    """
    on = heaps.on
    n, k = on.shape
    drawn = np.zeros((n, k), dtype=bool)
    alike = np.zeros(2 * n, dtype=np.int64)  # which records, original and then released, agree in all heaps so far
    rows = np.arange(n) if n <= SAMPLE else np.linspace(0, n - 1, SAMPLE).astype(np.intp)
    for b in range(k):
        u = stream.runif(n)
        before = np.hstack([F[rows], on[rows, :b]])
        chance = np.hstack([np.ones((n, 1)), F, drawn[:, :b]]) @ _logistic(before, on[rows, b])
        rule = _ruled(on[:, :b], on[:, b], drawn[:, :b], alike)
        here = heaps.of(int(heaps.columns[b]))
        taken = drawn[:, here].any(axis=1)
        if b == here[-1] and on[:, here].any(axis=1).all():
            rule[:] = 1
        rule[taken] = 0
        open_ = np.flatnonzero(rule < 0)
        wanted = int(np.clip(on[:, b].sum() - (rule == 1).sum(), 0, len(open_)))
        drawn[:, b] = rule == 1
        drawn[open_[_sampled(chance[open_], wanted, u[open_])], b] = True
        alike = np.unique(2 * alike + np.concatenate([on[:, b], drawn[:, b]]), return_inverse=True)[1]
    return drawn


def _ruled(before: Mask, on: Mask, released: Mask, alike: Integers) -> Integers:
    """(n,) 1 or 0 where a released record must be on or off by what its own heaps before say, -1 where it is open."""
    n = len(on)
    must_on, must_off = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    for group in (*np.vstack([before, released]).T.astype(np.int64), alike):
        sizes = np.bincount(group[:n], minlength=group.max() + 1)
        hits = np.bincount(group[:n], weights=on, minlength=group.max() + 1)
        few, known = np.minimum(FEWEST, HARDLY * sizes), sizes >= ALIKE
        must_on |= (known & (sizes - hits < few))[group[n:]]
        must_off |= (known & (hits < few))[group[n:]]
    return np.where(must_on == must_off, -1, must_on).astype(np.int64)


def _logistic(F: Array, on: Mask) -> Array:
    """(1 + q,) of a logistic regression with a ridge, by Newton's method."""
    A = np.hstack([np.ones((len(F), 1)), F])
    ridge = np.diag(np.r_[1e-6, np.full(F.shape[1], RIDGE)])
    beta = np.zeros(A.shape[1])
    for _ in range(STEPS):
        p = _chance(A @ beta)
        weight = np.maximum(p * (1 - p), 1e-6)
        beta += np.linalg.solve((A * weight[:, None]).T @ A + ridge, A.T @ (on - p) - ridge @ beta)
    return beta


def _chance(logits: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -40, 40))))


def _sampled(logits: Array, wanted: int, u: Array) -> Integers:
    """`wanted` of the records, each with about its own chance, all chances moved so that they add up to that many."""
    if wanted in (0, len(logits)):
        return np.arange(wanted)
    low, high = -100.0, 100.0
    for _ in range(60):
        shift = (low + high) / 2
        low, high = (shift, high) if _chance(logits + shift).sum() < wanted else (low, shift)
    keys = np.log(u / (1 - u)) - (logits + low)
    return np.argsort(keys, kind="stable")[:wanted]
