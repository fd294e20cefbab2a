"""S_pMSE of tables: how far the one-way and two-way tables of a release are from the original's, in units of chance.

Where records come in whole units, such as households, chance is that of a draw of these: their members share a region, and tables of
persons vary more than of as many persons drawn alone. As in survey statistics, chi-square is divided by its mean design effect, and has
the degrees of freedom of a sum of squares with these design effects.
"""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import chdtri

from ..types import Array, Codes
from .measure import Part, Parts, units_measure

GROUPS = 5  # classes of a number, as in synthpop's utility.tab
LEVEL = 0.01  # of the tables of a release drawn from the original's, above this point of chi-square


@dataclass(frozen=True)
class TableDistance:
    """The distance of a table of the release from that of the original."""

    columns: tuple[int, ...]
    """The positions of its one or two columns."""
    ratio: float
    """S_pMSE: the propensity score mean square error over its expectation for a release drawn from the original's table."""
    df: float
    """Degrees of freedom: of records drawn alone, the cells that a record of either file is in, less one."""

    @property
    def exceeds_chance(self) -> bool:
        """Whether the ratio is above the 99 % point of a chi-square over its degrees of freedom."""
        return bool(self.ratio > chdtri(self.df, LEVEL) / self.df)


@units_measure(
    key="s_pmse",
    title="S_pMSE, mean over one-way and two-way tables, chance is 1",
    reading="How far the tables of the release are from the original's: 1 is what a draw from these tables gives.",
    kind="loss",
    identity=0.0,
    source="Raab, Nowok and Dibben (2021)",
    upper=math.inf,
)
def s_pmse(X: Array, Z: Array, units: Codes | None = None) -> Parts:
    """The mean over all one-way and two-way tables of S_pMSE = sum over cells of (z - x c / (1 - c))^2 / (c (x + z)) / E.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Original.
    Z : ndarray, shape (N, p)
        Protected; records need no pairing.
    units : ndarray, shape (n,), optional
        The unit of each original, such as its household; None where each is one.

    Returns
    -------
    Parts
        Parts: the means of one-way and of two-way tables, per cent of the tables above the 99 % point of chi-square / df,
        the largest value, and the one-way value of each attribute.

    Notes
    -----
    A cell has x originals and z protected records, c = N / (n + N). E is the expectation for a draw from the table: the number of cells
    with records less one. With units it is that for whole units drawn with replacement, the trace of D = the sum over units of
    e e', where e = (m - x sum(m) / n) / sqrt(x) for a unit with m records in each cell; a cell without an original adds one. Chance
    then has trace(D)^2 / trace(D^2) degrees of freedom (Rao and Scott's second-order correction).

    Numbers have five classes, the fifths of the values of both files, as in synthpop's `utility.tab`; at most five different
    values are classes.

    References
    ----------
    Raab, Nowok and Dibben (2021); Rao and Scott (1984).
    """
    classes = [pooled_classes(x, z) for x, z in zip(X.T, Z.T, strict=True)]
    tables = table_distances([x for x, _ in classes], [z for _, z in classes], units)
    if not tables:
        return Parts(0.0)
    one_way = [table for table in tables if len(table.columns) == 1]
    two_way = [table for table in tables if len(table.columns) == 2]
    free = (0.0, math.inf)
    parts = [Part("one-way tables, mean", _mean(one_way), range=free)]
    if two_way:
        parts.append(Part("two-way tables, mean", _mean(two_way), range=free))
    share = 100 * float(np.mean([table.exceeds_chance for table in tables]))
    parts.append(Part("tables above the 99 % point, per cent", share, range=(0.0, 100.0)))
    parts.append(Part("largest", max(table.ratio for table in tables), range=free))
    parts += [Part("one-way", table.ratio, attribute=table.columns[0], range=free) for table in one_way]
    return Parts(_mean(tables), tuple(parts))


def _mean(tables: list[TableDistance]) -> float:
    return float(np.mean([table.ratio for table in tables]))


def pooled_classes(x: Array, z: Array) -> tuple[Codes, Codes]:
    """The class of each value of x (n,) and z (N,): between the fifths of all values together, closed below.

    The greatest value is in the last class; missing values are a class. At most five different values are each a class.
    """
    together = np.concatenate([x, z])
    known = np.unique(together[~np.isnan(together)])
    if len(known) <= GROUPS:
        lower_ends = known[1:]
    else:
        fifths = np.quantile(together[~np.isnan(together)], np.linspace(0, 1, GROUPS + 1))
        lower_ends = np.unique(fifths)[1:-1]
    of_values = np.searchsorted(lower_ends, together, side="right")
    classes = np.where(np.isnan(together), GROUPS, of_values)
    return classes[: len(x)], classes[len(x) :]


def table_distances(original: list[Codes], released: list[Codes], units: Codes | None = None) -> list[TableDistance]:
    """The distance of each one-way and two-way table of columns of classes (n,) and (N,); none of tables with one cell.

    units : (n,) the unit of each original; None where each is one.
    """
    p = len(original)
    found = []
    for columns in [*combinations(range(p), 1), *combinations(range(p), 2)]:
        n = len(original[columns[0]])
        rows = np.column_stack([np.concatenate([original[j], released[j]]) for j in columns])
        cells = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
        count = int(cells.max()) + 1
        if count == 1:
            continue
        x = np.bincount(cells[:n], minlength=count)
        z = np.bincount(cells[n:], minlength=count)
        c = z.sum() / len(cells)
        expected, df = (count - 1, count - 1) if units is None else _chance(cells[:n], x, units)
        ratio = float(np.sum((z - x * c / (1 - c)) ** 2 / (c * (x + z)))) / expected
        found.append(TableDistance(columns, ratio, df))
    return found


def _chance(cells: Codes, x: Codes, units: Codes) -> tuple[float, float]:
    """The expectation and the degrees of freedom of chi-square for whole units drawn from a table with counts x (cells,).

    cells, units : (n,) of each original.
    """
    unit, of_record = np.unique(units, return_inverse=True)
    members = np.zeros((len(unit), len(x)))
    np.add.at(members, (of_record, cells), 1)
    has_original = x > 0
    expected = np.outer(members.sum(axis=1), x / len(cells))
    deviations = (members - expected)[:, has_original] / np.sqrt(x[has_original])
    D = deviations.T @ deviations
    without = int((~has_original).sum())
    trace = float(np.trace(D)) + without
    return trace, trace**2 / (float(np.square(D).sum()) + without)
