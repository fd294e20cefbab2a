"""analyse(): one linear regression fitted to the original and to the release, with intervals and their overlap."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import one_name
from ..data.check import left_out
from ..data.formula import parse_formula
from ..errors import Note
from ..numerics.least_squares import Fit
from ..protection.protect import Protected
from .utility.regression import INTERCEPT, Analysis, fit_file, interval_overlap


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
    return Analysis(
        formula=formula,
        terms=terms,
        original=first,
        protected=second,
        overlap=interval_overlap(first, second),
        notes=tuple(notes),
    )
