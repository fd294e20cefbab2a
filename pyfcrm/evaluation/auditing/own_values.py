"""The values of a given release against those that its method makes from the same file.

An audit attacks releases that the method makes. A release that was edited afterwards, or that another method made, is not
among them. Releases that one method makes from one file are exchangeable. So the rank of the given release among others is a
p-value, whatever the figures by which it is compared. Source: Besag and Clifford (1991), sequential Monte Carlo p-values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data.blocks import Records
from ...numerics.location import location, scores
from ...rstream import RStream
from ...types import Array, Index, Rows
from ..systematic_sample import systematic_sample
from .attacks import NEAREST, Originals, attribute_pairs, nearest, ranked
from .pair_attack import NEAR, NEAR_PAIRS, pair_scores, reference_distances, released_distances

REPEATED = "repeated pairs of values"
ISOLATED = "isolated values"
EXTREMES = "units of extreme values"
WORDS = {
    NEAREST: "released records are nearer to original ones",
    NEAR_PAIRS: "released records are nearer to original ones in pairs of columns",
    REPEATED: "more original records have two values of a released one",
    ISOLATED: "released values are nearer to the most isolated ones",
    EXTREMES: "released records are nearer to the units of extreme values",
}
EQUAL = 1e-3  # of a standard deviation: values that differ by less are equal
MOST_EXTREME = 20  # units with the largest values of a column, and with the smallest, that are compared in all columns
MOST_ISOLATED = 20  # values of a column, or pairs of values of two, that are compared apart from the rest
FIRST = 2  # releases of the method with which the given one is compared
SOME = 9  # if it is FAR above these
ALL = 99  # if it may be more extreme than these, and is not BEYOND_DOUBT
FAR = 3.0  # standard errors
BEYOND_DOUBT = 10.0
MAY_BE_CHANCE = 0.2  # a p-value above which no further release is made
SURE = 0.01
Scores = Mapping[str, Array]
"""By figure, scores of original records for one release, larger for nearer values; the figure is their sum."""


@dataclass(frozen=True)
class Isolated:
    """The most isolated originals in one column or two."""

    columns: Index
    """The positions of the columns."""
    rows: Rows
    """(k,) the originals."""
    apart: Array
    """(k,) their distances to the nearest other original, in standard deviations."""


@dataclass(frozen=True)
class Compared:
    """The original records with which releases are compared."""

    Y: Array
    """(n, t) their confidential values."""
    sample: Originals
    """At most 5,000 of them, with ranks."""
    in_pairs: Array
    """(r, m) distances of the sample to the nearest other original in pairs of columns, in ranks."""
    isolated: tuple[Isolated, ...]
    """The most isolated values of each column, and of each pair of columns."""
    extremes: Isolated
    """The units of the extreme values of any column, in all columns together."""

    @classmethod
    def of(cls, Y: Array, stream: RStream) -> Compared:
        """The originals with values Y (n, t). Draws: a permutation of the records where they are many."""
        rows = systematic_sample(np.zeros(len(Y), dtype=np.int64), None, stream)
        sample = Originals.of(Y[rows])
        S = scores(Y, location(Y))
        single = [np.array([j]) for j in range(Y.shape[1])]
        isolated = tuple(_most_isolated(S, columns) for columns in [*single, *attribute_pairs(Y.shape[1]).T])
        return cls(
            Y=Y, sample=sample, in_pairs=reference_distances(sample), isolated=isolated, extremes=_extreme_units(S)
        )

    def scores(self, blocks: Iterable[Array]) -> Scores:
        """Scores of original records for a release, which is in some blocks (b, t) of records."""
        near: Distances | None = None
        for Z in blocks:
            of_block = self._distances(Z)
            near = of_block if near is None else near.smaller(of_block)
        assert near is not None
        isolated = [_nearness(*each) for each in zip(self.isolated, near.isolated, strict=True)]
        return {
            NEAREST: np.log(self.sample.in_ranks + NEAR) - np.log(near.in_ranks + NEAR),
            NEAR_PAIRS: pair_scores(self.in_pairs, near.in_pairs),
            # In how many pairs of columns a record's values are those of one released record; with one column, in this one.
            REPEATED: np.isfinite(near.in_values).sum(axis=0).astype(float),
            ISOLATED: np.concatenate(isolated),
            EXTREMES: _nearness(self.extremes, near.extremes),
        }

    def _distances(self, Z: Array) -> Distances:
        """The distances of the originals to the nearest of some released records Z (b, t)."""
        where = location(self.Y)
        S = scores(self.Y, where)
        R = scores(Z, where)
        t = S.shape[1]
        pairs = attribute_pairs(t).T if t > 1 else np.array([[0]])
        in_values = [
            _tree(R[:, columns] / EQUAL).query(S[:, columns] / EQUAL, p=np.inf, distance_upper_bound=1.0)[0]
            for columns in pairs
        ]
        return Distances(
            in_ranks=nearest(self.sample.ranks, ranked(Z, self.sample.Y))[0],
            in_pairs=released_distances(self.sample, Z),
            in_values=np.array(in_values),
            isolated=tuple(_to_nearest(isolated, S, R) for isolated in self.isolated),
            extremes=_to_nearest(self.extremes, S, R),
        )


@dataclass(frozen=True)
class Distances:
    """The distances of original records to the nearest of some released ones."""

    in_ranks: Array
    """(m,) of the sample, in ranks over all columns."""
    in_pairs: Array
    """(r, m) of the sample, in ranks over each pair of columns."""
    in_values: Array
    """(r, n) of all originals, the largest in a pair of columns, relative to EQUAL; infinite above 1."""
    isolated: tuple[Array, ...]
    """Of the isolated originals of each column or pair of columns, in standard deviations."""
    extremes: Array
    """Of the units of extreme values, in standard deviations."""

    def smaller(self, other: Distances) -> Distances:
        """The distances to the nearest record of both parts of a release."""
        isolated = [np.minimum(*both) for both in zip(self.isolated, other.isolated, strict=True)]
        return Distances(
            in_ranks=np.minimum(self.in_ranks, other.in_ranks),
            in_pairs=np.minimum(self.in_pairs, other.in_pairs),
            in_values=np.minimum(self.in_values, other.in_values),
            isolated=tuple(isolated),
            extremes=np.minimum(self.extremes, other.extremes),
        )


def compared_rows(table: Records, stream: RStream) -> Rows:
    """The originals to compare, of a file (n, t) that memory may not hold: a random sample, and the extreme values of each column.

    Draws: a permutation of the records where they are many.
    """
    sample = systematic_sample(np.zeros(table.n, dtype=np.int64), None, stream)
    if len(sample) == table.n:
        return sample
    extreme = [_extreme_rows(table.column(j)) for j in range(table.p)]
    return np.unique(np.concatenate([sample, *extreme]))


def _to_nearest(isolated: Isolated, S: Array, R: Array) -> Array:
    """(k,) the distances of some originals of S (n, t) to the nearest released record of R (b, t) in their columns."""
    columns = isolated.columns
    return np.asarray(_tree(R[:, columns]).query(S[np.ix_(isolated.rows, columns)])[0])


def _nearness(isolated: Isolated, distance: Array) -> Array:
    """(k,) squared logs of how much nearer a release is to some originals than others are; 0 where it is not nearer.

    Squares: one value that is met exactly counts as much as many that are met roughly.
    """
    nearer = np.log(isolated.apart + EQUAL) - np.log(distance + EQUAL)
    return np.asarray(np.maximum(nearer, 0.0) ** 2)


def _most_isolated(S: Array, columns: Index) -> Isolated:
    """The originals S (n, t), in standard deviations, that are furthest from all others in some columns."""
    A = S[:, columns]
    apart = _tree(A).query(A, k=[2])[0][:, 0]  # the nearest is the record itself
    rows = np.argsort(-apart, kind="stable")[:MOST_ISOLATED]
    return Isolated(columns=columns, rows=rows, apart=apart[rows])


def _extreme_units(S: Array) -> Isolated:
    """The originals S (n, t), in standard deviations, with the largest and the smallest values of each column."""
    rows = _extreme_rows(S)
    apart = _tree(S).query(S[rows], k=[2])[0][:, 0]
    return Isolated(columns=np.arange(S.shape[1]), rows=rows, apart=apart)


def _extreme_rows(A: Array) -> Rows:
    """The rows of the largest and the smallest values of each column of A (n, p)."""
    order = np.argsort(A, axis=0, kind="stable")
    return np.unique(np.concatenate([order[:MOST_EXTREME], order[-MOST_EXTREME:]]))


def _tree(A: Array) -> Any:
    """A search tree of records A (n, p)."""
    from scipy.spatial import cKDTree

    return cKDTree(A)


def difference(given: Scores, releases: Iterator[Scores]) -> str | None:
    """The finding in words if the given release is nearer to the originals than those that the method makes, p = .01; else None.

    FIRST releases of the method decide for most honest ones, SOME for most others; the rest is made only in between, where the
    given release must be the most extreme of all.
    """
    made = [next(releases) for _ in range(FIRST)]
    if not far_above(given, made, _of_records(made), FAR):
        return None
    made += [next(releases) for _ in range(SOME - FIRST)]
    figure = far_above(given, made, _of_releases(made), BEYOND_DOUBT)
    if figure is None:
        if rank(given, made)[0] > MAY_BE_CHANCE:
            return None
        made += [next(releases) for _ in range(ALL - SOME)]
        p_value, figure = rank(given, made)
        if p_value > SURE:
            return None
    return f"{WORDS[figure]} than in {len(made)} releases that the method makes"


def far_above(given: Scores, made: Sequence[Scores], variances: Mapping[str, float], far: float) -> str | None:
    """The figure by which the given release is furthest above others, if by so many standard errors of their mean; else None.

    variances : of the figures of one release. One score of 1 more is no evidence, where figures do not vary.
    """
    m = len(made)
    errors = dict[str, float]()
    for name, own in given.items():
        excess = own.sum() - np.mean([release[name].sum() for release in made])
        errors[name] = float(excess / np.sqrt((1 + 1 / m) * variances[name] + 1.0))
    furthest = max(errors, key=errors.__getitem__)
    return furthest if errors[furthest] > far else None


def _of_records(made: Sequence[Scores]) -> dict[str, float]:
    """Variances of the figures as sums of independent scores."""
    return {name: float(np.var([release[name] for release in made], axis=0, ddof=1).sum()) for name in made[0]}


def _of_releases(made: Sequence[Scores]) -> dict[str, float]:
    """Variances of the figures between releases."""
    return {name: float(np.var([release[name].sum() for release in made], ddof=1)) for name in made[0]}


def rank(given: Scores, made: Sequence[Scores]) -> tuple[float, str]:
    """The p-value of the given release among others by its most extreme figure, and this figure.

    Figures are standardised by all releases together, the given one included, so that each has the same chance.
    """
    names = list(given)
    sums = np.array([[release[name].sum() for name in names] for release in (given, *made)])  # (1 + m, figures)
    deviations = sums - sums.mean(axis=0)
    sd = sums.std(axis=0)
    standardised = deviations / np.where(sd > 0, sd, 1.0)
    extreme = standardised.max(axis=1)
    return float((extreme >= extreme[0]).mean()), names[int(np.argmax(standardised[0]))]
