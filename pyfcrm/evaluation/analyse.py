"""analyse(): one regression of the original and of the release, or quantiles by class, with intervals and their overlap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from ..arguments import choice, one_name, real_number
from ..data import Frame, Roles
from ..data.check import left_out
from ..data.formula import Formula, parse_formula
from ..data.variable import Variable
from ..errors import InvalidParameter, Note
from ..protection.protected import Protected
from .encoded_files import opened_files
from .utility.class_quantiles import FileQuantiles, FormulaClasses, fit_quantiles
from .utility.regression import FAMILIES, INTERCEPT, Analysis, Family, FileFit, fit_file, interval_overlap
from .utility.sampling import design_notes, design_roles

COPIES = "of {count} copies the first was analysed: `combine` makes one estimate of all, with a standard error for the population"
FEW = 30  # records of a class below which the interval of a quantile is rough


def analyse(
    original: Any,
    protected: Any,
    formula: str,
    *,
    weights: str | None = None,
    family: Family = FAMILIES[0],
    quantile: float | None = None,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
    roles: Roles | None = None,
) -> Analysis:
    """Fit the same regression, with an intercept, to an original and a protected frame; or find quantiles by class in both.

    Parameters
    ----------
    original, protected : DataFrame, Table or path
        Frames, or paths of files, whose records need no pairing; `protected` may be a result of `protect`.
    formula : str
        ``"log(wage) ~ sex * age + region"``: a response and terms, joined by ``+``, ``:`` and ``*``, of columns and their log(), sqrt(),
        exp(), ``I(age^2)`` and ``poly(age, 2)``; odd names in `backticks`. ``"wage ~ 1"`` is the mean. Categories are coded as R's
        model.matrix does, with the original's levels; polynomials are orthogonal on the original's values, as R's. The records that
        have all of these columns are used, in each file.
    weights : str, optional
        A column of survey weights, above 0, in both files; coefficients and standard errors are those of R's lm with them, or of glm with
        weights of mean 1.
    family : {"gaussian", "binomial"}
        Least squares, or a logistic regression as R's glm: log odds, and normal intervals. The response is 0 or 1, yes or no, or a
        category of two levels, whose second is 1.
    quantile : float, optional
        A level between 0 and 1, such as 0.5: in place of a regression, the quantile of the response in each class that the terms
        name. ``"wage ~ region * sex"`` has the regions, the sexes, and their combinations. A number has classes by its values, or by its
        fifths where it has more than 20. With weights, quantiles are weighted. Intervals are Woodruff's.
    variables : mapping or "numbers", optional
        What columns of the original may contain, a Variable by name; the rest is inferred, as `describe` shows. Codes of missing values
        are gaps, dates are days. "numbers" takes numeric columns as they are. None: as the result of `protect` has it.
    roles : Roles, optional
        Whose weight and sampling design give estimates and standard errors, as R's svyglm and svyquantile have them: linearised by
        `psu` and `sampling_stratum`, or by replicate weights of a `replicate_type`. A stratum of one unit has the distance to the mean
        of all units. None: those of the result of `protect`, if it has a sampling design.

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
    The intervals of quantiles are those of Woodruff (1952). Designs: Binder (1983); Wolter (2007), Introduction to Variance
    Estimation. The overlap of intervals is Karr, Kohnen, Oganian, Reiter and Sanil (2006).

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
    roles = design_roles("analyse", roles, protected)
    if roles is not None and weights not in (None, roles.weight):
        rule = "must be left out where roles have a sampling design, whose weight is used"
        raise InvalidParameter("analyse", "weights", rule, weights)
    choice("analyse", "family", family, FAMILIES)
    if quantile is not None:
        quantile = real_number("analyse", "quantile", quantile, above=0, below=1)
        if family != FAMILIES[0]:
            raise InvalidParameter("analyse", "family", "must be left out where `quantile` is given", family)
        frames = opened_files("analyse", original, protected, variables)
        notes = _note_on_copies(protected)
        return _quantiles(frames, parsed, formula, quantile, notes, weights=weights, roles=roles)
    fits = list[FileFit]()
    notes = _note_on_copies(protected)
    files = opened_files("analyse", original, protected, variables)
    for which, frame in zip(("original", "protected"), files, strict=True):
        owner = f"analyse, {which}"
        design = fits[0].design if fits else None
        result = fit_file(owner, frame, parsed, weights, design, family=family, roles=roles)
        notes += [*frame.notes, *left_out(result.complete, f"{which}: "), *design_notes(result.sample, f"{which}: ")]
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
        by_design=roles is not None,
    )


def _note_on_copies(release: object) -> list[Note]:
    """A note where a result of protect() has more copies than the one that is analysed."""
    if isinstance(release, Protected) and release.more:
        return [Note.of("chosen", COPIES, count=1 + len(release.more))]
    return []


def _quantiles(
    files: tuple[Frame, Frame],
    parsed: Formula,
    formula: str,
    quantile: float,
    notes: list[Note],
    *,
    weights: str | None,
    roles: Roles | None,
) -> Analysis:
    """The quantiles of a response in both files, in the classes that the original has. Adds to the notes."""
    classes = FormulaClasses.of("analyse, original", files[0], parsed)
    fits = list[FileQuantiles]()
    for which, frame in zip(("original", "protected"), files, strict=True):
        result = fit_quantiles(f"analyse, {which}", frame, classes, quantile, weights, roles=roles)
        notes += [*frame.notes, *left_out(result.complete, f"{which}: "), *design_notes(result.sample, f"{which}: ")]
        few = int((result.sizes < FEW).sum())
        if few:
            wording = f"{which}: {{count}} {{count:class|classes}} with fewer than {FEW} records: rough intervals"
            notes.append(Note.of("approximated", wording, count=few))
        fits.append(result)
    first, second = fits
    return Analysis(
        formula=formula,
        terms=classes.terms,
        original=first.fit,
        protected=second.fit,
        overlap=interval_overlap(first.fit, second.fit),
        notes=tuple(notes),
        quantile=quantile,
        by_design=roles is not None,
    )
