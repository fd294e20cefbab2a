"""The flexible basis of numeric predictors: a column for each value of those with few, natural splines of the others.

Sums with the columns of a basis are preserved by methods that regress on it. What we choose to preserve is at most a tenth
of the records, also by the linear basis, and a sixteenth where sums with levels of categories, values and splines are among
them: where there would be more sums, the columns that explain least are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..data.blocks import ALL, Records, Sample, total
from ..data.predictors import pooled_levels
from ..data.preserved_totals import Contributions
from ..errors import Note
from ..numerics.factor import solved, tall_factor
from ..numerics.joint_basis import CONSTANT, Centred
from ..numerics.kept_sums import SHARE, SHARE_WITH_LEVELS, KeptSums, plain_sums
from ..numerics.location import standardise
from ..progress import Reporter, discard
from ..types import Array, Integers, Mask, Terms

BASES = ("linear", "flexible")
BASIS_HELP = (
    "numeric predictors alone, or columns of their values and splines too; None is linear, under Calibrated its basis"
)
MOST_VALUES = 20  # of a predictor with a column for each value
FEWEST_POOLED = 3  # values that share a column
QUARTERS = (0.25, 0.5, 0.75)  # shares of the records at the inner knots
FAR = 10.0  # interquartile ranges from the median to the maximum, beyond which a spline is of ranks
COLLINEAR = 1e-7  # of a column's norm: what earlier columns leave of it, below which it adds nothing
AT_ONCE = 8  # of the surplus columns one in so many is left out before the others are judged anew
ADDED = "flexible basis: {columns_added} columns of values and splines stand beside the {total} of the predictors"
LEFT_OUT = (
    "flexible basis: {count} of {total} columns that explain least are left out, for at most a sixteenth as many "
    "preserved sums as records"
)
LEVELS_LEFT_OUT = (
    "{count} of {total} levels of categories, which explain least, have no part in the preserved sums: these are at most a "
    "sixteenth of the records"
)
LINEAR_LEFT_OUT = (
    "{count} of {total} columns of predictors have no part in the preserved sums, which would be more than a tenth of the "
    "records"
)


@dataclass(frozen=True)
class Values:
    """Columns of 0 and 1 for the values of a predictor, or for some values together."""

    predictor: int
    """The position of the predictor in X."""
    values: Array
    """Its distinct values (k,), ascending."""
    position: Integers
    """The position of each value's column (k,), -1 for none."""

    def columns(self, X: Array) -> Array:
        """The columns (b, q) of some records X (b, s)."""
        position = self.position[np.searchsorted(self.values, X[:, self.predictor])]
        return (position[:, None] == np.arange(self.position.max() + 1)).astype(np.float64)


@dataclass(frozen=True)
class Spline:
    """Columns that, with 1 and the predictor, span its natural cubic splines on k knots."""

    predictor: int
    """The position of the predictor in X."""
    knots: Array
    """The knots (k,), ascending: the minimum, the quartiles and the maximum."""

    def columns(self, X: Array) -> Array:
        """The columns (b, k - 2) of some records X (b, s)."""
        return _inner_splines(self.knots, X[:, self.predictor])


@dataclass(frozen=True)
class RankSpline:
    """The ranks of a predictor as shares of n, and the columns that with them span their natural cubic splines."""

    predictor: int
    """The position of the predictor in X."""
    values: Array
    """Its distinct values (m,), ascending."""
    shares: Array
    """The mean rank of each value over n (m,)."""
    knots: Array
    """The knots (k,) of the splines."""

    def columns(self, X: Array) -> Array:
        """The columns (b, k - 1) of some records X (b, s)."""
        ranks = self.shares[np.searchsorted(self.values, X[:, self.predictor])]
        return np.column_stack([ranks, _inner_splines(self.knots, ranks)])


Curves = Values | Spline | RankSpline


def _inner_splines(knots: Array, x: Array) -> Array:
    """The natural cubic splines (b, k - 2) of x (b,) that are 1 at one inner knot and 0 at all other knots.

    With 1 and x they span all natural cubic splines on the k knots, the columns of R's splines::ns with an intercept.
    """
    from scipy.interpolate import CubicSpline  # slow to import

    if len(knots) < 3:
        return np.empty((len(x), 0))
    at_knots = np.eye(len(knots))[:, 1:-1]
    return np.asarray(CubicSpline(knots, at_knots, bc_type="natural")(x))


