"""Sequential synthesis: attributes drawn one after another from trees on those before (Reiter 2005)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments import names
from ..data.roles import Roles
from ..errors import Note
from ..linkage.informed import NormalLikelihood
from ..progress import ProgressTracker
from ..rstream import RStream
from ..types import Array, Integers
from .facts import Facts
from .leaves import Ranks
from .method import Method
from .parameter import indices, param
from .work import NO_PROGRESS, NumberWork, Run

# Originals in a leaf, of categories drawn after a method of numbers: smaller leaves disclose who is in the file.
LEAF = 50
ALL_OBSERVED = (
    "all {total} released values are original values of their attributes, released verbatim;"
    " {count} of them {count:equals|equal} the record's own"
)


@dataclass(frozen=True)
class Sequential(Method):
    """Each dependent attribute drawn, in turn, given X and the attributes drawn before it.

    Parameters
    ----------
    model : {"cart"}
        A tree fitted to the original records: regression for numbers, classification for categories. X and the released
        values so far lead a record to a leaf. It takes the value of a donor drawn from the originals in that leaf.
    order : list or str, optional
        The dependent columns in the order of the draws. The others follow in column order; None is the column order, as in synthpop.
    min_leaf : int
        The fewest originals in a leaf; synthpop's default.
    complexity : float
        The least share of an attribute's variance, of categories of its Gini impurity, that a split must explain (rpart's
        cp); synthpop's default.

    Raises
    ------
    InvalidParameter
        By `protect` too, where the order names a column that is not there.

    Notes
    -----
    Every value released is an observed one, as by synthpop's default: there is no smoothing. With nothing before it an
    attribute is drawn from all its values. Equally good splits are chosen by a fixed rule, never by chance.

    Draws: for each attribute in turn, n uniforms; record i takes the donor at place floor(u_i size) + 1 of its leaf's,
    in file order.

    Seed: undoes the first attribute, as the donor of every record is then known; later ones as far as the trees can be
    guessed.

    References
    ----------
    Reiter (2005); Nowok, Raab and Dibben (2016).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(400)
    >>> roles = pf.Roles(["AGE"], ["FLOW", "RETURN"])
    >>> pf.protect(frame, pf.Sequential(), roles).frame["AGE"].equals(frame["AGE"])
    True
    """

    model: str = param("cart", words=("cart",), help="what an attribute is drawn from: regression trees")
    order: Any = param(
        None,
        kind="columns",
        requirement="column names",
        check=names,
        help="the dependent columns in the order to be drawn; None is their own order",
    )
    min_leaf: int = param(5, low=1, help="the fewest originals in a leaf", unit="records")
    complexity: float = param(
        1e-8, low=0, help="the least that a split must explain", unit="share of the attribute's variance"
    )

    about = "attributes drawn one after another from the leaves of trees on those before"
    source = "Reiter (2005)"
    group = "start"
    r_name = "sequential_trees"  # future has a function sequential()

    def work(self, roles: Roles, records: int | None) -> NumberWork:
        """See Method.work."""
        return NumberWork(self.release, takes_categories=True, bounds="sign")

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        return Facts(
            masks="values",
            pairs="always",
            keeps="",
            # Values of leaves that hold the own record come again.
            averages=True,
            reissues_values=True,
            undone_by_seed=True,
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
        order = self._order(Y.shape[1], run)
        how = "in column order" if self.order is None else "in the order given"
        run.note(Note.of("chosen", f"dependent attributes drawn one after another {how}: {{columns}}", order))
        if X.shape[1] == 0:
            wording = "{attributes} has none before it: drawn from all its observed values"
            run.note(Note.of("chosen", wording, order[:1]))
        Z = np.empty_like(Y)
        self.draw_in_turn((X, Y, Z), order, order, run.categories, run.stream, tracker=run.tracker)
        own = int((Z == Y).sum())
        run.note(Note.of("observed_values", ALL_OBSERVED, count=own, total=Z.size))
        return Z

    def guesser(self, X: Array, Y: Array, run: Run) -> Callable[[RStream], Array]:
        """See Method.guesser: where the first attribute is drawn first, from leaves that no draw decides."""
        if self._order(Y.shape[1], run)[0] != 0:
            return super().guesser(X, Y, run)
        leaves = self._leaves([_features(x, x) for x in X.T], Y[:, 0])
        return lambda stream: drawn(Y[:, 0], *leaves, stream.runif(len(Y)))[:, None]

    def _order(self, t: int, run: Run) -> list[int]:
        chosen = [name for name in self.order or () if name not in run.derived]
        first = indices("Sequential", chosen, run.names)
        return first + [j for j in range(t) if j not in first]

    def draw_in_turn(
        self,
        records: tuple[Array, Array, Array],
        order: Sequence[int],
        missing: Sequence[int],
        categories: Sequence[int],
        stream: RStream,
        *,
        tracker: ProgressTracker = NO_PROGRESS,
    ) -> None:
        """Fill the columns `missing` of the release Z of records (X, Y, Z), each given X and the columns before it in the order."""
        X, Y, Z = records
        features = [_features(x, x) for x in X.T]
        for done, j in enumerate(order):
            tracker.step(done, len(order))
            if j in missing:
                leaves = self._leaves(features, Y[:, j], j in categories)
                Z[:, j] = drawn(Y[:, j], *leaves, stream.runif(len(Y)))
            features.append(_features(Y[:, j], Z[:, j], self.min_leaf if j in categories else None))

    def _leaves(self, features: Sequence[Ranks], y: Array, category: bool = False) -> tuple[Integers, Integers]:
        """The leaf (n,) of each original record and of each released one, in a tree for y by such features."""
        n, complexity = len(y), self.complexity
        if not features or (y == y[0]).all():
            one_leaf = np.zeros(n, dtype=np.int64)
            return one_leaf, one_leaf
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        kind: Any = DecisionTreeRegressor
        if category:
            shares = np.unique(y, return_counts=True)[1] / n
            target, kind = y, DecisionTreeClassifier
            complexity *= float(1 - shares @ shares)
        else:
            centred = y - y.mean()
            centred /= np.abs(centred).max()
            target = centred / centred.std()
        tree = kind(min_samples_leaf=self.min_leaf, min_impurity_decrease=complexity, random_state=0)
        original, released = np.concatenate(features, axis=2)
        tree.fit(original, target)
        return tree.apply(original), tree.apply(released)


def draw_categories(X: Array, Y: Array, Z: Array, categories: Sequence[int], stream: RStream) -> None:
    """Fill the columns `categories` of a release Z (n, t), whose other columns are released already.

    Each is drawn from trees, given X, the numbers and the earlier categories. They are fitted to the originals X (n, s)
    and Y (n, t), and applied to the released records. No record's own category or number enters its draw.
    """
    numbers = [j for j in range(Y.shape[1]) if j not in categories]
    Sequential(min_leaf=LEAF).draw_in_turn((X, Y, Z), (*numbers, *categories), categories, categories, stream)


def drawn(y: NDArray[Any], original: Integers, released: Integers, u: Array) -> NDArray[Any]:
    """Values (n,) of y (n,), each from a record of the same leaf.

    original, released : (n,) leaf of each original and of each released record; u : (n,) uniforms below 1.
    """
    order = np.argsort(original, kind="stable")
    leaves, starts, sizes = np.unique(original[order], return_index=True, return_counts=True)
    leaf = np.searchsorted(leaves, released)
    return y[order[starts[leaf] + np.floor(u * sizes[leaf]).astype(np.int64)]]


def _features(original: Array, released: Array, fewest: int | None = None) -> Ranks:
    """Columns (2, n, k): the k columns by which trees split the original and the released records, by a column (n,) of each.

    A number has its place among the different original ones: a tree only compares which of two values is larger, and
    1e12 + 1 is 1e12 in the single precision in which trees work. Of a category each level that enough records have is 0 or 1.
    fewest : records of a level, None for numbers.
    """
    values, counts = np.unique(original, return_counts=True)
    pair = np.array([original, released])[:, :, None]
    if fewest is None:
        return np.searchsorted(values, pair).astype(np.float32)
    return (pair == values[counts >= fewest]).astype(np.float32)
