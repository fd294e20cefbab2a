"""The utility panel of a release: how far its estimates are from the original's, in standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ....display import Result, View
from ....errors import Count
from ....types import Array
from .estimand import LARGE
from .measured_variables import MeasuredVariable, measured_variables
from .utility_estimate import LARGEST, UtilityEstimate

if TYPE_CHECKING:
    import pandas as pd

TOLERATED = 3.0  # per cent of large deviations that a reference counts at most
WORSE = 3.0  # points by which a family is worse than the reference, to be named
FEW = 30  # estimates of a family below which large deviations are counted
FEW_LARGE = 2  # large deviations of such a family that are not named
ERROR_CHANGE = 0.2  # relative change of a standard error that counts as one
HALF_WIDTH = 1.959963984540054  # standard errors in half a 95 % interval
ROUNDED = 5  # points to which shares for the public are rounded
COLUMNS = ("family", "estimate", "group", "records", "original", "se", "released", "released_se", "z", "reference")


@dataclass(frozen=True, kw_only=True)
class UtilitySummary:
    """A summary of some estimates.

    Parameters
    ----------
    family : str
        The family; "all" for the panel.
    estimates : int
        Number of estimates.
    above : float
        Per cent of them that differ by more than 3 standard errors.
    rms : float
        Root mean square of the deviations in standard errors, each at most 20.
    reference_above, reference_rms : float
        The same of near-record releases; NaN where there are none.
    errors_outside : float
        Per cent of the release's own standard errors that differ from the original's by more than 20 per cent.
    overlap : float
        Mean overlap of the 95 % intervals of both files, per cent.
    worst : UtilityEstimate
        The estimate with the largest deviation.
    """

    family: str
    estimates: int
    above: float
    rms: float
    reference_above: float
    reference_rms: float
    errors_outside: float
    overlap: float
    worst: UtilityEstimate

    @property
    def lost(self) -> bool:
        """Whether users lose more of these estimates than by an honest draw.

        More than 3 points above the reference, or above 3 per cent where it has more; of fewer than 30 estimates more than two.
        """
        if self.estimates < FEW:
            return round(self.above * self.estimates / 100) > FEW_LARGE
        reference = TOLERATED if np.isnan(self.reference_above) else min(self.reference_above, TOLERATED)
        return self.above > reference + WORSE

    @property
    def reference_text(self) -> str:
        """The reference in brackets; empty without one."""
        return "" if np.isnan(self.reference_above) else f" (an honest draw: {self.reference_above:.0f} %)"


@dataclass(frozen=True, repr=False)
class Utility(Result):
    """Estimates that users make, of the original and of a release: the utility panel.

    Parameters
    ----------
    estimates : tuple of UtilityEstimate
        At most 2,000, by family.
    left_out : int
        Number of further estimates that were not measured: those of the smallest classes.
    records, total : int
        Number of original records that were measured, and of all.
    references : ndarray, shape (10, e)
        Deviations of near-record releases in standard errors; NaN where there are none.

    Notes
    -----
    Families, standard errors and their floors, and the reference are defined in the documentation, page "Utility".

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(300)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> report = pf.evaluate(frame, pf.protect(frame, pf.IPSO("C"), roles, seed=1))
    >>> report.utility.summary.estimates == len(report.utility.to_frame())
    True
    """

    estimates: tuple[UtilityEstimate, ...]
    left_out: int
    records: int
    total: int
    references: Array = field(repr=False)

    @property
    def summary(self) -> UtilitySummary:
        """The summary of all estimates."""
        return summarised("all", self.estimates, self.references)

    @property
    def worst(self) -> UtilityEstimate:
        """The estimate with the largest deviation."""
        return self.summary.worst

    @property
    def families(self) -> tuple[UtilitySummary, ...]:
        """The summary of each family, the one with most large deviations first."""
        names = dict.fromkeys(estimate.family for estimate in self.estimates)
        summaries = []
        for name in names:
            places = [k for k, estimate in enumerate(self.estimates) if estimate.family == name]
            own = [self.estimates[k] for k in places]
            summaries.append(summarised(name, own, self.references[:, places]))
        return tuple(sorted(summaries, key=lambda summary: -summary.above))

    @property
    def summaries(self) -> tuple[UtilitySummary, ...]:
        """The summary of all estimates, then that of each family."""
        return (self.summary, *self.families)

    @property
    def lost(self) -> tuple[UtilitySummary, ...]:
        """The families of which users lose more than by an honest draw, the worst first."""
        return tuple(summary for summary in self.families if summary.lost)

    @property
    def faithful(self) -> bool:
        """Whether users lose no more than by an honest draw, of each family and of all estimates together."""
        return not self.lost and not self.summary.lost

    @property
    def headline(self) -> str:
        """The panel in one line."""
        summary = self.summary
        faithful = "faithful: " if self.faithful else ""
        count = Count(summary.estimates)
        return (
            f"Utility: {faithful}{summary.above:.0f} % of {count} {count:estimate differs|estimates differ} by more than "
            f"3 standard errors{summary.reference_text}; worst: {summary.worst}"
        )

    def lines(self) -> list[str]:
        """The panel as text.

        Returns
        -------
        list of str
            The headline, then a line for each family of which users lose more than by an honest draw.
        """
        text = [self.headline]
        for summary in self.lost:
            text.append(
                f"  {summary.family}: {summary.above:.0f} % of {summary.estimates:,}{summary.reference_text}; "
                f"worst: {summary.worst}"
            )
        return text

    @property
    def variables(self) -> tuple[MeasuredVariable, ...]:
        """What was measured for each confidential variable, in the order of the file."""
        return measured_variables(self.estimates)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was not measured."""
        notes = list[str]()
        if self.left_out:
            notes.append(f"{self.left_out:,} further estimates are not measured: those of the smallest classes")
        if self.records < self.total:
            notes.append(f"estimates are of a random sample of {self.records:,} of {self.total:,} records")
        return tuple(notes)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each estimate.

        Returns
        -------
        list of dict
            family, estimate, group, records, original, se, released, released_se, z, and reference, the root mean square of z of
            near-record releases.
        """
        return [{name: getattr(estimate, name) for name in COLUMNS} for estimate in self.estimates]

    def to_frame(self) -> pd.DataFrame:
        """The rows as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row for each estimate.
        """
        import pandas as pd

        return pd.DataFrame(self.rows(), columns=list(COLUMNS))

    def document(self) -> dict[str, Any]:
        """The summary as one document of plain data, for JSON and R.

        Returns
        -------
        dict
            lines, summary, families, variables, left_out and remarks.
        """
        return {
            "lines": self.lines(),
            "summary": figures(self.summary),
            "families": [figures(summary) for summary in self.families],
            "variables": [variable.row() for variable in self.variables],
            "left_out": self.left_out,
            "remarks": list(self.remarks),
        }

    def public_rows(self) -> list[tuple[str, int]]:
        """What the public may see: by family the per cent of large deviations, rounded to 5 points.

        Returns
        -------
        list of tuple
            Of estimates from at least 30 records whose totals disclose no contribution; no name of a class and no signed deviation.
        """
        rows = []
        for family in dict.fromkeys(estimate.family for estimate in self.estimates):
            own = [estimate for estimate in self.estimates if estimate.family == family and estimate.publishable]
            if own:
                above = 100 * np.mean([abs(estimate.z) > LARGE for estimate in own])
                rows.append((family, round(above / ROUNDED) * ROUNDED))
        return rows

    def plot(self, title: str | None = None) -> Any:
        """The share of large deviations of each family, with a mark for the reference.

        Parameters
        ----------
        title : str, optional
            The figure's title.

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which shows itself in a notebook.
        """
        from ....plots import measures

        rows = [
            {
                "measure": summary.family,
                "value": summary.above,
                "baseline": None if np.isnan(summary.reference_above) else summary.reference_above,
                "lower": 0.0,
                "upper": 100.0,
                "better": "lower",
            }
            for summary in self.families
        ]
        return measures(rows, title or "Estimates that differ by more than 3 standard errors, %")

    def _view(self) -> View:
        rows = [
            (
                summary.family,
                summary.estimates,
                summary.above,
                summary.reference_above,
                summary.rms,
                summary.reference_rms,
                str(summary.worst),
            )
            for summary in self.families
        ]
        names = ("family", "estimates", "above 3, %", "reference", "rms", "reference rms", "worst")
        return View(self.headline, names, rows, self.remarks)


def figures(summary: UtilitySummary) -> dict[str, Any]:
    """A summary as plain data; None where a figure was not measured."""
    names = ("above", "rms", "reference_above", "reference_rms", "errors_outside", "overlap")
    values = {name: _or_none(getattr(summary, name)) for name in names}
    worst = {"worst": str(summary.worst), "lost": summary.lost}
    return {"family": summary.family, "estimates": summary.estimates, **values, **worst}


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def summarised(family: str, estimates: Sequence[UtilityEstimate], references: Array) -> UtilitySummary:
    """The summary of some estimates. references : (10, e) deviations of near-record releases."""
    z = np.array([estimate.z for estimate in estimates])
    worst = int(np.argmax(np.abs(z)))
    se = np.array([estimate.se for estimate in estimates])
    released_se = np.array([estimate.released_se for estimate in estimates])
    known = np.isfinite(released_se)
    change = np.abs(released_se[known] / se[known] - 1)
    drawn = references[np.isfinite(references)]
    return UtilitySummary(
        family=family,
        estimates=len(estimates),
        above=_above(z),
        rms=_root_mean_square(z),
        reference_above=_above(drawn),
        reference_rms=_root_mean_square(drawn),
        errors_outside=100 * float(np.mean(change > ERROR_CHANGE)) if known.any() else np.nan,
        overlap=100 * float(np.mean(_overlaps(z[known], released_se[known] / se[known]))) if known.any() else np.nan,
        worst=estimates[worst],
    )


def _above(z: Array) -> float:
    """Per cent of deviations (e,) beyond 3 standard errors; NaN of none."""
    return 100 * float(np.mean(np.abs(z) > LARGE)) if z.size else np.nan


def _root_mean_square(z: Array) -> float:
    """Root mean square of deviations (e,), each at most 20; NaN of none."""
    return float(np.sqrt(np.mean(np.minimum(np.abs(z), LARGEST) ** 2))) if z.size else np.nan


def _overlaps(z: Array, ratios: Array) -> Array:
    """Overlaps (e,) of the 95 % intervals of both files: the mean of the common part's shares of each (Karr et al. 2006).

    z : deviations (e,) in standard errors of the original; ratios : (e,) of the standard errors.
    """
    original = HALF_WIDTH
    released = HALF_WIDTH * ratios
    common = np.minimum(original, z + released) - np.maximum(-original, z - released)
    common = np.maximum(common, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_released = np.where(released > 0, common / (2 * released), 0.0)
    return np.asarray((common / (2 * original) + of_released) / 2)
