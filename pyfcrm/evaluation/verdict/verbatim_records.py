"""The test `unprotected` of a new file: released records whose confidential cells are those of one original record."""

from functools import partial
from typing import Any

import numpy as np

from ...data.pairs import key_codes
from ...numerics.chance import beyond_chance
from ...numerics.location import evenly, row_blocks
from ...types import Array, Mask, Rows
from ..risk.nearly_unchanged import point_masses
from ..risk.reference_releases import UNCHANGED, spread
from .examined_release import ExaminedRelease
from .outcomes import NO_ROLES, NOT_RELEASED, Measured, NotExamined, Outcome
from .remedies import replacing_method

FEWEST = 3  # columns from which on all cells but one count: one of two cells is often equal by chance
APART = 3.0  # distance of different categories, where numbers count as equal up to 1
EQUAL = 1.0 + 1e-9
ENOUGH = 100  # originals that repeat another: their number has an error of a tenth, which `beyond_chance` allows for
MOST_COMPARED = 2000  # originals of which all pairs are compared


def verbatim_records(release: ExaminedRelease) -> Outcome:
    """Released records that repeat an original one, beyond chance: all confidential cells, or all but one, at least one of them rare.

    By chance as many as originals that repeat another original in this way: draws from the true law would do so as often. Where these
    are few, their number is itself a matter of chance, and the larger of it and of `_expected_by_margins` counts.
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
    share = float(natural.mean())
    if natural.sum() < ENOUGH:
        share = max(share, _expected_by_margins(Y, is_rare_of_others))
    expected = len(Z) * share
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
    distance, place = tree.query(Z, k=[2 if itself else 1], p=np.inf, distance_upper_bound=EQUAL)
    found = np.isfinite(distance[:, 0])
    found[found] = is_rare[place[found, 0]]
    return np.asarray(found)


def _expected_by_margins(Y: Array, is_rare: Mask) -> float:
    """The share of new records that repeat one of Y (n, t) by chance, from pairs of originals that agree in all columns but two.

    Such pairs are many more than those that repeat each other. A new record is an original whose values in two columns are drawn
    anew from the margins. It repeats another original in all columns but a if both agree in all but a and k, and the value
    drawn in k is that of the other: as often as records have it. Of the columns k the one that expects most counts: where two
    columns determine a third, agreement in this one is no chance. Where no originals agree so far, none is expected.

    is_rare (n, t) : cells that are no point mass.
    """
    rows = evenly(len(Y), MOST_COMPARED)
    A = Y[rows]
    rare = is_rare[rows]
    n, t = A.shape
    frequency = np.column_stack([_share_of_others(a) for a in A.T])
    new, other, differs = _close_pairs(A, 2 if t >= FEWEST else 1)

    def expected(left_out: list[int], drawn: int) -> Array:
        """(n,) for each new record, how many originals it repeats in all columns but those left out, if one is drawn anew."""
        compared = np.delete(np.arange(t), left_out)
        agree = ~differs[:, compared[compared != drawn]].any(axis=1)
        has_rare = rare[np.ix_(other[agree], compared)].any(axis=1)
        weights = np.where(has_rare, frequency[other[agree], drawn], 0.0)
        return np.asarray(np.bincount(new[agree], weights, minlength=n), dtype=np.float64)

    def most_expected(left_out: list[int]) -> Array:
        """(n,) the largest of these by the column that is drawn anew."""
        return max((expected(left_out, k) for k in range(t) if k not in left_out), key=np.sum)

    repeats = most_expected([])
    if t >= FEWEST:
        in_all = repeats
        in_all_but_one = np.sum([most_expected([a]) for a in range(t)], axis=0)
        # A repeat in all columns is one in all but each of them: it counts t times there, and is to count once.
        repeats = in_all_but_one - (t - 1) * in_all
    by_chance = np.maximum(repeats, 0.0) * len(Y) / n
    return float(-np.expm1(-by_chance).mean())


def _close_pairs(A: Array, most: int) -> tuple[Rows, Rows, Mask]:
    """Pairs of records of A (n, t) that differ by more than 1 in so many columns at most.

    The rows (m,) of both, and the columns in which they differ (m, t).
    """
    found = list[tuple[Rows, Rows, Mask]]()
    for block in row_blocks(len(A), len(A)):
        differs = np.abs(A[block, None, :] - A) > EQUAL
        first, second = np.nonzero(differs.sum(axis=2) <= most)
        is_other = first + block.start != second
        first, second = first[is_other], second[is_other]
        found.append((first + block.start, second, differs[first, second]))
    rows, others, differences = zip(*found, strict=True)
    return np.concatenate(rows), np.concatenate(others), np.concatenate(differences)


def _share_of_others(a: Array) -> Array:
    """(n,) the share of the other values of a (n,) that equal each."""
    ordered = np.sort(a)
    first = np.searchsorted(ordered, a - EQUAL, side="left")
    last = np.searchsorted(ordered, a + EQUAL, side="right")
    return np.asarray((last - first - 1) / (len(a) - 1))
