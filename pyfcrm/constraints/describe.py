"""What is said of constraints: what the original breaks, and what keeping them changed in the release's moments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from ..errors import InvalidInput, Note
from ..types import Array
from .language import Constraint
from .projection import APART

ROUNDING = 1e-12  # of a standard deviation, or a correlation
CANCELLED = 1e-13  # of the products that a covariance is a difference of
MAX_BROKEN_SHARE = 0.5  # of the original's complete records: above it the constraint itself is taken to be wrong
BROKEN = "the original breaks `{constraint}` in {count} of {total} records"
KEPT = "; the release keeps it in every protected record"
NOTHING_DONE = "`{constraint}` is about no column that is changed: nothing was done for it"
NOT_CHECKED = "`{{constraint}}` could not be checked for {{count}} {}, where {{columns}} is missing"
MOVED_NONE = "constraints: {kept} are kept, and moved none of {total} records"
MOVED = (
    "constraints: {kept} are kept, and moved {count} of {total} records; at most, a mean changed by {mean:.2g} sd ({mean_of}), "
    "a standard deviation by {sd:.2g} sd ({sd_of})"
)
MOVED_CORRELATION = ", a correlation by {correlation:.2g} ({correlation_of} with {correlation_with})"


class Summable:
    """A dataclass of blocks of records, added field by field."""

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Violations(Summable):
    """How the original's records stand to a constraint: how many break it; how many have all its columns; and of how
    many a column that does not move is missing."""

    broken: int = 0
    known: int = 0
    unknown: int = 0


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


def require_plausible(owner: str, constraint: Constraint, found: Violations) -> None:
    """Raises InvalidInput for a constraint that more than half of the complete records of the original break."""
    if found.broken > MAX_BROKEN_SHARE * found.known:
        rule = f"the constraint `{constraint.text}` must hold in at least half of the original's records (correct it, or leave it out)"
        raise InvalidInput(owner, rule, f"{found.broken:,} of {found.known:,} that break it")


def describe_violations(one: Constraint, found: Violations, names: Sequence[str]) -> list[Note]:
    """What the original does with a constraint, and whether anything can be done about it. names : as in violations()."""
    text, columns = one.text, one.columns
    idle = not set(columns) & set(names)
    notes = []
    if found.broken:
        said = BROKEN if idle else BROKEN + KEPT
        notes = [Note.of("constraints", said, columns, count=found.broken, total=found.known, constraint=text)]
    if idle:
        notes.append(Note.of("constraints", NOTHING_DONE, columns, constraint=text))
    elif found.unknown:
        others = [name for name in columns if name not in names]
        words = NOT_CHECKED.format("record" if found.unknown == 1 else "records")
        notes.append(Note.of("constraints", words, others, count=found.unknown, constraint=text))
    return notes


@dataclass(frozen=True)
class MomentChange(Summable):
    """Sums over n records, `moved` of them by the constraints, of columns less their centre: the p that may move as they
    were and as they are, then the extra columns. sums (2, q); products (2, q, q)."""

    n: int
    moved: int
    sums: Array
    products: Array


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
    applicable = sum(bool(set(one.columns) & set(names)) for one in constraints)
    if not applicable:
        return []
    kept = "all" if applicable == len(constraints) else "those about columns that are changed"
    if not found.moved:
        return [Note.of("constraints", MOVED_NONE, count=0, total=found.n, kept=kept)]
    p, words = len(names), MOVED
    centres = found.sums / found.n
    before, after = _covariances(found.products / found.n, centres)
    means = _seen((centres[1] - centres[0])[:p] / sd)
    spreads = _seen((_spreads(after) - _spreads(before))[:p] / sd)
    facts: dict[str, Any] = {"mean": float(means.max()), "mean_of": names[_largest(means)]}
    facts |= {"sd": float(spreads.max()), "sd_of": names[_largest(spreads)]}
    change = _seen(np.triu(_correlations(after) - _correlations(before)))
    if change.any():
        i, j = np.unravel_index(_largest(change), change.shape)
        listed = [*names, *beside]
        words += MOVED_CORRELATION
        facts |= {
            "correlation": float(change[i, j]),
            "correlation_of": listed[int(i)],
            "correlation_with": listed[int(j)],
        }
    return [Note.of("constraints", words, count=found.moved, total=found.n, kept=kept, **facts)]


def _seen(change: Array) -> Array:
    """The sizes of changes, without what is nothing but rounding."""
    size = np.abs(change)
    return np.where(size > ROUNDING, size, 0.0)


def _largest(change: Array) -> int:
    """Where the largest is; the first of those that are equal up to rounding."""
    return int((change >= change.max() - ROUNDING).argmax())


def _covariances(products: Array, centres: Array) -> Array:
    """(2, q, q), of mean products and means: 0 where they are nothing but rounding, as of a column that does not vary."""
    sizes = np.sqrt(np.diagonal(products, axis1=1, axis2=2))
    S = products - centres[:, :, None] * centres[:, None, :]
    return np.where(np.abs(S) > CANCELLED * sizes[:, :, None] * sizes[:, None, :], S, 0.0)


def _spreads(S: Array) -> Array:
    return np.sqrt(np.maximum(np.diag(S), 0.0))


def _correlations(S: Array) -> Array:
    """(q, q) correlations of covariances S, 0 beside the diagonal for a column that does not vary."""
    sd = _spreads(S)
    unit = np.where(sd > 0, sd, 1.0)
    off: Array = S / unit / unit[:, None]
    np.fill_diagonal(off, 0.0)
    return off
