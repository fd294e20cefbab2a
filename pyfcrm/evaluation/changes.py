"""variable_changes(): each variable before and after protection, in its own units."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data import open_data
from ..data.pairs import two_files
from ..display import Result, View
from ..errors import Note
from ..numerics.location import location
from ..numerics.moments import correlation, quantiles
from ..numerics.sorting import average_ranks
from ..types import Array
from .judge import gap_notes

QUARTERS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
STATISTICS = ("mean", "sd", "min", "lower_quartile", "median", "upper_quartile", "max")
SHOWN = ("variable", "mean_original", "mean_protected", "sd_original", "sd_protected", "changed", "rank_correlation")


@dataclass(frozen=True, repr=False)
class VariableChanges(Result):
    """Every variable before and after protection.

    Parameters
    ----------
    variables : tuple of dict
        By variable: its name, mean, sd (n - 1), quartiles (type 7) and both ends in either file; `changed`, per cent of
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
            variable, mean_original, mean_protected, sd_original, ... changed, rank_correlation.
        """
        return list(self.variables)

    def _view(self) -> View:
        return View(
            f"Variables before and after, {self.records:,} records released",
            ("variable", "mean", "protected", "sd", "protected", "changed, %", "rank corr."),
            [[row[name] for name in SHOWN] for row in self.variables],
            self.notes,
        )


def variable_changes(original: Any, protected: Any, columns: str | Iterable[str] | None = None) -> VariableChanges:
    """Changes of each variable by the protection: mean, sd, quartiles and ends in both files, changes, rank correlation.

    Parameters
    ----------
    original, protected : DataFrame, Table or path
        Frames, or paths of files; records pair by a pandas index, else by position, and need not pair.
    columns : str or iterable of str, optional
        The variables; None for all numeric ones both have. Each is compared by the records that have it in both files.

    Returns
    -------
    VariableChanges
        One row for each variable, in the variable's own units.

    Raises
    ------
    InvalidInput
        If the files cannot be compared.
    InvalidParameter
        If an argument breaks its rule.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> changes = pf.variable_changes(frame, released.frame, roles.dependent)
    >>> "DEBT" in str(changes)
    True
    """
    owner = "variable_changes"
    original, protected = open_data(owner, original, whole=True), open_data(owner, protected, whole=True)
    pair = two_files(owner, original, protected, columns)
    variables = []
    for j, name in enumerate(pair.columns):
        x, z = (A[:, 0] for A in pair.observed([j]).arrays())
        row: dict[str, Any] = {"variable": name}
        for statistic, *values in zip(STATISTICS, _distribution(x), _distribution(z), strict=True):
            row[f"{statistic}_original"], row[f"{statistic}_protected"] = values
        paired = pair.places is not None
        row["changed"] = 100 * float((x != z).mean()) if paired else math.nan
        ranks = average_ranks(np.column_stack([x, z])) if paired else np.zeros((1, 2))
        row["rank_correlation"] = float(correlation(ranks)[0, 1]) if np.ptp(ranks, axis=0).all() else math.nan
        variables.append(row)
    notes = (*original.notes, *protected.notes, *gap_notes(pair, ("pil",)))
    if pair.places is None:
        text = "records do not pair: which values changed, and rank correlations, are not known"
        notes += (Note.of("left_out", text),)
    return VariableChanges(tuple(variables), pair.Z.n, notes)


def _distribution(x: Array) -> list[float]:
    """The STATISTICS of values (n,)."""
    where = location(x[:, None])
    return [
        float(where.origin[0] + where.offset[0]),
        float(where.sd[0]),
        *map(float, quantiles(np.sort(x), QUARTERS, np.ones(len(x)))),
    ]