@dataclass(frozen=True)
class Basis:
    """The columns on which a method regresses in place of X (n, s): some of X, then columns of values and splines."""

    own: tuple[int, ...]
    """The positions of the columns of X, ascending."""
    curves: tuple[Curves, ...]
    """What makes the other columns."""
    chosen: tuple[int, ...]
    """The positions of those columns of the curves that belong to the basis, ascending."""

    def added(self, X: Array) -> Array:
        """The columns of values and splines (b, q) of some records X (b, s)."""
        parts = [np.empty((len(X), 0)), *(curve.columns(X) for curve in self.curves)]
        return np.hstack(parts)[:, list(self.chosen)]

    def design(self, X: Array) -> Array:
        """All columns (b, r) of some records X (b, s)."""
        return np.hstack([X[:, list(self.own)], self.added(X)])

    def expanded(self, s: int, block: Array) -> Array:
        """A block (b, s + k) with all columns in place of the first s."""
        return np.hstack([self.design(block[:, :s]), block[:, s:]])

    def of_sample(self, sample: Sample) -> Sample:
        """The sample with the columns of the basis in place of its predictors."""
        expand = partial(self.expanded, sample.s)
        width = len(self.own) + len(self.chosen)
        return Sample(
            engine=sample.engine,
            blocks=sample.mapped(expand),
            rows=_Expanded(sample.rows, expand, width - sample.s),
            s=width,
            t=sample.t,
            folder=sample.folder,
        )


class _Expanded(Records):
    """The records of a table, with further columns that a function makes of a block. more : their number."""

    def __init__(self, table: Records, expand: Callable[[Array], Array], more: int) -> None:
        self.table = table
        self.expand = expand
        self.n = table.n
        self.p = table.p + more
        self.on_disk = table.on_disk

    def read(self, rows: slice = ALL) -> Array:
        """The records (b, p) of a slice."""
        return self.expand(self.table.read(rows))

    def column(self, j: int) -> Array:
        """One column (n, 1)."""
        return self.read()[:, j : j + 1]


def flexible_basis(
    sample: Sample,
    terms: Terms = (),
    *,
    linear: Sequence[int] = (),
    sums: KeptSums | None = None,
    private: bool = False,
    limits_x: bool = False,
    note: Reporter = discard,
) -> Basis:
    """The flexible basis of a sample's predictors, with at most a sixteenth as many preserved sums as records.

    A predictor with at most 20 values has a column for each value but one; values that categories would pool are one
    column. Any other has the columns of R's ns(x, 4), with knots at the quartiles (of type 1), without repeated ones. Where
    its maximum lies more than 10 interquartile ranges above the median, it has those of its ranks over n, beside itself.

    Where the sums are too many, the columns of values and splines with the smallest partial R2, summed over the dependent
    columns, are left out. limits_x : then columns of X may be too, those of categories among the first. Numbers are last, where
    they alone have more than a tenth as many sums as records, with a warning.

    terms : the positions of the columns of each category, which are columns of values already; linear : of numbers without curves; sums :
    preserved in addition, whose columns span X. private : nothing is taken from the dependent columns, and the last columns are left out.
    """
    coded = {j for term in terms for j in term}
    curves = list[Curves]()
    for j in range(sample.s):
        if j not in coded and j not in linear:
            curves += _curves(sample, j, private=private)
    added = sum(_width(curve) for curve in curves)
    whole = Basis(tuple(range(sample.s)), tuple(curves), tuple(range(added)))
    return _limited(sample, whole, terms, sums=sums, private=private, limits_x=limits_x, note=note)


def linear_basis(sample: Sample, terms: Terms = (), *, note: Reporter = discard) -> Basis:
    """The predictors of a sample, or of more than a sixteenth as many preserved sums as records those that explain most.

    Levels of categories with the smallest partial R2, summed over the dependent columns, are left out first. Numbers are, with
    a warning, where they alone have more than a tenth as many sums as records. terms : the positions of the columns of each category.
    """
    whole = Basis(own=tuple(range(sample.s)), curves=(), chosen=())
    return _limited(sample, whole, terms, sums=None, private=False, limits_x=True, note=note)


def has_few_sums(X: Array, t: int, terms: Terms) -> bool:
    """Whether the sums of t columns with (1, X) and their cross sums are few: a tenth of the records, with levels a sixteenth.

    X : (n, s); terms : the positions of the columns of each category.
    """
    n, s = X.shape
    most = n * (SHARE_WITH_LEVELS if terms else SHARE)
    if t * (1 + s) + t * (t + 1) // 2 <= most:
        return True
    return plain_sums(X).count(t) <= most  # by rank


