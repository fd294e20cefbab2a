"""variable_changes(): what the protection did to each variable, in the data's own units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.pairs import two_files
from ..data.source import open_data
from ..display import Noted, View, pictures
from ..errors import Note
from ..numerics.location import location
from ..numerics.moments import correlation, quantiles, spread
from ..numerics.sorting import average_ranks
from ..types import Array
from .gaps import gap_notes

if TYPE_CHECKING:
    import pandas as pd

QUARTERS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])


@dataclass(frozen=True)
class Distribution:
    """Where one variable lies, in its own units: mean, sd (n - 1), and the quartiles (type 7) with both ends."""

    mean: float
    sd: float
    min: float
    lower_quartile: float
    median: float
    upper_quartile: float
    max: float


@dataclass(frozen=True)
class VariableChange:
    """One variable before and after.

    Parameters
    ----------
    variable : str
        The column's name.
    original, protected : Distribution
        Mean, sd, quartiles and ends in each file.
    changed : float, optional
        Per cent of records whose value is another; None where records do not pair.
    rank_correlation : float, optional
        Spearman's, 1 where the order is kept; None where records do not pair or a file has one value only.
    """

    variable: str
    original: Distribution
    protected: Distribution
    changed: float | None
    rank_correlation: float | None


@dataclass(frozen=True, repr=False)
class VariableChanges(Noted):
    """Every judged variable, before and after.

    Parameters
    ----------
    variables : tuple of VariableChange
        One for each variable.
    records : int
        How many records the release has.
    notes : tuple of str
        What was met.
    """

    variables: tuple[VariableChange, ...]
    records: int
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """The changes as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row a variable: mean_original, mean_protected, sd_original, ... changed, rank_correlation.
        """
        import pandas as pd

        rows = []
        for v in self.variables:
            before, after = asdict(v.original), asdict(v.protected)
            row: dict[str, Any] = {"variable": v.variable}
            for name in before:
                row |= {f"{name}_original": before[name], f"{name}_protected": after[name]}
            rows.append(row | {"changed": v.changed, "rank_correlation": v.rank_correlation})
        frame = pd.DataFrame(rows)
        return frame.astype({"changed": "float64", "rank_correlation": "float64"})

    def _view(self) -> View:
        rows = [
            (
                v.variable,
                v.original.mean,
                v.protected.mean,
                v.original.sd,
                v.protected.sd,
                v.changed,
                v.rank_correlation,
            )
            for v in self.variables
        ]
        drawn = [
            (v.variable, v.changed / 100, None, f"{v.changed:.0f} %") for v in self.variables if v.changed is not None
        ]
        return View(
            f"Variables before and after, {self.records:,} records released",
            ("variable", "mean", "protected", "sd", "protected", "changed, %", "rank corr."),
            rows,
            self.notes,
            lambda: pictures.bars(drawn, "the share of values that are another") if drawn else "",
        )


def variable_changes(original: Any, protected: Any, columns: str | Iterable[str] | None = None) -> VariableChanges:
    """What the protection did to each variable: mean, sd, quartiles and ends in both files, changes, rank correlation.

    Parameters
    ----------
    original, protected : DataFrame, Table or path
        Frames, or paths of files; records pair by a pandas index, else by position, and need not pair.
    columns : str or iterable of str, optional
        The variables; None for all numeric ones both have. Each is compared by the records that have it in both files.

    Returns
    -------
    VariableChanges
        One VariableChange for each variable, in the variable's own units.

    Raises
    ------
    InvalidInput
        If the files cannot be compared.
    InvalidParameter
        If an argument breaks its rule.
    """
    owner = "variable_changes"
    before, after = open_data(owner, original, whole=True), open_data(owner, protected, whole=True)
    both = two_files(owner, before, after, columns)
    parts = [both.pair.observed([j]).arrays() for j in range(both.pair.p)]
    variables = tuple(
        _change(name, x[:, 0], z[:, 0], both.rows is not None) for name, (x, z) in zip(both.columns, parts, strict=True)
    )
    notes = (*before.notes, *after.notes, *gap_notes(both.pair, ("pil",)))
    if both.rows is None:
        said = "records do not pair: which values changed, and rank correlations, are not known"
        notes += (Note.of("left_out", said),)
    return VariableChanges(variables, both.pair.Z.n, notes)


def _change(name: str, x: Array, z: Array, paired: bool) -> VariableChange:
    changed = 100 * float((x != z).mean()) if paired else None
    return VariableChange(
        name, _distribution(x), _distribution(z), changed, _rank_correlation(x, z) if paired else None
    )


def _distribution(x: Array) -> Distribution:
    where = location(x[:, None])
    ends = quantiles(np.sort(x), QUARTERS)
    return Distribution(float(where.origin[0] + where.offset[0]), float(where.sd[0]), *map(float, ends))


def _rank_correlation(x: Array, z: Array) -> float | None:
    ranks = average_ranks(np.column_stack([x, z]))
    where = spread(ranks)
    return float(correlation(ranks, where)[0, 1]) if where.sd.all() else None
