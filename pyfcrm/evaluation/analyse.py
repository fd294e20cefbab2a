"""analyse(): one linear regression fitted to the original and to the release, with intervals and their overlap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from ..arguments import choice, one_name
from ..data.check import left_out
from ..data.formula import parse_formula
from ..data.variable import Variable
from ..errors import Note
from .encoded_files import opened_files
from .utility.regression import FAMILIES, INTERCEPT, Analysis, Family, FileFit, fit_file, interval_overlap


def analyse(
    original: Any,
    protected: Any,
    formula: str,
    *,
    weights: str | None = None,
    family: Family = FAMILIES[0],
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
) -> Analysis:
    """Fit the same regression, with an intercept, to an original and a protected frame.

    Parameters
    ----------
    original, protected : DataFrame, Table or path
        Frames, or paths of files, whose records need no pairing; `protected` may be a result of `protect`.
    formula : str
        ``"log(wage) ~ sex * age + region"``: a response and terms, joined by ``+``, ``:`` and ``*``, of columns and their log(), sqrt(),
        exp(), ``I(age^2)`` and ``poly(age, 2)``; odd names in `backticks`. Categories are coded as R's model.matrix does, with the
        original's levels; polynomials are orthogonal on the original's values, as R's. The records that have all of these
        columns are used, in each file.
    weights : str, optional
        A column of survey weights, above 0, in both files; coefficients and standard errors are those of R's lm with them, or of glm with
        weights of mean 1.
    family : {"gaussian", "binomial"}
        Least squares, or a logistic regression of a response that is 0 or 1, as R's glm: log odds, and normal intervals.
    variables : mapping or "numbers", optional
        What columns of the original may contain, a Variable by name; the rest is inferred, as `describe` shows. Codes of missing values
        are gaps, dates are days. "numbers" takes numeric columns as they are. None: as the result of `protect` has it.

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
    parsed = parse_formula(formula)
    weights = one_name("analyse", "weights", weights)
    choice("analyse", "family", family, FAMILIES)
    fits = list[FileFit]()
    notes = list[Note]()
    files = opened_files("analyse", original, protected, variables)
    for which, frame in zip(("original", "protected"), files, strict=True):
        owner = f"analyse, {which}"
        result = fit_file(owner, frame, parsed, weights, fits[0].design if fits else None, family=family)
        notes += [*frame.notes, *left_out(result.complete, f"{which}: ")]
        wording = f"{which}: `{{columns}}` is constant, or determined by the terms before it: no coefficient"
        slopes = result.fit.coef[1:]
        aliased = [name for name, b in zip(result.design.names, slopes, strict=True) if np.isnan(b)]
        notes += [Note.of("collinear", wording, [name]) for name in aliased]
        if not result.converged:
            notes.append(
                Note.of("not_converged", f"{which}: the regression did not converge: terms may separate 0 from 1")
            )
        fits.append(result)
    first, second = fits
    return Analysis(
        formula=formula,
        terms=(INTERCEPT, *first.design.names),
        original=first.fit,
        protected=second.fit,
        overlap=interval_overlap(first.fit, second.fit),
        notes=tuple(notes),
        family=family,
    )