def largest_covariances(Y: Array) -> Mask | None:
    """Mask (t, t), symmetric: the covariances of Y (n, t) that fit, with means and variances, into a tenth of the records.

    These are those of the largest correlations. None where all fit.
    """
    n, t = Y.shape
    most = int(SHARE * n) - 2 * t
    rows, columns = np.triu_indices(t, 1)
    if len(rows) <= most:
        return None
    y = standardise(Y, ddof=0)
    correlations = np.abs(y.T @ y)[rows, columns]
    kept = np.argsort(-correlations, kind="stable")[: max(0, most)]
    chosen = np.zeros((t, t), dtype=bool)
    chosen[rows[kept], columns[kept]] = True
    return chosen | chosen.T


def _limited(
    sample: Sample,
    whole: Basis,
    terms: Terms,
    *,
    sums: KeptSums | None,
    private: bool,
    limits_x: bool,
    note: Reporter,
) -> Basis:
    """The columns of a whole basis with which few enough sums are preserved, see flexible_basis."""
    s = sample.s
    coded = {j for term in terms for j in term}
    added = len(whole.chosen)
    if s == 0 or sample.t == 0:
        return whole

    U = _unit_factor(sample, whole)
    independent = [j for j in range(s + added) if U[j, j] > COLLINEAR]
    is_value = np.array([j >= s or j in coded for j in range(s + added)])
    # Columns of X are in `sums`, where there are any, and count there.
    counted = [j for j in independent if sums is None or j >= s]
    limited = counted if limits_x else [j for j in counted if j >= s]
    values = sum(bool(is_value[j]) for j in limited)  # these are left out first
    surplus = min(len(counted) - _most_columns(sample, sums, SHARE_WITH_LEVELS), values)
    surplus = max(surplus, min(len(counted) - _most_columns(sample, sums, SHARE), len(limited)))
    if surplus <= 0:
        left_out = list[int]()
    elif private:
        left_out = limited[::-1][:surplus]
    else:
        left_out = _least_useful(U, independent, limited, surplus, is_value=is_value)
    # A column of X that depends on others would bring back one that is left out.
    of_x = [] if any(j < s for j in left_out) else list(range(s))
    kept = [j for j in range(s + added) if j not in left_out and (j in independent or j in of_x)]
    basis = Basis(
        own=tuple(j for j in kept if j < s),
        curves=whole.curves,
        chosen=tuple(j - s for j in kept if j >= s),
    )
    _note_basis(basis, left_out, is_value, note)
    return basis


