"""Fuzzy c-regression models (Hathaway and Bezdek 1993; thesis 4.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import at_most_records, choice, flag
from ..data.blocks import Sample, taken
from ..engine import Engine, one_blas_thread
from ..errors import InvalidInput, Note
from ..numerics.design import Design, Inverse, design, solved
from ..numerics.design_by_blocks import Basis, basis
from ..rstream import RStream, as_stream
from ..types import Array
from .fcm import finite_matrix, given_membership, here, means, random_partition, usable_fuzzifier, usable_settings
from .partition import Columns, KeptLines, Remade, RemadeLines
from .radial import CENTRES, RadialBasis, Table, check_radial, radial_basis_of, usable_centres, usable_width

if TYPE_CHECKING:
    from .fcrm_kernels import FCRMPass, FCRMStart

START = {"m": 2.0, "tol": 1e-5, "max_iter": 100}  # the fuzzy c-means that gives the first partition


@dataclass(frozen=True)
class FCRMFit:
    """c regressions and the fuzzy partition that goes with them.

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
    inverse: Inverse = "orthogonal",
    engine: Engine | None = None,
    centres: int | Table = CENTRES,
    width: float | None = None,
    radial: RadialBasis | None = None,
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
        "rbf" (ours) for Gaussian functions of standardised X in its place, with `centres` and `width` as
        `radial_basis` has them; their draws come first.
    initial : array-like, shape (n, c), optional
        A membership to start from, else fuzzy c-means of (X, y) on raw values from a random membership of `seed`.
    seed : int or RStream, optional
        Where the random start comes from.
    inverse : {"orthogonal", "thesis", "moore_penrose"}
        The generalised inverse used where X'DX is singular; "thesis" for its algorithm 2.6. Fitted values do not
        depend on it.
    engine : Engine, optional
        What runs the sums over blocks of records; None for this machine's threads.
    centres : int or array-like, shape (k, s)
        With "rbf": how many centres, or the centres themselves in X's units.
    width : float, optional
        With "rbf": the functions' width in standard deviations of X.
    radial : RadialBasis, optional
        Such a basis that is there already, instead.

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
    """
    X, Y = finite_matrix("fcrm", "X", X), finite_matrix("fcrm", "y", y)
    if len(X) != len(Y):
        raise InvalidInput("fcrm", "`X` and `y` must have as many records as each other", f"{len(X)} and {len(Y)}")
    c, m, tol, max_iter = usable_settings("fcrm", c, m, tol, max_iter)
    choice("fcrm", "basis", basis, ("linear", "rbf"))
    centres, width = usable_centres("fcrm", centres), usable_width("fcrm", width)
    engine = here("fcrm", engine)
    check_radial("fcrm", radial, X.shape[1])
    choice("fcrm", "inverse", inverse, ("orthogonal", "thesis", "moore_penrose"))
    how = Settings(c, m, tol, max_iter, bool(flag("fcrm", "intercept", intercept)))
    require_fit("fcrm", how, len(X), X.shape[1])
    stream = as_stream(seed)
    with one_blas_thread():
        sample = Sample.of(X, Y, engine)
        made = radial_basis_of("fcrm", sample, centres, width, stream) if basis == "rbf" and radial is None else None
        radial = radial or made
        U = None if initial is None else given_membership("fcrm", initial, len(X), c)
        D = regressors(sample, how.intercept, radial, inverse)
        fit = regression(sample, D, tuple(range(sample.s, sample.s + sample.t)), how, stream, U).kept()
    return replace(fit, notes=(*(made.notes if made else ()), *fit.notes))


@dataclass(frozen=True)
class Settings:
    """c, m, tol, max_iter and intercept of `fcrm`."""

    c: int
    m: float
    tol: float
    max_iter: int
    intercept: bool


def require_fit(owner: str, how: Settings, n: int, s: int) -> None:
    """Raises InvalidParameter or InvalidInput where n records with s independent columns cannot be fitted so."""
    at_most_records(owner, "c", how.c, n)
    usable_fuzzifier(owner, how.m, how.c)
    if not how.intercept and s == 0:
        raise InvalidInput(owner, "needs an intercept or at least one independent column", "neither")


@dataclass(frozen=True)
class Regressors:
    """The design of the independent columns, or of their radial functions: of all records at once where they are in
    memory, else a basis that makes it by blocks."""

    design: Design | Basis
    radial: RadialBasis | None


def regressors(
    sample: Sample, intercept: bool, radial: RadialBasis | None = None, inverse: Inverse = "orthogonal"
) -> Regressors:
    """Those of a sample; other inverses than the orthogonal one are for records in memory.

    Radial functions may depend on each other but for rounding, and then a release depends on which of them are left out:
    theirs is one basis, wherever the records lie.
    """
    if sample.in_memory and (radial is None or inverse != "orthogonal"):
        X = np.ascontiguousarray(sample.rows.read(slice(0, sample.n))[:, : sample.s])
        return Regressors(design(X if radial is None else radial.columns(X), intercept, inverse), radial)
    blocks, s = sample.blocks, sample.s
    if radial is not None:
        blocks, s = sample.mapped(_RadialColumns(radial, s)), len(radial.centres)
    made = basis(sample.engine, blocks, sample.n, s, intercept)
    return Regressors(made.design(blocks) if sample.in_memory else made, radial)


@dataclass(frozen=True)
class Lines:
    """A fit: gamma (c, r, t), the coefficients in the design's basis, and the partition that follows from them;
    objective, delta, notes as of FCRMFit."""

    partition: KeptLines | RemadeLines
    by: Regressors
    gamma: Array
    objective: list[float]
    delta: list[float]
    converged: bool
    notes: tuple[Note, ...]

    def predicted(self) -> list[Any]:
        """By blocks (b, t), to be loaded: what the line of each record's own cluster predicts."""
        return self.partition.predicted(self.gamma)

    def kept(self) -> FCRMFit:
        """All of it, where it is in memory."""
        assert isinstance(self.partition, KeptLines)
        coef = np.einsum("sr,crt->cst", self.by.design.back, self.gamma)
        fitted = np.vstack(self.predicted())
        course = (np.array(self.objective), np.array(self.delta), len(self.delta), self.converged)
        of_design = (self.by.design.rank, self.notes, self.by.radial)
        return FCRMFit(self.partition.matrix(), coef, fitted, self.partition.labels, *course, *of_design)


