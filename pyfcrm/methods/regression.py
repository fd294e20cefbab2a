"""The regression of the dependent attributes on the independent ones, and noise that fits it, for IPSO, GADP and related methods.

All are sums over blocks of records. A first triangular factor makes the columns (1, X, Y) nearly orthonormal. A second
one, of the result and the noise, has every cross-product up to rounding. Source: Yamamoto et al. (2015), two triangular
factors.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..data.blocks import Sample, strips
from ..engine import Local
from ..errors import InvalidInput, Note
from ..numerics.design import Design, orthogonal_to, projection
from ..numerics.factor import RANK_TOL, basis_and_factor, positive, solved, triangle
from ..numerics.joint_basis import JointBasis, joint_basis
from ..progress import Reporter, discard
from ..types import Array
from .work import Released

Noise = tuple[Array, Array]
"""slopes and M, of the noise (N - B slopes) M: N the first columns of the normals, B those of (Q, E); M (columns, t)."""


@dataclass(frozen=True)
class Regression:
    """Y regressed on (1, X), both centred and Y at norm 1, and normals on both."""

    basis: JointBasis
    """The joint basis of the regressors and of Y."""
    S: Array
    """The triangular factor of (Q, E, N), N the t columns of `draws`, where there are any."""
    n: int
    """Number of records."""
    draws: Sequence[Any] | None = None
    """The normals, by blocks; None without."""

    @property
    def rank(self) -> int:
        """The rank k of the residuals."""
        return len(self.basis.kept)

    @property
    def factor(self) -> Array:
        """T (k, t), T'T = R'R for the residuals R: with k = t their Cholesky factor, else that of columns that make up all."""
        r, k = self.basis.rank, self.rank
        return self.S[r : r + k, r : r + k] @ self.basis.factor

    def on_x(self) -> tuple[Array, Array]:
        """The first k columns of N regressed on Q: slopes (r, k), and the upper factor (k, k) of what is left."""
        r, k = self.basis.rank, self.rank
        N = self.S[:, r + k : r + 2 * k]
        return solved(self.S[:r, :r], N[:r]), positive(triangle(N[r:]))

    def on_both(self) -> tuple[Array, Array]:
        """N regressed on (Q, E): slopes (r + k, t), and the upper factor (t, t) of what is left."""
        both = self.basis.rank + self.rank
        return solved(self.S[:both, :both], self.S[:both, both:]), self.S[both:, both:]

    def sd(self) -> Array:
        """Standard deviations (t,) of the normals, with n - 1."""
        r = self.basis.rank
        constant = self.S[:r, :r] @ np.linalg.lstsq(self.basis.back, np.eye(len(self.basis.back))[0], rcond=None)[0]
        N = self.S[:, r + self.rank :].copy()
        N[:r] -= np.outer(constant, constant @ N[:r]) / (constant @ constant)
        return np.sqrt((N * N).sum(axis=0) / (self.n - 1))

    def released(
        self, noise: Noise | None = None, share: float = 1.0, own: float = 0.0, draws: Sequence[Any] | None = None
    ) -> Released:
        """Predictions + share noise + own residuals, in the data's units. draws : the normals, where they are not `draws`."""
        r, k, t = self.basis.rank, self.rank, len(self.basis.scale)
        of_y = self.basis.slopes + solved(self.S[:r, :r], self.S[:r, r : r + k] @ self.basis.factor)
        M = np.vstack([(1 - own) * of_y, np.zeros((k, t))])
        slopes, by = noise or (np.zeros((0, 0)), np.zeros((0, t)))
        M[: len(slopes)] -= share * (slopes @ by)
        return Released(partial(_values, self.basis, np.vstack([M, share * by]), own), draws or self.draws)


def _values(basis: JointBasis, M: Array, share: float, block: Array) -> Array:
    """share Y + (Q, E, N) M of a block, in the data's units; N (b, q), which M may only begin with, stand on its right."""
    p, t = len(basis.centred.mean), len(basis.scale)
    k, W, own = basis.rank + len(basis.kept), M * basis.scale, np.zeros((1 + p, t))
    own[1 + p - t :] = share * np.eye(t)
    own[0] = basis.mean / basis.centred.one
    strip_parts = strips(block[:, : p + len(M) - k])
    if basis.direct is not None:  # one product
        W = np.vstack([basis.direct @ W[:k] + own, W[k:]])
        return np.vstack([basis.centred(parts) @ W for parts in strip_parts])
    return np.vstack([basis(parts) @ W + basis.centred(parts)[:, : 1 + p] @ own for parts in strip_parts])


