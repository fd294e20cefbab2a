"""Attacks, the links that follow from their scores, and their baseline: links by the unmodified columns alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...numerics.design import design
from ...numerics.location import row_blocks
from ...numerics.moments import whitener
from ...progress import OnStep, discard
from ...types import Array, Integers, Mask

TIE = 1e-9  # scores that differ by less are equal
DOUBT = np.log(100.0)  # a candidate is at least a hundredth as likely as the likeliest
LEAST_DIVISOR = 1e-12  # of n: keeps distances finite in directions in which only the record itself varies
LEAST_REST = 1e-9  # 1 - leverage below which the other records do not determine the prediction of a record


@dataclass(frozen=True)
class Scores:
    """Scores of all pairs of an original and a protected record: how well they match.

    Parameters
    ----------
    block : callable
        (b, K) for a slice of the originals, larger for likelier pairs; -inf for pairs that the method excludes.
    margin : float
        A candidate is a protected record that is not excluded and whose score is within this of the best one: the log of a
        likelihood ratio, or infinite if the method only excludes.
    place : array of int, shape (N,), optional
        Which of the K columns each protected record has: those with equal x share one where only x counts. None: each has its own.
    """

    block: Callable[[slice], Array]
    margin: float = np.inf
    place: Integers | None = None

    def of_records(self, rows: slice) -> Array:
        """The scores (b, N) of a slice of the originals and every protected record."""
        S = self.block(rows)
        return S if self.place is None else S[:, self.place]


@dataclass(frozen=True)
class Found:
    """The links of an attack, by original; each (n,).

    Parameters
    ----------
    share : array
        1/t where the own record is among the t best matches, else 0.
    candidates : array of int
        The number of protected records that may be the own one.
    inside : array of bool
        Whether the own record is among them.
    """

    share: Array
    candidates: Integers
    inside: Mask

    @property
    def linked(self) -> float:
        """Records linked, ties shared, per cent."""
        return 100 * float(self.share.mean())

    @property
    def certain(self) -> float:
        """Records whose only candidate is their own, per cent."""
        return 100 * float((self.inside & (self.candidates == 1)).mean())


def linked(scores: Scores, n: int, on_step: OnStep = discard) -> Found:
    """Link each of n originals to the protected records that match best; its own record has the same position.

    on_step : called with (originals done, n).
    """
    share = np.zeros(n)
    candidates = np.zeros(n, dtype=np.int64)
    inside = np.zeros(n, dtype=bool)
    place = np.arange(n) if scores.place is None else scores.place
    count = np.bincount(place)  # protected records of a column
    for rows in row_blocks(n, len(count)):
        on_step(rows.start, n)
        S = scores.block(rows)
        best = S.max(axis=1)
        own = S[np.arange(len(S)), place[rows]]
        possible = np.isfinite(own)

        tied_for_best = _counted(best[:, None] - TIE <= S, count)
        share[rows] = np.where(possible & (own >= best - TIE), 1 / tied_for_best, 0.0)

        # The least score of a candidate; infinite where every record is excluded, finite where the margin is infinite.
        least = np.where(np.isfinite(best), best - scores.margin - TIE, np.inf)
        least = np.maximum(least, -np.finfo(np.float64).max)
        candidates[rows] = _counted(least[:, None] <= S, count)
        inside[rows] = possible & (own >= least)
    on_step(n, n)
    return Found(share, candidates, inside)


def _counted(columns: Mask, count: Integers) -> Integers:
    """The number of protected records (b,) in these columns (b, K). count : (K,) of each."""
    if len(count) == count.sum():
        return np.asarray(columns.sum(axis=1))
    return np.asarray(columns @ count)


def shared_rows(A: Array) -> tuple[Integers, Integers]:
    """The first record (K,) of each different row of A (n, r), and the place (n,) among these of each record's row.

    Where more than half of the rows are different, each record has its own place.
    """
    first, place = np.unique(A, axis=0, return_index=True, return_inverse=True)[1:]
    if len(first) > len(A) / 2:
        return np.arange(len(A)), np.arange(len(A))
    return first, place.reshape(-1)


class Attack:
    """An attack by an intruder who knows the method: plain data that a method declares."""

    @property
    def words(self) -> str:
        """The attack, as a line of the report."""
        return ""

    def baseline(self, X: Array, Y: Array, on_step: OnStep = discard) -> float:
        """Per cent linked by the unmodified columns X (n, s), all original, without a release: the attack's baseline.

        Record i is linked to the record whose X gives its Y (n, t) the largest normal likelihood in a regression of Y on X
        that is fitted without i. 0 without columns. on_step : called with (records done, n).
        Source: the formulas without a record are those of Cook and Weisberg (1982), Residuals and Influence in Regression.
        """
        n, s = X.shape
        if not s or n < s + 3:
            return 0.0
        # The regression of standardised Y on X with all records: predictions P, residuals E of covariance S.
        Q = design(X).columns
        sd = Y.std(axis=0)
        U = (Y - Y.mean(axis=0)) / np.where(sd > 0, sd, 1.0)
        P = Q @ (Q.T @ U)
        E = U - P

        # In units in which S is 1: originals a, predictions b, residuals e.
        W = whitener(E.T @ E / n)
        a = U @ W
        b = P @ W
        e = E @ W

        # Without record i, the prediction of record k moves by -g_ik e_i with g_ik = q_i'q_k / (1 - h_i), h_i the leverage.
        # S without i is (n S - e e'/(1 - h)) / (n - 1). By Sherman and Morrison, v'S^-1 v is then, times (n - 1) / n,
        # v'S^-1 v + (v'S^-1 e)^2 / (n (1 - h) - e'S^-1 e). The factor is one for all k, and changes no link.
        one_less_leverage = 1 - (Q * Q).sum(axis=1)
        one_less_leverage = np.where(one_less_leverage < LEAST_REST, np.inf, one_less_leverage)
        divisor = np.maximum(n * one_less_leverage - (e * e).sum(axis=1), LEAST_DIVISOR * n)

        first, place = shared_rows(Q)
        Q_of_place = Q[first]
        b = b[first]

        def block(rows: slice) -> Array:
            """Scores (b, K): of original i and a record k of each x -1/2 times that quadratic form, v = a_i - b_k + g_ik e_i."""
            g = Q[rows] @ Q_of_place.T / one_less_leverage[rows, None]
            # v'v is the square of a_i - b_k, plus 2 g (a_i - b_k)'e_i, plus g^2 e_i'e_i; v'e_i is (a_i - b_k)'e_i + g e_i'e_i.
            along = (a[rows] * e[rows]).sum(axis=1)[:, None] - e[rows] @ b.T
            size = (e[rows] ** 2).sum(axis=1)[:, None]
            d = squared(a[rows], b) + 2 * g * along + g * g * size
            return -0.5 * (d + (along + g * size) ** 2 / divisor[rows, None])

        return linked(Scores(block, place=place), n, on_step).linked

    def calibrated(self, margins: bool) -> tuple[Attack, ...]:
        """The attacks on a release that was then calibrated to the original's moments, and to its margins or not."""
        return ()

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """Scores of a release.

        Parameters
        ----------
        X : array, shape (n, s)
            Unmodified columns; s may be 0.
        Y, Z : array, shape (n, t)
            Original values, which the intruder knows, and protected values, paired by position.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class OnColumns(Attack):
    """An attack on some of the columns."""

    attack: Attack
    """The attack."""
    columns: tuple[int, ...]
    """Positions of the columns."""

    @property
    def words(self) -> str:
        """See Attack.words."""
        return self.attack.words

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores."""
        return self.attack.scores(X, Y[:, self.columns], Z[:, self.columns])


def squared(a: Array, b: Array) -> Array:
    """Squared distances (m, N) of the rows of a (m, k) and b (N, k): |a|^2 - 2 a'b + |b|^2.

    The error is relative to the squares of a and b, not to the distance: for likelihoods, not for near ties.
    """
    return (a * a).sum(axis=1)[:, None] - 2 * (a @ b.T) + (b * b).sum(axis=1)


def likelihood_of_centers(a: Array, b: Array) -> Scores:
    """Normal log likelihoods of a (n, k) around centers b (N, k), in units in which the covariance is 1."""
    first, place = shared_rows(b)
    centers = b[first]
    return Scores(lambda rows: -0.5 * squared(a[rows], centers), DOUBT, place)
