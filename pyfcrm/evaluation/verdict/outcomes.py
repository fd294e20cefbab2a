"""Outcomes of the tests of a verdict: quantities, a decision without quantities, not examined, not applicable; and remedies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ...data import Roles
from ...methods import Procedure
from .plan_changes import PlanChange

OTHER_METHOD = "compare methods with sweep() or recommend()"  # the remedy of a loss
NO_ROLES = "the roles are not known: give what protect() returned, its manifest, or roles="
NO_METHOD = "the method is not known: give what protect() returned, its manifest, or method="
NOT_RELEASED = "no confidential variable is released"
PAIRS_UNKNOWN = "it is not known which records pair: give what protect() returned, its manifest, or paired=True"
NO_PAIRS = "released records do not pair with original records"


@dataclass(frozen=True)
class Remedy:
    """A next step for a release that a test holds.

    Its words contain names of columns, and numbers that depend on at least 10 records and are rounded.
    """

    words: str
    """The step as a command, such as "top-code `wage` at 20,000"."""
    change: PlanChange | None = None
    """What it changes in the plan of the release; None where a plan cannot carry it out."""
    plan: str = ""
    """The changed tables of the plan, as TOML."""

    @classmethod
    def together(cls, remedies: Sequence[Remedy]) -> Remedy:
        """Several remedies that are all needed, as one: a plan carries it out if it can do so for each."""
        words = ", and ".join(remedy.words for remedy in remedies)
        changes = [remedy.change for remedy in remedies if remedy.change is not None]
        return cls(words, PlanChange.together(changes) if len(changes) == len(remedies) else None)

    def planned(self, method: Procedure | None, roles: Roles | None) -> Remedy:
        """The remedy with its tables of a plan. method, roles : of the release, None where they are not known."""
        if self.change is None:
            return self
        return replace(self, plan=self.change.text(self.words, method, roles))


Remedies = Iterable[Remedy] | Callable[[], Iterable[Remedy]]
"""Next steps, or a function that computes them once they are needed."""


@dataclass(frozen=True)
class Measured:
    """A test whose quantities are compared with its limits."""

    values: tuple[float, ...]
    """The quantities, in the order and the units of the test's limits."""
    reason: str
    """The counted values."""
    remedies: Remedies = ()
    """Next steps if a quantity exceeds its limit, the best first; the test's general remedy where there are none."""


@dataclass(frozen=True)
class Decided:
    """A test that has no quantities and no limits."""

    holds: bool
    """Whether the release must be held back."""
    reason: str
    """The finding in words."""
    remedies: Remedies = ()
    """Next steps if it holds, the best first; the test's general remedy where there are none."""


@dataclass(frozen=True)
class NotExamined:
    """A test that applies but could not be made: the verdict cannot be "pass"."""

    reason: str
    """The missing input, or why the computation was not possible."""
    remedies: Remedies = ()
    """Next steps, where the reason does not name them."""


@dataclass(frozen=True)
class NotApplicable:
    """A test that does not apply to this release."""

    reason: str = ""
    """Why not, where it is not obvious from the method or the columns."""


Outcome = Measured | Decided | NotExamined | NotApplicable
