"""Nearest-neighbour linkage of files that are too long to be linked at once: each block of protected records is indexed by itself.

The originals of a block are compared with its own protected records first. Most have a closer one there, and are done. The others
are kept in one table, and compared with the protected records of every other block in turn. So the number of trees grows with
the blocks, not with their pairs.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ..data.blocks import Records
from ..engine import Engine
from ..types import Array, Index
from .nearest import ProtectedRecords, squared_distances_by_row

Standardise = Callable[[Array], Array]


def nearest_share_by_blocks(
    rows: Records,
    places: Sequence[slice],
    scaled: tuple[Standardise, Standardise],
    *,
    engine: Engine,
    done: Callable[[int, int], object],
) -> Array:
    """Shares (n,) as of `nearest_share`, of paired records in blocks.

    rows : (n, 2 p), the originals, then the protected records; places : the blocks; scaled : functions of originals and of
    protected records of a block, to the units of the distances; done : receives the steps that are done, and their number.
    Memory holds two blocks, and 16 bytes a record.
    """
    scaled_original, scaled_release = scaled
    distance = np.empty(rows.n)  # squared, of each original to its own record
    ties = np.empty(rows.n)  # protected records at the distance of the own one; infinite where another is closer
    steps = 2 * len(places)
    # 1. Each original among the protected records of its own block.
    for k, block in enumerate(places):
        done(k, steps)
        originals, released = np.hsplit(rows.read(block), 2)
        X = scaled_original(originals)
        Z = scaled_release(released)
        distance[block] = squared_distances_by_row(X, Z)
        ties[block] = ProtectedRecords(Z, engine).ties(X, distance[block], own=np.arange(len(X)))
    # 2. Those without a closer record there, among the protected records of each other block.
    left = np.flatnonzero(np.isfinite(ties))
    table = _originals(rows, places, left, scaled_original)
    size = _longest(places)
    for k, block in enumerate(places):
        done(len(places) + k, steps)
        _, released = np.hsplit(rows.read(block), 2)
        protected = ProtectedRecords(scaled_release(released), engine)
        for first in range(0, len(left), size):
            some = slice(first, first + size)
            record = left[some]
            is_in_block = (record >= block.start) & (record < block.stop)
            compared = np.flatnonzero(~is_in_block & np.isfinite(ties[record]))
            if len(compared):
                record = record[compared]
                ties[record] += protected.ties(table.read(some)[compared], distance[record])
    return 1 / ties


def _originals(rows: Records, places: Sequence[slice], left: Index, scaled_original: Standardise) -> Records:
    """The originals at these ascending positions, in units of the distances: on disk where they are more than a block."""
    p = rows.p // 2
    table = Records.empty(len(left), p, on_disk=len(left) > _longest(places))
    for block in places:
        first, last = np.searchsorted(left, (block.start, block.stop))
        originals, _ = np.hsplit(rows.read(block), 2)
        table.A[first:last] = scaled_original(originals[left[first:last] - block.start])
    return table


def _longest(places: Sequence[slice]) -> int:
    """The number of records of the longest block."""
    return max(block.stop - block.start for block in places)
