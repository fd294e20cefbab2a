"""The test `totals`: totals that the release preserves, as cells of a magnitude table."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from ...data import is_numeric
from ...data.blocks import Records
from ...data.preserved_totals import PreservedTotals, UnsafeTotal
from ...data.strata import Strata
from .examined_release import ExaminedRelease
from .outcomes import NO_ROLES, Measured, NotApplicable, NotExamined, Outcome, Remedy
from .remedies import RECORDS, top_code

POOLED = "levels of text are pooled where their totals are unsafe, so make a 0/1 predictor text"


def totals(release: ExaminedRelease) -> Outcome:
    """Totals that the release preserves, as cells of a magnitude table."""
    if release.roles is None:
        return NotExamined(NO_ROLES)
    if not release.numbers:
        return NotApplicable() if release.categories else Measured((0.0,), "no total is released")
    if release.rows is None:
        return NotExamined(release.no_pairs)
    preserved, unsafe = _checked_totals(release)
    named = f"; unsafe: {'; '.join(map(str, unsafe[:3]))}" if unsafe else ""
    return Measured((len(unsafe),), f"{preserved:,} preserved totals{named}", partial(_remedies, release, unsafe))


def _remedies(release: ExaminedRelease, unsafe: Sequence[UnsafeTotal]) -> tuple[Remedy, ...]:
    """Top codes of the columns whose totals have enough contributors; larger domains where one has too few."""
    columns = dict.fromkeys(total.column for total in unsafe if total.contributors >= RECORDS)
    remedies = [remedy for column in columns for remedy in top_code(release, column)]
    few = [total for total in unsafe if total.contributors < RECORDS]
    if few:
        remedies.append(Remedy(f"join {few[0].cell} with other records: {POOLED}"))
    return (Remedy.together(remedies),) if remedies else ()


def _checked_totals(release: ExaminedRelease) -> tuple[int, tuple[UnsafeTotal, ...]]:
    """Number of preserved totals, and the unsafe ones.

    Totals of the file, of its strata, and of the levels of 0/1 predictors and of `preserve` columns.
    """
    assert release.rows is not None
    rows, _ = release.rows
    original = release.original
    options = release.request.options
    # The columns of X: predictors that are numbers, then a 0/1 column for each level to preserve.
    given = [name for name in release.predictors if is_numeric(original, name)]
    columns = [original.values(name)[rows] for name in given]
    labels = list[str]()
    for name in options.preserve or ():
        if name not in original.names:
            continue
        codes = original.codes(name)[rows]
        for level in np.unique(codes[codes >= 0]):
            columns.append((codes == level).astype(float))
            labels.append(f"{name}, level {level + 1}")
    X = np.column_stack([np.empty((len(rows), 0)), *columns])
    of_originals, of_release = zip(*release.numeric_pairs(release.numbers), strict=True)
    Y = np.column_stack(of_originals)
    Z = np.column_stack(of_release)
    known = ~(np.isnan(Y) | np.isnan(Z))
    stratum = Strata.of((), release.strata_codes).codes if options.strata else None
    preserved = PreservedTotals(Records(X), release.numbers, given, stratum, levels=labels)
    preserved.add(X, np.where(known, Y, 0.0), np.where(known, Z, 0.0))
    return preserved.checked()
