"""Fuzzy c-means (Bezdek 1981; thesis 2.7), the checked arguments of both fits, and their loop."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import at_most_records, flag, real_number, whole_number
from ..data.blocks import Sample
from ..data.check import LARGEST
from ..display import Shown, View
from ..engine import Local, one_blas_thread
from ..errors import InvalidInput, InvalidParameter, Note
from ..rstream import RStream, as_stream
from ..types import Array
from .partition import Membership, Partition, Take, in_panels, normalised, stored
from .passes import Sums


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
    outside = ~(np.abs(A) <= LARGEST)  # NaN is outside too
    if outside.any():
        k, j = np.argwhere(outside)[0]
        rule = f"`{name}` must be finite, and at most {LARGEST:g} in magnitude"
        raise InvalidInput(owner, rule, f"{A[k, j]:g} in record {k + 1}, column {j + 1}")
    return A


@dataclass(frozen=True)
class Settings:
    """The parameters that fuzzy c-means and fuzzy c-regression share."""

    c: int
    """Number of clusters."""
    m: float
    """Fuzzifier."""
    tol: float
    """Tolerance: the iterations end when no membership changes by more."""
    max_iter: int
    """Most iterations."""
    intercept: bool = True
    """Whether regressions have an intercept."""

    def checked(self, owner: str, n: int, s: int) -> Settings:
        """The settings, checked for n records of s independent columns.

        Raises InvalidParameter, and InvalidInput where there is nothing to regress on.
        """
        checked = Settings(
            c=whole_number(owner, "c", self.c, low=1),
            m=real_number(owner, "m", self.m, above=1),
            tol=real_number(owner, "tol", self.tol, low=0),
            max_iter=whole_number(owner, "max_iter", self.max_iter, low=1),
            intercept=flag(owner, "intercept", self.intercept),
        )
        at_most_records(owner, "c", checked.c, n)
        check_fuzzifier(owner, checked.m, checked.c)
        if not checked.intercept and s == 0:
            raise InvalidInput(owner, "needs an intercept or at least one independent column", "neither")
        return checked


def check_fuzzifier(owner: str, m: float, c: int) -> None:
    """Raises InvalidParameter when m is so large that u^m could vanish for every record of a cluster, u being 1/c."""
    if m * math.log10(c) > 300:
        raise InvalidParameter(owner, "m", f"must be at most {300 / math.log10(c):.4g} for {c} clusters", m)


def random_membership(n: int, c: int, stream: RStream) -> Array:
    """A random (n, c) membership: n*c uniforms filled by columns, as R's matrix(), each row divided by its sum."""
    u = stream.runif_matrix(n, c)
    return np.ascontiguousarray(u / u.sum(axis=1, keepdims=True))


def initial_membership(owner: str, initial: ArrayLike, n: int, c: int) -> Array:
    """A caller's starting membership as float64 (n, c), checked; rows are divided by their sums."""
    u = finite_matrix(owner, "initial", initial)
    if u.shape != (n, c):
        raise InvalidParameter(owner, "initial", f"must be a membership of shape ({n}, {c})", u.shape)
    sums = u.sum(axis=1)
    if (u < 0).any() or (sums <= 0).any():
        raise InvalidParameter(owner, "initial", "must be at least 0, with no row of zeros", "other values")
    return u / sums[:, None]


def fit_view(title: str, fit: Any) -> View:
    """A fit as text: whether it converged, and how many records have their largest membership in each cluster."""
    sizes = np.bincount(fit.membership.argmax(axis=1), minlength=fit.membership.shape[1])
    converged = "converged" if fit.converged else "NOT converged"
    outcome = f"{title}, {converged} after {fit.iterations} iterations"
    return View(f"{outcome}; records by cluster: {', '.join(map(str, sizes))}", sentences=fit.notes)


