"""The test `unprotected` of a new file: released records whose confidential cells are those of one original record."""

from functools import partial
from typing import Any

import numpy as np

from ...data.pairs import key_codes
from ...numerics.chance import beyond_chance
from ...types import Array, Mask
from ..risk.nearly_unchanged import point_masses
from ..risk.reference_releases import UNCHANGED, spread
from .examined_release import ExaminedRelease
from .outcomes import NO_ROLES, NOT_RELEASED, Measured, NotExamined, Outcome
from .remedies import replacing_method

FEWEST = 3  # columns from which on all cells but one count: one of two cells is often equal by chance
APART = 3.0  # distance of different categories, where numbers count as equal up to 1


def verbatim_records(release: ExaminedRelease) -> Outcome:
    """Released records that repeat an original one, beyond chance: all confidential cells, or all but one, at least one of them rare.

    By chance as many as originals that repeat another original in this way: draws from the true law would do so as often.
    """
    if release.roles is None:
        return NotExamined(NO_ROLES)
    if not release.confidential:
        return NotExamined(NOT_RELEASED)
    Y, Z = _cells(release)
    if min(len(Y), len(Z)) < 2:
        return NotExamined("no confidential variable is comparable")
    is_rare = np.column_stack([~point_masses(column) for column in Y.T])
    # An original is compared with the others as a released record is with all: a value is rare by the others' cells. By its own
    # cell too, originals of values just rare enough would seem to repeat each other less than new draws repeat them.
    is_rare_of_others = np.column_stack([~point_masses(column, of_others=True) for column in Y.T])
    columns = np.arange(Y.shape[1])
    parts = [columns]
    if len(columns) >= FEWEST:
        parts += [np.delete(columns, j) for j in columns]
    repeated = np.zeros(len(Z), dtype=bool)
    natural = np.zeros(len(Y), dtype=bool)
    for part in parts:
        rare: Mask = np.any(is_rare[:, part], axis=1)
        rare_of_others: Mask = np.any(is_rare_of_others[:, part], axis=1)
        repeated |= _repeats(Y[:, part], Z[:, part], rare, itself=False)
        natural |= _repeats(Y[:, part], Y[:, part], rare_of_others, itself=True)
    expected = len(Z) * float(natural.mean())
    reason = (
        f"{repeated.sum():,} of {len(Z):,} released records repeat the confidential values of an original record, "
        f"{expected:.1f} expected by chance"
    )
    records = beyond_chance(float(repeated.sum()), expected)
    return Measured((records, 0.0), reason, partial(replacing_method, release, release.confidential))


def _cells(release: ExaminedRelease) -> tuple[Array, Array]:
    """Confidential cells of complete originals (n, t) and complete released records (N, t), equal up to a difference of 1."""
    categories = [name for name in release.confidential if name not in release.numbers]
    codes = key_codes("evaluate", release.original, release.protected, categories)
    before, after = (np.asarray(part, dtype=float) for part in codes)
    before[before < 0] = np.nan
    after[after < 0] = np.nan
    Y = release.original.matrix(release.numbers)
    Z = release.protected.matrix(release.numbers)
    width = UNCHANGED * spread(Y)
    width = np.where(width > 0, width, 1.0)
    of_originals = np.hstack([Y / width, APART * before])
    of_release = np.hstack([Z / width, APART * after])
    complete = ~np.isnan(of_originals).any(axis=1)
    known = ~np.isnan(of_release).any(axis=1)
    return of_originals[complete], of_release[known]


def _repeats(Y: Array, Z: Array, is_rare: Mask, *, itself: bool) -> Mask:
    """(N,) whether each row of Z equals a row of Y (n, t) that is rare, by at most 1 in each column. itself : Z is Y, and another
    row must be equal."""
    from scipy.spatial import cKDTree

    tree: Any = cKDTree(Y)
    distance, place = tree.query(Z, k=[2 if itself else 1], p=np.inf, distance_upper_bound=1.0 + 1e-9)
    found = np.isfinite(distance[:, 0])
    found[found] = is_rare[place[found, 0]]
    return np.asarray(found)
