"""Files with features that ordinary data seldom have.

These are ties within rounding, constant and collinear columns, likelihoods at a boundary, and totals that disclose a
contribution.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pyfcrm.rstream import RStream
from pyfcrm.types import Array

from .case import FCRM_RELEASE, RECORDS, Problem

if TYPE_CHECKING:
    import pandas as pd

GAPS = (0.0, 2e-13, 5e-12, 1e-10)  # relative differences of two distances: the first two are ties by the bound 1e-12
LEVELS = (20, 4, 4, 5, 3, 5, 6)  # values by attribute, of linkage at a boundary
FEW = 100  # records of a file that is compared with all of its records
SEED = 2  # of linkage at a boundary: with it, EM ends with m = 1 for the first attribute, whatever the rounding
# Confidential amounts by level, in the rest of whose 12 records they are 0, and how the level is by the rules of tables.
AMOUNTS: dict[str, tuple[int, ...]] = {
    "no amount": (),
    "one contributor": (3,),
    "two contributors": (3, 3),
    "three contributors": (2, 2, 2),
    "75 per cent by one": (75, 5, 5, 5, 5, 5),
    "76 per cent by one": (76, 5, 5, 5, 5, 4),
    "85 per cent by two": (45, 40, 5, 5, 5),
    "86 per cent by two": (46, 40, 5, 5, 4),
    "rest 10 per cent of the largest": (50, 45, 5),
    "rest 8 per cent of the largest": (50, 46, 4),
    "75 per cent by one, of both signs": (-75, 5, -5, 5, -5, 5),
}
LEVEL_RECORDS = 12


def near_ties(n: int) -> tuple[Array, Array]:
    """Two files (n, 1) in which the distances to the two nearest protected records differ by the relative gaps of GAPS.

    Each pair of records is far from the others. Original 1 is 2.5 below both protected records, original 2 is 2.5 above
    them. Each one's own record is the farther one, so that it is linked, by half, only where the distances count as equal.
    """
    X = np.zeros((n, 1))
    Z = np.zeros((n, 1))
    for i in range(n):
        pair, second = divmod(i, 2)
        gap = 2.5 * GAPS[pair % len(GAPS)]
        X[i] = 10 * pair + (2.5 if second else -2.5)
        Z[i] = 10 * pair + (-gap / 2 if second else gap / 2)
    return X, Z


def constant_columns(problem: Problem) -> tuple[Array, Array]:
    """Y and FCRM's release, with a column that is constant in the original, one constant in the release, and one in both.

    The constants have no finite binary fraction, so that a mean of them is rounded. Values of the first one differ in their last
    bit, which counts as constant too; it is released with a change.
    """
    Y = problem.Y[:FEW]
    Z = problem.release(FCRM_RELEASE)[:FEW]
    n = len(Y)
    constant = 0.1 * (1 + 2e-16 * (np.arange(n) % 2))
    X = np.column_stack([Y, constant, Y[:, 0], np.full(n, 1 / 3)])
    released = np.column_stack([Z, Z[:, 0], np.full(n, 0.7), np.full(n, 1 / 3)])
    return X, released


def many_zeros(problem: Problem) -> tuple[Array, Array]:
    """Y and FCRM's release, in which values below the 70 per cent quantile of their column are 0."""
    files = []
    for A in (problem.Y[:FEW], problem.release(FCRM_RELEASE)[:FEW]):
        files.append(np.where(np.quantile(A, 0.7, axis=0) > A, 0.0, A))
    return files[0], files[1]


def at_boundary() -> tuple[Array, Array]:
    """Two files (200, 7) of few values, for which EM ends with m = 1 for the first attribute.

    A fifth of the records have another value of the first attribute, and half of their other values are drawn anew. EM
    takes them for pairs that do not match. Their links depend on how much a disagreement of the first attribute counts.
    """
    stream = RStream(SEED)
    n = RECORDS
    X = np.column_stack([np.floor(k * stream.runif(n)) for k in LEVELS])
    Z = X.copy()
    moved = stream.runif(n) < 0.2
    for j in range(1, len(LEVELS)):
        u = stream.runif(n)
        anew = u < np.where(moved, 0.5, 0.08)
        Z[anew, j] = np.floor(LEVELS[j] * stream.runif(n))[anew]
    Z[moved, 0] = (X[moved, 0] + 1) % LEVELS[0]
    return X, Z


def collinear(problem: Problem) -> Problem:
    """The problem with one more predictor and one more dependent column, which are sums of others.

    The last predictor is the sum of all others. The third dependent column is the sum of the first two.
    """
    Y = problem.Y
    return replace(
        problem,
        X=np.column_stack([problem.X, problem.X.sum(axis=1)]),
        Y=np.column_stack([Y[:, :2], Y[:, :2].sum(axis=1), Y[:, 2:]]),
        ipso_path=None,
    )


def start_at_records(problem: Problem) -> tuple[Array, Array]:
    """Records (n, s + t), of which the third repeats the second, and an initial membership (n, 4).

    The first three clusters have one record each, so that their centres are these records, to the bit; the fourth has the others.
    """
    records = np.column_stack([problem.X, problem.Y])
    records[2] = records[1]
    U = np.zeros((len(records), 4))
    U[[0, 1, 2], [0, 1, 2]] = 1.0
    U[3:, 3] = 1.0
    return records, U


def disclosing_levels() -> tuple[pd.DataFrame, Array]:
    """Categorical predictors, and two confidential columns (n, 2), whose totals by level disclose contributions or just do not.

    `activity` has a level for each entry of AMOUNTS and levels of 9 and 10 records. Both columns have amounts there: the second
    column has them in reverse order of the levels, so that some levels are unsafe by one of them only.
    """
    import pandas as pd

    activity: list[str] = []
    amounts: list[tuple[float, float]] = []
    reverse = [*AMOUNTS.values()][::-1]
    for (level, first), second in zip(AMOUNTS.items(), reverse, strict=True):
        for i in range(LEVEL_RECORDS):
            activity.append(level)
            amounts.append((first[i] if i < len(first) else 0, second[-1 - i] if i < len(second) else 0))
    for size in (9, 10):
        activity += [f"{size} records"] * size
        amounts += [(1 + i % 3, 2 + i % 2) for i in range(size)]
    n = len(activity)
    records = np.arange(n)
    # The first level in code point order is pooled here; "q" and "r" have one size, and one of them joins the small level.
    place = np.array(["q", "r"], dtype=object)[records % 2]
    place[[5, 50, 100, 120]] = "a"
    alone = np.where(records == 7, "one record", "others")
    sizes = pd.Categorical(
        np.array(["small", "large", "middle"], dtype=object)[records % 3],
        categories=["small", "middle", "huge", "large"],
        ordered=True,
    )
    frame = pd.DataFrame(
        {
            "activity": np.array(activity, dtype=object),
            "number": records * 7 % 31 / 4,
            "place": place,
            "alone": alone.astype(object),
            "size": sizes,
            "letter": np.array(["b", "Z", "a", "É"], dtype=object)[records // 2 % 4],
            "yes": records % 5 == 0,
        }
    )
    return frame, np.array(amounts, dtype=np.float64)
