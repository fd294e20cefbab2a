"""Keeping constraints in a release, and saying what that cost: they hold record by record, so a file may be read some
records at a time, once what has to be known of the whole of it is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..data import Frame, Roles
from ..data.check import ValueRules, refuse_missing, require_numeric
from ..data.load import complete_rows
from ..data.roles import refuse_identifier
from ..data.source import read_blocks
from ..errors import Note
from ..progress import Progress, report_progress
from ..types import Array, Mask
from .block import ConstraintBlock, Facts
from .describe import MomentChange, Violations, cost, describe_violations, require_plausible
from .language import Constraint


@dataclass(frozen=True)
class Limits:
    """The constraints that were asked for; missing : as protect() has it, of the values of their columns."""

    owner: str
    constraints: tuple[Constraint, ...]
    missing: str
    round_integers: bool

    @property
    def columns(self) -> list[str]:
        """What they are about."""
        return list(dict.fromkeys(name for one in self.constraints for name in one.columns))

    def require(self, door: Frame, roles: Roles) -> None:
        """What can be refused before any record is read.

        Raises InvalidParameter for an identifier, which is not in the release; InvalidInput for a column that is not there
        or holds no numbers.
        """
        for name in self.columns:
            refuse_identifier(self.owner, "constraints", name, roles)
        require_numeric(self.owner, door, self.columns)

    def block(self, door: Frame, before: int, names: list[str], beside: list[str]) -> ConstraintBlock:
        """The same with some records. See ConstraintBlock."""
        values = {name: door.values(name) for name in self.columns}
        return ConstraintBlock(self.owner, self.constraints, door, before, names, beside, self.round_integers, values)


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


class ConstraintEnforcer:
    """Constraints with what has to be known of the whole file; kept() is then asked of one block after the other.

    names : the columns that may move; beside : the independent ones that do not. Blocks come in the order of the file,
    all of them.
    """

    def __init__(
        self, limits: Limits, names: list[str], beside: list[str], facts: Facts, found: Sequence[Violations]
    ) -> None:
        self._limits, self._names, self._beside = limits, names, beside
        self._facts, self._found = facts, found
        self._seen, self._change = 0, list[MomentChange]()

    def kept(self, door: Frame, Z: Array, rows: Mask, heard: list[Note]) -> Array:
        """A block's protected values Z (k, p) moved to keep the constraints.

        rows (n,) : its k records; heard : told what was cut at the limits of types. Integer columns come back whole.
        Raises InvalidInput where no values keep the constraints.
        """
        if not self._limits.constraints:
            return Z
        block = self._limits.block(door, self._seen, self._names, self._beside)
        kept, change = block.moved(block.within_limits(Z, rows, heard), rows, self._facts)
        self._change = [self._change[0] + change] if self._change else [change]
        self._seen += len(rows)
        return kept

    def notes(self) -> list[Note]:
        """What the original breaks, and what keeping the constraints cost: after the last block."""
        constraints = self._limits.constraints
        if not constraints:
            return []
        pairs = zip(constraints, self._found, strict=True)
        said = [note for one, found in pairs for note in describe_violations(one, found, self._names)]
        sd = np.array([self._facts.sd[name] for name in self._names])
        return [*said, *cost(constraints, self._change[0], sd, self._names, self._beside)]


def constraint_enforcer(
    limits: Limits,
    door: Frame,
    names: Sequence[str],
    beside: Sequence[str],
    complete: Sequence[str],
    progress: Progress | None = None,
) -> ConstraintEnforcer:
    """What keeps the constraints of a file, by one pass over its columns.

    names : the columns that may move; beside : the independent ones; complete : those without a gap in a record that is
    protected. Raises InvalidInput for values that cannot be worked with, or, where they are refused, missing ones.
    """
    moving, others = list(names), [name for name in beside if name not in names]
    if not limits.constraints:
        return ConstraintEnforcer(limits, moving, others, Facts({}, {}, ()), ())
    whole, seen = _WholeFile(limits, moving, others, list(complete)), 0
    for part in read_blocks(limits.owner, door, [*limits.columns, *whole.wanted, *complete]):
        whole.look(part, seen)
        seen += part.records
        if door.source is not None:
            report_progress(progress, seen, door.records, "checking the constraints")
    whole.refuse()
    return ConstraintEnforcer(limits, moving, others, whole.facts(), whole.found)


class _WholeFile:
    """What one pass over a file finds out for its constraints."""

    def __init__(self, limits: Limits, names: list[str], beside: list[str], complete: list[str]) -> None:
        self.limits, self.names, self.beside, self.complete = limits, names, beside, complete
        self.wanted, self.rules = [*names, *beside], ValueRules(limits.columns)
        self.found = [Violations() for _ in limits.constraints]
        self.whole, self.centre = frozenset(limits.constraints), np.zeros(len(self.wanted))
        self.spread = Spread(0, np.zeros(len(self.wanted)), np.zeros(len(self.wanted)))
        self.gaps, self.known = np.zeros(len(limits.columns), dtype=np.int64), 0
        self.total = 0

    def look(self, part: Frame, seen: int) -> None:
        """The next records; seen : how many came before them."""
        block = self.limits.block(part, seen, self.names, self.beside)
        self.found = [a + b for a, b in zip(self.found, block.violations(), strict=True)]
        rows = complete_rows(part, self.complete)
        if rows.any():
            A = part.matrix(self.wanted)[rows]
            self.centre = self.centre if self.spread.n else A.mean(axis=0)
            self.spread, self.whole = self.spread + Spread.of(A, self.centre), self.whole & block.whole(rows)
        there = np.ones(part.records, dtype=bool)
        for j, values in enumerate(block.values.values()):
            self.rules.look(j, values, seen)
            missing = np.isnan(values)
            self.gaps[j] += missing.sum()
            there &= ~missing
        self.known += int(there.sum())
        self.total += part.records

    def refuse(self) -> None:
        """Raises InvalidInput for values that are wrong, and for a constraint that most of the original's records break."""
        self.rules.refuse(self.limits.owner)
        for constraint, violations in zip(self.limits.constraints, self.found, strict=True):
            require_plausible(self.limits.owner, constraint, violations)
        if self.limits.missing == "refuse":
            columns, total = self.limits.columns, self.total
            refuse_missing(self.limits.owner, columns, self.gaps, self.known, total, missing="refuse")

    def facts(self) -> Facts:
        """What was found of the columns."""
        sd = {name: float(value) or 1.0 for name, value in zip(self.wanted, self.spread.sd, strict=True)}
        return Facts(sd, dict(zip(self.wanted, self.centre.tolist(), strict=True)), self.whole)
