"""Values replaced by their group's mean: groups given, or runs of successive values of each attribute."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...engine import Engine, Local
from ...numerics.sorting import ordered
from ...progress import OnStep, discard_steps
from ...types import Array, Integers
from .univariate import ranked_groups

PLAIN = 200_000  # values up to which numpy is done before numba would be loaded
RUNS_PLAIN = 1_000_000  # the same for runs, where more of the work is numpy's sort
RUNS_PLAIN_WHEN_LOADED = 50_000
LONG_RUN = 32  # values from which a run is not sorted by insertion


def group_means(Y: Array, labels: Integers) -> Array:
    """Y (n, t) with every value replaced by its group's mean; labels (n,) from 0, none skipped.

    A group of one value keeps it to the last digit, since differences from the group's first record are averaged.
    """
    return plain_means(Y, labels) if Y.size <= PLAIN else compiled_means(Y, labels)


def compiled_means(Y: Array, labels: Integers) -> Array:
    """group_means for long files."""
    from .means_kernels import fill_means

    out, labels = np.empty(Y.shape), np.ascontiguousarray(labels)
    anchors, sums, sizes = np.empty((3, int(labels.max()) + 1))
    for j in range(Y.shape[1]):
        fill_means(Y[:, j], labels, anchors, sums, sizes, out[:, j])
    return out


def plain_means(Y: Array, labels: Integers) -> Array:
    """group_means in numpy: for short files, and the plain twin of means_kernel."""
    sizes = np.bincount(labels)
    anchors = Y[np.unique(labels, return_index=True)[1]]
    D = Y - anchors[labels]
    means = np.column_stack([np.bincount(labels, weights=d) / sizes for d in D.T])
    return (anchors + means)[labels]


def run_means(
    Y: Array,
    columns: Sequence[tuple[int, int]],
    out: Array,
    on_step: OnStep = discard_steps,
    engine: Engine | None = None,
) -> None:
    """Of Y (n, t) each of `columns` (j, k) on its own: out's column j gets the means of its ranked_groups of k, 1 to n.

    Long files go attribute by attribute over the engine's threads (None is Local()), which does not show in the result.
    told : called with (attributes begun before, of how many).
    Source: Defays and Nanopoulos (1993).
    """
    if len(Y) * len(columns) <= (RUNS_PLAIN_WHEN_LOADED if "numba" in sys.modules else RUNS_PLAIN):
        for done, (j, k) in enumerate(columns):
            on_step(done, len(columns))
            out[:, [j]] = plain_means(Y[:, [j]], ranked_groups(Y[:, j], k))
    else:
        (engine or Local()).total(_Runs(Y, out), _in_turn(columns, on_step))


def _in_turn(columns: Sequence[tuple[int, int]], on_step: OnStep) -> Iterator[tuple[int, int]]:
    for done, column in enumerate(columns):
        on_step(done, len(columns))
        yield column


def run_sizes(n: int, k: int) -> Integers:
    """The sizes of the ranked_groups of k among n."""
    sizes = np.full(n // k, k)
    sizes[-1] += n % k
    return sizes


@dataclass(frozen=True)
class _Runs:
    """An engine's kernel that fills `out`; its blocks are attributes, (j, k), and there is nothing to sum."""

    Y: Array
    out: Array

    def part(self, block: tuple[int, int]) -> None:
        from .means_kernels import fill_run_means

        j, k = block
        if k >= LONG_RUN:
            self.out[:, [j]] = compiled_means(self.Y[:, [j]], ranked_groups(self.Y[:, j], k))
            return
        order, ranked = ordered(self.Y[:, j])
        column = np.empty(len(order))
        fill_run_means(order, ranked, k, column)
        self.out[:, j] = column

    def add(self, a: None, b: None) -> None:
        return None
