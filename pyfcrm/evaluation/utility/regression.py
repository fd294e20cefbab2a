"""One regression of original and release, or quantiles by class: intervals and their overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...data import Frame, Roles, checked, complete_records
from ...data.formula import Formula, FormulaDesign
from ...data.levels import weights_of
from ...display import Result, View
from ...display.view import ACROSS, GAP
from ...numerics.least_squares import Fit, least_squares
from ...numerics.logistic import logistic
from ...numerics.sampling_variance.design import SamplingDesign
from ...numerics.sampling_variance.regression import design_regression
from ...types import Array, Mask
from .sampling import sampling_design

if TYPE_CHECKING:
    import pandas as pd

Family = Literal["gaussian", "binomial"]
FAMILIES: tuple[Family, ...] = ("gaussian", "binomial")
INTERCEPT = "(Intercept)"
MEDIAN = 0.5
INTERVALS = "Estimates with their 95 % intervals."
BY_DESIGN = "Estimates with their 95 % intervals, by the sampling design."
MOST_DIGITS, FEWEST_DIGITS = 4, 2  # of an estimate and its interval in a table
EXACTLY = 1e-8  # distance in standard errors up to which two coefficients are the same


@dataclass(frozen=True, repr=False)
class Analysis(Result):
    """One regression on two files, or quantiles by class.

    Parameters
    ----------
    formula : str
        The formula.
    terms : tuple of str
        The intercept and the regressors, k of them; of quantiles the classes.
    original, protected : Fit
        The regression of each file, or its quantiles.
    overlap : ndarray, shape (k,)
        The common part of the two 95 % intervals, per cent of either, averaged. 0 if they do not overlap, NaN if a file
        does not determine the coefficient.
    notes : tuple of str
        Remarks on the files.
    family : {"gaussian", "binomial"}
        Least squares, or a logistic regression.
    quantile : float or None
        The level of the quantiles; None for a regression.
    by_design : bool
        Whether standard errors are those of a sampling design.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> analysis = pf.analyse(frame, released, "DEBT ~ AGE")
    >>> list(analysis.to_frame()["term"])
    ['(Intercept)', 'AGE']
    """

    formula: str
    terms: tuple[str, ...]
    original: Fit
    protected: Fit
    overlap: Array
    notes: tuple[str, ...] = ()
    family: Family = FAMILIES[0]
    quantile: float | None = None
    by_design: bool = False

    @property
    def distance(self) -> Array:
        """Distances (k,) of the release's coefficients from the original's, in the original's standard errors."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.abs(self.protected.coef - self.original.coef) / self.original.se)

    def describe(self) -> str:
        """Whether the release gives the coefficients or quantiles as the original does, in a sentence.

        Returns
        -------
        str
            Exactly, which is to 1e-8 standard errors, or how far off.
        """
        determined = self.distance[np.isfinite(self.distance)]
        largest = float(determined.max(initial=0.0))
        how = "exactly" if largest <= EXACTLY else f"to {largest:.2g} standard errors"
        estimates = "coefficients" if self.quantile is None else "quantiles"
        return f"The release gives these {estimates} {how}."

    def to_frame(self) -> pd.DataFrame:
        """Both fits as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row a term: estimate, standard error and 95 % interval in both files, and the overlap in per cent.
        """
        import pandas as pd

        columns: dict[str, Any] = {"term": list(self.terms)}
        for file, fit in (("original", self.original), ("protected", self.protected)):
            columns |= {file: fit.coef, f"{file}_se": fit.se, f"{file}_low": fit.low, f"{file}_high": fit.high}
        return pd.DataFrame(columns | {"overlap": self.overlap})

    def _view(self) -> View:
        original, protected = _side_by_side(self.terms, self.original, self.protected)
        kind = ", log odds" if self.family == "binomial" else ""
        if self.quantile is not None:
            kind = ", medians" if self.quantile == MEDIAN else f", quantiles at {self.quantile:g}"
        return View(
            f"{self.formula}{kind}: {self.original.records:,} original records, {self.protected.records:,} protected",
            ("term" if self.quantile is None else "class", "original", "protected", "overlap, %"),
            list(zip(self.terms, original, protected, self.overlap.tolist(), strict=True)),
            (BY_DESIGN if self.by_design else INTERVALS, self.describe(), *self.notes),
        )


