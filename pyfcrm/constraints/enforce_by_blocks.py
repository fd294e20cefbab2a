"""Constraints kept in a file that is read some records at a time: they hold record by record, so blocks do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data import Frame, Roles, open_frame
from ..data.open import refuse_gaps
from ..files.parquet import Source
from ..progress import Progress, tell
from ..types import Array, Mask
from .describe import MomentChange, Violations, cost, describe_violations
from .enforce import ConstraintEnforcer, Facts, constraint_enforcer
from .language import Constraint


@dataclass(frozen=True)
class Spread:
    """Records, means (q,) less a centre (q,), and sums of squares about them (q,).

    Of blocks about one centre they add up (Chan et al. 1983), and lose nothing where that lies among the values.
    """

    n: int
    mean: Array
    squares: Array

    @classmethod
    def of(cls, A: Array, centre: Array) -> Spread:
        """Of records A (b, q)."""
        away = A - centre
        mean = away.mean(axis=0) if len(A) else np.zeros(A.shape[1])
        return cls(len(A), mean, ((away - mean) ** 2).sum(axis=0))

    @property
    def sd(self) -> Array:
        """(q,) standard deviations, of all records."""
        return np.sqrt(self.squares / max(self.n, 1))

    def __add__(self, other: Spread) -> Spread:
        n, away = self.n + other.n, other.mean - self.mean
        share = other.n / max(n, 1)
        return Spread(n, self.mean + share * away, self.squares + other.squares + self.n * share * away**2)


class BlockEnforcer:
    """Constraints with what has to be known of the whole file; kept() is then asked of one block after the other.

    names : the columns that may move. Blocks come in the order of the file, all of them.
    """

    def __init__(self, of: _ConstraintRequest, facts: Facts, standings: Sequence[Violations]) -> None:
        self.names, self._of, self._facts, self._standings = list(of.roles.dependent), of, facts, standings
        self._seen, self._protected, self._drift = 0, 0, list[MomentChange]()

    def kept(self, table: Any, Z: Array, rows: Mask, notes: list[str]) -> Array:
        """As Keeper.kept, of a block's protected values Z (k, t) for its records `records`; a later one is known by its
        number in the file; notes : told what was cut at the limits of types."""
        keep = self._of.keeper(open_frame(self._of.owner, table), (self._seen, self._protected))
        Z = keep.within_limits(self.names, Z, rows, notes)
        kept, moved = keep.moved(self.names, Z, rows, self._facts)
        self._drift = [self._drift[0] + moved] if self._drift else [moved]
        self._seen, self._protected = self._seen + len(rows), self._protected + len(Z)
        return kept

    def notes(self) -> list[str]:
        """What the original breaks, and what keeping the constraints cost: after the last block."""
        pairs = zip(self._of.constraints, self._standings, strict=True)
        said = [text for one, found in pairs for text in describe_violations(one, found, self.names)]
        sd = np.array([self._facts.sd[name] for name in self.names])
        return [*said, *cost(self._of.constraints, self._drift[0], sd, self.names, self._of.beside)]


@dataclass(frozen=True)
class _ConstraintRequest:
    owner: str
    constraints: tuple[Constraint, ...]
    roles: Roles
    round_integers: bool

    @property
    def beside(self) -> list[str]:
        return [name for name in self.roles.independent if name not in self.roles.dependent]

    @property
    def named(self) -> list[str]:
        return list(dict.fromkeys(name for one in self.constraints for name in one.columns))

    def keeper(self, door: Frame, before: tuple[int, int]) -> ConstraintEnforcer:
        return constraint_enforcer(
            self.owner, self.constraints, door, self.roles, "complete", self.round_integers, before
        )


def require_columns_of(owner: str, constraints: tuple[Constraint, ...], data: Source, roles: Roles) -> None:
    """What of constraints can be refused before any record is read: see keeper()."""
    if constraints:
        _ConstraintRequest(owner, constraints, roles, True).keeper(open_frame(owner, data.first()), (0, 0))


def block_enforcer(
    owner: str,
    constraints: tuple[Constraint, ...],
    data: Source,
    roles: Roles,
    missing: str,
    round_integers: bool,
    progress: Progress | None = None,
) -> BlockEnforcer | None:
    """The BlockKeeper of constraints for a file, by one pass over its columns; None where there are none.

    The roles' columns are known to be good. Raises as keeper() does.
    """
    if not constraints:
        return None
    asked, names = _ConstraintRequest(owner, constraints, roles, round_integers), list(roles.dependent)
    wanted = [*roles.independent, *names]
    found, spread, centre = [Violations() for _ in constraints], list[Spread](), np.empty(0)
    gaps, complete, seen, whole = np.zeros(len(asked.named), dtype=np.int64), 0, 0, set(constraints)
    for table in data.tables(list(dict.fromkeys([*asked.named, *wanted]))):
        door = open_frame(owner, table)
        keep = asked.keeper(door, (seen, 0))
        A = np.column_stack([door.values(name) for name in wanted])
        rows = ~_gaps(A)
        found = [a + b for a, b in zip(found, keep.standings(names), strict=True)]
        if rows.any():
            centre = centre if spread else A[rows].mean(axis=0)
            part = Spread.of(A[rows], centre)
            spread, whole = [spread[0] + part] if spread else [part], whole & keep.whole(names, rows)
        named = np.column_stack(list(keep.values.values()))
        gaps, complete = gaps + np.isnan(named).sum(axis=0), complete + int((~_gaps(named)).sum())
        seen += door.records
        tell(progress, seen, data.n, "checking the constraints")
    if missing == "refuse":
        refuse_gaps(owner, asked.named, gaps, complete, missing)
    sd = {name: float(value) or 1.0 for name, value in zip(wanted, spread[0].sd, strict=True)}
    return BlockEnforcer(asked, Facts(sd, dict(zip(wanted, centre.tolist(), strict=True)), whole), found)


def _gaps(A: Array) -> Mask:
    """(b,) the records where a value is missing."""
    gaps: Mask = np.any(np.isnan(A), axis=1)
    return gaps
