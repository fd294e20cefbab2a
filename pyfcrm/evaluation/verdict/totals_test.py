"""The test `totals`: totals that the release preserves, as cells of a magnitude table."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from ...data import is_numeric
from ...data.blocks import Records
from ...data.preserved_totals import P, PreservedTotals, UnsafeTotal
from ...data.strata import Strata
from ...errors import Count
from .examined_release import ExaminedRelease
from .extremes_test import DecidedExtreme, decided_extremes
from .outcomes import NO_ROLES, Measured, NotApplicable, NotExamined, Outcome, Remedy
from .preserved_sums import CrowdedGroup, crowded_groups
from .remedies import RECORDS, top_code
from .totals_of_new_file import file_totals, new_extremes

POOLED = "levels of text are pooled where their totals are unsafe, so make a 0/1 predictor text"

FEWER_SUMS = "use fewer predictors, larger strata or groups in `preserve`, or Calibrated(), which preserves fewer sums"
NOT_REPEATED = (
    "released extremes are near the value of one unit, and this method releases no column by itself to compare with"
)
SHOWN = 3  # findings of each kind in the reason


def totals(release: ExaminedRelease) -> Outcome:
    """Totals that the release preserves, as cells of a magnitude table."""
    if release.roles is None:
        return NotExamined(NO_ROLES)
    if not release.numbers:
        return NotApplicable() if release.categories else Measured((0.0,), "no total is released")
    if release.is_new_file and release.masks & {"values", "perturb"}:
        return _of_new_file(release)
    if release.rows is None:
        return NotExamined(release.no_pairs)
    preserved, unsafe = _checked_totals(release)
    unsafe = (*unsafe, *_unsafe_sums(release))
    extremes = decided_extremes(release)
    crowded = crowded_groups(release)
    return _counted(release, preserved, unsafe, extremes, crowded)


def _of_new_file(release: ExaminedRelease) -> Outcome:
    """Totals and extremes of a file whose records pair with no original ones."""
    preserved, unsafe = file_totals(release)
    extremes = new_extremes(release)
    if extremes.not_examined and not unsafe and not extremes.decided:
        return NotExamined(f"{NOT_REPEATED}: {', '.join(extremes.not_examined[:SHOWN])}")
    return _counted(release, preserved, unsafe, extremes.decided, ())


def _counted(
    release: ExaminedRelease,
    preserved: int,
    unsafe: Sequence[UnsafeTotal],
    extremes: Sequence[DecidedExtreme],
    crowded: Sequence[CrowdedGroup],
) -> Measured:
    """The number of findings of all kinds, the first of each in words. preserved : the number of preserved totals."""
    found = [*map(str, unsafe[:SHOWN]), *map(str, extremes[:SHOWN]), *map(str, crowded[:SHOWN])]
    named = f"; unsafe: {'; '.join(found)}" if found else ""
    remedies = partial(_remedies, release, unsafe, extremes, crowded)
    count = len(unsafe) + len(extremes) + len(crowded)
    of_all = Count(preserved)
    return Measured((count,), f"{preserved:,} preserved {of_all:total|totals}{named}", remedies)


def _remedies(
    release: ExaminedRelease,
    unsafe: Sequence[UnsafeTotal],
    extremes: Sequence[DecidedExtreme],
    crowded: Sequence[CrowdedGroup],
) -> tuple[Remedy, ...]:
    """Top codes of the columns whose totals have enough contributors; larger domains where one has too few."""
    columns = dict.fromkeys(total.column for total in unsafe if total.contributors >= RECORDS)
    columns |= dict.fromkeys(extreme.column for extreme in extremes)
    remedies = [remedy for column in columns for remedy in top_code(release, column)]
    few = [total for total in unsafe if total.contributors < RECORDS]
    if few:
        remedies.append(Remedy(f"join {few[0].cell} with other records: {POOLED}"))
    if crowded:
        remedies.append(Remedy(FEWER_SUMS))
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


def _unsafe_sums(release: ExaminedRelease) -> list[UnsafeTotal]:
    """Preserved sums that disclose a contribution, of the file or its strata, and of the levels of `preserve` columns.

    Sums of squared deviations from the mean count, as a standard deviation is published with its number of records. Where units or
    households are known each is one contributor, of squares and of totals.
    """
    assert release.rows is not None
    rows, _ = release.rows
    original, options = release.original, release.request.options
    units = release.units
    strata = Strata.of((), release.strata_codes).rows
    if options.strata:
        groups = [(f"stratum {k + 1} of {len(strata)}", members) for k, members in enumerate(strata)]
    else:
        groups = [("all records", np.arange(len(rows)))]
    for name in options.preserve or ():
        if name in original.names:
            levels = Strata.of((), original.codes(name)[rows]).rows
            groups += [(f"{name}, level {k + 1}", members) for k, members in enumerate(levels)]
    found = list[UnsafeTotal]()
    for name, (y, z) in zip(release.numbers, release.numeric_pairs(release.numbers), strict=True):
        for label, members in groups:
            known = members[~(np.isnan(y[members]) | np.isnan(z[members]))]
            if len(known) < 2 or y[known].min() == y[known].max():
                continue
            squares = (y[known] - y[known].mean()) ** 2
            released_squares = len(known) * z[known].var()
            contributor = None if units is None else units[known]
            sums = [(f"the squared deviations of {label}", squares, released_squares - squares.sum())]
            if contributor is not None:  # those of records are checked with the other totals
                sums.append((f"{label} by unit", np.abs(y[known]), z[known].sum() - y[known].sum()))
            for cell, sizes, change in sums:
                contributions = sizes
                if contributor is not None:
                    contributions = np.asarray(np.bincount(contributor, sizes), dtype=float)
                total = UnsafeTotal.of(name, cell, contributions)
                if total is not None and abs(change) < P / 100 * contributions.max():
                    found.append(total)
    return found
