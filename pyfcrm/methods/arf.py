"""Adversarial random forests: a density of all attributes in the leaves of trees, and draws from it given those kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput, Note
from ..linkage.informed import Attack, NormalLikelihood
from ..progress import ProgressTracker, Reporter, discard
from ..rstream import RStream
from ..types import Array, Integers
from .dummy import rounded_range
from .forest import Grown, Growth, grown
from .leaves import Columns, Leaves, columns_of, nodes_of
from .method import Method
from .parameter import param
from .relations import Relations, no_relations, relations_of

BLOCK = 200  # records whose leaves in all trees are held at a time
ACCURACY = (
    "adversarial rounds: {rounds}; the last forest classifies {accuracy:.1f} % of the records correctly; 50 % is chance"
)
RELATED = "{attributes}: drawn as what a regression by least absolute deviations on the columns before leaves"
OWN = (
    "{count} of {total} values {count:is|are} the record's own, as columns kept tell them or as many records share them"
)


@dataclass(frozen=True)
class ARF(Method):
    """Dependent attributes drawn, given X, from an adversarial random forest's density of all attributes.

    A forest learns to tell the records from ones whose columns are drawn each by itself, then from ones drawn within the
    leaves of the forest before, until it can no longer: within a leaf the columns are then about independent. Each leaf
    weighs as many originals as it has; in it a column has the values that many records share, with their frequencies, and a
    normal distribution, cut at the leaf's bounds, of the others.

    Parameters
    ----------
    trees : int
        Trees in a forest.
    delta : float
        The rounds end where the forest tells at most 50 + delta per cent right, out of bag; or where it tells no less than
        the round before.
    rounds : int
        Adversarial rounds at most.
    min_leaf : int
        The fewest originals in a leaf, and of which a normal distribution is made: with fewer, more of them are recognised.
    heap : int
        From so many equal values on they are nobody's own, and may be drawn as they are; others never are.
    smooth : float
        Records' weight with which a leaf also has, in columns of categories, what the node has that it is a part of: so
        categories that none of a leaf's few records have are not impossible.
    relations : bool
        A column of which a regression by least absolute deviations on X and the columns before explains half or more enters
        the forest as what that leaves. Without, as in the paper, near-exact relations blur.

    Raises
    ------
    InvalidInput
        By `protect`, where there are fewer records than `min_leaf` or `heap`.

    Notes
    -----
    Released records pair with the originals only by X; without X they have nothing to do with the original at their
    place. The bounds of all columns are rounded outward, as Dummy's. Records are sorted before anything is grown, so the forest
    does not hang on the file's order. Categories are given as numbers: a column of few values is drawn as such.

    A relation that is exact, such as a total kept in X, gives a record its own value back; a note counts that.

    Time: a record looks at every leaf that its X can be in, in all trees: seconds for 10^3 records, minutes for 10^4.

    Draws: uniforms. For the forests n a column, 8 for each forest, and between two of them 2 n and n a column; then one a
    record for its leaf, and an n x t block by columns. scikit-learn grows the forests, and another version of it may grow others.

    Seed: with the model it would tell the draws, which no record has a part in: records with the same X can change
    places without changing the release.

    References
    ----------
    Watson, Blesch, Kapar and Wright (2023). Relations, rounded bounds and what `heap` keeps back are our own.
    """

    trees: int = param(30, low=1, help="trees in a forest")
    delta: float = param(
        0.0, low=0, high=50, help="what a forest may tell right above one half when the rounds end", unit="per cent"
    )
    rounds: int = param(10, low=1, help="adversarial rounds at most")
    min_leaf: int = param(5, low=2, dial=(3, 50), help="the fewest originals in a leaf", unit="records")
    heap: int = param(
        3, low=2, help="equal values from which on they are nobody's own, and may be drawn", unit="records"
    )
    smooth: float = param(
        0.5,
        low=0,
        high=1e6,
        help="in columns of categories, the weight of the node that a leaf is a part of",
        unit="records",
    )
    relations: bool = param(True, help="draw near-exact linear relations' residuals, not their columns")

    about = "drawn from leaves of forests that cannot tell records from drawn ones"
    source = "Watson et al. (2023)"
    undone_by_seed = False
    pairs = "by columns"

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """See Method.attacks: the release tells how Y goes with X."""
        return (NormalLikelihood(),)

    def protect(self, X: Array, Y: Array, stream: RStream, note: Reporter = discard) -> Array:
        """See Method.protect."""
        n, t = Y.shape
        enough = max(self.min_leaf, self.heap)
        if n < enough:
            raise InvalidInput("ARF", f"needs at least as many records as min_leaf and heap, {enough}", n)
        order = np.lexsort(np.hstack([X, Y]).T[::-1])
        related = relations_of(X[order], Y[order]) if self.relations else no_relations(t)
        A = np.hstack([X, related.left(X, Y)])
        columns = columns_of(A[order], _bounds(A), self.heap, enough)
        how = Growth(self.trees, self.delta / 100, self.rounds, self.min_leaf)
        forest = grown(columns.R, how, stream, ProgressTracker.of(note))
        u, U = stream.runif(n), stream.runif_matrix(n, t)
        place = np.empty(n, dtype=np.int64)
        place[order] = np.arange(n)
        drawn = self._drawn(columns, forest, place, u, U, ProgressTracker.of(note))
        Z = related.put_back(X, drawn, _bounds(Y))
        self._say(forest, related, Y, Z, note)
        return Z

    def _drawn(
        self, columns: Columns, forest: Grown, place: Integers, u: Array, U: Array, tracker: ProgressTracker
    ) -> Array:
        """(n, t) of a leaf by uniform u (n,) and of its columns by U (n, t). place (n,) : of the record among the sorted ones."""
        n, t = U.shape
        s, enough = columns.A.shape[1] - t, max(self.min_leaf, self.heap)
        trees = [
            Leaves(nodes_of(tree, columns.R, self.min_leaf), columns, enough, self.smooth) for tree in forest.trees
        ]
        Z = np.empty((n, t))
        for start in range(0, n, BLOCK):
            tracker.step(start, n)
            rows = slice(start, start + BLOCK)
            tree, leaf = _leaf_given(trees, place[rows], s, u[rows])
            for b in np.unique(tree):
                here = np.flatnonzero(tree == b)
                for j in range(t):
                    Z[start + here, j] = trees[b].drawn(leaf[here], s + j, U[start + here, j])
        return Z

    def _say(self, forest: Grown, related: Relations, Y: Array, Z: Array, note: Reporter) -> None:
        accuracy = forest.accuracy[-1]
        if accuracy <= 0.5 + self.delta / 100:
            note(Note.of("chosen", ACCURACY, rounds=len(forest.accuracy), accuracy=100 * accuracy))
        else:
            note(Note.of("not_converged", ACCURACY, rounds=len(forest.accuracy), accuracy=100 * accuracy))
        if related.used:
            note(Note.of("chosen", RELATED, related.used))
        whole = (np.rint(Y) == Y).all(axis=0)
        own = int((np.where(whole, np.rint(Z), Z) == Y).sum())
        if own:
            note(Note.of("observed_values", OWN, count=own, total=Y.size))


def _bounds(A: Array) -> Array:
    """(2, p) of the columns of A (n, p), rounded outward."""
    return np.array([rounded_range(a) for a in A.T]).T


def _leaf_given(trees: Sequence[Leaves], records: Integers, s: int, u: Array) -> tuple[Integers, Integers]:
    """Tree and leaf (m,) of each record, by uniforms u (m,): with the leaf's weight times the density of the first s columns."""
    if s == 0:
        return _any_leaf(trees, u)
    found = [leaves.given(records, s) for leaves in trees]
    at, leaf, weight = (np.concatenate(parts) for parts in zip(*found, strict=True))
    tree = np.repeat(np.arange(len(trees)), [len(one[0]) for one in found])
    order = np.argsort(at, kind="stable")
    at, leaf, weight, tree = at[order], leaf[order], weight[order], tree[order]
    first = np.searchsorted(at, np.arange(len(records)))
    weight = np.exp(weight - np.maximum.reduceat(weight, first)[at])
    so_far, total = np.cumsum(weight), np.add.reduceat(weight, first)
    wanted = so_far[first] - weight[first] + u * total
    chosen = np.clip(np.searchsorted(so_far, wanted, side="right"), first, np.append(first[1:], len(at)) - 1)
    return tree[chosen], leaf[chosen]


def _any_leaf(trees: Sequence[Leaves], u: Array) -> tuple[Integers, Integers]:
    """Where nothing is given: any tree, and in it the leaf of any original."""
    u = u * len(trees)
    tree, leaf = np.minimum(u.astype(np.int64), len(trees) - 1), np.empty(len(u), dtype=np.int64)
    for b in np.unique(tree):
        here = tree == b
        leaf[here] = trees[b].of_any(u[here] - b)
    return tree, leaf
