"""Fuzzy c-regression models (Hathaway and Bezdek 1993; thesis 4.1)."""

from collections.abc import Sequence
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

# Settings of the fuzzy c-means that gives the first partition, but for c.
START = Settings(c=0, m=2.0, tol=1e-5, max_iter=100)


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
        """The outcome as text."""
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
    X = finite_matrix("fcrm", "X", X)
    Y = finite_matrix("fcrm", "y", y)
    if len(X) != len(Y):
        raise InvalidInput("fcrm", "`X` and `y` must have as many records as each other", f"{len(X)} and {len(Y)}")
    settings = Settings(c, m, tol, max_iter, intercept).checked("fcrm", *X.shape)
    choice("fcrm", "basis", basis, ("linear", "rbf"))
    stream = as_stream(seed)
    with one_blas_thread():
        sample = Sample.of(X, Y, Local())
        design_of_X = regressors("fcrm", sample, settings.intercept, basis, stream)
        U = None if initial is None else initial_membership("fcrm", initial, len(X), settings.c)
        fit = regression(sample, design_of_X, settings, stream, initial=U).in_memory()
    return replace(fit, notes=(*design_of_X.notes, *fit.notes))


@dataclass(frozen=True)
class Regressors:
    """The regressors of a sample: its independent columns, or radial functions of these."""

    design: Design | Basis
    """The design of all records where memory holds them, else a basis that computes it by blocks."""
    radial: RadialBasis | None = None
    """The radial functions, where there are any."""
    notes: tuple[Note, ...] = ()
    """Notes on the radial functions."""


def regressors(
    owner: str, sample: Sample, intercept: bool, basis: str, stream: RStream, *, terms: Terms = ()
) -> Regressors:
    """The regressors of a sample, by the basis "linear" or "rbf". terms : the columns of each category.

    Radial functions can be collinear up to rounding, and a release then depends on which of them are omitted. So they
    have one basis, in memory and on disk.
    """
    if basis == "rbf":
        radial = radial_basis_of(owner, sample, stream, terms)
        blocks = sample.mapped(radial.columns)
        by_blocks = basis_of(sample.engine, blocks, sample.n, len(radial.centres), intercept)
        return Regressors(by_blocks.design(blocks) if sample.in_memory else by_blocks, radial, radial.notes)
    if sample.in_memory:
        X = np.ascontiguousarray(sample.rows.read()[:, : sample.s])
        return Regressors(design(X, intercept))
    return Regressors(basis_of(sample.engine, sample.blocks, sample.n, sample.s, intercept))


@dataclass(frozen=True)
class RegressionFit:
    """A fuzzy c-regression of a sample."""

    partition: Partition
    """The memberships, which follow from the coefficients."""
    regressors: Regressors
    """The regressors and the way back to (1, X)."""
    gamma: Array
    """The coefficients (c, r, t) in the design's basis."""
    history: History
    """The course of the iterations."""
    notes: tuple[Note, ...]
    """Notes on convergence, rank and empty clusters."""

    def in_memory(self) -> FCRMFit:
        """The public result, for a membership in memory."""
        membership = self.partition.matrix()
        design = self.regressors.design
        return FCRMFit(
            membership=membership,
            coef=np.einsum("sr,crt->cst", design.back, self.gamma),
            fitted=np.vstack(self.partition.predicted(self.gamma)),
            labels=membership.argmax(axis=1),
            objective=self.history.objective,
            delta=self.history.delta,
            iterations=self.history.iterations,
            converged=self.history.converged,
            rank=design.rank,
            notes=self.notes,
            radial=self.regressors.radial,
        )


def regression(
    sample: Sample,
    regressors: Regressors,
    settings: Settings,
    stream: RStream,
    *,
    dependent: tuple[int, ...] | None = None,
    initial: Array | None = None,
) -> RegressionFit:
    """Fuzzy c-regression of a sample's records on its regressors; see `fcrm`.

    dependent : positions of the columns that are regressed together, None for all dependent ones; initial : the membership
    (n, c) to start from, None for fuzzy c-means.
    """
    if dependent is None:
        dependent = sample.dependent
    if initial is None:
        partition = _from_means(sample, regressors, settings, stream, dependent)
    else:
        partition = _in_memory(sample, regressors, settings, in_panels(initial), dependent)
    r = regressors.design.back.shape[1]  # columns of the orthonormal basis of the regressors
    t = len(dependent)

    def update(sums: Sums, gamma: Array) -> Array:
        """The coefficients (c, r, t) that follow from the sums of the memberships; an empty cluster keeps its `gamma`."""
        new = solved(sums.normal_equations(r, t), partition.weighted)
        return np.where(np.isnan(new), gamma, new)

    no_coefficients = np.full((settings.c, r, t), np.nan)
    gamma, history = iterate(partition, no_coefficients, update, settings)

    notes = list[Note]()
    if not history.converged and settings.tol > 0:
        text = "fuzzy c-regression did not converge in {iterations} iterations (max|U'-U| = {delta:.3g})"
        notes.append(Note.of("not_converged", text, iterations=history.iterations, delta=history.delta[-1]))
    rank = regressors.design.rank
    columns = len(regressors.design.back)
    if rank < columns:
        text = "the regressors have rank {count} of {total}: a generalised inverse was used"
        brief = "the regressors are collinear: a generalised inverse was used"
        notes.append(Note.of("collinear", text, count=rank, total=columns, brief=brief))
    empty = int((partition.sizes(settings.c) == 0).sum())
    if empty:
        text = "{count} of {total} clusters {count:holds|hold} no record"
        notes.append(Note.of("empty_groups", text, count=empty, total=settings.c))
    return RegressionFit(partition=partition, regressors=regressors, gamma=gamma, history=history, notes=tuple(notes))


def _from_means(
    sample: Sample, regressors: Regressors, settings: Settings, stream: RStream, dependent: tuple[int, ...]
) -> Partition:
    """The partition from which a regression starts: fuzzy c-means of the regression's columns, from a random membership."""
    columns = (*range(sample.s), *dependent)
    take_columns = partial(columns_of, columns)
    start, _, _ = random_means(sample, take_columns, len(columns), replace(START, c=settings.c), stream)
    if isinstance(regressors.design, Basis):
        take = partial(_regression_columns, regressors.design, regressors.radial, sample.s, dependent)
        membership = Membership(take, start.membership.panels, settings.m)
        return Partition(sample.engine, start.blocks, membership, sample)
    panels = start.by_block(start.membership.panels)
    return _in_memory(sample, regressors, settings, panels, dependent)


def _in_memory(
    sample: Sample, regressors: Regressors, settings: Settings, panels: Sequence[Array], dependent: tuple[int, ...]
) -> Partition:
    """A partition whose records and membership are in memory."""
    assert isinstance(regressors.design, Design)
    records = (regressors.design.columns, taken(sample.rows.read(), dependent))
    return stored(sample.engine, records, panels, settings.m)


def _regression_columns(
    design: Basis, radial: RadialBasis | None, s: int, dependent: tuple[int, ...], block: Array
) -> tuple[Array, Array]:
    """The regressors (b, r) and the responses (b, t) of a block."""
    X = block[:, :s]
    if radial is not None:
        X = radial.columns(X)
    return design.columns(X), taken(block, dependent)
