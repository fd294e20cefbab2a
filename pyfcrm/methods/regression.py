"""The regression of the dependent attributes on the independent ones that IPSO, GADP and their kin start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput
from ..numerics.design import Design, design, projection
from ..numerics.factor import lower_basis, residual_factor
from ..progress import Note
from ..types import Array


@dataclass(frozen=True)
class Regression:
    """Y = (fitted + residuals) * scale + center, the middle being Y centred and scaled to norm 1, regressed on (1, X).

    design : of (1, X); targets, fitted, residuals : (n, t); scale, center : (t,).
    """

    design: Design
    targets: Array
    fitted: Array
    residuals: Array
    scale: Array
    center: Array

    def released(self, noise: Array) -> Array:
        """The predictions with noise (n, t) added, in the data's units."""
        made = self.fitted + noise
        made *= self.scale
        made += self.center
        return made


def regression(X: Array, Y: Array, note: Note) -> Regression:
    """Y (n, t) regressed on (1, X), X (n, s), s may be 0; collinear columns are no special case, and noted."""
    center = Y.mean(axis=0)
    Z = Y - center
    scale = np.sqrt((Z * Z).sum(axis=0))
    scale[scale == 0] = 1.0
    Z /= scale
    D = design(X)
    if D.rank < X.shape[1] + 1:
        note(f"the independent attributes have rank {D.rank - 1} of {X.shape[1]}: collinear ones were set aside")
    fitted = projection(D, Z)
    # Twice is enough: the second projection takes out what rounding left.
    return Regression(D, Z, fitted, orthogonal_to(D, Z - fitted), scale, center)


def orthogonal_to(D: Design, A: Array) -> Array:
    """What the regression of A (n, t) on the design leaves."""
    fitted = projection(D, A)
    return np.subtract(A, fitted, out=fitted)


def exact_noise(owner: str, X: Array, fit: Regression, noise: Array, note: Note, which: str = "") -> Array:
    """Noise (n, t) with the residuals' own cross-products R'R, uncorrelated with X and with Y in the sample.

    noise : (n, t) anything that has full rank once regressed on x and y; owner, which : who an error is about.
    Errors: InvalidInput with fewer than 1 + s + t + rank(R) records, by rank. Source: Burridge (2003) as the
    thesis's A.1 codes it; Muralidhar and Sarathy (2008).
    """
    T, t = residual_factor(fit.residuals), fit.residuals.shape[1]
    say_rank(T, t, note)
    both = design(np.column_stack([X, fit.targets]))
    r = orthogonal_to(both, orthogonal_to(both, noise))
    if len(noise) - both.rank < len(T):
        rule = f"{which}needs at least {both.rank + len(T)} records for these attributes"
        raise InvalidInput(owner, rule, len(noise))
    return lower_basis(r[:, : len(T)]) @ T


def say_rank(T: Array, t: int, note: Note) -> None:
    """Notes a factor T (k, t) of residuals that has fewer rows than attributes."""
    if len(T) < t:
        note(f"the residuals of the {t} dependent attributes have rank {len(T)}: a factor of that rank was used")
