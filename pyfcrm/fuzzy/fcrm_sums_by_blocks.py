"""The sums of fuzzy c-regression over blocks that keep no membership: each works it out from the state before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..data.blocks import taken
from ..numerics.design_by_blocks import Basis, triangle
from ..types import Array

if TYPE_CHECKING:
    from .fcrm_kernels import FCRMSums


class State(Protocol):
    """What a membership follows from."""

    def lanes(self, X: Array, A: Array, Y: Array) -> Array:
        """The membership of records in lanes (fuzzy.lanes): X (b, s), their design A (b, r), Y (b, t)."""


def _no_lanes(n: int, c: int) -> Array:
    from .lanes import LANES, aligned

    return aligned(-(-n // LANES) * c).reshape(-1, c, LANES)


@dataclass(frozen=True)
class FromCenters:
    """Fuzzy c-means of (X, Y): centers (c, p), m."""

    centers: Array
    m: float

    def lanes(self, X: Array, A: Array, Y: Array) -> Array:
        """See State."""
        from .fcm_kernels import FCMPass

        U = _no_lanes(len(X), len(self.centers))
        FCMPass(self.centers, self.m).part((np.column_stack([X, Y]), U))
        return U


@dataclass(frozen=True)
class FromLines:
    """Fuzzy c-regression: gamma (c, r, t), m."""

    gamma: Array
    m: float

    def lanes(self, X: Array, A: Array, Y: Array) -> Array:
        """See State."""
        from .fcrm_kernels import FCRMPass

        U = _no_lanes(len(X), len(self.gamma))
        FCRMPass(self.gamma, self.m).part((A, Y, U))
        return U

    def membership(self, X: Array, A: Array, Y: Array) -> Array:
        """(b, c)."""
        from .lanes import from_lanes

        return from_lanes(self.lanes(X, A, Y), len(X))


def cut(design: Basis, s: int, dependent: tuple[int, ...], block: Array) -> tuple[Array, Array]:
    """The design (b, r) and the responses (b, t) of a block."""
    return design.columns(block[:, :s]), taken(block, dependent)


@dataclass(frozen=True)
class _OfRecords:
    design: Basis
    s: int
    dependent: tuple[int, ...]
    state: State
    m: float

    def given(self, block: Array) -> tuple[Array, Array, Array]:
        """The design, the responses, and the membership in lanes."""
        A, Y = cut(self.design, self.s, self.dependent, block)
        return A, Y, self.state.lanes(block[:, : self.s], A, Y)


@dataclass(frozen=True)
class Held(_OfRecords):
    """The weighted sums of the state's membership in c clusters."""

    c: int

    def part(self, block: Array) -> FCRMSums:
        """See engine.Kernel."""
        from .fcrm_kernels import FCRMStart

        return FCRMStart(self.m).part(self.given(block))

    def add(self, a: FCRMSums, b: FCRMSums) -> FCRMSums:
        """See engine.Kernel."""
        return a + b


@dataclass(frozen=True)
class Iteration(_OfRecords):
    """One iteration: the membership that gamma gives, and how far it is from the state's."""

    gamma: Array

    def part(self, block: Array) -> FCRMSums:
        """See engine.Kernel."""
        from .fcrm_kernels import FCRMPass

        if isinstance(self.state, FromLines):
            A, Y = cut(self.design, self.s, self.dependent, block)
            return FCRMPass(self.gamma, self.m, self.state.gamma).part((A, Y, None))
        return FCRMPass(self.gamma, self.m).part(self.given(block))

    def add(self, a: FCRMSums, b: FCRMSums) -> FCRMSums:
        """See engine.Kernel."""
        return a + b


@dataclass(frozen=True)
class Reweighted(_OfRecords):
    """The triangular factor of (A, Y), each record times the root of its weight in cluster i."""

    i: int

    def of(self, i: int) -> Reweighted:
        """That of cluster i."""
        return replace(self, i=i)

    def part(self, block: Array) -> Array:
        """See engine.Kernel."""
        from .lanes import column_of

        A, Y, U = self.given(block)
        root = np.sqrt(column_of(U, self.i, len(A)) ** self.m)
        return triangle(np.hstack([A, Y]) * root[:, None])

    def add(self, a: Array, b: Array) -> Array:
        """See engine.Kernel."""
        return triangle(np.vstack([a, b]))


@dataclass(frozen=True)
class Counted(_OfRecords):
    """(c,) how many records have their largest membership in each cluster."""

    def part(self, block: Array) -> Array:
        """See engine.Kernel."""
        from .lanes import from_lanes

        U = from_lanes(self.given(block)[2], len(block))
        return np.bincount(np.argmax(U, axis=1), minlength=U.shape[1]).astype(np.float64)

    def add(self, a: Array, b: Array) -> Array:
        """See engine.Kernel."""
        return a + b