def _most_columns(sample: Sample, sums: KeptSums | None, share: float) -> int:
    """The number of columns with which t (1 + s) sums on (1, x) and t (t + 1) / 2 cross sums are a share of the records.

    sums : preserved in addition, whose columns do not count.
    """
    t = sample.t
    others = t + t * (t + 1) // 2 if sums is None else sums.count(t)
    return max(0, int((share * sample.n - others) // t))


def _note_basis(basis: Basis, left_out: list[int], is_value: Mask, note: Reporter) -> None:
    """Notes on the columns of a basis beside those of X, and on columns that are left out."""
    values = sum(bool(is_value[j]) for j in left_out)
    linear = len(left_out) - values
    if basis.chosen:
        note(Note.of("chosen", ADDED, total=len(basis.own) + linear, columns_added=len(basis.chosen)))
    if values:
        left_out_text = LEFT_OUT if basis.curves else LEVELS_LEFT_OUT
        note(Note.of("chosen", left_out_text, count=values, total=int(is_value.sum())))
    if linear:
        note(Note.of("chosen", LINEAR_LEFT_OUT, count=linear, total=len(basis.own) + linear, severity="warning"))


def _width(curve: Curves) -> int:
    """The number of columns of a curve."""
    match curve:
        case Values(position=position):
            return int(position.max()) + 1
        case Spline(knots=knots):
            return max(0, len(knots) - 2)
        case RankSpline(knots=knots):
            return 1 + max(0, len(knots) - 2)


def _curves(sample: Sample, j: int, *, private: bool) -> list[Curves]:
    """What makes the columns of predictor j; nothing for one of at most two values."""
    values, counts = _distinct(sample, j)
    if len(values) <= 2:
        return []
    if len(values) <= MOST_VALUES:
        return _values(sample, j, values, private=private)
    quartiles = values[_at_shares(counts)]
    knots = np.unique([values[0], *quartiles, values[-1]])
    if values[-1] - quartiles[1] <= FAR * (quartiles[2] - quartiles[0]):
        return [Spline(j, knots)]
    # The mean rank of k equal values with b below is b + (k + 1) / 2.
    shares = (np.cumsum(counts) - counts + (counts + 1) / 2) / sample.n
    knots = np.unique([shares[0], *shares[_at_shares(counts)], shares[-1]])
    return [RankSpline(j, values, shares, knots)]


def _at_shares(counts: Integers) -> Integers:
    """The positions of the quartiles among distinct values with these counts, by R's type 1: no value is interpolated."""
    below = np.cumsum(counts)
    return np.searchsorted(below, np.array(QUARTERS) * below[-1], side="left")


def _distinct(sample: Sample, j: int) -> tuple[Array, Integers]:
    """The distinct values (k,) of predictor j, ascending, and their counts, by one pass."""
    parts = total(sample.engine, partial(_distinct_of_block, j), sample.blocks)
    values, inverse = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
    counts = np.zeros(len(values), dtype=np.int64)
    np.add.at(counts, inverse, np.concatenate([part[1] for part in parts]))
    return values, counts


def _distinct_of_block(j: int, block: Array) -> list[tuple[Array, Integers]]:
    """The distinct values of one column of a block and their counts, in a list: as a sum, `total` keeps every block's."""
    return [np.unique(block[:, j], return_counts=True)]


def _values(sample: Sample, j: int, values: Array, *, private: bool) -> list[Curves]:
    """The columns of the values (k,) of predictor j, of which those that pooled categories would be share one.

    X has the predictor itself, so that one more value has no column; where values are pooled, all of the pool. Sums with the
    predictor would separate two pooled values: a pool has at least three.
    """
    dependent = [] if private else list(sample.dependent)
    by_value = total(sample.engine, partial(_contributions, j, values, dependent), sample.blocks, _joined)
    pool = pooled_levels(by_value)
    others = sorted(set(range(len(values))) - {*pool}, key=lambda k: (by_value[k].records, k))
    while pool and len(pool) < FEWEST_POOLED and others:
        pool.append(others.pop(0))
    own = [k for k in range(len(values)) if k not in pool]
    if not pool:
        own = own[1:-1]
    position = np.full(len(values), -1, dtype=np.int64)
    position[own] = np.arange(len(own))
    return [Values(j, values, position)] if own else []


def _contributions(j: int, values: Array, dependent: Sequence[int], block: Array) -> list[Contributions]:
    """The contributions to the totals of dependent columns by value of predictor j, of one block."""
    sizes = np.abs(block[:, list(dependent)])
    return [Contributions.of(sizes[block[:, j] == value]) for value in values]


def _joined(first: list[Contributions], second: list[Contributions]) -> list[Contributions]:
    """The contributions of two blocks together."""
    return [a + b for a, b in zip(first, second, strict=True)]


def _unit_factor(sample: Sample, basis: Basis) -> Array:
    """The triangular factor of the basis's columns and the dependent ones, less their means and at norm 1.

    A diagonal element is the norm of what the columns before leave of one. A constant column is 0.
    """
    expand = partial(basis.expanded, sample.s)
    blocks = sample.mapped(expand)
    mean = total(sample.engine, _sums, blocks) / sample.n
    R = tall_factor(sample.engine, blocks, sample.n, Centred(1.0 / float(np.sqrt(sample.n)), mean))[:, 1:]
    size = np.linalg.norm(R, axis=0)
    size[size <= CONSTANT * np.abs(mean) * np.sqrt(sample.n)] = np.inf
    U: Array = R[1:] / size  # without the row of the constant column, with which the others are uncorrelated
    return U


def _sums(block: Array) -> Array:
    """Sums of the columns of a block."""
    return block.sum(axis=0)


def _least_useful(
    U: Array, columns: Sequence[int], limited: Sequence[int], surplus: int, *, is_value: Mask
) -> list[int]:
    """Columns to be left out, so many: columns of values and splines first, those of X last.

    The partial R2 of a column is b^2 / g, b its coefficient in the regression of a dependent column at norm 1 on all
    columns, g its element of their inverse cross-products; summed over the dependent columns.

    U : triangular factor of columns at norm 1, the dependent ones last; columns : independent ones that are regressed on;
    limited : those of them that may be left out.
    """
    Y = U[:, len(is_value) :]
    left_out = list[int]()
    remaining = list(columns)
    while len(left_out) < surplus:
        candidates = [j for j in limited if j in remaining and is_value[j]]
        if not candidates:
            candidates = [j for j in limited if j in remaining]
        Q, T = np.linalg.qr(U[:, remaining])
        inverse = solved(T, np.eye(len(remaining)))
        gain = ((inverse @ (Q.T @ Y)) ** 2).sum(axis=1) / (inverse**2).sum(axis=1)
        gain_of = dict(zip(remaining, gain.tolist(), strict=True))
        at_once = max(1, (surplus - len(left_out)) // AT_ONCE)
        left_out += sorted(candidates, key=lambda j: (gain_of[j], -j))[:at_once]
        remaining = [j for j in columns if j not in left_out]
    return left_out