def regression(
    sample: Sample,
    by: Regressors,
    dependent: tuple[int, ...],
    how: Settings,
    stream: RStream,
    initial: Array | None = None,
) -> Lines:
    """Fuzzy c-regression of the columns `dependent` of a sample's records on its regressors; see `fcrm`."""
    partition = _first(sample, by, dependent, how, stream, initial)
    shape = (how.c, by.design.back.shape[1], len(dependent))
    gamma, sums = np.full(shape, np.nan), partition.start()
    objective: list[float] = []
    delta: list[float] = []
    for _ in range(how.max_iter):
        new = solved(sums.normal_equations(*shape[1:]), partition.weighted, by.design.inverse)
        gamma = np.where(np.isnan(new), gamma, new)  # an empty cluster keeps its line
        sums = partition.advance(gamma)
        objective.append(sums.objective)
        delta.append(sums.delta)
        if delta[-1] < how.tol:
            break
    unused = int((partition.counts() == 0).sum())
    notes = _notes(how, delta, by.design, unused)
    return Lines(partition, by, gamma, objective, delta, delta[-1] < how.tol, notes)


def _first(
    sample: Sample, by: Regressors, dependent: tuple[int, ...], how: Settings, stream: RStream, initial: Array | None
) -> KeptLines | RemadeLines:
    """The partition that a regression starts from: `initial`, else fuzzy c-means of the regression's columns."""
    if initial is None:
        wanted = Columns((*range(sample.s), *dependent))
        start = random_partition(sample, wanted, how.c, START["m"], stream)
        means(start, START["tol"], int(START["max_iter"]))
        if isinstance(start, Remade):
            assert isinstance(by.design, Basis)
            take = _Regressed(by.design, by.radial, sample.s, dependent)
            return RemadeLines(sample, take, start.origin(), how.m, LinesKernels())
        U = start.membership
    else:
        from .lanes import in_lanes

        U = in_lanes(initial)
    assert isinstance(by.design, Design)
    records = (by.design.columns, taken(sample.rows.read(slice(0, sample.n)), dependent))
    return KeptLines(sample.engine, records, U, how.m, LinesKernels())


def _notes(how: Settings, delta: list[float], D: Design | Basis, unused: int) -> tuple[Note, ...]:
    notes = list[Note]()
    if not delta[-1] < how.tol and how.tol > 0:
        said = "fuzzy c-regression did not converge in {iterations} iterations (max|U'-U| = {delta:.3g})"
        notes.append(Note.of("not_converged", said, iterations=len(delta), delta=delta[-1]))
    if D.rank < len(D.back):
        said = "the regressors have rank {count} of {total}: a generalised inverse was used"
        notes.append(Note.of("collinear", said, count=D.rank, total=len(D.back)))
    if unused:
        notes.append(
            Note.of(
                "empty_groups", "{count} of {total} clusters {count:holds|hold} no record", count=unused, total=how.c
            )
        )
    return tuple(notes)


class LinesKernels:
    """What fuzzy c-regression sums; see partition.Kernels."""

    def start(self, m: float) -> FCRMStart:
        """See partition.Kernels."""
        from .fcrm_kernels import FCRMStart  # loads numba

        return FCRMStart(m)

    def step(self, to: Array, m: float, before: Array | None = None) -> FCRMPass:
        """See partition.Kernels."""
        from .fcrm_kernels import FCRMPass

        return FCRMPass(to, m, before)


@dataclass(frozen=True)
class _RadialColumns:
    """(b, k) the radial functions of a block's first s columns."""

    radial: RadialBasis
    s: int

    def __call__(self, block: Array) -> Array:
        return self.radial.columns(block[:, : self.s])


@dataclass(frozen=True)
class _Regressed:
    """The regressors (b, r) and the responses (b, t) of a block."""

    design: Basis
    radial: RadialBasis | None
    s: int
    dependent: tuple[int, ...]

    def __call__(self, block: Array) -> tuple[Array, Array]:
        X = block[:, : self.s]
        A = self.design.columns(X if self.radial is None else self.radial.columns(X))
        return A, taken(block, self.dependent)
