"""Masking by noise: one kind a file, each a function of the dependent attributes, the amount and a stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...arguments import choice, real_number
from ...errors import InvalidParameter
from ...linkage.distance import location
from ...rstream import RStream
from ..method import Method, Note, unheard
from .correlated import correlated
from .correlated2 import correlated2
from .draws import ByColumn, Draws
from .laplace import laplace
from .linear import linear
from .multiplicative import multiplicative
from .nonlinear import nonlinear
from .uncorrelated import uncorrelated

Array = NDArray[np.float64]

MOST = 1e6  # per cent; beyond it there is nothing left to see

KINDS: dict[str, Callable[[Array, float, Draws], Array]] = {
    "uncorrelated": uncorrelated,
    "correlated": correlated,
    "linear": linear,
    "nonlinear": nonlinear,
    "laplace": laplace,
    "multiplicative": multiplicative,
    "correlated2": correlated2,
}


@dataclass(frozen=True)
class Noise(Method):
    """Noise added to (or multiplied with) the dependent attributes; X is not used.

    amount : a, in per cent of each attribute's sd (n - 1), above 0 and at most 10^6; S is the covariance of Y. By kind:
    "uncorrelated": normal, of sd a sd, independent between attributes: means and covariances between attributes hold
    on average, variances grow by 1 + a^2. "correlated": normal of covariance a^2 S: means and correlations hold on
    average, collinear attributes stay collinear. "linear": correlated, then transformed so that the file's means and
    covariances are the original's exactly. "nonlinear": correlated noise on normal scores, values placed by the
    result's ranks: each margin is the original's exactly. "laplace": Laplace of sd a sd, no differential privacy.
    "multiplicative": times lognormal factors of mean 1 and sd a (of the value, not of the attribute): signs and
    zeros stay, means hold on average. "correlated2", sdcMicro's with delta = a, at most 100: shrunk towards the mean,
    then noise independent between attributes: means and variances hold on average.
    Seed: undoes every kind: the noise is made again and taken off, its size being told by the release itself. With
    "nonlinear" values come back to within the distance of neighbours in rank.
    Draws: by columns, n normals each (laplace: n uniforms). A constant attribute stays as it is, but with
    "multiplicative". Source: Brand (2002); Kim (1986); Sullivan (1989); sdcMicro's addNoise.
    """

    kind: str = "uncorrelated"
    amount: float = 10.0

    about: ClassVar[str] = "noise added to each value, in per cent of its attribute's standard deviation"
    source: ClassVar[str] = "Brand (2002); Kim (1986); Sullivan (1989)"
    undone_by_seed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice("Noise", "kind", self.kind, KINDS)
        object.__setattr__(self, "amount", real_number("Noise", "amount", self.amount, above=0, high=MOST))
        if self.kind == "correlated2" and self.amount > 100:
            raise InvalidParameter("Noise", "amount", "must be at most 100 for correlated2", self.amount)

    def protect(self, X: Array, Y: Array, stream: RStream, note: Note = unheard) -> Array:
        """See Method.protect."""
        if self.kind == "multiplicative":
            zeros = int((Y == 0).sum())
            if zeros:
                note(f"{zeros} values that are 0 stay 0: noise was multiplied")
        else:
            for j in np.flatnonzero(location(Y).sd == 0):
                note(f"dependent attribute {j + 1} is constant and stays as it is")
        return KINDS[self.kind](Y, self.amount / 100, ByColumn(stream, note))
