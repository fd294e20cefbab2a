"""IPSO-A, B and C over blocks of rows: the steps of methods.ipso with every projection and factor a sum over blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from ..data.blocks import Draw, draws, total
from ..engine import Engine
from ..errors import InvalidInput
from ..numerics.design_by_blocks import Basis, Sums, Triangle, basis, triangle
from ..numerics.factor import residual_factor, upper_basis
from ..progress import Note
from ..rstream import RStream
from ..types import Array
from .ipso import IPSO
from .regression import say_rank

Blocks = Sequence[Any]


@dataclass(frozen=True)
class Residuals:
    """Columns `first` to `last` of a block, centred and scaled, less their regression on (1, columns before `s`).

    projections : coefficients (r, k) taken out one after the other; twice is enough.
    """

    design: Basis
    s: int
    first: int
    last: int
    center: Array
    scale: Array
    projections: tuple[Array, ...] = ()

    def of(self, block: Array) -> tuple[Array, Array]:
        """The design (b, r), and what is left of the columns (b, k)."""
        Q = self.design.columns(block[:, : self.s])
        R = (block[:, self.first : self.last] - self.center) / self.scale
        for P in self.projections:
            R = R - Q @ P
        return Q, R

    def projected(self, engine: Engine, blocks: Blocks) -> Residuals:
        """These with one more projection taken out."""
        more = (*self.projections, total(engine, _Projection(self), blocks))
        return Residuals(self.design, self.s, self.first, self.last, self.center, self.scale, more)


@dataclass(frozen=True)
class _Projection:
    """Q'R."""

    what: Residuals

    def part(self, block: Array) -> Array:
        Q, R = self.what.of(block)
        return Q.T @ R

    def add(self, a: Array, b: Array) -> Array:
        return a + b


@dataclass(frozen=True)
class _Factor:
    """The triangular factor of the residuals."""

    what: Residuals

    def part(self, block: Array) -> Array:
        return triangle(self.what.of(block)[1])

    def add(self, a: Array, b: Array) -> Array:
        return triangle(np.vstack([a, b]))


@dataclass(frozen=True)
class _Released:
    """(fitted + noise M) scale + center of a block; fitted is what the targets' first projection took."""

    targets: Residuals
    noise: Residuals | None
    M: Array

    def __call__(self, block: Array) -> Array:
        Q = self.targets.design.columns(block[:, : self.targets.s])
        Z = Q @ self.targets.projections[0]
        if self.noise is not None:
            Z = Z + self.noise.of(block)[1][:, : len(self.M)] @ self.M
        return np.asarray(Z * self.targets.scale + self.targets.center)


def ipso(
    method: IPSO, engine: Engine, blocks: Blocks, shape: tuple[int, int, int], stream: RStream, note: Note
) -> tuple[Callable[[Array], Array], Sequence[Draw] | None]:
    """What gives a block's protected values, and the draws that belong to it; shape : n, s, t."""
    n, s, t = shape
    if method.variant == "thesis" and n < 2:
        raise InvalidInput("IPSO", "the thesis's variant needs at least two records", n)
    design = basis(engine, blocks, n, s)
    if design.rank < s + 1:
        note(f"the independent attributes have rank {design.rank - 1} of {s}: collinear ones were set aside")
    center = (total(engine, Sums(s + t), blocks)[0] / n)[s:]
    everything = np.concatenate([np.zeros(s), center])
    scale = np.linalg.norm(total(engine, Triangle(everything), blocks)[:, s:], axis=0)
    scale[scale == 0] = 1.0
    targets = Residuals(design, s, s, s + t, center, scale).projected(engine, blocks)
    normals = _draws(method, stream, n, t)
    if normals is None:
        return _Released(targets, None, np.empty((0, t))), None
    drawn = list(zip(blocks, normals, strict=True))
    if method.variant == "burridge":
        return _burridge(method, engine, drawn, targets.projected(engine, blocks), n, note), normals
    return _thesis(method, engine, drawn, targets.projected(engine, blocks), n, note), normals


def _draws(method: IPSO, stream: RStream, n: int, t: int) -> list[Draw] | None:
    if method.variant == "burridge":
        return None if method.kind == "A" else draws(stream, n, t, "normal")
    one = 2 * n * t  # two blocks of normals are drawn whatever is asked for: B's, then C's
    if method.kind == "A":
        stream.skip(2 * one)
        return None
    if method.kind == "C":
        stream.skip(one)
        return draws(stream, n, t, "normal")
    made = draws(stream, n, t, "normal")
    stream.skip(one)
    return made


def _burridge(method: IPSO, engine: Engine, drawn: Blocks, targets: Residuals, n: int, note: Note) -> _Released:
    t, end = targets.last - targets.first, targets.last
    T = residual_factor(total(engine, _Factor(targets), drawn))
    say_rank(T, t, note)
    noise = Residuals(targets.design, targets.s, end, end + t, np.zeros(t), np.ones(t))
    noise = noise.projected(engine, drawn).projected(engine, drawn)
    if method.kind == "B":
        return _Released(targets, noise, T / np.sqrt(n))
    return _Released(targets, noise, _orthonormal(total(engine, _Factor(noise), drawn)[:, : len(T)]) @ T)


def _thesis(method: IPSO, engine: Engine, drawn: Blocks, targets: Residuals, n: int, note: Note) -> _Released:
    t, end = targets.last - targets.first, targets.last
    both = basis(engine, drawn, n, end)
    mean = (total(engine, Sums(end + t), drawn)[0] / n)[end:]
    center = np.concatenate([np.zeros(end), mean])
    sd = np.linalg.norm(total(engine, Triangle(center), drawn)[:, end:], axis=0) / np.sqrt(n - 1)
    noise = Residuals(both, end, end, end + t, mean, sd).projected(engine, drawn).projected(engine, drawn)
    if method.kind == "B":
        return _Released(targets, noise, np.diag(1.0 / targets.scale))
    T = residual_factor(total(engine, _Factor(targets), drawn))
    say_rank(T, t, note)
    if n - both.rank < len(T):
        rule = f"the thesis's variant needs at least {both.rank + len(T)} records for these attributes"
        raise InvalidInput("IPSO", rule, n)
    R = total(engine, _Factor(noise), drawn)[:, : len(T)]
    return _Released(targets, noise, _orthonormal(R[:, ::-1])[::-1, ::-1] @ T)


def _orthonormal(R: Array) -> Array:
    """M (k, k) such that rM is residual_factor.upper_basis(r), for the factor R of r."""
    square = triangle(R)
    positive = upper_basis(square).T @ square
    return np.asarray(solve_triangular(np.triu(positive), np.eye(len(positive))))
