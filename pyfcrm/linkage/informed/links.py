"""How well protected records go with originals, and how that becomes links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...numerics.location import row_blocks
from ...progress import OnStep, discard_steps
from ...types import Array, Integers

TIE = 1e-9  # of scores: nearer ones are equal


@dataclass(frozen=True)
class Scores:
    """How well every protected record goes with every original.

    Parameters
    ----------
    block : callable
        Of a slice of the originals: (b, N), the larger the likelier; -inf for what the method rules out.
    margin : float
        A candidate is a protected record that is not ruled out and whose score is within this of the best one. Infinite
        where ruling out is all there is; for likelihoods the log of a ratio.
    """

    block: Callable[[slice], Array]
    margin: float = np.inf


@dataclass(frozen=True)
class Found:
    """What an attack finds, by original; each (n,).

    Parameters
    ----------
    share : array
        1/t where the own record is among the t that go best with an original, else 0.
    candidates : array of int
        Protected records that may be the own one.
    inside : array of bool
        Whether the own one is among them.
    """

    share: Array
    candidates: Integers
    inside: NDArray[np.bool_]

    @property
    def linked(self) -> float:
        """Records linked, per cent, ties shared."""
        return 100 * float(self.share.mean())

    @property
    def certain(self) -> float:
        """Records whose own one is the only candidate, per cent."""
        return 100 * float((self.inside & (self.candidates == 1)).mean())


def linked(scores: Scores, n: int, on_step: OnStep = discard_steps) -> Found:
    """Each of n originals with the protected records that go best with it; its own stands at its place.

    on_step : called with the originals done.
    """
    share, candidates, inside = np.zeros(n), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool)
    for rows in row_blocks(n, n):
        on_step(rows.start, n)
        S = scores.block(rows)
        best, own = S.max(axis=1), S[np.arange(len(S)), np.arange(rows.start, rows.stop)]
        there = np.isfinite(own)
        share[rows] = np.where(there & (own >= best - TIE), 1 / (best[:, None] - TIE <= S).sum(axis=1), 0.0)
        least = np.maximum(np.where(np.isfinite(best), best - scores.margin - TIE, np.inf), -np.finfo(np.float64).max)
        candidates[rows] = (least[:, None] <= S).sum(axis=1)
        inside[rows] = there & (own >= least)
    on_step(n, n)
    return Found(share, candidates, inside)
