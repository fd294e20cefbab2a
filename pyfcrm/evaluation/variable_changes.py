"""variable_changes(): each variable in the original and in the release."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..data import open_data
from ..data.pairs import two_files
from ..errors import Note
from ..numerics.moments import correlation
from ..numerics.sorting import average_ranks
from ..protection.protected import open_release
from .measuring import gap_notes
from .utility.changes import STATISTICS, VariableChanges, _distribution


def variable_changes(original: Any, protected: Any, columns: str | Iterable[str] | None = None) -> VariableChanges:
    """Changes of each variable by the protection: mean, sd, quartiles and ends in both files, changes, rank correlation.

    Parameters
    ----------
    original, protected : DataFrame, Table, path or Protected
        Frames, or paths of files; records pair as in `evaluate`, and need not pair.
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
    original, protected = open_data(owner, original, whole=True), open_release(owner, protected, whole=True)
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
