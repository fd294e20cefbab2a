"""One estimate of an original and of its release."""

from dataclasses import dataclass

import numpy as np

LARGEST = 20.0  # standard errors that a deviation counts at most in the root mean square; more are printed in the estimate's own units


@dataclass(frozen=True, kw_only=True)
class UtilityEstimate:
    """One estimate of the original and of the release."""

    family: str
    """The family of estimates."""
    estimate: str
    """The estimate, such as "mean wages"."""
    group: str
    """The class of records, such as "age=15"; empty for the whole file."""
    records: int
    """Number of original records."""
    variables: tuple[str, ...]
    """The names of the confidential columns that it is about; of a relation all its columns."""
    kind: str
    """What it is, in the plural, such as "means"; of a relation its words."""
    by: str
    """The column of the classes; empty for the whole file."""
    original: float
    """The original's value."""
    se: float
    """Its standard error, at least its floor."""
    released: float
    """The release's value; NaN where the release does not determine it."""
    released_se: float
    """The standard error that users of the release compute."""
    reference: float
    """The root mean square deviation of near-record releases in standard errors; NaN where it was not measured."""
    publishable: bool
    """Whether it may count in figures for the public."""

    @property
    def z(self) -> float:
        """Released minus original in standard errors; 20 where the release does not determine the estimate."""
        if np.isnan(self.released):
            return LARGEST
        return (self.released - self.original) / self.se

    def __str__(self) -> str:
        """The estimate and its deviation: in standard errors, and above 20 of them in the estimate's own units.

        A standard error may be a floor, as of a point mass that a whole class has: there a multiple of it has no meaning.
        """
        place = f"{self.estimate} in {self.group}" if self.group else self.estimate
        if np.isnan(self.released):
            return f"{place}, not determined by the release"
        if abs(self.z) <= LARGEST:
            return f"{place}, {self.z:+.3g}"
        side = "above" if self.z > 0 else "below"
        original, released = _distinct(self.original, self.released)
        return f"{place}, more than {LARGEST:.0f} {side}: {released} instead of {original}"


def _distinct(first: float, second: float) -> tuple[str, str]:
    """Two different numbers with the fewest digits, at least four, by which they differ; whole numbers have all their digits."""
    for digits in range(4, 17):
        texts = _digits(first, digits), _digits(second, digits)
        if texts[0] != texts[1]:
            return texts
    return repr(first), repr(second)


def _digits(value: float, digits: int) -> str:
    """A number with so many significant digits, without an exponent where it is from 0.0001 to 1e15."""
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.15g}" if 1 <= abs(rounded) < 1e15 else f"{rounded:.{digits}g}"
