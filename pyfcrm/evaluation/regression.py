"""analyse(): one linear regression fitted to the original and to the release, with intervals and their overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import one_name
from ..data import Frame, checked, complete_records, open_data
from ..data.check import left_out
from ..data.formula import Formula, FormulaDesign, parse_formula
from ..data.levels import weights_of
from ..display import Result, View
from ..errors import Note
from ..numerics.least_squares import Fit, least_squares
from ..protection.protect import Protected
from ..types import Array, Mask

if TYPE_CHECKING:
    import pandas as pd

INTERCEPT = "(Intercept)"
EXACTLY = 1e-8  # standard errors


@dataclass(frozen=True, repr=False)
class Analysis(Result):
    """One regression on two files.

    Parameters
    ----------
    formula : str
        The formula.
    terms : tuple of str
        The intercept and the regressors, k of them.
    original, protected : Fit
        The regression of each file.
    overlap : ndarray, shape (k,)
        The common part of the two 95 % intervals, per cent of either, averaged. 0 if they do not overlap, NaN if a file
        does not determine the coefficient.
    notes : tuple of str
        Remarks on the files.

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

    @property
    def distance(self) -> Array:
        """(k,) how far the release's coefficients lie from the original's, in the original's standard errors."""
        return np.asarray(np.abs(self.protected.coef - self.original.coef) / self.original.se)

    def describe(self) -> str:
        """Whether the release gives the coefficients as the original does, in a sentence.

        Returns
        -------
        str
            Exactly, which is to 1e-8 standard errors, or how far off.
        """
        known = self.distance[np.isfinite(self.distance)]
        largest = float(known.max(initial=0.0))
        how = "exactly" if largest <= EXACTLY else f"to {largest:.2g} standard errors"
        return f"The release gives these coefficients {how}."

    def to_frame(self) -> pd.DataFrame:
        """Both fits as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row a term: estimate, standard error and 95 % interval in both files, and the overlap in per cent.
        """
        import pandas as pd

        columns: dict[str, Any] = {"term": list(self.terms)}
        for which, fit in (("original", self.original), ("protected", self.protected)):
            columns |= {which: fit.coef, f"{which}_se": fit.se, f"{which}_low": fit.low, f"{which}_high": fit.high}
        return pd.DataFrame(columns | {"overlap": self.overlap})

    def _view(self) -> View:
        fits = [map(interval_text, fit.coef, fit.low, fit.high) for fit in (self.original, self.protected)]
        return View(
            f"{self.formula}: {self.original.records:,} original records, {self.protected.records:,} protected",
            ("term", "original", "protected", "overlap, %"),
            list(zip(self.terms, *fits, self.overlap.tolist(), strict=True)),
            ("Estimates with their 95 % intervals.", self.describe(), *self.notes),
        )


def interval_text(value: float, low: float, high: float) -> str:
    """An estimate and its interval."""
    return f"{value:.4g} ({low:.4g} to {high:.4g})"


def analyse(original: Any, protected: Any, formula: str, *, weights: str | None = None) -> Analysis:
    """Fit the same least squares regression, with an intercept, to an original and a protected frame.

    Parameters
    ----------
    original, protected : DataFrame, Table or path
        Frames, or paths of files, whose records need no pairing; `protected` may be a result of `protect`.
    formula : str
        ``"log(wage) ~ sex * age + region"``: a response and terms, joined by ``+``, ``:`` and ``*``, of columns and their log(), sqrt() or
        exp(); odd names in `backticks`. Categories are coded as R's model.matrix does, with the original's levels. The
        records that have all of these columns are used, in each file.
    weights : str, optional
        A column of survey weights, above 0, in both files; coefficients and standard errors are those of R's lm with them.

    Returns
    -------
    Analysis
        Estimates, standard errors and 95 % intervals of both files, and the overlap of the intervals.

    Raises
    ------
    InvalidInput
        If a file cannot be used for the regression.
    InvalidParameter
        If an argument breaks its rule, such as a formula that is none.

    References
    ----------
    The overlap of intervals is Karr, Kohnen, Oganian, Reiter and Sanil (2006).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> table = pf.analyse(frame, released, "DEBT ~ AGE").to_frame()
    >>> bool((abs(table["original"] - table["protected"]) < 1).all())  # IPSO-C preserves it, apart from rounding
    True
    """
    parsed, weights = parse_formula(formula), one_name("analyse", "weights", weights)
    fits, notes, design = list[Fit](), list[Note](), None
    protected = protected.released if isinstance(protected, Protected) else protected
    for which, frame in (("original", original), ("protected", protected)):
        fit, design, opened, complete = fit_file(f"analyse, {which}", frame, parsed, weights, design)
        notes += [*opened.notes, *left_out(complete, f"{which}: ")]
        wording = f"{which}: `{{columns}}` is constant, or determined by the terms before it: no coefficient"
        aliased = [name for name, b in zip(design.names, fit.coef[1:], strict=True) if np.isnan(b)]
        notes += [Note.of("collinear", wording, [name]) for name in aliased]
        fits.append(fit)
    assert design is not None
    first, second = fits
    terms = (INTERCEPT, *design.names)
    return Analysis(formula, terms, first, second, interval_overlap(first, second), tuple(notes))


def fit_file(
    owner: str, frame: Any, formula: Formula, weights: str | None = None, design: FormulaDesign | None = None
) -> tuple[Fit, FormulaDesign, Frame, Mask]:
    """A regression by the complete records (n,) of a file, which is opened. design : with the levels of another file."""
    opened = open_data(owner, frame, whole=True)
    design = design or FormulaDesign.of(owner, opened, formula)
    X, y = design.columns(owner, opened)
    A, names = np.column_stack([y, X]), [str(formula.response), *design.names]
    if weights is not None:
        A, names = np.column_stack([A, checked(owner, opened, [weights])]), [*names, weights]
    complete, _ = complete_records(owner, np.isnan(A), names, "drop")
    w = None if weights is None else weights_of(owner, opened, weights, complete)
    return least_squares(owner, X[complete], y[complete], w), design, opened, complete


def interval_overlap(original: Fit, protected: Fit) -> Array:
    """The part of each file's interval that lies in the other's, averaged, per cent; (k,)."""
    common = np.minimum(original.high, protected.high) - np.maximum(original.low, protected.low)
    # An interval of no width lies in the other or does not.
    point = np.where(np.isnan(common), np.nan, common >= 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        widths = [fit.high - fit.low for fit in (original, protected)]
        shares = [np.where(width > 0, np.maximum(common, 0.0) / width, point) for width in widths]
    return np.asarray(100 * (shares[0] + shares[1]) / 2)
