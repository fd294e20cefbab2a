"""When two numbers agree, and agreement patterns and links by looking at every pair: for short files, and the plain
twin of the compiled code.

No source says when numerical values agree, so the answer is always named beside the result.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..numerics.location import location, row_blocks
from ..types import TIE, Array, Index

Codes = NDArray[np.integer]
# Up to 2^p counters are simply laid out; beyond, only the patterns that occur are kept.
MOST_COUNTED_BITS = 16
# Up to 2^p counters are laid out; beyond, a table has room for so many, half of which can be used.
MOST_BITS = 20
MOST_KEYS = 1 << 21
FREE = -1


@dataclass(frozen=True)
class Comparison:
    """Pair (i, k) agrees on attribute j when |A[i, j] - B[k, j]| <= width[j].

    A (n, p) from the original, B (N, p) from the protected file, width (p,) in their units. A missing cell, NaN, agrees
    with nothing: it is kept as infinite, of another sign in either file.
    """

    A: Array
    B: Array
    width: Array

    def __post_init__(self) -> None:
        for name, beyond in (("A", np.inf), ("B", -np.inf)):
            values = getattr(self, name)
            if (missing := np.isnan(values)).any():
                object.__setattr__(self, name, np.where(missing, beyond, values))


class Agreement(Protocol):
    """A rule of agreement: its words for a reader, and the comparison it makes of two files."""

    @property
    def words(self) -> str: ...

    def comparison(self, X: Array, Z: Array) -> Comparison: ...


class AgreementInWidth(Agreement, Protocol):
    """A rule that needs nothing of a file but its standard deviations, so that records agree wherever they lie."""

    def width(self, sd: Array) -> Array: ...


@dataclass(frozen=True)
class Exact:
    """Two values agree when they are equal. Source: thesis 2.4.2."""

    @property
    def words(self) -> str:
        return "exact agreement"

    def comparison(self, X: Array, Z: Array) -> Comparison:
        """Width 0: a difference of floats is 0 only between equals."""
        return Comparison(X, Z, np.zeros(X.shape[1]))

    def width(self, sd: Array) -> Array:
        """(p,) how far apart values may be to agree, where the original's attributes have these standard deviations."""
        return np.zeros(len(sd))


@dataclass(frozen=True)
class Tolerance:
    """Two values agree within w standard deviations (n - 1) of the original attribute. Own design."""

    w: float = 0.1

    @property
    def words(self) -> str:
        return f"agreement within {self.w:g} sd"

    def comparison(self, X: Array, Z: Array) -> Comparison:
        """Width w sd(x); a constant attribute agrees only where equal."""
        return Comparison(X, Z, self.width(location(X).sd))

    def width(self, sd: Array) -> Array:
        """(p,) see Exact.width."""
        return np.asarray(self.w * sd)


@dataclass(frozen=True)
class Patterns:
    """The agreement patterns that occur: codes (K,), ascending, bit j for attribute j; counts (K,) of pairs."""

    codes: Codes
    counts: Codes


def pair_codes(comparison: Comparison, rows: slice) -> Codes:
    """Agreement of some originals with every protected record, (rows, N): bit j is set where attribute j agrees."""
    pairs = (rows.stop - rows.start, len(comparison.B))
    kind = np.uint16 if len(comparison.width) <= MOST_COUNTED_BITS else np.int64
    codes, difference = np.zeros(pairs, dtype=kind), np.empty(pairs)
    for j, width in enumerate(comparison.width):
        np.subtract(comparison.A[rows, j, None], comparison.B[:, j], out=difference)
        np.abs(difference, out=difference)
        codes |= (difference <= width) * kind(1 << j)
    return codes


def count_patterns(comparison: Comparison) -> Patterns:
    """How many of the n N pairs show each agreement pattern; blocks of rows, so memory stays small."""
    n, p = comparison.A.shape
    blocks = (pair_codes(comparison, rows) for rows in row_blocks(n, len(comparison.B)))
    if p <= MOST_COUNTED_BITS:
        laid_out = sum((np.bincount(codes.ravel(), minlength=1 << p) for codes in blocks), np.zeros(1 << p, np.int64))
        occur = np.flatnonzero(laid_out)
        return Patterns(occur, laid_out[occur])
    seen: Counter[int] = Counter()
    for codes in blocks:
        found, counts = np.unique(codes, return_counts=True)
        seen.update(dict(zip(found.tolist(), counts.tolist(), strict=True)))
    occur = np.array(sorted(seen), dtype=np.int64)
    return Patterns(occur, np.array([seen[code] for code in occur.tolist()], dtype=np.int64))


def link_share(comparison: Comparison, patterns: Patterns, weight: Array) -> Array:
    """1/t where an original's own record is among the t of largest weight, else 0; (n,)."""
    n, p = comparison.A.shape
    share = np.zeros(n)
    laid_out = np.zeros(1 << p if p <= MOST_COUNTED_BITS else 0)
    if laid_out.size:
        laid_out[patterns.codes] = weight
    for rows in row_blocks(n, len(comparison.B)):
        codes = pair_codes(comparison, rows)
        W = laid_out[codes] if laid_out.size else weight[np.searchsorted(patterns.codes, codes)]
        best = W.max(axis=1, keepdims=True)
        linked = best - W <= TIE * np.abs(best)
        share[rows] = linked[np.arange(len(W)), np.arange(rows.start, rows.stop)] / linked.sum(axis=1)
    return share


@dataclass(frozen=True)
class Counters:
    """keys (M + 1,): which pattern each counter is of, and last how many there are; none where counter g is g's."""

    keys: Index
    counts: Index

    @classmethod
    def empty(cls, p: int) -> Counters:
        """Of the patterns of p attributes."""
        if p <= MOST_BITS:
            return cls(np.empty(0, np.int64), np.zeros(1 << p, np.int64))
        keys = np.full(MOST_KEYS + 1, FREE)
        keys[-1] = 0
        return cls(keys, np.zeros(MOST_KEYS, np.int64))

    def patterns(self, pairs: int) -> Patterns:
        """The patterns that occur; of `pairs` in all those not counted show the pattern 0."""
        at = np.flatnonzero(self.counts)
        codes = at if not self.keys.size else self.keys[at]
        made = dict(zip(codes.tolist(), self.counts[at].tolist(), strict=True))
        made[0] = made.get(0, 0) + pairs - sum(made.values())
        codes = np.array(sorted(code for code, count in made.items() if count), dtype=np.int64)
        return Patterns(codes, np.array([made[code] for code in codes.tolist()], dtype=np.int64))


def placed_weights(patterns: Patterns, weight: Array, p: int) -> tuple[Index, Array]:
    """Keys as in Counters, and the weight of each pattern where its counter would be."""
    from .pair_kernels import place_of

    keys = Counters.empty(p).keys
    placed = np.zeros(MOST_KEYS if keys.size else 1 << p)
    at = [place_of(keys, code) for code in patterns.codes.tolist()] if keys.size else patterns.codes
    placed[at] = weight
    return keys, placed


def own_patterns(comparison: Comparison) -> Index:
    """(n,): the pattern of each original and the protected record at its position."""
    agrees = np.abs(comparison.A - comparison.B) <= comparison.width
    return np.asarray((agrees.astype(np.int64) << np.arange(agrees.shape[1])).sum(axis=1))
