"""Identifiers in parts: key variables that together number the records, as an area and a number in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...data import Frame, SampleUniques
from ...data.codes import combinations as joined
from ...data.codes import factorized
from ...rstream import RStream
from ...types import Codes
from ..systematic_sample import SAMPLE

MOST_COLUMNS = 12  # that are combined, those of most values
MOST_PARTS = 4  # of an identifier
LEAST_EXPECTED = 20  # pairs of records that independent columns would make equal
FEWER = 0.25  # of these, up to which columns are parts of an identifier; an honest file has .4
SEED = 1  # of the sample


@dataclass(frozen=True)
class SplitIdentifier:
    """Key variables that together number the records."""

    parts: tuple[str, ...]
    """The key variables."""
    unique: int
    """The records that no other one equals in them."""
    records: int
    """The records that were compared."""

    @property
    def share(self) -> float:
        """Per cent of the records that are unique."""
        return 100 * self.unique / self.records


def split_identifier(protected: Frame, unmodified: SampleUniques) -> SplitIdentifier | None:
    """Two to four key variables that are a number in parts, the fewest; None without, or where units are counted.

    Let a column give two records the same value with chance p. Then q columns that do not depend on each other give all q
    values to p_1 ... p_q n (n - 1) / 2 pairs of records, and related columns to more. Columns are parts of a number if far
    fewer pairs are equal than independent columns give.
    """
    if unmodified.what != "records":
        return None
    n = protected.records
    rows = np.arange(n)
    if n > SAMPLE:
        rows = np.sort(RStream(SEED).sample_int(n, SAMPLE) - 1)
    names = [name for name in unmodified.columns if name in protected.names]
    codes = {name: factorized(protected.codes(name)[rows] + 1)[0] for name in names}
    all_pairs = len(rows) * (len(rows) - 1) / 2
    chances = {name: _equal_pairs(codes[name]) / max(all_pairs, 1) for name in names}
    # Columns that are most alike unique leave most pairs to explain: a column of one value says nothing.
    names = sorted((name for name in names if 0 < chances[name] < 1), key=chances.__getitem__)[:MOST_COLUMNS]
    found = list[SplitIdentifier]()
    for size in range(2, MOST_PARTS + 1):
        for parts in combinations(names, size):
            expected = all_pairs * math.prod(chances[name] for name in parts)
            if expected < LEAST_EXPECTED:
                continue
            together = joined(np.column_stack([codes[name] for name in parts]))
            if _equal_pairs(together) <= FEWER * expected:
                unique = int((np.bincount(together) == 1).sum())
                in_order = tuple(name for name in unmodified.columns if name in parts)
                found.append(SplitIdentifier(in_order, unique, len(rows)))
        if found:
            return max(found, key=lambda each: each.unique)
    return None


def _equal_pairs(codes: Codes) -> float:
    """The pairs of records with equal codes (n,)."""
    counts = np.bincount(codes).astype(float)
    return float((counts * (counts - 1)).sum() / 2)
