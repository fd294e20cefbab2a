"""Fuzzy c-means (Bezdek 1981; thesis 2.7), what the fits accept, and the membership of records in clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import at_most_records, real_number, whole_number
from ..data.blocks import Sample
from ..data.check import LARGEST
from ..engine import Engine, as_engine, is_cluster, one_blas_thread
from ..errors import InvalidInput, InvalidParameter, Note
from ..rstream import RStream, as_stream
from ..types import Array
from .partition import Drawn, Kept, Origin, Remade, Take

if TYPE_CHECKING:
    from .fcm_kernels import FCMPass, FCMStart


def finite_matrix(owner: str, name: str, values: ArrayLike) -> Array:
    """`values` as a float64 (n, p) array; one dimension counts as one column. Raises InvalidInput otherwise."""
    try:
        if np.iscomplexobj(values):
            raise TypeError
        A = np.asarray(values, dtype=np.float64, order="C")  # one layout, for sums in one order
    except (TypeError, ValueError, OverflowError):  # 10**400 among them
        raise InvalidInput(owner, f"`{name}` must be numbers", type(values).__name__) from None
    if A.ndim == 1:
        A = A[:, None]
    if A.ndim != 2 or A.shape[0] == 0:
        raise InvalidInput(owner, f"`{name}` must have records in rows and at least one record", f"shape {A.shape}")
    if not np.isfinite(A).all():
        k, j = np.argwhere(~np.isfinite(A))[0]
        raise InvalidInput(owner, f"`{name}` must be finite", f"{A[k, j]} in record {k + 1}, column {j + 1}")
    if np.abs(A).max(initial=0.0) > LARGEST:
        raise InvalidInput(owner, f"`{name}` must not exceed {LARGEST:g} in magnitude", f"{np.abs(A).max():g}")
    return A


def usable_settings(owner: str, c: int, m: float, tol: float, max_iter: int) -> tuple[int, float, float, int]:
    """The number of clusters, the fuzzifier, the tolerance and the most iterations, or an InvalidParameter."""
    return (
        whole_number(owner, "c", c, low=1),
        real_number(owner, "m", m, above=1),
        real_number(owner, "tol", tol, low=0),
        whole_number(owner, "max_iter", max_iter, low=1),
    )


def usable_fuzzifier(owner: str, m: float, c: int) -> None:
    """Raises InvalidParameter when m is so large that u^m could vanish for every record of a cluster, u being 1/c."""
    if m * math.log10(c) > 300:
        raise InvalidParameter(owner, "m", f"must be at most {300 / math.log10(c):.4g} for {c} clusters", m)


def here(owner: str, engine: Engine | None) -> Engine:
    """An engine of this machine, where a membership is kept. Raises InvalidParameter for another."""
    engine = as_engine(owner, engine)
    if is_cluster(engine):
        raise InvalidParameter(
            owner, "engine", "must be of this machine, where the membership is kept, or None", engine
        )
    return engine


def random_membership(n: int, c: int, stream: RStream) -> Array:
    """A random (n, c) membership: n*c uniforms filled by columns, as R's matrix(), each row divided by its sum."""
    u = stream.runif(n * c).reshape(c, n).T
    return np.ascontiguousarray(u / u.sum(axis=1, keepdims=True))


