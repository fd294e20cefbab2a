"""Outcomes of the tests of a verdict: quantities, a decision without quantities, not examined, not applicable."""

from dataclasses import dataclass

NO_ROLES = "the roles are not known: give roles="
NO_METHOD = "the method is not known: give method="
NO_PAIRS = "released records do not pair with original records"


@dataclass(frozen=True)
class Measured:
    """A test whose quantities are compared with its limits."""

    values: tuple[float, ...]
    """The quantities, in the order and the units of the test's limits."""
    reason: str
    """The counted values."""


@dataclass(frozen=True)
class Decided:
    """A test that has no quantities and no limits."""

    holds: bool
    """Whether the release must be held back."""
    reason: str
    """The finding in words."""


@dataclass(frozen=True)
class NotExamined:
    """A test that applies but could not be made: the verdict cannot be "pass"."""

    reason: str
    """The missing input, or why the computation was not possible."""


@dataclass(frozen=True)
class NotApplicable:
    """A test that does not apply to this release."""

    reason: str = ""
    """Why not, where it is not obvious from the method or the columns."""


Outcome = Measured | Decided | NotExamined | NotApplicable
