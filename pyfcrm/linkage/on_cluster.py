"""Record linkage on a cluster: each worker looks for some of the originals among all protected records."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..engine import Added, Engine
from ..types import Array
from .agreement import Agreement, Comparison, Exact, Patterns
from .nearest import nearest_share
from .patterns import Pairs
from .probabilistic import EMFit, Linkage, expectation_maximisation, pattern_bits, weights

QUERIES = 8  # blocks of originals; each costs a look at the whole protected file


@dataclass(frozen=True)
class Shares:
    """nearest_share of some originals: a block is (protected (N, p), originals (b, p), the first one's number)."""

    def part(self, block: tuple[Array, Array, int]) -> Array:
        """See engine.Kernel."""
        Z, X, first = block
        return nearest_share(X, Z, np.arange(first, first + len(X)))

    def add(self, a: Array, b: Array) -> Array:
        """See engine.Kernel."""
        return np.concatenate([a, b])


@dataclass(frozen=True)
class Counts(Added):
    """How many pairs of some originals with all protected records show each pattern; blocks as for Shares.

    width : (p,) values closer than this agree.
    """

    width: Array

    def part(self, block: tuple[Array, Array, int]) -> Counter[int]:
        """See engine.Kernel."""
        Z, X, _ = block
        made = Pairs(Comparison(X, Z, self.width)).count()
        return Counter(dict(zip(made.codes.tolist(), made.counts.tolist(), strict=True)))


def as_patterns(counted: Counter[int]) -> Patterns:
    """The counts of all blocks, in the order of the patterns."""
    codes = np.array(sorted(counted), dtype=np.int64)
    return Patterns(codes, np.array([counted[code] for code in codes.tolist()], dtype=np.int64))


def fitted(patterns: Patterns, p: int, n: int) -> tuple[EMFit, Array]:
    """Chances from the counts of n^2 pairs on p attributes, and the weight (K,) of each pattern."""
    G = pattern_bits(patterns.codes, p)
    fit = expectation_maximisation(G, patterns.counts, 1 / n)
    return fit, weights(G, fit)


def as_linkage(fit: EMFit, share: Array) -> Linkage:
    """The fit with what each original earns (n,)."""
    return Linkage(fit.m, fit.u, fit.prevalence, fit.iterations, fit.converged, share)


@dataclass(frozen=True)
class OnCluster:
    """The two ways to link, run by an engine that holds blocks. Linking by weight stays here: counting is the work."""

    engine: Engine

    def nearest(self, X: Array, Z: Array) -> Array:
        """As linkage.nearest.nearest_share."""
        return self.engine.total(Shares(), self._blocks(X, Z))

    def probabilistic(self, X: Array, Z: Array, agreement: Agreement | None = None) -> Linkage:
        """As linkage.probabilistic.probabilistic_linkage."""
        comparison = (agreement or Exact()).comparison(X, Z)
        counted = self.engine.total(Counts(comparison.width), self._blocks(comparison.A, comparison.B))
        patterns = as_patterns(counted)
        fit, weight = fitted(patterns, X.shape[1], len(X))
        return as_linkage(fit, Pairs(comparison).link(patterns, weight))

    def _blocks(self, X: Array, Z: Array) -> list[Any]:
        hold: Any = self.engine.hold  # type: ignore[attr-defined]
        cuts = np.linspace(0, len(X), min(QUERIES, len(X)) + 1).astype(int).tolist()
        parts = [(start, X[start:stop]) for start, stop in pairwise(cuts)]
        whole = hold([Z])[0]
        return [(whole, held, start) for (start, _), held in zip(parts, hold(A for _, A in parts), strict=True)]