def interval_text(value: float, low: float, high: float, digits: int = MOST_DIGITS) -> str:
    """An estimate and its interval."""
    return f"{value:.{digits}g} ({low:.{digits}g} to {high:.{digits}g})"


def _intervals(fit: Fit, digits: int) -> list[str]:
    """The estimates of a fit and their intervals."""
    return [interval_text(*of_term, digits) for of_term in zip(fit.coef, fit.low, fit.high, strict=True)]


def _side_by_side(terms: tuple[str, ...], original: Fit, protected: Fit) -> tuple[list[str], list[str]]:
    """The intervals of both fits with as many digits, four at most, as a console has room for beside the terms."""
    for digits in range(MOST_DIGITS, FEWEST_DIGITS, -1):
        columns = (list(terms), _intervals(original, digits), _intervals(protected, digits))
        widths = [max(map(len, column), default=0) for column in columns]
        if sum(widths) + 2 * len(GAP) <= ACROSS:
            return columns[1:]
    return _intervals(original, FEWEST_DIGITS), _intervals(protected, FEWEST_DIGITS)


@dataclass(frozen=True)
class FileFit:
    """A regression of one file."""

    fit: Fit
    """The coefficients."""
    design: FormulaDesign
    """The terms, with the levels of the file that was fitted first."""
    complete: Mask
    """Mask (n,) of the records that have all columns of the formula."""
    converged: bool = True
    """Whether the iterations converged, where there are any."""
    sample: SamplingDesign | None = None
    """The sampling design of these records; None where none is used."""


def fit_file(
    owner: str,
    frame: Frame,
    formula: Formula,
    weights: str | None = None,
    design: FormulaDesign | None = None,
    *,
    family: Family = FAMILIES[0],
    roles: Roles | None = None,
) -> FileFit:
    """A regression by the complete records of a file.

    design : with the levels of another file; None for its own. roles : whose sampling design gives standard errors, with the weight of
    the roles; None for those of independent records.
    """
    weights = weights if roles is None else roles.weight
    design = design or FormulaDesign.of(owner, frame, formula, of_outcome=family == "binomial")
    X, y = design.columns(owner, frame)
    names = [str(formula.response), *design.names]
    missing = np.isnan(np.column_stack([y, X]))
    if weights is not None:
        names.append(weights)
        missing = np.column_stack([missing, np.isnan(checked(owner, frame, [weights]))])
    complete, _ = complete_records(owner, missing, names, "drop")
    of_log_odds = family == "binomial"
    if roles is not None:
        sample = sampling_design(owner, frame, roles, complete)
        fit, converged = design_regression(owner, X[complete], y[complete], sample, of_log_odds=of_log_odds)
        return FileFit(fit, design, complete, converged, sample)
    w = None if weights is None else weights_of(owner, frame, weights, complete)
    if of_log_odds:
        fit, converged = logistic(owner, X[complete], y[complete], w)
        return FileFit(fit, design, complete, converged)
    return FileFit(least_squares(owner, X[complete], y[complete], w), design, complete)


def interval_overlap(original: Fit, protected: Fit) -> Array:
    """The part (k,) of each file's interval that lies in the other's, averaged, per cent."""
    common = np.minimum(original.high, protected.high) - np.maximum(original.low, protected.low)
    return np.asarray(100 * (_part_of(original, common) + _part_of(protected, common)) / 2)


def _part_of(fit: Fit, common: Array) -> Array:
    """The part (k,) of the intervals of a fit that has the lengths `common` (k,), which are negative where intervals do not meet."""
    width = fit.high - fit.low
    # An interval of no width lies in the other or does not.
    point = np.where(np.isnan(common), np.nan, common >= 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(width > 0, np.maximum(common, 0.0) / width, point)
