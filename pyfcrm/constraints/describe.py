"""Notes on constraints: what the original breaks, and what keeping them changed in the release's moments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, Note
from ..types import Array
from .language import Constraint
from .projection import APART

Counts = NDArray[np.int64]
ROUNDING = 12  # decimals of standard deviations and of correlations
CANCELLED = 1e-13  # of the products that a covariance is a difference of
MAX_BROKEN_SHARE = 0.5  # of the original's complete records: above it the constraint itself is taken to be wrong
BROKEN = "the original breaks `{constraint}` in {count} of {total} records"
KEPT = "; the release keeps it in every protected record"
NOTHING_DONE = "`{constraint}` is about no column that is changed: nothing was done for it"
NOT_CHECKED = "`{constraint}` could not be checked for {count} {count:record|records}, where {columns} is missing"
MOVED_NONE = "constraints: {kept} are kept, and moved none of {total} records"
MOVED = (
    "constraints: {kept} are kept, and moved {count} of {total} records. Largest changes: mean {mean:.2g} sd, sd {sd:.2g} sd, "
    "correlation {correlation:.2g}"
)


def violations(one: Constraint, values: Mapping[str, Array], names: Sequence[str], whole: bool) -> Counts:
    """(3,) how many of the original's records break a constraint, have all its columns, and lack one that does not move.

    values : the original's columns, (n,), NaN for missing; names : the columns that may move; whole : all its columns are
    integer ones, and sums of them exact.
    """
    coefficients, bound = replace(one, difference=Fraction(0)).scaled()  # a strict constraint as it was written
    terms = np.column_stack([coefficients[name] * values[name] for name in one.columns])
    known = terms[~np.isnan(terms).any(axis=1)]
    off = known.sum(axis=1) - bound
    slack = 0.0 if whole else APART * (np.abs(known).sum(axis=1) + abs(bound))
    if one.equality:
        broken = (np.abs(off) > slack).sum()
    elif one.strict:
        broken = (off >= -slack).sum()
    else:
        broken = (off > slack).sum()
    fixed = [j for j, name in enumerate(one.columns) if name not in names]
    return np.array([broken, len(known), np.isnan(terms[:, fixed]).any(axis=1).sum()])


def describe_violations(owner: str, one: Constraint, counts: Counts, names: Sequence[str]) -> list[Note]:
    """What the original does with a constraint, and whether anything can be done about it. counts, names : see violations().

    Raises InvalidInput where more than half of the complete records break it.
    """
    text, columns = one.text, one.columns
    broken, known, unknown = counts.tolist()
    if broken > MAX_BROKEN_SHARE * known:
        rule = f"the constraint `{text}` must hold in at least half of the original's records (correct it, or leave it out)"
        raise InvalidInput(owner, rule, f"{broken:,} of {known:,} that break it")
    idle = not set(columns) & set(names)
    notes = []
    if broken and not one.found:
        wording = BROKEN if idle else BROKEN + KEPT
        notes = [Note.of("constraints", wording, columns, count=broken, total=known, constraint=text)]
    if idle:
        notes.append(Note.of("constraints", NOTHING_DONE, columns, constraint=text))
    elif unknown:
        others = [name for name in columns if name not in names]
        notes.append(Note.of("constraints", NOT_CHECKED, others, count=unknown, constraint=text))
    return notes


@dataclass
class MomentChange:
    """Sums over `total` records, `moved` of them by the constraints, of columns less their centre.

    sums (2, q), products (2, q, q) : of the values before and after, of columns that may move and of others.
    """

    centre: Array
    total: int = 0
    moved: int = 0
    sums: Array | float = 0.0
    products: Array | float = 0.0

    def add(self, values: Array, moved: int) -> None:
        """The next records (2, k, q), before and after."""
        A = values - self.centre
        self.total, self.moved = self.total + A.shape[1], self.moved + moved
        self.sums = self.sums + A.sum(axis=1)
        self.products = self.products + A.transpose(0, 2, 1) @ A

    def largest(self, sd: Array) -> dict[str, Any]:
        """The largest changes of a mean, a standard deviation and a correlation: 0 for changes by rounding only.

        sd : (p,) of the original, the unit of means and standard deviations, of the columns that may move, the first.
        """
        means, products = np.asarray(self.sums) / self.total, np.asarray(self.products) / self.total
        size = np.sqrt(np.diagonal(products, axis1=1, axis2=2))
        S = products - _outer(means)
        S = np.where(np.abs(S) > CANCELLED * _outer(size), S, 0.0)
        spreads = np.sqrt(np.maximum(np.diagonal(S, axis1=1, axis2=2), 0.0))
        correlations = S / _outer(np.where(spreads > 0, spreads, 1.0))
        by_column = {"mean": means[:, : len(sd)] / sd, "sd": spreads[:, : len(sd)] / sd, "correlation": correlations}
        return {name: float(np.abs(A[1] - A[0]).max().round(ROUNDING)) for name, A in by_column.items()}


def _outer(A: Array) -> Array:
    """(2, q, q) the products of each row of A (2, q)."""
    return A[:, :, None] * A[:, None, :]


def cost(constraints: Sequence[Constraint], change: MomentChange, sd: Array, names: Sequence[str]) -> list[Note]:
    """What keeping the constraints did to the columns `names`, which may move. sd : see MomentChange.largest.

    No note where no constraint is about a column that is changed.
    """
    applicable = sum(bool(set(one.columns) & set(names)) for one in constraints)
    if not applicable:
        return []
    kept = "all" if applicable == len(constraints) else "those about columns that are changed"
    facts: dict[str, Any] = {"count": change.moved, "total": change.total, "kept": kept}
    if not change.moved:
        return [Note.of("constraints", MOVED_NONE, **facts)]
    return [Note.of("constraints", MOVED, **facts, **change.largest(sd))]