@dataclass(frozen=True, repr=False)
class FCMFit(Shown):
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

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.example()
    >>> pf.fcm(frame.to_numpy(), 2, seed=1).centers.shape
    (2, 2)
    """

    membership: Array
    centers: Array
    objective: Array
    delta: Array
    iterations: int
    converged: bool
    notes: tuple[Note, ...] = ()

    def _view(self) -> View:
        """The outcome as text."""
        return fit_view("Fuzzy c-means", self)


def fcm(
    X: ArrayLike,
    c: int,
    m: float = 2.0,
    tol: float = 1e-5,
    max_iter: int = 100,
    initial: ArrayLike | None = None,
    seed: int | RStream | None = None,
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

    Examples
    --------
    >>> import pyfcrm as pf
    >>> fit = pf.fcm(pf.datasets.example().to_numpy(), 2, seed=1)
    >>> bool((abs(fit.membership.sum(axis=1) - 1) < 1e-9).all())
    True
    """
    X = finite_matrix("fcm", "X", X)
    settings = Settings(c, m, tol, max_iter).checked("fcm", *X.shape)
    if initial is None:
        U = random_membership(len(X), settings.c, as_stream(seed))
    else:
        U = initial_membership("fcm", initial, len(X), settings.c)
    with one_blas_thread():
        partition = stored(Local(), (X,), in_panels(U), settings.m)
        centers, history = means(partition, X.shape[1], settings)
    membership = partition.matrix()

    notes = list[Note]()
    if not history.converged and settings.tol > 0:
        text = "fuzzy c-means did not converge in {iterations} iterations"
        notes.append(Note.of("not_converged", text, iterations=settings.max_iter))
    if not membership.any(axis=0).all():
        notes.append(Note.of("empty_groups", "fuzzy c-means had an empty cluster"))
    return FCMFit(
        membership=membership,
        centers=centers,
        objective=history.objective,
        delta=history.delta,
        iterations=history.iterations,
        converged=history.converged,
        notes=tuple(notes),
    )


@dataclass(frozen=True)
class History:
    """The course of the iterations of a fit."""

    objective: Array
    """The objective after each iteration, (iterations,)."""
    delta: Array
    """The largest change of a membership in each iteration, (iterations,)."""
    iterations: int
    """Number of iterations."""
    converged: bool
    """Whether the last change was below the tolerance."""


def iterate(
    partition: Partition, models: Array, update: Callable[[Sums, Array], Array], settings: Settings
) -> tuple[Array, History]:
    """Alternates between models and memberships. Returns the last models and the course of the iterations.

    partition : is updated; models : those of clusters that never had weight; update : computes models from the sums of the
    partition and the models before.
    """
    sums = partition.advance()
    objective = list[float]()
    delta = list[float]()
    for _ in range(settings.max_iter):
        models = update(sums, models)
        sums = partition.advance(models)
        objective.append(sums.objective)
        delta.append(sums.delta)
        if delta[-1] < settings.tol:
            break
    history = History(
        objective=np.array(objective),
        delta=np.array(delta),
        iterations=len(delta),
        converged=delta[-1] < settings.tol,
    )
    return models, history


def means(partition: Partition, p: int, settings: Settings) -> tuple[Array, History]:
    """Fuzzy c-means of p columns from a partition, which is updated. Returns the centres."""
    never_had_weight = np.full((settings.c, p), np.inf)  # centres infinitely far from every record
    return iterate(partition, never_had_weight, Sums.centers, settings)


def random_means(
    sample: Sample, take: Take, p: int, settings: Settings, stream: RStream
) -> tuple[Partition, Array, History]:
    """Fuzzy c-means of the p columns that `take` gives of a sample's records, from a random membership.

    Returns the partition, the centres and the course of the iterations.
    """
    draws = sample.draws(stream, settings.c, "uniform")
    if sample.in_memory:
        records = take(sample.rows.read())
        panels = [normalised(settings.c, u) for u in draws]
        partition = stored(sample.engine, records, panels, settings.m)
    else:
        blocks = list(zip(sample.blocks, draws, strict=True))
        membership = Membership(take, partial(normalised, settings.c), settings.m)
        partition = Partition(sample.engine, blocks, membership, sample)
    centers, history = means(partition, p, settings)
    return partition, centers, history
