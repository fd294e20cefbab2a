"""Fuzzy c-regression over blocks of rows that keep no membership: the old one is worked out again from the old
lines. Fuzzy c-means over such blocks gives it its first partition.

Same kernels, same blocks, same draws as fuzzy.fcrm. Nothing is written to a block, so one can be worked on again, by
another worker where the first was lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.blocks import Draw, draws, taken, total
from ..engine import Engine
from ..numerics.design import Design, solved
from ..numerics.design_by_blocks import Basis
from ..rstream import RStream
from ..types import Array
from .fcrm import START
from .fcrm_sums_by_blocks import Counted, FromCenters, FromLines, Held, Iteration, Reweighted, State, cut

if TYPE_CHECKING:
    from .fcm_kernels import FCMSums


@dataclass(frozen=True)
class FromDraws:
    """The sums of a random membership, or one iteration from it: a block is (records, uniforms (b, c)).

    wanted : the records' columns; P : centres (c, p), None for the sums only.
    """

    wanted: tuple[int, ...]
    c: int
    m: float
    P: Array | None = None

    def part(self, block: Array) -> FCMSums:
        """See engine.Kernel."""
        from .fcm_kernels import FCMPass, FCMStart
        from .lanes import in_lanes

        X = taken(block, self.wanted)
        u = np.asfortranarray(block[:, -self.c :])  # so that rows are summed in fuzzy.random_membership's order
        U = in_lanes(np.ascontiguousarray(u / u.sum(axis=1, keepdims=True)))
        return FCMStart(self.m).part((X, U)) if self.P is None else FCMPass(self.P, self.m).part((X, U))

    def add(self, a: FCMSums, b: FCMSums) -> FCMSums:
        """See engine.Kernel."""
        return a + b


@dataclass(frozen=True)
class FromBefore:
    """One iteration to centres P from the centres before."""

    wanted: tuple[int, ...]
    m: float
    P: Array
    before: Array

    def part(self, block: Array) -> FCMSums:
        """See engine.Kernel."""
        from .fcm_kernels import FCMPass

        return FCMPass(self.P, self.m, self.before).part((taken(block, self.wanted), None))

    def add(self, a: FCMSums, b: FCMSums) -> FCMSums:
        """See engine.Kernel."""
        return a + b


def centers(
    engine: Engine,
    blocks: Sequence[Any],
    uniforms: Sequence[Draw],
    wanted: tuple[int, ...],
    c: int,
    m: float,
    tol: float,
    max_iter: int,
) -> Array:
    """The centres (c, p) that give fuzzy.fcm's final membership of the columns `wanted`, to the last bit."""
    drawn = list(zip(blocks, uniforms, strict=True))
    P = np.full((c, len(wanted)), np.inf)
    sums = total(engine, FromDraws(wanted, c, m), drawn)
    for k in range(max_iter):
        before, P = P, sums.centers(P)
        first = k == 0
        sums = total(
            engine,
            FromDraws(wanted, c, m, P) if first else FromBefore(wanted, m, P, before),
            drawn if first else blocks,
        )
        if sums.delta < tol:
            break
    return P


@dataclass(frozen=True)
class Lines:
    """A fit: gamma (c, r, t), the coefficients in the basis; s, dependent : which columns of a block it is about;
    m : fuzzifier; notes as of FCRMFit; objective, delta of each iteration."""

    basis: Basis
    s: int
    dependent: tuple[int, ...]
    gamma: Array
    m: float
    objective: tuple[float, ...]
    delta: tuple[float, ...]
    notes: tuple[str, ...]

    def fitted(self, block: Array) -> Array:
        """(b, t) the predictions for records (b, p)."""
        A, Y = cut(self.basis, self.s, self.dependent, block)
        U = FromLines(self.gamma, self.m).membership(block[:, : self.s], A, Y)
        return np.einsum("kr,krt->kt", A, self.gamma[np.argmax(U, axis=1)])


@dataclass(frozen=True)
class Settings:
    """c, m, tol, max_iter of fuzzy.fcrm."""

    c: int
    m: float
    tol: float
    max_iter: int


def fit(
    engine: Engine,
    blocks: Sequence[Any],
    n: int,
    design: Basis,
    s: int,
    dependent: tuple[int, ...],
    how: Settings,
    stream: RStream,
) -> Lines:
    """fuzzy.fcrm of the columns `dependent` of the blocks on their first s; design : of these; n : records."""
    wanted = (*range(s), *dependent)
    uniforms = draws(stream, n, how.c, "uniform")
    start = centers(engine, blocks, uniforms, wanted, how.c, START["m"], START["tol"], int(START["max_iter"]))
    state: State = FromCenters(start, START["m"])
    m, t, r = how.m, len(dependent), design.rank
    sums = total(engine, Held(design, s, dependent, state, m, how.c), blocks)
    gamma = np.full((how.c, r, t), np.nan)
    objective: list[float] = []
    delta: list[float] = []
    for _ in range(how.max_iter):
        weight, G, h = sums.normal_equations(r, t)
        new = _solved(engine, blocks, Reweighted(design, s, dependent, state, m, 0), weight, G, h)
        gamma = np.where(np.isnan(new), gamma, new)
        sums = total(engine, Iteration(design, s, dependent, state, m, gamma), blocks)
        state = FromLines(gamma, m)
        objective.append(sums.objective)
        delta.append(sums.delta)
        if delta[-1] < how.tol:
            break
    counts = total(engine, Counted(design, s, dependent, state, m), blocks)
    notes = _notes(how, delta, design, int((counts == 0).sum()))
    return Lines(design, s, dependent, gamma, m, tuple(objective), tuple(delta), notes)


def _notes(how: Settings, delta: list[float], design: Basis, unused: int) -> tuple[str, ...]:
    notes: tuple[str, ...] = ()
    if not delta[-1] < how.tol and how.tol > 0:
        notes += (f"fuzzy c-regression did not converge in {len(delta)} iterations (max|U'-U| = {delta[-1]:.3g})",)
    if design.rank < len(design.back):
        notes += (f"the regressors have rank {design.rank} of {len(design.back)}: a generalised inverse was used",)
    if unused:
        notes += (f"{unused} of {how.c} clusters hold no record",)
    return notes


def _solved(engine: Engine, blocks: Sequence[Any], factor: Reweighted, weight: Array, G: Array, h: Array) -> Array:
    """design.solved; where a cluster's sums cannot be trusted, one more pass gives the triangular factor of its
    weighted records, which has the same least-squares solution as the records themselves."""
    r = G.shape[1]
    gamma = np.full(h.shape, np.nan)
    for i in range(len(G)):
        given = (weight[[i]], G[[i]], h[[i]])
        try:
            gamma[i] = solved(_empty(r), np.empty((0, h.shape[2])), *given, _untrusted)[0]
        except _UntrustedSums:
            R = total(engine, factor.of(i), blocks)
            small = Design(R[:, :r], np.eye(r), r)
            alike = np.ones(len(R))
            gamma[i] = solved(small, R[:, r:], *given, partial(_all, alike))[0]
    return gamma


def _all(weights: Array, _: int) -> Array:
    return weights


class _UntrustedSums(Exception):
    """The normal equations of a cluster are too ill-conditioned."""


def _untrusted(_: int) -> Array:
    raise _UntrustedSums


def _empty(r: int) -> Design:
    return Design(np.empty((0, r)), np.eye(r), r)
