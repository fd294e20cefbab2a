"""The test `unprotected`: records and cells that the release leaves unchanged."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from ...numerics.chance import FALSE_ALARMS, SLACK, beyond_chance
from ...plans.limits import LIMITS
from ...types import Array
from ..risk.categorical_disclosure import kept_cells
from ..risk.reference_releases import CHANCE_DRAWS, UNCHANGED, count_unchanged, spread
from .examined_release import ExaminedRelease
from .outcomes import Measured, Outcome
from .remedies import replacing_method


def unprotected(release: ExaminedRelease) -> Outcome:
    """Records and cells that the release leaves unchanged, beyond chance."""
    sample = release.sample
    assert sample is not None
    names = (*release.compared_numbers, *release.categories)
    count, *shares = count_unchanged(_compared(release), release.units)
    # By chance: the kind of reference releases that leaves more unchanged, in each column.
    of_sample, *chance = sample.references.expected.max(axis=0)
    scale = sample.total / len(sample.Z)
    # A mean of 0 over the draws does not show that none is expected.
    expected = scale * max(of_sample, 1 / CHANCE_DRAWS)
    cells = list[float]()
    for name, share, by_chance in zip(names, shares, chance, strict=True):
        cells.append(_cells_beyond_chance(release, name, share, by_chance))
    worst = int(np.argmax(cells))
    if release.units is None:
        what = "records"
        total = sample.total
    else:
        what = "units"
        total = int(release.units.max()) + 1
    reason = (
        f"{count:,.0f} of {total:,} {what} keep every confidential value, {expected:.1f} expected by chance; "
        f"of `{names[worst]}` {100 * shares[worst]:.1f} % of the cells are unchanged"
    )
    deniable = all(release.deniable(name) for name in names)
    records = 0.0 if deniable else beyond_chance(count, expected)
    most_records, most_points = release.request.limits.get("unprotected", LIMITS["unprotected"].values)
    kept = [name for name, points in zip(names, cells, strict=True) if points > most_points or records > most_records]
    return Measured((records, max(cells[worst], 0.0)), reason, partial(replacing_method, release, kept))


def _compared(release: ExaminedRelease) -> Iterator[tuple[Array, Array, float]]:
    """Original and released values (n,) of each compared variable, numbers first, and the difference up to which they are equal."""
    for y, z in release.numeric_pairs(release.compared_numbers):
        yield y, z, UNCHANGED * spread(y)[0]
    before, after = release.codes
    for codes, released in zip(before.T, after.T, strict=True):
        yield codes, released, 0.0


def _cells_beyond_chance(release: ExaminedRelease, name: str, share: float, chance: float) -> float:
    """The unchanged cells of a variable beyond chance, percentage points; may be below 0."""
    assert release.sample is not None
    n = release.sample.total
    above = 100 * (share - SLACK * chance)
    # In a small file chance alone gives some points; all columns together share one level.
    if not beyond_chance(n * share, n * chance, FALSE_ALARMS["unprotected"] / len(release.compared)):
        above = min(above, 0.0)
    if name not in release.categories:
        return above
    deniable = release.deniable(name)
    kept = kept_cells(share, chance, n, deniable=deniable)
    return kept if deniable else max(above, kept)
