"""combine(): estimates from the copies of a release combined, with standard errors by the rule of the draws."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal

from ..arguments import choice, items
from ..data import Frame, Roles, open_data
from ..data.formula import parse_formula
from ..data.variable import Variable
from ..errors import InvalidInput, InvalidParameter
from .encoded_files import declarations, encoded_original, encoded_release
from .utility.combining import RULES, Combined, Estimates, combined, estimates_of
from .utility.regression import Analysis
from .utility.sampling import design_roles


def combine(
    analyses: Any,
    rule: str | None = None,
    *,
    formula: str | None = None,
    roles: Roles | None = None,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
) -> Combined:
    """Combine the same analysis of each copy of a release into one, with standard errors for the population.

    Parameters
    ----------
    analyses : iterable
        One for each copy: an Analysis of `analyse`, whose fit of the release counts; an object with `params` and `bse`, such as
        statsmodels gives; or, with `formula`, the copies themselves, frames or paths, or a result of protect(copies=). A
        single one stands for one copy.
    rule : {"partial", "simple", "proper", "exact"}, optional
        None takes "partial" for two copies or more, "simple" for one. "partial": some columns were released unchanged,
        or the method preserves some fits. The variance between copies completes that of each copy. Fits that all copies
        share (IPSO-B and C: Y on X) keep their own standard errors. Valid whether parameters were drawn or plugged in
        (Reiter and Kinney 2012). "simple": every column that matters was drawn from an estimated model, its parameters
        plugged in; also for one copy. "proper": the parameters were themselves drawn from their posterior. "exact": the
        dependent column is a GADP draw given exactly the regressors of the analysis, and residuals are normal; for any
        number of copies and records.
    formula : str, optional
        "y ~ a + b" as in `analyse`: the regression of each copy; "y ~ 1" for the mean.
    roles : Roles, optional
        With `formula`: whose weight and sampling design give variances within copies and degrees of freedom, as in `analyse`. None:
        those of the result of `protect`, if it has a sampling design.
    variables : mapping or "numbers", optional
        With `formula`: what columns of the copies may contain, as in `analyse`. Codes of missing values are gaps. None: as the result of
        `protect` has it.

    Returns
    -------
    Combined
        Estimates, standard errors, 95 % intervals and tests.

    Raises
    ------
    InvalidInput
        If the analyses do not have the same terms, or a copy cannot be analysed.
    InvalidParameter
        If an argument breaks its rule.

    References
    ----------
    Reiter (2003); Reiter and Kinney (2012); Raab, Nowok and Dibben (2016); Klein, Moura and Sinha (2021).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.GADP(), roles, copies=3)
    >>> list(pf.combine(released.frames, formula="DEBT ~ AGE").to_frame()["term"])
    ['(Intercept)', 'AGE']
    """
    single = (
        isinstance(analyses, Analysis | str | PathLike) or hasattr(analyses, "columns") or hasattr(analyses, "params")
    )
    copies = [analyses] if single else list(items(getattr(analyses, "frames", analyses)) or ())
    if not copies:
        raise InvalidParameter("combine", "analyses", "must hold the analysis of at least one copy", analyses)
    m = len(copies)
    chosen = ("partial" if m > 1 else "simple") if rule is None else choice("combine", "rule", rule, RULES)
    if chosen == "partial" and m == 1:
        raise InvalidParameter("combine", "rule", "must be simple, proper or exact for one copy", chosen)
    parsed = None if formula is None else parse_formula(formula, "combine")
    if roles is not None and parsed is None:
        raise InvalidParameter("combine", "roles", "must come with `formula`: an analysis has its own design", roles)
    sampling = design_roles("combine", roles, analyses)
    declared = declarations("combine", variables, analyses)
    fits = list[Estimates]()
    first: Frame | None = None
    for k, copy in enumerate(copies, 1):
        if parsed is not None and not isinstance(copy, Analysis | Estimates):
            frame = open_data(f"combine, copy {k}", copy, whole=True)
            if first is None:
                copy = first = encoded_original(f"combine, copy {k}", frame, declared)
            else:
                copy = encoded_release(first, frame)
        fits.append(estimates_of(copy, k, parsed, sampling))
    for k, estimates in enumerate(fits, 1):
        if estimates.terms != fits[0].terms:
            equal = f"every analysis must have the terms of the first, {', '.join(fits[0].terms)}"
            raise InvalidInput("combine", equal, f"{', '.join(estimates.terms)} in analysis {k}")
    return combined(fits, chosen, by_default=rule is None)
