"""What is said of constraints: what the original breaks, and what keeping them changed in the release's moments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import Note
from ..types import Array
from .language import Constraint
from .projection import APART


@dataclass(frozen=True)
class Violations:
    """How the original's records stand to a constraint: how many break it; how many have all its columns; and of how
    many a column that does not move is missing. Of blocks of records they add up."""

    broken: int = 0
    known: int = 0
    unknown: int = 0

    def __add__(self, other: Violations) -> Violations:
        return Violations(self.broken + other.broken, self.known + other.known, self.unknown + other.unknown)


def violations(one: Constraint, values: Mapping[str, Array], names: Sequence[str], whole: bool) -> Violations:
    """values : the original's columns, (n,), NaN for missing; names : the columns that may move; whole : all its columns
    are integer ones, and sums of them exact."""
    coefficients, bound = one.scaled()
    terms = np.column_stack([coefficients[name] * values[name] for name in one.columns])
    known = terms[~np.isnan(terms).any(axis=1)]
    off = known.sum(axis=1) - bound
    slack = 0.0 if whole else APART * (np.abs(known).sum(axis=1) + abs(bound))
    broken = int(((np.abs(off) if one.equality else off) > slack).sum())
    others = [name for name in one.columns if name not in names]
    unknown = int(np.isnan(np.column_stack([values[name] for name in others])).any(axis=1).sum()) if others else 0
    return Violations(broken, len(known), unknown)


def describe_violations(one: Constraint, found: Violations, names: Sequence[str]) -> list[Note]:
    """What the original does with a constraint, and whether anything can be done about it. names : as in violations()."""
    text, columns = literal(one.text), one.columns
    said = f"the original breaks `{text}` in {{count}} of {{total}} records"
    counts = {"count": found.broken, "total": found.known}
    if not set(columns) & set(names):
        nothing = f"`{text}` is about no column that is changed: nothing was done for it"
        notes = [Note.of("constraint_broken", said, columns, **counts)] if found.broken else []
        return [*notes, Note.of("constraint_beside", nothing, columns)]
    kept = f"{said}; the release keeps it in every protected record"
    notes = [Note.of("constraint_broken", kept, columns, **counts)] if found.broken else []
    if found.unknown:
        others = [name for name in columns if name not in names]
        record = "record" if found.unknown == 1 else "records"
        unknown = f"`{text}` could not be asked of {{count}} {record}, where {{columns}} is missing"
        notes.append(Note.of("constraint_unknown", unknown, others, count=found.unknown))
    return notes


def literal(text: str) -> str:
    """What a user wrote, for a note's wording."""
    return text.replace("{", "{{").replace("}", "}}")


@dataclass(frozen=True)
class MomentChange:
    """Sums over n records, `moved` of them by the constraints, of columns less their centre: the p that may move as they
    were and as they are, then those beside. sums (2, q); products (2, q, q). Of blocks of records they add up."""

    n: int
    moved: int
    sums: Array
    products: Array

    def __add__(self, other: MomentChange) -> MomentChange:
        return MomentChange(
            self.n + other.n, self.moved + other.moved, self.sums + other.sums, self.products + other.products
        )


def moment_change(before: Array, after: Array, X: Array, centre: Array, moved: int) -> MomentChange:
    """before, after : (k, p); X : (k, s) the columns beside, which are as they are; centre : (p + s,), anything near
    the means, so that nothing is lost in products."""
    A, B = np.hstack([before, X]) - centre, np.hstack([after, X]) - centre
    return MomentChange(len(before), moved, np.stack([A.sum(axis=0), B.sum(axis=0)]), np.stack([A.T @ A, B.T @ B]))


def cost(
    constraints: Sequence[Constraint], found: MomentChange, sd: Array, names: Sequence[str], beside: Sequence[str]
) -> list[Note]:
    """What keeping the constraints did: the largest changes of a mean, a standard deviation and a correlation.

    sd : (p,) of the original, the unit of means and standard deviations, of the columns `names`; beside : the others.
    One sentence, none where no constraint is about a column that is changed.
    """
    asked = sum(bool(set(one.columns) & set(names)) for one in constraints)
    if not asked:
        return []
    kept = "all" if asked == len(constraints) else "those about columns that are changed"
    if not found.moved:
        said = f"constraints: {kept} are kept, and moved none of {{total}} records"
        return [Note.of("constraints_kept", said, count=0, total=found.n)]
    p = len(names)
    centres = found.sums / found.n
    before, after = found.products / found.n - centres[:, :, None] * centres[:, None, :]
    means = np.abs(centres[1] - centres[0])[:p] / sd
    spreads = np.abs(_spreads(after) - _spreads(before))[:p] / sd
    said = f"at most, a mean changed by {means.max():.2g} sd ({names[int(means.argmax())]})"
    said += f", a standard deviation by {spreads.max():.2g} sd ({names[int(spreads.argmax())]})"
    change = np.triu(np.abs(_correlations(after) - _correlations(before)))
    if change.size > 1:
        i, j = np.unravel_index(int(change.argmax()), change.shape)
        listed = [*names, *beside]
        said += f", a correlation by {change[i, j]:.2g} ({listed[int(i)]} with {listed[int(j)]})"
    moved = f"constraints: {kept} are kept, and moved {{count}} of {{total}} records; {literal(said)}"
    return [Note.of("constraints_kept", moved, count=found.moved, total=found.n)]


def _spreads(S: Array) -> Array:
    return np.sqrt(np.maximum(np.diag(S), 0.0))


def _correlations(S: Array) -> Array:
    """(q, q) correlations of covariances S, 0 beside the diagonal for a column that does not vary."""
    sd = _spreads(S)
    unit = np.where(sd > 0, sd, 1.0)
    off: Array = S / unit / unit[:, None]
    np.fill_diagonal(off, 0.0)
    return off
