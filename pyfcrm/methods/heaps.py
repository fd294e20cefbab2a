"""Heaps: values that so many records share that they are a state of their own, such as zero; which columns are on one
together is drawn for every record from a model given X, with as many records on each heap as the original has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..rstream import RStream
from ..types import Array, Integers, Mask

HEAP = 3  # records: what fewer share is nobody's to hand out
SHARE, FEWEST = 0.05, 10  # of the records that a heap has at least, and records
MOST = 2  # heaps of a column; where more values are frequent they are told apart by rank
SAMPLE = 20_000  # records, evenly spaced, that the chances are fitted to
ALIKE = 20  # records of one pattern, from which on what none or hardly any of them does is a rule
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
    """The heaps of Y (n, t): at most two values a column, each of a twentieth of the records and of ten at least.

    Values beside the heaps that fewer than three records have between them are counted to the nearest heap.
    """
    found = [(j, value) for j, y in enumerate(Y.T) for value in _frequent(y)]
    columns = np.array([j for j, _ in found], dtype=np.int64)
    values = np.array([value for _, value in found], dtype=np.float64)
    on = Y[:, columns] == values
    heaps = Heaps(values, columns, on)
    for j in range(Y.shape[1]):
        here = heaps.of(j)
        free = ~on[:, here].any(axis=1)
        if len(here) and free.sum() < HEAP:
            for record in np.flatnonzero(free):
                on[record, here[np.abs(values[here] - Y[record, j]).argmin()]] = True
    return heaps


def _frequent(y: Array) -> Array:
    values, counts = np.unique(y, return_counts=True)
    if len(values) == 1:
        return values
    order = np.argsort(-counts, kind="stable")[:MOST]
    return np.sort(values[order[counts[order] >= max(SHARE * len(y), FEWEST)]])


def drawn_heaps(F: Array, on: Mask, stream: RStream) -> Mask:
    """(n, k) which heaps the released records are on, heap after heap.

    F (n, q), what is given; on (n, k), the originals. Each heap by a logistic regression on F and the heaps before it, and as
    many records as are on it in the original; where hardly a record (fewer than 3) of those alike in a heap before, or in all
    of them, is on it, or off it, none is. Draws: n uniforms a heap. Source: order sampling, Rosén (1997).
    """
    n, k = on.shape
    drawn = np.zeros((n, k), dtype=bool)
    alike = np.zeros(2 * n, dtype=np.int64)  # which records, original and then released, agree in all heaps so far
    rows = np.arange(n) if n <= SAMPLE else np.linspace(0, n - 1, SAMPLE).astype(np.intp)
    for b in range(k):
        u = stream.runif(n)
        before = np.hstack([F[rows], on[rows, :b]])
        chance = np.hstack([np.ones((n, 1)), F, drawn[:, :b]]) @ _logistic(before, on[rows, b])
        rule = _ruled(on[:, :b], on[:, b], drawn[:, :b], alike)
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
    for k in range(before.shape[1]):
        for state in (False, True):
            among = before[:, k] == state
            _settle(int(among.sum()), int((among & on).sum()), released[:, k] == state, must_on, must_off)
    sizes = np.bincount(alike[:n], minlength=alike.max() + 1)
    hits = np.bincount(alike[:n], weights=on, minlength=alike.max() + 1)
    known = sizes >= ALIKE
    must_on |= (known & (sizes - hits < HEAP))[alike[n:]]
    must_off |= (known & (hits < HEAP))[alike[n:]]
    return np.where(must_on == must_off, -1, must_on).astype(np.int64)


def _settle(size: int, hits: int, here: Mask, must_on: Mask, must_off: Mask) -> None:
    if size >= ALIKE and hits < HEAP:
        must_off |= here
    if size >= ALIKE and size - hits < HEAP:
        must_on |= here


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
