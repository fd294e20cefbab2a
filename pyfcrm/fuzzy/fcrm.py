"""Fuzzy c-regression models (Hathaway and Bezdek 1993; thesis 4.1)."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import choice
from ..data.blocks import Sample, taken
from ..display import Shown, View
from ..engine import Local, one_blas_thread
from ..errors import InvalidInput, Note
from ..numerics.design import Design, design, solved
from ..numerics.design_by_blocks import Basis
from ..numerics.design_by_blocks import basis as basis_of
from ..rstream import RStream, as_stream
from ..types import Array, Terms
from .fcm import (
    History,
    Settings,
    finite_matrix,
    fit_view,
    initial_membership,
    iterate,
    random_means,
)
from .partition import Membership, Partition, columns_of, in_panels, stored
from .passes import Sums
from .radial import RadialBasis, radial_basis_of

START = Settings(0, 2.0, 1e-5, 100)  # of the fuzzy c-means that gives the first partition


@dataclass(frozen=True, repr=False)
class FCRMFit(Shown):
    """c regressions and their fuzzy partition.

    Parameters
    ----------
    membership : ndarray, shape (n, c)
        Rows sum to 1.
    coef : ndarray, shape (c, s + 1, t)
        The intercept first (no intercept: (c, s, t)), those that gave the membership (NaN: a cluster that never had a
        record).
    fitted : ndarray, shape (n, t)
        x'beta of the cluster of largest membership.
    labels : ndarray, shape (n,)
        That cluster, from 0.
    objective : ndarray, shape (iterations,)
        E_m, sum of u^m E after each iteration.
    delta : ndarray, shape (iterations,)
        max|U' - U| of each (the thesis's "F.O.").
    iterations : int
        How many were run.
    converged : bool
        True only if the last delta was below `tol`.
    rank : int
        The rank of (1, X).
    notes : tuple of str
        What happened.
    radial : RadialBasis, optional
        The basis, where there is one: `coef` are then of its functions.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> X, y = pf.datasets.example().to_numpy().T
    >>> pf.fcrm(X, y, 2, seed=1).labels.shape
    (250,)
    """

    membership: Array
    coef: Array
    fitted: Array
    labels: NDArray[np.intp]
    objective: Array
    delta: Array
    iterations: int
    converged: bool
    rank: int
    notes: tuple[Note, ...] = ()
    radial: RadialBasis | None = None

    def _view(self) -> View:
        return fit_view("Fuzzy c-regression", self)


def fcrm(
    X: ArrayLike,
    y: ArrayLike,
    c: int,
    m: float = 1.5,
    tol: float = 1e-5,
    max_iter: int = 30,
    intercept: bool = True,
    basis: str = "linear",
    initial: ArrayLike | None = None,
    seed: int | RStream | None = None,
) -> FCRMFit:
    """Fuzzy c-regression of y on X; several columns of y are fitted jointly, their squared errors added.

    Parameters
    ----------
    X : array-like, shape (n, s)
        The independent attributes.
    y : array-like, shape (n,) or (n, t)
        The dependent ones.
    c : int
        Number of clusters, 1 <= c <= n.
    m : float
        Fuzzifier, above 1.
    tol : float
        Stop when max|U' - U| < tol; 0 runs all of `max_iter`.
    max_iter : int
        The most iterations.
    intercept : bool
        Whether the regressions have one.
    basis : {"linear", "rbf"}
        "rbf" (ours) for Gaussian functions of standardised X in its place; their draws come first.
    initial : array-like, shape (n, c), optional
        A membership to start from, else fuzzy c-means of (X, y) on raw values from a random membership of `seed`.
    seed : int or RStream, optional
        Where the random start comes from.

    Returns
    -------
    FCRMFit
        Memberships, coefficients, fitted values, and how the iterations went.

    Raises
    ------
    InvalidInput
        If X or y are not arrays of finite numbers with enough records.
    InvalidParameter
        If a parameter breaks its rule.

    References
    ----------
    Hathaway and Bezdek (1993); thesis 4.1.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> X, y = pf.datasets.example().to_numpy().T
    >>> pf.fcrm(X, y, 2, seed=1).coef.shape
    (2, 2, 1)
    """
    X, Y = finite_matrix("fcrm", "X", X), finite_matrix("fcrm", "y", y)
    if len(X) != len(Y):
        raise InvalidInput("fcrm", "`X` and `y` must have as many records as each other", f"{len(X)} and {len(Y)}")
    how = Settings(c, m, tol, max_iter, intercept).checked("fcrm", *X.shape)
    choice("fcrm", "basis", basis, ("linear", "rbf"))
    stream = as_stream(seed)
    with one_blas_thread():
        sample = Sample.of(X, Y, Local())
        by = regressors("fcrm", sample, how.intercept, basis, stream)
        U = None if initial is None else initial_membership("fcrm", initial, len(X), how.c)
        fit = regression(sample, by, sample.dependent, how, stream, U).in_memory()
    return replace(fit, notes=(*by.notes, *fit.notes))


@dataclass(frozen=True)
class Regressors:
    """The design of the independent columns, or of their radial functions: of all records in memory, else a basis that
    computes it by blocks."""

    design: Design | Basis
    radial: RadialBasis | None = None
    notes: tuple[Note, ...] = ()


def regressors(
    owner: str, sample: Sample, intercept: bool, basis: str, stream: RStream, terms: Terms = ()
) -> Regressors:
    """Those of a sample, by the basis "linear" or "rbf".

    Radial functions can be collinear up to rounding, and a release then depends on which of them are omitted. So they
    have one basis, in memory and on disk.
    """
    if basis == "rbf":
        radial = radial_basis_of(owner, sample, stream, terms)
        blocks = sample.mapped(radial.columns)
        whole = basis_of(sample.engine, blocks, sample.n, len(radial.centres), intercept)
        return Regressors(whole.design(blocks) if sample.in_memory else whole, radial, radial.notes)
    if sample.in_memory:
        return Regressors(design(np.ascontiguousarray(sample.rows.read()[:, : sample.s]), intercept))
    return Regressors(basis_of(sample.engine, sample.blocks, sample.n, sample.s, intercept))


@dataclass(frozen=True)
class RegressionFit:
    """A fit: gamma (c, r, t) are the coefficients in the design's basis; the partition follows from them."""

    partition: Partition
    regressors: Regressors
    gamma: Array
    history: History
    notes: tuple[Note, ...]

    def in_memory(self) -> FCRMFit:
        """The public result, of a membership in memory."""
        by, U = self.regressors, self.partition.matrix()
        coef = np.einsum("sr,crt->cst", by.design.back, self.gamma)
        fit = (U, coef, np.vstack(self.partition.predicted(self.gamma)), U.argmax(axis=1), *self.history)
        return FCRMFit(*fit, by.design.rank, self.notes, by.radial)


