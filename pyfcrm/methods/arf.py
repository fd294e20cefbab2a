"""Adversarial random forests: a density of all attributes in the leaves of trees, and draws from it given X."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..data.roles import Roles
from ..errors import InvalidInput, Note
from ..linkage.informed import NormalLikelihood
from ..progress import ProgressTracker
from ..rstream import RStream
from ..types import Array, Integers
from .facts import Facts
from .leaves import LeafDensity, Ranks, columns_of
from .margins import FEWEST, SmoothMargin, point_masses
from .method import Method
from .parameter import param
from .relations import Relations, relations_of
from .semicontinuous import class_levels, keep_class_rules
from .sequential import drawn, pooled_levels
from .work import NumberWork, Run

BLOCK_ROWS = 200  # records whose leaves in all trees are in memory at a time
FEW_SD = 2.0  # standard deviations from the mean, to which fewer than 20 values are drawn
FEWEST_RECORDS = 5
SEED_WORDS = 8  # 32-bit words that seed a forest
ACCURACY = (
    "adversarial rounds: {rounds}; the last forest classifies {accuracy:.1f} % of the records correctly; 50 % is chance"
)
RELATED = (
    "{attributes}: drawn as residuals of a regression by least absolute deviations on the dependent columns before"
)
OBSERVED = "numbers are drawn from normal distributions: {count} of {total} released values are original ones, such as point masses"


@dataclass(frozen=True)
class ARF(Method):
    """Dependent attributes drawn, given X, from the density that an adversarial random forest estimates.

    A forest classifies real records against records with independently sampled columns, then against records sampled
    within the leaves of the previous forest. This ends when its accuracy is that of chance. Within a leaf of the previous
    forest the columns are then about independent. A leaf's weight is its number of originals.
    In it a column has its point masses with their frequencies, and a normal distribution of the other values, truncated
    at the leaf's bounds.

    Parameters
    ----------
    trees : int
        Trees in a forest.
    delta : float
        The rounds end where the out-of-bag accuracy is at most 50 + delta per cent, or is not below that of the round before.
    rounds : int
        Largest number of adversarial rounds.
    min_leaf : int
        The fewest originals from which a value is drawn: with fewer, more originals are recognised. Values of a smaller leaf
        are those of the node above it that has as many.
    point_mass : int, optional
        The number of equal values from which on they are a point mass, and may be drawn; None is the larger of 10 and 2 per
        cent of the records, as for `Calibrated`. Other values never are.
    smooth : float
        In columns of categories, the weight in records of the node that contains a leaf, so that categories which none
        of a leaf's few records has are possible.
    relations : bool
        A column of which a regression by least absolute deviations on the dependent columns before explains half or more
        enters the forest as its residuals. Without, as in the paper, near-exact relations blur. X has no part in it: a
        relation with X that is exact would give a record its own value.
    records : int, optional
        How many records to release, of a file of which every column is confidential; None is as many as the original has.
        Columns that are survey weights beyond doubt by name or label are multiplied by the original's number of records over
        this one, so that their sums stay.

    Raises
    ------
    InvalidInput
        By `protect`, where there are fewer than 5 records, or `records` is given and a column is not confidential.

    Notes
    -----
    Released records pair with the originals only by X; without X they have no relation to the original at their
    place. Records are sorted before a forest is grown, so the forest does not depend on the file's order.

    A normal distribution is fitted to at least 10 values, of a node above the leaf if need be. A leaf's bounds are means of
    10 values, those of a column the ends of fitted tails, as in smooth margins. Where 10 or more records have each value of
    a column, all its values are point masses. Levels of fewer than 10 records are drawn with a pool of 10 or more: each of
    its levels as often as in the file, whatever the leaf.

    Time: each record compares its X with every leaf of all trees: seconds for 10^4 records where no column of X has more than
    32 values, minutes where columns have more.

    Draws: uniforms. For the forests n for each column, 8 for each forest, and between two of them 2 n and n for each
    column. Then one for each record's leaf, an n x t block by columns, and n for each column with a pool of levels. Last one for
    each value that may not be a point mass in its class. Of more records than the original has, the same again for each
    further n, with new forests; the records beyond the number asked for are left out.
    scikit-learn grows the forests; other versions may grow others.

    Seed: with the model it discloses the draws, which do not depend on records. Records with the same X can change
    places without changing the release.

    References
    ----------
    Watson, Blesch, Kapar and Wright (2023). Relations, bounds, point masses and pools are our own.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> pf.protect(frame, pf.ARF(trees=3), roles).frame["AGE"].equals(frame["AGE"])
    True
    """

    trees: int = param(30, low=1, high=1000, help="trees in a forest")
    delta: float = param(0.0, low=0, high=50, help="accuracy above one half at which the rounds end", unit="per cent")
    rounds: int = param(10, low=1, high=100, help="adversarial rounds at most")
    min_leaf: int = param(20, low=2, dial=(10, 100), help="the fewest originals in a leaf", unit="records")
    point_mass: int | None = param(
        None,
        low=FEWEST,
        help="from how many records on a value is a point mass, and may be drawn; None is the larger of 10 and 2 % of the records",
        unit="records",
    )
    smooth: float = param(
        0.5,
        low=0,
        high=1e6,
        help="in columns of categories, the weight of the node that contains a leaf",
        unit="records",
    )
    relations: bool = param(True, help="draw near-exact linear relations' residuals, not their columns")
    records: int | None = param(
        None,
        low=1,
        high=10_000_000,
        help="how many records to release, where every column is confidential; None is as many as the original has",
        unit="records",
    )

    about = "drawn from the leaves of forests that cannot classify records against drawn ones"
    term = "adversarial random forests"
    source = "Watson et al. (2023)"
    group = "synthetic"

    def of_part(self, share: float) -> ARF:
        """See Procedure.of_part."""
        if self.records is None:
            return self
        return replace(self, records=max(1, round(self.records * share)))

    def work(self, roles: Roles, records: int | None) -> NumberWork:
        """See Method.work."""
        return NumberWork(self.release, takes_categories=True, bounds="sign", records=self.records)

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        return Facts(
            masks="values",
            pairs="by columns" if self.records is None else "never",
            keeps="",
            # Values of leaves that hold the own record come again.
            averages=True,
            reissues_values=False,
            undone_by_seed=False,
            weak_generator=False,
            deniable=False,
            privacy=None,
            swaps=False,
            # The release discloses the regression of Y on X.
            attacks=(NormalLikelihood(),),
            seed_probe="release",
        )

    def release(self, X: Array, Y: Array, run: Run) -> Array:
        """See NumberWork.release."""
        X, terms = run.with_pooled(X)
        n, t = Y.shape
        s = X.shape[1]
        stream = run.stream
        tracker = run.tracker
        if n < FEWEST_RECORDS:
            raise InvalidInput("ARF", f"needs at least {FEWEST_RECORDS} records", n)
        observed = Y
        pools = {j: pooled_levels(Y[:, j]) for j in run.categories}
        pools = {j: pool for j, pool in pools.items() if len(pool)}
        Y = Y.copy()
        for j, pool in pools.items():
            Y[np.isin(Y[:, j], pool), j] = pool[-1]
        order = np.lexsort(np.hstack([X, Y]).T[::-1])
        no_predictor = np.empty((n, 0))
        related = Relations([None] * t, np.zeros(t, dtype=bool))
        if self.relations:
            related = relations_of(no_predictor, Y[order], run.categories)
        residuals = related.residuals(no_predictor, Y)
        masses = [_frequent(x) for x in X.T]
        masses += [np.unique(y) if j in run.categories else self._point_masses(y) for j, y in enumerate(residuals.T)]
        A = np.hstack([X, residuals])
        bounds = np.array([_ends(a, mass) for a, mass in zip(A.T, masses, strict=True)]).T
        columns = columns_of(A[order], masses, bounds, FEWEST, given=s)
        forest, accuracy = self.grow_forest(columns.R, stream, tracker)
        u, U = stream.runif(n), stream.runif_matrix(n, t)
        trees = [LeafDensity(tree, columns, self.min_leaf, FEWEST, self.smooth) for tree in forest]
        limits = np.array([_ends(y, self._point_masses(y)) for y in Y.T]).T
        Z = related.restored(no_predictor, _sample(trees, np.argsort(order), u, U, tracker), limits)
        for j, pool in pools.items():
            records = observed[np.isin(observed[:, j], pool), j]
            from_pool = Z[:, j] == pool[-1]
            Z[from_pool, j] = records[_places(stream.runif(n), len(records))[from_pool]]
        classes, released_classes = class_levels(X, terms, observed, Z, run.categories)
        for j in range(t):
            if j not in run.categories:
                keep_class_rules(observed[:, j], Z[:, j], classes, released_classes, stream)
        rounds, last = len(accuracy), 100 * accuracy[-1]
        if last <= 50 + self.delta:
            run.note(Note.of("chosen", ACCURACY, rounds=rounds, accuracy=last))
        else:
            run.note(Note.of("not_converged", ACCURACY, rounds=rounds, accuracy=last))
        used = [j for j, coefficients in enumerate(related.coefficients) if coefficients is not None]
        if used:
            run.note(Note.of("chosen", RELATED, used))
        whole = (np.rint(observed) == observed).all(axis=0)
        released = np.where(whole, np.rint(Z), Z)
        count = sum(int(np.isin(z, y).sum()) for z, y in zip(released.T, observed.T, strict=True))
        run.note(Note.of("observed_values", OBSERVED, count=count, total=Z.size))
        return Z

    def _point_masses(self, y: Array) -> Array:
        """The point masses of a column (n,); all its values where each has 10 or more records."""
        values, counts = np.unique(y, return_counts=True)
        return values if counts.min() >= FEWEST else point_masses(y, self.point_mass)[0]

    def grow_forest(self, R: Ranks, stream: RStream, tracker: ProgressTracker) -> tuple[Sequence[Any], list[float]]:
        """scikit-learn's trees of the last forest, and by round the share of records classified correctly out of bag.

        Draws: n uniforms for each column for records of independent columns, and 8 for a forest. Then each round two
        for each record (a tree and a leaf), n for each column, and 8.
        """
        n, p = R.shape
        sampled = np.column_stack([R[_places(stream.runif(n), n), j] for j in range(p)])
        accuracy: list[float] = []
        forest: Sequence[Any] = ()
        for done in range(self.rounds):
            tracker.step(done, self.rounds)
            trees, correct = self._classifier(R, sampled, stream)
            if accuracy and correct >= accuracy[-1]:
                break
            accuracy.append(correct)
            is_chance = correct <= 0.5 + self.delta / 100
            # At chance the forest before is good enough: what is sampled within its leaves cannot be told from records.
            if not forest or not is_chance:
                forest = trees
            if is_chance:
                break
            sampled = _sample_within(R, forest, stream)
        return forest, accuracy

    def _classifier(self, R: Ranks, sampled: Ranks, stream: RStream) -> tuple[Sequence[Any], float]:
        """Trees that classify the records R against sampled ones, and the share of all that are correct out of bag."""
        from sklearn.ensemble import RandomForestClassifier

        seed = np.random.RandomState((stream.runif(SEED_WORDS) * 2.0**32).astype(np.uint32))
        forest = RandomForestClassifier(self.trees, min_samples_leaf=self.min_leaf, random_state=seed)
        records = np.vstack([R, sampled])
        original = np.arange(len(records)) < len(R)
        forest.fit(records, original)
        votes, known = np.zeros(len(records)), np.zeros(len(records), dtype=bool)
        for tree, bag in zip(forest.estimators_, forest.estimators_samples_, strict=True):
            out = np.ones(len(records), dtype=bool)
            out[bag] = False
            votes[out] += tree.predict_proba(records[out])[:, 1] - 0.5
            known |= out
        correct = np.where(votes == 0, 0.5, (votes > 0) == original)[known]
        return forest.estimators_, float(correct.mean()) if known.any() else 1.0


def _sample_within(R: Ranks, trees: Sequence[Any], stream: RStream) -> Ranks:
    """Draws of as many records as R, each from a tree and the leaf of a record of R. Each column is from another record of the
    leaf."""
    n, p = R.shape
    tree_of, like = _places(stream.runif(n), len(trees)), _places(stream.runif(n), n)
    U = [stream.runif(n) for _ in range(p)]
    result = np.empty_like(R)
    for b, tree in enumerate(trees):
        rows, leaf = tree_of == b, tree.apply(R)
        for j in range(p):
            result[rows, j] = drawn(R[:, j], leaf, leaf[like[rows]], U[j][rows])
    return result


def _places(u: Array, size: int) -> Integers:
    """Whole numbers (n,) from 0, below the size."""
    return np.floor(u * size).astype(np.int64)


def _frequent(x: Array) -> Array:
    """The values of x (n,) that at least 10 records have."""
    values, counts = np.unique(x, return_counts=True)
    return values[counts >= FEWEST]


def _ends(y: Array, masses: Array) -> Array:
    """Bounds (2,) of draws for y (n,): the point masses, and the likely ends of the tails of the other values.

    No single record decides them. A column without negative values, or without positive ones, has none beyond 0.
    """
    values = np.sort(y[~np.isin(y, masses)])
    margin = SmoothMargin.of(values, masses[:0])
    if len(values) == 0:
        ends = masses[[0, -1]]
    elif margin.tails is None:
        ends = values.mean() + FEW_SD * values.std() * np.array([-1, 1])
    else:
        low, high = margin.tails
        # The medians of the smallest and of the largest value.
        ends = np.array([-low.values(np.full(low.count, 0.5))[-1], high.values(np.full(high.count, 0.5))[-1]])
    both = np.concatenate([ends, masses])
    least, most = both.min(), both.max()
    if y.min() >= 0:
        least = max(least, 0.0)
    if y.max() <= 0:
        most = min(most, 0.0)
    return np.array([least, most])


def _sample(trees: Sequence[LeafDensity], place: Integers, u: Array, U: Array, tracker: ProgressTracker) -> Array:
    """The last columns (n, t), drawn by U (n, t) in a leaf drawn by u (n,). place (n,) : of a record among the sorted ones."""
    n, t = U.shape
    s, Z = trees[0].columns.A.shape[1] - t, np.empty((n, t))
    for start in range(0, n, BLOCK_ROWS):
        tracker.step(start, n)
        block = slice(start, start + BLOCK_ROWS)
        tree, leaf = _sample_leaves(trees, place[block], s, u[block])
        for b in np.unique(tree):
            rows = np.flatnonzero(tree == b)
            for j in range(t):
                Z[start + rows, j] = trees[b].sample(leaf[rows], s + j, U[start + rows, j])
    return Z


def _sample_leaves(trees: Sequence[LeafDensity], records: Integers, s: int, u: Array) -> tuple[Integers, Integers]:
    """Tree and leaf (m,) of each record, by uniforms u (m,): weighted by the density of the first s columns."""
    if s == 0:
        u = u * len(trees)
        tree, leaf = u.astype(np.int64), np.empty(len(u), dtype=np.int64)
        for b in np.unique(tree):
            leaf[tree == b] = trees[b].leaf_of(u[tree == b] - b)
        return tree, leaf
    found = [density.compatible_leaves(records, s) for density in trees]
    at, leaf, weight = (np.concatenate(parts) for parts in zip(*found, strict=True))
    tree = np.repeat(np.arange(len(trees)), [len(part) for part, _, _ in found])
    order = np.argsort(at, kind="stable")
    at, leaf, weight, tree = at[order], leaf[order], weight[order], tree[order]
    first = np.searchsorted(at, np.arange(len(records)))
    weight = np.exp(weight - np.maximum.reduceat(weight, first)[at])
    cumulative, total = np.cumsum(weight), np.add.reduceat(weight, first)
    target = cumulative[first] - weight[first] + u * total
    chosen = np.clip(np.searchsorted(cumulative, target, side="right"), first, np.append(first[1:], len(at)) - 1)
    return tree[chosen], leaf[chosen]
