"""Edit rules that a release is judged by: declared, accepted, and found in the original."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from ...constraints import Constraint, parsed
from ...constraints.describe import violations
from ...constraints.language import ticked
from ...constraints.structure import find_structure
from ...data import Frame, Roles, numeric_names
from ...data.frame import FrameView
from ...data.structure import HABITS, Proposal
from ...data.tally import is_nearly_all
from ...numerics.location import evenly
from ...types import Array, Codes

SAMPLE = 20_000  # records, evenly spaced, in which rules of a file that is read by blocks are found


class SampledFrame(FrameView):
    """Numbers of some records of a file that is read by blocks."""

    def __init__(self, original: Frame) -> None:
        super().__init__(original)
        self._rows = evenly(original.records, SAMPLE)
        self.records = len(self._rows)

    def values(self, name: str) -> Array:
        """See Frame.values."""
        return self.original.values(name)[self._rows]

    def codes(self, name: str) -> Codes:
        """See Frame.codes."""
        return self.original.codes(name)[self._rows]


@dataclass(frozen=True)
class EditRule:
    """A rule that each record keeps or breaks."""

    words: str
    """The rule as text."""
    columns: tuple[str, ...]
    """Its columns."""
    constraints: tuple[Constraint, ...] = ()
    """All of them hold, and no record can break two of them. Empty where the columns are zero in the same records."""

    def broken(self, frame: Frame) -> int:
        """How many records of a frame that have all its columns break it."""
        values = {name: frame.values(name) for name in self.columns}
        if self.constraints:
            return sum(int(violations(one, values, self.columns, False)[0]) for one in self.constraints)
        A = np.column_stack([*values.values()])
        zeros = (A[np.isfinite(A).all(axis=1)] == 0).sum(axis=1)
        return int(((zeros > 0) & (zeros < len(self.columns))).sum())


def declared_rules(texts: Iterable[str]) -> list[EditRule]:
    """A rule for each constraint."""
    return [EditRule(one.text, one.columns, (one,)) for one in parsed("evaluate", list(texts))]


def accepted_rules(proposals: Iterable[Proposal]) -> list[EditRule]:
    """The rules of proposals, without habits of reporting."""
    rules = list[EditRule]()
    for one in proposals:
        if one.kind in HABITS:
            continue
        if one.kind == "sign":  # a constraint for each of its columns
            rules += declared_rules(one.texts)
        elif one.texts:
            rules.append(EditRule(" and ".join(one.texts), one.columns, tuple(parsed("evaluate", list(one.texts)))))
        else:
            rules.append(EditRule(f"{' and '.join(map(ticked, one.columns))} are zero together", one.columns))
    return rules


def found_rules(original: Frame, independent: Collection[str], dependent: Collection[str]) -> list[EditRule]:
    """The rules between numeric columns of a file, one of them dependent, that nearly all records keep.

    Signs are no rules here: the description of a variable has them.
    """
    numeric = numeric_names(original)
    roles = Roles(
        [name for name in independent if name in numeric and name not in dependent],
        [name for name in dependent if name in numeric],
    )
    if not roles.dependent:
        return []
    if original.source is not None:
        original = SampledFrame(original)
    proposals = find_structure(original, roles)
    return accepted_rules(one for one in proposals if one.kind != "sign" and is_nearly_all(one.count, one.total))