def regression(
    sample: Sample,
    by: Regressors,
    dependent: tuple[int, ...],
    how: Settings,
    stream: RStream,
    initial: Array | None = None,
) -> RegressionFit:
    """Fuzzy c-regression of the columns `dependent` of a sample's records on its regressors; see `fcrm`."""
    partition = _first(sample, by, dependent, how, stream, initial)
    r, t = by.design.back.shape[1], len(dependent)

    def update(sums: Sums, gamma: Array) -> Array:
        new = solved(sums.normal_equations(r, t), partition.weighted)
        return np.where(np.isnan(new), gamma, new)  # an empty cluster keeps its coefficients

    gamma, history = iterate(partition, np.full((how.c, r, t), np.nan), update, how)
    notes, rank, total = list[Note](), by.design.rank, len(by.design.back)
    if not history.converged and how.tol > 0:
        text = "fuzzy c-regression did not converge in {iterations} iterations (max|U'-U| = {delta:.3g})"
        notes.append(Note.of("not_converged", text, iterations=history.iterations, delta=history.delta[-1]))
    if rank < total:
        text = "the regressors have rank {count} of {total}: a generalised inverse was used"
        notes.append(Note.of("collinear", text, count=rank, total=total))
    if unused := int((partition.sizes(how.c) == 0).sum()):
        text = "{count} of {total} clusters {count:holds|hold} no record"
        notes.append(Note.of("empty_groups", text, count=unused, total=how.c))
    return RegressionFit(partition, by, gamma, history, tuple(notes))


def _first(
    sample: Sample, by: Regressors, dependent: tuple[int, ...], how: Settings, stream: RStream, initial: Array | None
) -> Partition:
    """The partition that a regression starts from: `initial`, else fuzzy c-means of the regression's columns."""
    if initial is None:
        columns = (*range(sample.s), *dependent)
        take_columns = partial(columns_of, columns)
        start = random_means(sample, take_columns, len(columns), replace(START, c=how.c), stream)[0]
        if isinstance(by.design, Basis):
            take = partial(_regression_columns, by.design, by.radial, sample.s, dependent)
            return Partition(sample.engine, start.blocks, Membership(take, start.membership.panels, how.m), sample)
        panels = start.by_block(start.membership.panels)
    else:
        panels = in_panels(initial)
    assert isinstance(by.design, Design)
    records = (by.design.columns, taken(sample.rows.read(), dependent))
    return stored(sample.engine, records, panels, how.m)


def _regression_columns(
    design: Basis, radial: RadialBasis | None, s: int, dependent: tuple[int, ...], block: Array
) -> tuple[Array, Array]:
    """The regressors (b, r) and the responses (b, t) of a block."""
    X = block[:, :s]
    return design.columns(X if radial is None else radial.columns(X)), taken(block, dependent)
