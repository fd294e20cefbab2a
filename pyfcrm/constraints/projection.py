"""The nearest point of a polyhedron, for many records at once: {v : E v = b, G v <= h}, with b and h by record.

Distances are Euclidean in units of `sd` by column. Equalities are solved in closed form; what freedom they leave is a
least distance problem, min |t| subject to M t <= d, solved for groups of records with the same active constraints.
Records whose active set does not settle, and those that may have no point at all, use the finite algorithm of Lawson
and Hanson, Solving Least Squares Problems (1974), 23.4. It decides exactly whether there is one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

from ..types import Array, Mask

ROUNDS = 25
SLACK = 1e-12  # of the size of a constraint's terms: sums of so many doubles are not known better
APART = 1e-9  # two constraints further apart than this, relatively, contradict each other


@dataclass(frozen=True)
class Polyhedron:
    """The constraints A v == bound, of the first `equalities` rows of A, and A v <= bound, of the others.

    A : (r, q); bound : (k, r), of k records.
    """

    A: Array
    bound: Array
    equalities: int

    def of(self, records: NDArray[np.intp]) -> Polyhedron:
        """The same for some of the records."""
        return replace(self, bound=self.bound[records])

    def sizes(self, V: Array) -> Array:
        """(k, ..., r) the sum of the magnitudes of each constraint's terms at V (k, ..., q), its bound among them."""
        return np.abs(V) @ np.abs(self.A.T) + np.abs(self._bound_at(V))

    def excess(self, V: Array) -> Array:
        """(k, ..., r) how far V (k, ..., q) is from each equality, and beyond each inequality."""
        off = V @ self.A.T - self._bound_at(V)
        off[..., : self.equalities] = np.abs(off[..., : self.equalities])
        return off

    def _bound_at(self, V: Array) -> Array:
        return self.bound if V.ndim == 2 else self.bound[:, None]


def nearest(Z: Array, sd: Array, P: Polyhedron) -> tuple[Array, Mask]:
    """The point of P nearest to each record of Z (k, q), in units of sd (q,), all above 0; and the constraints (k, r) that
    contradict each other where there is none."""
    e = P.equalities
    E, G, b, h = P.A[:e], P.A[e:], P.bound[:, :e], P.bound[:, e:]
    W = (b - Z @ E.T) @ np.linalg.pinv(E * sd, rcond=1e-10).T
    at = Z + W * sd
    size = np.maximum(P.sizes(Z), P.sizes(at))
    apart = P.excess(at)[:, :e] > APART * size[:, :e]
    N = null_space(E * sd, rcond=1e-10) if e else np.eye(Z.shape[1])
    T, conflict = _least(G * sd @ N, h - at @ G.T, SLACK * size[:, e:])
    against = np.hstack([apart | conflict.any(axis=1, keepdims=True), conflict])
    return at + (T @ N.T) * sd, against


def _least(M: Array, D: Array, slack: Array) -> tuple[Array, Mask]:
    """The shortest t (k, r) with M t <= d for each row of D (k, g); and (k, g) the constraints that allow none."""
    T, conflict = np.zeros((len(D), M.shape[1])), np.zeros(D.shape, dtype=bool)
    rows = np.flatnonzero((D < 0).any(axis=1))
    active = D[rows] < 0
    for _ in range(ROUNDS):
        if not len(rows):
            return T, conflict
        t, multipliers, settled = _on_active(M, D[rows], active)
        beyond = t @ M.T - D[rows] > slack[rows]
        following = (active & (multipliers > 0)) | beyond
        done = settled & (following == active).all(axis=1)
        T[rows[done]] = t[done]
        rows, active = rows[~done], np.where(settled[:, None], following, active)[~done]
        if not settled.any() and len(rows):
            break
    for i in rows:
        T[i], conflict[i] = _one(M, D[i], slack[i])
    return T, conflict


def _on_active(M: Array, D: Array, active: Mask) -> tuple[Array, Array, Mask]:
    """The shortest t with the active constraints equal, their multipliers, and whether these are independent."""
    T, multipliers = np.zeros((len(D), M.shape[1])), np.zeros(D.shape)
    settled = np.ones(len(D), dtype=bool)
    patterns, which = np.unique(active, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        if not pattern.any():
            continue
        rows, A = which == number, M[pattern]
        length = np.sqrt((A * A).sum(axis=1))
        unit = A / np.where(length > 0, length, 1.0)[:, None]
        if (length <= 1e-12).any() or np.linalg.matrix_rank(unit, tol=1e-8) < len(A):
            settled[rows] = False
            continue
        solve = np.linalg.inv(A @ A.T)
        multipliers[np.ix_(rows, pattern)] = -D[rows][:, pattern] @ solve.T
        T[rows] = D[rows][:, pattern] @ np.linalg.pinv(A).T
    return T, multipliers, settled


def _one(M: Array, d: Array, slack: Array) -> tuple[Array, Mask]:
    """The least distance problem of one record, by non-negative least squares."""
    from scipy.optimize import nnls

    length = np.sqrt((M * M).sum(axis=1))
    flat = length <= 1e-12 * max(1.0, float(length.max(initial=0.0)))
    never = flat & (d < -slack * (APART / SLACK))
    used = ~flat
    if never.any() or not used.any():
        return np.zeros(M.shape[1]), never
    A, c = M[used] / length[used, None], d[used] / length[used]
    scale = max(float(np.abs(c).max()), 1e-300)
    u, _ = nnls(np.vstack([-A.T, -c / scale]), np.append(np.zeros(M.shape[1]), 1.0), maxiter=100 * (len(A) + 10))
    r = np.append(-A.T @ u, -(c / scale) @ u - 1.0)
    binding = u > 1e-12
    none = np.zeros(len(d), dtype=bool)
    if np.sqrt(r @ r) < APART or r[-1] >= 0:  # below 0 wherever there is a point
        none[np.flatnonzero(used)[binding]] = True
        return np.zeros(M.shape[1]), none
    t = -r[:-1] / r[-1] * scale
    if binding.any():  # the same point from its active constraints, to the last digits
        polished = np.linalg.lstsq(A[binding], c[binding], rcond=1e-10)[0]
        t = polished if (A @ polished - c <= np.maximum(A @ t - c, slack[used] / length[used])).all() else t
    return t, none