def given_membership(owner: str, initial: ArrayLike, n: int, c: int) -> Array:
    """A caller's starting membership as float64 (n, c), checked; rows are divided by their sums."""
    try:
        u = np.array(initial, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # 10**400 among them
        raise InvalidParameter(owner, "initial", "must be numbers", type(initial).__name__) from None
    if u.shape != (n, c):
        raise InvalidParameter(owner, "initial", f"must be a membership of shape ({n}, {c})", u.shape)
    with np.errstate(over="ignore"):
        sums = u.sum(axis=1)
    if not np.isfinite(sums).all() or (u < 0).any() or (sums <= 0).any():
        raise InvalidParameter(owner, "initial", "must be finite, at least 0, with no row of zeros", "other values")
    return u / sums[:, None]


@dataclass(frozen=True)
class FCMFit:
    """A fuzzy c-means partition.

    Parameters
    ----------
    membership : ndarray, shape (n, c)
        Rows sum to 1.
    centers : ndarray, shape (c, p)
        Those that gave the membership (infinite: a cluster that never had a record).
    objective : ndarray, shape (iterations,)
        Sum of u^m d^2 after each iteration.
    delta : ndarray, shape (iterations,)
        max|U' - U| of each iteration (the thesis's "F.O.").
    iterations : int
        How many were run.
    converged : bool
        True only if the last delta was below `tol`.
    notes : tuple of str
        What happened.
    """

    membership: Array
    centers: Array
    objective: Array
    delta: Array
    iterations: int
    converged: bool
    notes: tuple[Note, ...] = ()


def fcm(
    X: ArrayLike,
    c: int,
    m: float = 2.0,
    tol: float = 1e-5,
    max_iter: int = 100,
    initial: ArrayLike | None = None,
    seed: int | RStream | None = None,
    engine: Engine | None = None,
) -> FCMFit:
    """Fuzzy c-means of the records of X, on the values as they are (no scaling).

    Parameters
    ----------
    X : array-like, shape (n, p)
        The records.
    c : int
        Number of clusters, 1 <= c <= n.
    m : float
        Fuzzifier, above 1.
    tol : float
        Stop when max|U' - U| < tol; 0 runs all of `max_iter`.
    max_iter : int
        The most iterations.
    initial : array-like, shape (n, c), optional
        A membership to start from, else a random one from `seed`.
    seed : int or RStream, optional
        Where the random start comes from.
    engine : Engine, optional
        What runs the sums over blocks of records; None for this machine's threads.

    Returns
    -------
    FCMFit
        Membership, centres, and how the iterations went.

    Raises
    ------
    InvalidInput
        If X is not an array of finite numbers with enough records.
    InvalidParameter
        If a parameter breaks its rule.

    References
    ----------
    Bezdek (1981); thesis 2.7.
    """
    X = finite_matrix("fcm", "X", X)
    c, m, tol, max_iter = usable_settings("fcm", c, m, tol, max_iter)
    engine = here("fcm", engine)
    at_most_records("fcm", "c", c, len(X))
    usable_fuzzifier("fcm", m, c)
    from .lanes import in_lanes  # loads numba

    U = (
        random_membership(len(X), c, as_stream(seed))
        if initial is None
        else given_membership("fcm", initial, len(X), c)
    )
    with one_blas_thread():
        partition = Kept(engine, (X,), in_lanes(U), m, MeansKernels())
        del U
        fit = means(partition, tol, max_iter)
    notes = list[Note]()
    if not fit.converged and tol > 0:
        said = "fuzzy c-means did not converge in {iterations} iterations"
        notes.append(Note.of("not_converged", said, iterations=max_iter))
    if fit.empty:
        notes.append(Note.of("empty_groups", "fuzzy c-means had an empty cluster"))
    course = (np.array(fit.objective), np.array(fit.delta), len(fit.delta), fit.converged)
    return FCMFit(partition.matrix(), fit.centers, *course, tuple(notes))


class MeansKernels:
    """What fuzzy c-means sums; see partition.Kernels."""

    def start(self, m: float) -> FCMStart:
        """See partition.Kernels."""
        from .fcm_kernels import FCMStart  # loads numba

        return FCMStart(m)

    def step(self, to: Array, m: float, before: Array | None = None) -> FCMPass:
        """See partition.Kernels."""
        from .fcm_kernels import FCMPass

        return FCMPass(to, m, before)


def random_partition(sample: Sample, take: Take, c: int, m: float, stream: RStream) -> Kept | Remade:
    """A random membership in c clusters of what `take` gives of a sample's records, for fuzzy c-means."""
    if sample.in_memory:
        from .lanes import in_lanes

        U = random_membership(sample.n, c, stream)
        return Kept(sample.engine, take(sample.rows.read(slice(0, sample.n))), in_lanes(U), m, MeansKernels())
    drawn = list(zip(sample.blocks, sample.draws(stream, c, "uniform"), strict=True))
    return Remade(sample, take, Origin(drawn, Drawn(c)), m, MeansKernels())


@dataclass(frozen=True)
class Means:
    """Where fuzzy c-means came to: see FCMFit. empty : whether a cluster was without weight at some time."""

    centers: Array
    objective: list[float]
    delta: list[float]
    converged: bool
    empty: bool


def means(partition: Kept | Remade, tol: float, max_iter: int) -> Means:
    """Fuzzy c-means from the partition there is, which is moved on."""
    sums = partition.start()
    P = np.full((len(sums.weights), sums.weights.shape[1] - 1), np.inf)
    objective: list[float] = []
    delta: list[float] = []
    empty = False
    for _ in range(max_iter):
        empty = empty or not sums.weights[:, 0].all()
        P = sums.centers(P)
        sums = partition.advance(P)
        objective.append(sums.objective)
        delta.append(sums.delta)
        if delta[-1] < tol:
            break
    return Means(P, objective, delta, delta[-1] < tol, empty)
