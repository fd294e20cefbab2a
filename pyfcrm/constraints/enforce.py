"""Keeps constraints in a release, record by record, and reports the changes. A file may be read by blocks, after one
pass over all of it."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ..data import Frame
from ..data.check import checked, complete_records, complete_rows
from ..engine import one_blas_thread
from ..errors import InvalidInput, Note
from ..numerics.location import Spread
from ..progress import Progress, report_progress
from ..types import Array, Mask
from .describe import Counts, MomentChange, cost, describe_violations, violations
from .language import Constraint
from .nearest_values import Infeasible, nearest_values
from .system import Column, System, parts

OWNER = "protect"
GIVEN_UP = (
    "found in the original, but not kept, since no values of the confidential columns keep it in some record: {rules}"
)


def constrained_columns(constraints: Sequence[Constraint]) -> list[str]:
    """The columns of constraints, in order."""
    return list(dict.fromkeys(name for one in constraints for name in one.columns))


class ConstraintEnforcer:
    """The constraints of one file: kept() is called for each block, in the order of the file, then notes().

    names : the columns that may move; extra_columns : the independent ones, which do not; complete : the columns that are
    never missing in a protected record; original : whether the file has the original's values, which checks and notes are
    about; digits : by column, decimals that its values keep; missing : as in protect(). One pass over the
    file collects standard deviations and values near the means. Raises InvalidInput for values that are wrong, missing ones
    where these are refused, and a constraint that most of the original's records break.
    """

    def __init__(
        self,
        constraints: Sequence[Constraint],
        frame: Frame,
        names: Iterable[str],
        extra_columns: Iterable[str],
        complete: Iterable[str],
        *,
        progress: Progress | None = None,
        missing: str = "refuse",
        original: bool = True,
        digits: Mapping[str, int | None] | None = None,
    ) -> None:
        self.original, self.digits = original, digits or {}
        self.constraints, self.columns, self.names = constraints, constrained_columns(constraints), list(names)
        self.extra_columns = [name for name in extra_columns if name not in self.names]
        self._seen = 0
        self._impossible = list[str]()
        self._scan(frame, list(complete), missing, progress)

    def _scan(self, frame: Frame, complete: list[str], missing: str, progress: Progress | None) -> None:
        columns = [*self.names, *self.extra_columns]
        centre, seen = np.zeros(len(columns)), 0
        spread = Spread(0, centre, centre)
        counts = np.zeros((len(self.constraints), 3), dtype=np.int64)
        gaps = np.column_stack([np.isnan(checked(OWNER, frame, [name])) for name in self.columns])  # a column at a time
        for part in frame.parts([*self.columns, *columns, *complete]):
            counts += self._broken(part)
            rows = complete_rows(part, complete)
            if rows.any():
                A = part.matrix(columns)[rows]
                centre = centre if spread.n else A.mean(axis=0)
                spread += Spread.of(A, centre)
            seen += part.records
            if frame.source is not None:
                report_progress(progress, seen, frame.records, "checking the constraints")
        pairs = zip(self.constraints, counts, strict=True) if self.original else ()
        self._violation_notes = [
            note for one, broken in pairs for note in describe_violations(OWNER, one, broken, self.names)
        ]
        if missing == "refuse":
            complete_records(OWNER, gaps, self.columns, "refuse")
        self._sd = np.where(spread.sd > 0, spread.sd, 1.0)[: len(self.names)]
        self._change = MomentChange(centre)

    def _broken(self, frame: Frame) -> list[Counts]:
        """See violations(), by constraint."""
        integer = {name: frame.kind(name) == "integer" for name in self.columns}
        values = dict(zip(integer, frame.observed(list(integer)).T, strict=True))
        return [
            violations(one, values, self.names, all(integer[name] for name in one.columns)) for one in self.constraints
        ]

    def kept(self, frame: Frame, Z: Array, rows: Mask) -> Array:
        """The nearest values to a block's protected values Z (k, p) that keep the constraints.

        rows (n,) : its k records. Integer columns remain whole. Raises InvalidInput, for the first record without such values.
        """
        start, kept, moved = Z.copy(), Z.copy(), np.zeros(len(Z), dtype=bool)
        fixed = {name: frame.values(name)[rows] for name in self.columns}
        infeasible = list[Infeasible]()
        with one_blas_thread():
            for part, constraints in parts(self.constraints, self.names) if len(Z) else ():
                place = [self.names.index(name) for name in part]
                columns = [self._column(frame, name) for name in part]
                S, start[:, place], kept[:, place], without = self._nearest(columns, constraints, fixed, Z[:, place])
                infeasible += without
                far = np.where(S.unit > 0, 0.0, 1e-9 * S.sd)
                moved |= (np.abs(kept[:, place] - start[:, place]) > far).any(axis=1)
            if infeasible:
                raise self._refusal(min(infeasible, key=lambda one: one.record), rows)
            X = frame.matrix(self.extra_columns)[rows]
            self._change.add(np.stack([np.hstack([start, X]), np.hstack([kept, X])]), int(moved.sum()))
        self._seen += len(rows)
        return kept

    def _nearest(
        self, columns: Sequence[Column], constraints: Sequence[Constraint], fixed: Mapping[str, Array], Z: Array
    ) -> tuple[System, Array, Array, list[Infeasible]]:
        """The system of a part of the columns, its values before and after, and the records without any.

        A constraint that nobody declared is left out where a record has no values that keep it.
        """
        left = list(constraints)
        while True:
            S = System.of_columns(columns, left, fixed)
            start, kept, without = nearest_values(S, Z)
            found = [one for one in left if one.found]
            if not without or not found:
                return S, start, kept, without
            named = {text for one in without for text in one.constraints}
            impossible = [one for one in found if f"`{one.text}`" in named] or found
            self._impossible += [one.text for one in impossible]
            left = [one for one in left if one not in impossible]
            if not left:
                return S, start, start.copy(), []

    def notes(self) -> list[Note]:
        """What the original breaks, and what keeping the constraints changed: after the last block."""
        impossible = list(dict.fromkeys(self._impossible))
        given_up = [Note.of("constraints", GIVEN_UP, rules="; ".join(impossible))] if impossible else []
        return [*self._violation_notes, *given_up, *cost(self.constraints, self._change, self._sd, self.names)]

    def _column(self, frame: Frame, name: str) -> Column:
        integer, places, digits = frame.kind(name) == "integer", frame.decimal_places(name), self.digits.get(name)
        type_unit = 1.0 if integer else 0.0 if places is None else 10.0**-places
        unit = type_unit if type_unit or digits is None else 10.0**-digits
        low, high = frame.limits(name)
        return Column(
            name=name, sd=float(self._sd[self.names.index(name)]), unit=unit, low=low, high=high, type_unit=type_unit
        )

    def _refusal(self, found: Infeasible, rows: Mask) -> InvalidInput:
        rule = f"no values of the dependent columns keep {' and '.join(dict.fromkeys(found.constraints))}{found.reason}"
        record = self._seen + int(np.flatnonzero(rows)[found.record]) + 1
        return InvalidInput(OWNER, rule, f"record {record}, the first such")
