"""One estimate of an original and of its release."""

from dataclasses import dataclass

import numpy as np

MAX_IN_FULL = 1e6  # deviation that is printed with all its digits
LARGEST = 20.0  # standard errors that a deviation counts at most in the root mean square


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
        place = f"{self.estimate} in {self.group}" if self.group else self.estimate
        in_full = LARGEST <= abs(self.z) < MAX_IN_FULL
        deviation = f"{self.z:+,.0f}" if in_full else f"{self.z:+.3g}"
        return f"{place}, {deviation}"
