"""Dummy files: the structure and rough ranges of the dependent attributes, and nothing else of the data."""

from dataclasses import dataclass

import numpy as np

from ..data.roles import Roles
from ..errors import Note
from ..types import Array
from .facts import Facts
from .method import Method
from .work import NumberWork, Run


@dataclass(frozen=True)
class Dummy(Method):
    """Uniform values between each attribute's minimum and maximum, both rounded outward: for testing programs only.

    X is not used, and is released as it is.

    Notes
    -----
    The bounds are multiples of the power of ten at or below the range (of the value, if there is only one). So the
    extremes are not disclosed. Whole numbers stay whole. Of the data nothing else is used: no distribution and no
    relation survives.

    Draws: one n x t block of uniforms by columns.

    Seed: gives the rounded ranges, which the release discloses nearly as well; no value depends on a record.

    References
    ----------
    Burnett-Isaacs et al. (2022).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> len(pf.protect(frame, pf.Dummy(), roles).frame)
    100
    """

    about = "uniform values within rounded ranges: structure only, for testing programs"
    term = "dummy file"
    source = "Burnett-Isaacs et al. (2022)"
    group = "synthetic"

    def work(self, roles: Roles, records: int | None) -> NumberWork:
        """See Method.work."""
        return NumberWork(self.release)

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        return Facts(
            masks="values",
            pairs="never",
            keeps="",
            averages=False,
            reissues_values=False,
            undone_by_seed=False,
            weak_generator=False,
            deniable=False,
            privacy=None,
            swaps=False,
            attacks=(),
            seed_probe="release",
        )

    def release(self, X: Array, Y: Array, run: Run) -> Array:
        """See NumberWork.release."""
        if X.shape[1]:
            wording = "only the dependent attributes are dummies: the independent ones are released as they are"
            run.note(Note.of("left_as_is", wording))
        u = run.stream.runif_matrix(*Y.shape)
        Z = np.empty_like(Y)
        for j, y in enumerate(Y.T):
            low, high = rounded_range(y)
            if (y == np.rint(y)).all():
                Z[:, j] = low + np.floor(u[:, j] * (high - low + 1))
            else:
                Z[:, j] = low + u[:, j] * (high - low)
        return Z


def rounded_range(y: Array) -> tuple[float, float]:
    """Minimum and maximum (low, high) of y (n,), rounded outward to multiples of a power of ten.

    It is the largest power not above the range; for one value only, not above its size. Bounds are apart but for 0.
    """
    least, most = float(y.min()), float(y.max())
    size = most - least or abs(most)
    if size == 0:
        return 0.0, 0.0
    unit = 10.0 ** np.floor(np.log10(size))
    low, high = float(np.floor(least / unit) * unit), float(np.ceil(most / unit) * unit)
    # Dividing and multiplying round: the bounds must not come out inside.
    low, high = (low - unit if low > least else low), (high + unit if high < most else high)
    return low, high if high > low else low + unit
