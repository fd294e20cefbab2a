"""Distance-based record linkage: the share of originals whose own protected record is the nearest, by several distances.

Short files: all pairs. Long files: a scan against a sample of the protected records, then a k-d tree for the rest.
Records with missing cells: by their observed columns, among the protected records that have these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..engine import Engine, dispatch
from ..engine.engines import side_by_side
from ..numerics.box_tree import BoxTree, box_tree, in_blocks
from ..numerics.location import Location, location, row_blocks, scores, standardise_pair
from ..numerics.moments import whitener
from ..types import TIE, Array, Index, Rows

SECONDS_PER_DIFFERENCE = 4e-9  # of numpy, for a difference of two values
# Blocks of protected records that originals are compared with before a tree is built.
SAMPLED_BLOCKS = 64
# If a larger share of the originals has no closer record in the first block, the files are alike: the scan only costs time.
MAX_SURVIVING_SHARE = 0.9
PARTS = 16  # of the originals, for threads
SEED = 20020527  # of the sample, and of the combination of columns: no result depends on them
# Least variance of differences, the variance of the files being 1: see `whitened`.
LEAST = 1e-12
VERY_FAR = 1e140  # standard deviations; the square of a larger one overflows


def nearest_share(X: Array, Z: Array, own: Rows | None = None, *, engine: Engine | None = None) -> Array:
    """Contribution of each original to the share of correct links by distance.

    X : (n, p) originals and Z : (N, p) protected records, already in the units of the distances.
    own : (n,) position in Z of each original's own record; None pairs by position.
    engine : a local one, for the threads of long files; None is Local().
    Returns (n,): 1/t where own is among the t protected records at the smallest Euclidean distance
    (distances equal to 1e-12 relative are ties), else 0. Long files take compiled code with the same result.
    Source: thesis 2.4.2, algorithm 1; ties shared, so that the order of a file does not matter.
    """
    own = np.arange(len(X)) if own is None else own
    if not worth_compiling("linkage/nearest_kernels", X.size * len(Z)):
        return all_pairs_share(X, Z, own)
    return searched_share(X, Z, own, engine)


def all_pairs_share(X: Array, Z: Array, own: Rows) -> Array:
    """nearest_share by all n N distances: for short files, and the reference implementation."""
    return 1 / all_pairs_ties(X, Z, squared_distances_by_row(X, Z[own]), with_own=True)


def all_pairs_ties(X: Array, Z: Array, distance: Array, *, with_own: bool) -> Array:
    """The ties (n,) of SearchedRecords, by all n N distances. with_own : whether the own records are among Z (N, p)."""
    own = np.sqrt(distance)
    ties = np.empty(len(X))
    by_column = np.ascontiguousarray(Z.T)
    for rows in row_blocks(len(X), len(Z)):
        d = _squared_distances(X[rows].T[:, :, None], by_column)
        np.sqrt(d, out=d)
        least = d.min(axis=1)
        if not with_own:
            least = np.minimum(least, own[rows])
        reach = least * (1 + TIE)
        tied = (d <= reach[:, None]).sum(axis=1)
        ties[rows] = np.where(own[rows] <= reach, tied, np.inf)
    return ties


def squared_distances_by_row(X: Array, Z: Array) -> Array:
    """The squared distances (n,) of the rows of X (n, p) to those of Z (n, p)."""
    return _squared_distances(X.T, Z.T)


def worth_compiling(kernels: str, differences: int) -> bool:
    """True if so many differences of two values repay the compilation of these kernels; the results are the same."""
    return dispatch.compiled(kernels, SECONDS_PER_DIFFERENCE * differences)


def _squared_distances(X: Array, Z: Array) -> Array:
    """Sums of squared differences over the first axis, the attributes, one after the other; other axes are broadcast."""
    # Explicit differences: |x|^2 + |z|^2 - 2 x'z loses the small distances that decide.
    total = np.zeros(np.broadcast_shapes(X.shape[1:], Z.shape[1:]))
    difference = np.empty_like(total)  # written again for each attribute: new arrays of this size take longer
    for x, z in zip(X, Z, strict=True):
        np.subtract(x, z, out=difference)
        difference *= difference
        total += difference
    return total


def searched_share(X: Array, Z: Array, own: Rows, engine: Engine | None = None) -> Array:
    """nearest_share without all pairs, and equal to it: a scan against a sample, then a k-d tree over distinct rows.

    X, Z, own, engine : as in nearest_share. Work about n log N p.
    """
    X = np.ascontiguousarray(X)
    distance = squared_distances_by_row(X, Z[own])
    return 1 / SearchedRecords(Z, engine).ties(X, distance, own)


class SearchedRecords:
    """Protected records (N, p), prepared for searches: a sample, and a tree that is built when it is first needed."""

    def __init__(self, Z: Array, engine: Engine | None = None) -> None:
        from .nearest_kernels import BLOCK

        self.Z = Z + 0.0  # -0.0 becomes 0.0
        self.engine = engine
        # Most originals have a closer record in a small sample, which is random, since files are often sorted.
        sample = np.random.default_rng(SEED).permutation(len(Z))[: SAMPLED_BLOCKS * BLOCK]
        self.sampled = in_blocks(self.Z[sample], BLOCK)

    @cached_property
    def tree(self) -> DistinctTree:
        """The tree over the distinct rows."""
        return DistinctTree.of(self.Z)

    def ties(self, X: Array, distance: Array, own: Rows | None = None) -> Array:
        """Numbers (n,) of the records at the smallest distance from each original; infinite where that is not its own record's.

        X : (n, p); distance : (n,) squared, of each original to its own record; own : (n,) positions of the own records, None
        where they are not among these records: then they are not counted.
        """
        from .nearest_kernels import scan, tied_by_tree

        X = np.ascontiguousarray(X)
        ties = np.full(len(X), np.inf)

        def without_closer_record(some: Index) -> Index:
            """The originals that have no closer record in the sample. scan() moves them to the front."""
            left = some[: scan(X, distance, self.sampled[:1], some)]
            if len(left) > MAX_SURVIVING_SHARE * len(some):
                return left
            return left[: scan(X, distance, self.sampled[1:], left)]

        rows = _in_parts(without_closer_record, np.arange(len(X)), self.engine)
        if not len(rows):
            return ties

        # A tree decides the others. Originals whose own records are near in it are searched one after the other, while these
        # leaves are in cache.
        tree = self.tree
        if own is not None:
            rows = rows[np.argsort(tree.place[own[rows]], kind="stable")]
        own_records = 0 if own is None else 1

        def settle(some: Index) -> Index:
            """Fills the ties of some originals by the tree."""
            boxes = tree.boxes
            tied_by_tree(X, distance, boxes.leaves, tree.copies, boxes.low, boxes.high, some, own_records, ties)
            return some

        _in_parts(settle, rows, self.engine)
        return ties


@dataclass(frozen=True)
class DistinctTree:
    """A tree over the distinct rows of a table (N, p)."""

    boxes: BoxTree
    """The tree."""
    copies: Index
    """(leaves, LANES) how many rows of the table equal each row of the tree; 0 where a leaf is short."""
    place: Index
    """(N,) the place of each row of the table in the tree."""

    @classmethod
    def of(cls, Z: Array) -> DistinctTree:
        """The tree of a table."""
        distinct = _distinct_rows(Z)
        boxes = box_tree(Z[distinct.first])
        copies = np.where(boxes.names >= 0, distinct.copies[boxes.names], 0).reshape(len(boxes.leaves), -1)
        place_in_tree = np.argsort(boxes.names[: len(distinct.first)])
        return cls(boxes, copies, place_in_tree[distinct.group])


class ProtectedRecords:
    """Protected records (N, p) that originals of several blocks are compared with: searched where that repays compilation."""

    def __init__(self, Z: Array, engine: Engine | None = None) -> None:
        self.Z = Z
        self.engine = engine

    @cached_property
    def searched(self) -> SearchedRecords:
        """The records, prepared for searches."""
        return SearchedRecords(self.Z, self.engine)

    def ties(self, X: Array, distance: Array, own: Rows | None = None) -> Array:
        """As of SearchedRecords, which is used for many pairs."""
        if worth_compiling("linkage/nearest_kernels", X.size * len(self.Z)):
            return self.searched.ties(X, distance, own)
        return all_pairs_ties(X, self.Z, distance, with_own=own is not None)


def _in_parts(work: Callable[[Index], Index], rows: Index, engine: Engine | None) -> Index:
    """work(rows) by parts of the rows, on threads where that pays."""
    parts = np.array_split(rows, PARTS)
    return np.concatenate(side_by_side(lambda k: work(parts[k]), PARTS, len(rows) * SAMPLED_BLOCKS, engine))


@dataclass(frozen=True)
class DistinctRows:
    """The distinct rows of a table (N, p)."""

    first: Index
    """The position of one row of each kind, (D,)."""
    group: Index
    """The kind of each row of the table, (N,)."""
    copies: Index
    """Numbers (D,) of rows of each kind."""


def _distinct_rows(Z: Array) -> DistinctRows:
    """The distinct rows of Z (N, p).

    They are found by one random combination of the columns, which sorts faster than rows do. If two different rows have
    the same value of it, the columns themselves are compared.
    """
    key = np.zeros(len(Z))
    random = np.random.default_rng(SEED)
    with np.errstate(all="ignore"):
        for z in Z.T:
            key += z * random.normal()
    _, first, group, copies = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    if not np.array_equal(Z[first[group]], Z):
        _, first, group, copies = np.unique(Z, axis=0, return_index=True, return_inverse=True, return_counts=True)
    return DistinctRows(first, group, copies)


@dataclass(frozen=True)
class Group:
    """Records with the same observed columns."""

    rows: Rows
    """Positions (k,) of the records."""
    columns: Rows
    """Positions of their observed columns."""
    candidates: Rows
    """Positions (m,) of the records that have all of these columns."""

    @property
    def own(self) -> Rows:
        """Positions (k,) of the records among the candidates."""
        return np.searchsorted(self.candidates, self.rows)

    def of(self, X: Array, Z: Array) -> tuple[Array, Array]:
        """The records in X and the candidates in Z, in the observed columns."""
        return X[np.ix_(self.rows, self.columns)], Z[np.ix_(self.candidates, self.columns)]


def groups(X: Array) -> Iterator[Group]:
    """The records of X (n, p), NaN for missing, in groups by their observed columns."""
    observed = ~np.isnan(X)
    kinds, kind_of_record = np.unique(observed, axis=0, return_inverse=True)
    for k, has in enumerate(kinds):
        yield Group(
            rows=np.flatnonzero(kind_of_record == k),
            columns=np.flatnonzero(has),
            candidates=np.flatnonzero(observed[:, has].all(axis=1)),
        )


def whitened(X: Array, Z: Array) -> tuple[Array, Array]:
    """Columns (n, r) X T and Z T of files X and Z (n, p), paired by position: |x T - z T|^2 = (x - z)' S^- (x - z).

    The squared distance between them is that of Mahalanobis, with S = Var X + Var Z - Cov - Cov', the covariance of the
    differences (divisor n - 1), and T T' = S^-. S^- is the pseudo-inverse over the directions in which either file varies. If a
    direction varies but its differences do not (an attribute released unchanged), the plain pseudo-inverse would ignore a
    direction that identifies records. Here its weight is the limit of small differences, so that it decides first.
    Source: Torra, Abowd and Domingo-Ferrer (2006); Abril, Navarro-Arribas and Torra (2012); the limit is ours.
    """
    x = location(X)
    z = location(Z)
    # Columns in comparable units, the root of the sum of both variances, in which T is computed and applied.
    unit = np.hypot(x.sd, z.sd)
    T = _transformation(scores(X, replace(x, sd=unit)), scores(Z, replace(z, sd=unit)))
    # One origin for both files, since their difference counts; clipped, so that squares do not overflow.
    origin = Location(x.origin, np.zeros_like(unit), unit)
    a = np.clip(scores(X, origin), -VERY_FAR, VERY_FAR)
    b = np.clip(scores(Z, origin), -VERY_FAR, VERY_FAR)
    return _mapped(a, T), _mapped(b, T)


def _transformation(X: Array, Z: Array) -> Array:
    """T (p, r) with T T' = S^-, for centred X and Z (n, p) in comparable units.

    First both files are whitened by W, so that every direction in which either varies has variance 1. Then the differences
    D = (X - Z) W are divided by their standard deviations along their principal directions. With D'D / (n - 1) = V diag(v) V'
    it is T = W V diag(v^-1/2), v at least LEAST where the differences do not vary.
    """
    freedom = max(len(X) - 1, 1)
    W = whitener((X.T @ X + Z.T @ Z) / freedom)
    D = (X - Z) @ W
    variances, directions = np.linalg.eigh(D.T @ D / freedom)
    return W @ (directions / np.sqrt(np.maximum(variances, LEAST)))


def _mapped(A: Array, T: Array) -> Array:
    """The product A T, (n, r), in which equal rows of A stay equal: they are ties.

    The rounding of A @ T depends on the position of a row.
    """
    mapped = np.zeros((len(A), T.shape[1]))
    for a, row in zip(A.T, T, strict=True):
        mapped += a[:, None] * row
    return mapped


def weighted_share(X: Array, Z: Array, w: Array) -> Array:
    """Shares (n,): 1/t where an original's own record is among the t protected ones of least weighted distance, else 0.

    X, Z : (n, p) paired by position; each is standardised by its own mean and sd (n - 1).
    w : (p,) weights of the squared differences, at least 0, not all 0; only their proportions matter.
    Equal weights give distance-based record linkage exactly.
    Source: Abril, Navarro-Arribas and Torra (2012).
    """
    root = np.sqrt(w / w.max())  # divided by the largest, so that equal weights change no bit
    x, z = standardise_pair(X, Z)
    return nearest_share(x * root, z * root)
