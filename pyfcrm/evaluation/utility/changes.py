"""variable_changes(): each variable before and after protection, in its own units."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data.pairs import Pair
from ...display import Result, View
from ...numerics.location import location
from ...numerics.moments import correlation, quantiles
from ...numerics.sorting import average_ranks
from ...types import Array

QUARTERS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
STATISTICS = ("mean", "sd", "min", "lower_quartile", "median", "upper_quartile", "max")
SHOWN = ("variable", "mean_original", "mean_protected", "sd_original", "sd_protected", "changed", "rank_correlation")


@dataclass(frozen=True, repr=False)
class VariableChanges(Result):
    """Every variable before and after protection.

    Parameters
    ----------
    variables : tuple of dict
        By variable: its name, the number of records that have it in both files, mean, sd (n - 1), quartiles (type 7) and both ends in
        either file; `changed`, per cent of
        records with another value, and `rank_correlation`, Spearman's, both NaN if records do not pair.
    records : int
        Number of released records.
    notes : tuple of str
        Remarks on the comparison.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> len(pf.variable_changes(frame, released.frame, "DEBT").to_frame()) > 0
    True
    """

    variables: tuple[dict[str, Any], ...]
    records: int
    notes: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """The changes, one row for each variable.

        Returns
        -------
        list of dict
            variable, records, mean_original, mean_protected, sd_original, ... changed, rank_correlation.
        """
        return list(self.variables)

    def _view(self) -> View:
        return View(
            f"Variables before and after, {self.records:,} records released",
            ("variable", "mean", "protected", "sd", "protected", "changed, %", "rank corr."),
            [[row[name] for name in SHOWN] for row in self.variables],
            self.notes,
        )


def _distribution(x: Array) -> list[float]:
    """The STATISTICS of values (n,)."""
    where = location(x[:, None])
    mean = float(where.origin[0] + where.offset[0])
    ends_and_quartiles = quantiles(np.sort(x), QUARTERS, np.ones(len(x)))
    return [mean, float(where.sd[0]), *ends_and_quartiles.tolist()]


def changes_of(pair: Pair) -> list[dict[str, Any]]:
    """The rows of `VariableChanges`: each column in both files, by the records that have it in both."""
    paired = pair.places is not None
    rows = []
    for j, name in enumerate(pair.columns):
        X, Z = pair.observed([j]).arrays()
        x = X[:, 0]
        z = Z[:, 0]
        row: dict[str, Any] = {"variable": name, "records": len(x)}
        for statistic, before, after in zip(STATISTICS, _distribution(x), _distribution(z), strict=True):
            row[f"{statistic}_original"] = before
            row[f"{statistic}_protected"] = after
        row["changed"] = 100 * float((x != z).mean()) if paired else math.nan
        row["rank_correlation"] = _rank_correlation(x, z) if paired else math.nan
        rows.append(row)
    return rows


def _rank_correlation(x: Array, z: Array) -> float:
    """Spearman's correlation of values (n,) in both files; NaN where one has a single value."""
    ranks = average_ranks(np.column_stack([x, z]))
    if (np.ptp(ranks, axis=0) == 0).any():
        return math.nan
    return float(correlation(ranks)[0, 1])
