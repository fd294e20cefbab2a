"""Edit rules that a release is judged by: declared, accepted, and found in the original."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...constraints import Constraint, parsed
from ...constraints.describe import violations
from ...constraints.nested_codes import known_outer_codes
from ...constraints.sampled_frame import sampled
from ...constraints.structure import structure_of
from ...data import Frame
from ...data.pairs import key_codes
from ...data.structure import HABITS, Proposal


class EditRule(Protocol):
    """A rule that each record keeps or breaks."""

    @property
    def words(self) -> str:
        """The rule as text."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns."""

    @property
    def of_numbers(self) -> bool:
        """Whether its columns are numbers."""

    def broken(self, original: Frame, frame: Frame) -> int:
        """How many records of a frame, the original or its release, have all columns and break the rule."""


@dataclass(frozen=True)
class LinearRule:
    """Constraints that hold together, of which no record can break two."""

    words: str
    """See EditRule."""
    columns: tuple[str, ...]
    """See EditRule."""
    constraints: tuple[Constraint, ...]
    """The constraints."""
    of_numbers = True

    def broken(self, original: Frame, frame: Frame) -> int:
        """See EditRule."""
        values = {name: frame.values(name) for name in self.columns}
        total = 0
        for constraint in self.constraints:
            count, *_ = violations(constraint, values, self.columns, False)
            total += int(count)
        return total


@dataclass(frozen=True)
class JointZeros:
    """Columns that are zero in the same records."""

    words: str
    """See EditRule."""
    columns: tuple[str, ...]
    """See EditRule."""
    of_numbers = True

    def broken(self, original: Frame, frame: Frame) -> int:
        """See EditRule."""
        A = frame.matrix(self.columns)
        complete = A[np.isfinite(A).all(axis=1)]
        zeros = (complete == 0).sum(axis=1)  # of each record
        some_but_not_all = (zeros > 0) & (zeros < len(self.columns))
        return int(some_but_not_all.sum())


@dataclass(frozen=True)
class ZeroWhere:
    """A column, the first, that is zero where the second one is."""

    words: str
    """See EditRule."""
    columns: tuple[str, ...]
    """See EditRule."""
    of_numbers = True

    def broken(self, original: Frame, frame: Frame) -> int:
        """See EditRule."""
        first, last = (frame.values(name) for name in self.columns)
        return int(((last == 0) & (first != 0) & np.isfinite(first)).sum())


@dataclass(frozen=True)
class NestedCodes:
    """A column, the first, each code of which has one code of the second, that of most originals with it."""

    words: str
    """See EditRule."""
    columns: tuple[str, ...]
    """See EditRule."""
    unit: str | None = None
    """The column of ids of units that may have several records; None where each record is one."""
    of_numbers = False

    def broken(self, original: Frame, frame: Frame) -> int:
        """See EditRule; codes that fewer than 10 originals or units have break no rule."""
        of_original, of_frame = key_codes("evaluate", original, frame, self.columns)
        known = (of_original >= 0).all(axis=1)
        inner, outer = of_original[known].T
        units = None if self.unit is None else original.codes(self.unit)[known]
        outer_of = known_outer_codes(inner, outer, units)  # the outer code of each inner one, -1 for none
        examined = (of_frame >= 0).all(axis=1) & (of_frame[:, 0] < len(outer_of))
        inner_codes, codes = of_frame[examined].T
        expected = outer_of[inner_codes]
        broken = (expected >= 0) & (expected != codes)
        return int(broken.sum())


ZEROS: Mapping[str, Callable[[str, tuple[str, ...]], EditRule]] = {
    "zero_together": JointZeros,
    "zero_where": ZeroWhere,
}
"""The rules of zeros, by the kind of their proposal."""


def declared_rules(texts: str | Iterable[str]) -> Iterator[EditRule]:
    """A rule for each constraint. texts : one text or several, as protect() takes them."""
    for constraint in parsed("evaluate", texts):
        yield LinearRule(constraint.text, constraint.columns, (constraint,))


def accepted_rules(proposals: Iterable[Proposal], unit: str | None) -> list[EditRule]:
    """The rules of proposals, without habits of reporting. unit : the column of ids of units that may have several records."""
    rules = list[EditRule]()
    for proposal in proposals:
        if proposal.kind in HABITS:
            continue
        if proposal.kind == "sign":  # a constraint for each of its columns
            rules += declared_rules(proposal.texts)
        elif proposal.kind in ZEROS:
            rule_class = ZEROS[proposal.kind]
            rules.append(rule_class(proposal.rule, proposal.columns))
        elif proposal.kind == "nested":
            rules.append(NestedCodes(proposal.rule, proposal.columns, unit))
        else:
            constraints = tuple(parsed("evaluate", proposal.texts))
            rules.append(LinearRule(proposal.rule, proposal.columns, constraints))
    return rules


def found_rules(
    original: Frame, independent: Collection[str], dependent: Collection[str], unit: str | None
) -> list[EditRule]:
    """The rules between columns of a file, one of them dependent, that nearly all records keep.

    Signs are no rules here: the description of a variable has them. unit : as for accepted_rules().
    """
    columns = [name for name in dict.fromkeys((*independent, *dependent)) if name in original.names]
    proposals = structure_of(sampled(original), columns, dependent, habits=False)
    return accepted_rules((proposal for proposal in proposals if proposal.holds), unit)