def regression(sample: Sample, note: Reporter, draws: Sequence[Any] | None = None) -> Regression:
    """The dependent attributes regressed on (1, X), s may be 0; collinear columns are no special case, and noted.

    draws : the normals (b, t) by blocks that noise is to be made of, where they must be regressed too.
    """
    (basis, S), n = joint_basis(sample, draws), sample.n
    if basis.rank < sample.s + 1:
        wording = "the independent attributes have rank {count} of {total}: collinear ones were set aside"
        brief = "the independent attributes are collinear: some were set aside"
        note(Note.of("collinear", wording, count=basis.rank - 1, total=sample.s, brief=brief))
    return Regression(basis, S, n, draws)


def exact_noise(owner: str, fit: Regression, note: Reporter, which: str = "") -> Noise:
    """Noise with the residuals' own cross-products R'R, uncorrelated with X and with Y in the sample.

    owner, which : who an error is about. Errors: InvalidInput with fewer than 1 + s + t + rank(R) records, by rank.
    Source: Burridge (2003) as the thesis's A.1 codes it; Muralidhar and Sarathy (2008).
    """
    T, t, k = fit.factor, len(fit.basis.scale), fit.rank
    note_rank_deficiency(T, t, note)
    needed = fit.basis.rank + 2 * k
    if fit.n < needed:
        raise InvalidInput(owner, f"{which}needs at least {needed} records for these attributes", fit.n)
    slopes, left = fit.on_both()
    # By the lower factor of the inverse cross-products, as R's t(chol(solve(.))): from the last column back.
    last = positive(triangle(left[:k, :k][:, ::-1]))
    return slopes[:, :k], solved(last, T[::-1])[::-1]


def note_rank_deficiency(T: Array, t: int, note: Reporter) -> None:
    """Notes a factor T (k, t) of residuals that has fewer rows than attributes."""
    if len(T) < t:
        which = "{total:dependent attribute|{total} dependent attributes}"
        wording = f"the residuals of the {which} have rank {{count}}: a factor of that rank was used"
        brief = "the residuals of the dependent attributes are collinear: a factor of lower rank was used"
        note(Note.of("collinear", wording, count=len(T), total=t, brief=brief))


def with_moments(X: Array, Y: Array, Z: Array) -> tuple[Array, int, int]:
    """Z (n, t) with the regression of Y (n, t) on (1, X) and its residual covariance; the rank of Z's residuals, and
    the needed rank.

    With E the residuals of Z on (1, X), T = E'E and S = R'R, the release is xB + E M. M is the symmetric map T^-1/2
    (T^1/2 S T^1/2)^1/2 T^-1/2. E M is nearest to E of all residuals in the span of E with cross-products S. It is
    computed as a Procrustes problem, without an inverse: E = Q F, and E M = Q O G with G'G = S and O the orthonormal
    factor of F G'. So a singular T or S is no special case. s may be 0. Source: own use; the map is Olkin and
    Pukelsheim's (1982), the solution Schoenemann's (1966).
    """
    fit = regression(Sample.of(X, Y, Local(1)), discard)
    rank, center, scale = fit.basis.rank, fit.basis.mean, fit.basis.scale
    inverse = solved(fit.S[:rank, :rank], np.eye(rank))
    columns = np.vstack([fit.basis(parts)[:, :rank] @ inverse for parts in strips(np.hstack([X, Y]))])
    design = Design(columns, inverse, rank)
    Q, F = _residual_basis(design, (Z - center) / scale)
    U, _, V = np.linalg.svd(F @ fit.factor.T, full_matrices=False)
    released = projection(design, (Y - center) / scale) + Q @ (U @ V @ fit.factor)
    return released * scale + center, len(F), len(fit.factor)


def _residual_basis(design: Design, z: Array) -> tuple[Array, Array]:
    """Q (n, k) orthonormal and orthogonal to the design, and F (k, t), with QF the residuals of z (n, t)."""
    E = orthogonal_to(design, orthogonal_to(design, z))
    size = np.linalg.norm(E, axis=0)
    # Rounding errors of a column that X explains altogether must not count as residuals.
    there = size > RANK_TOL * np.maximum(1.0, np.linalg.norm(z, axis=0))
    E, unit = np.where(there, E, 0.0), np.where(there, size, 1.0)
    Q, F = basis_and_factor(E / unit)
    if F.shape[0] < F.shape[1]:  # nearly collinear columns bring rounding back along X
        Q = np.linalg.qr(orthogonal_to(design, Q))[0]
        return Q, (Q.T @ E)
    return Q, F * unit
