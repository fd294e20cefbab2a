"""Agreement patterns and links by looking at every pair: for short files, and the plain twin of the compiled code."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .agreement import Comparison
from .distance import TIE, row_blocks

Array = NDArray[np.float64]
Codes = NDArray[np.integer]

# Up to 2^p counters are simply laid out; beyond, only the patterns that occur are kept.
MOST_COUNTED_BITS = 16


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
