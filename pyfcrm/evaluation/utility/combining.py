"""Rules by which estimates from the copies of a release are combined."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from ...data import Roles
from ...data.formula import Formula
from ...display import Result, View
from ...errors import Count, InvalidParameter, Note
from ...numerics.least_squares import LEVEL
from ...numerics.plug_in import pivot_quantile, pivot_tail
from ...types import Array
from .regression import INTERCEPT, Analysis, fit_file, interval_text

RULES = {
    "partial": "T = v + b/m, v the mean variance within the copies and b the variance between them (Reiter 2003)",
    "simple": "T_s = v (1 + 1/m) (Raab, Nowok, Dibben 2016)",
    "proper": "T_p = v (1 + 2/m) (Raab, Nowok, Dibben 2016)",
    "exact": "the exact distribution for plug-in draws of a normal regression (Klein, Moura, Sinha 2021)",
}
COLUMNS = ("term", "coef", "se", "low", "high", "p_value", "freedom")
CHOSEN = "rule {rule} was taken: {words}"
ONE = (
    "one dataset has no variance between datasets: a model's was used; for fits preserved exactly, as by IPSO-C, these "
    "intervals are too wide"
)


@dataclass(frozen=True)
class Estimates:
    """The estimates of one copy."""

    terms: tuple[str, ...]
    """The k terms that are estimated."""
    coef: Array
    """The estimates (k,)."""
    se: Array
    """Their standard errors (k,)."""
    records: int = 0
    """Number of records that were used; 0 for not known."""
    freedom: int = 0
    """Residual degrees of freedom; 0 for not known."""


@dataclass(frozen=True, repr=False)
class Combined(Result):
    """One set of estimates from the copies of a release.

    Parameters
    ----------
    terms : tuple of str
        What is estimated, k of them.
    coef, se : ndarray, shape (k,)
        The mean over the copies, and its standard error for the population.
    low, high : ndarray, shape (k,)
        The 95 % intervals.
    p_value : ndarray, shape (k,)
        Of the hypothesis that the true value is 0, two-sided, from 0 to 1.
    freedom : ndarray, shape (k,)
        Degrees of freedom of Student's t; infinite where they are not known, NaN by the exact rule, which has its own law.
    rule : str
        The rule.
    copies : int
        How many were combined.
    notes : tuple of Note
        Which rule was taken, and what it takes for granted.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.GADP(), roles, copies=3)
    >>> combined = pf.combine(released.frames, formula="DEBT ~ AGE")
    >>> len(combined.to_frame())
    2
    """

    terms: tuple[str, ...]
    coef: Array
    se: Array
    low: Array
    high: Array
    p_value: Array
    freedom: Array
    rule: str
    copies: int
    notes: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """The estimates, one row for each term.

        Returns
        -------
        list of dict
            term, coef, se, low, high, p_value, freedom.
        """
        columns = [self.terms, *(getattr(self, name).tolist() for name in COLUMNS[1:])]
        return [dict(zip(COLUMNS, values, strict=True)) for values in zip(*columns, strict=True)]

    @property
    def title(self) -> str:
        """The number of copies that were combined, and the rule."""
        return f"{self.copies} {Count(self.copies):copy|copies} combined, rule {self.rule}: {RULES[self.rule]}"

    def _view(self) -> View:
        rows = []
        for row in self.rows():
            interval = interval_text(row["coef"], row["low"], row["high"])
            rows.append((row["term"], interval, row["se"], row["p_value"]))
        return View(self.title, ("term", "estimate (95 % interval)", "se", "p"), rows, self.notes, words=2)


def combined(fits: Sequence[Estimates], rule: str, *, by_default: bool) -> Combined:
    """The fits of m copies as one. by_default : whether the caller named no rule. Raises InvalidParameter."""
    m = len(fits)
    estimates = np.array([fit.coef for fit in fits])
    center = estimates.mean(axis=0)
    v = np.mean([fit.se**2 for fit in fits], axis=0)  # the mean variance within the copies
    freedom = min(fit.freedom for fit in fits)
    df = np.full(len(center), float(freedom) if freedom > 0 else np.inf)  # normal where it is not known
    with np.errstate(divide="ignore", invalid="ignore"):  # of a coefficient that no file determines
        if rule == "exact":
            se, half, p = _exact(center, v, fits)
            df = np.full(len(center), np.nan)
        else:
            if rule == "partial":
                # T = v + b/m with (m - 1) (1 + v / (b/m))^2 degrees of freedom, Reiter (2003).
                between = estimates.var(axis=0, ddof=1) / m
                total = v + between
                df = np.minimum(df, (m - 1) * (1 + v / between) ** 2)
            elif rule == "simple":
                total = v * (1 + 1 / m)  # T_s, Raab, Nowok and Dibben (2016)
            else:
                total = v * (1 + 2 / m)  # T_p, Raab, Nowok and Dibben (2016)
            se = np.sqrt(total)
            half = stdtrit(df, (1 + LEVEL) / 2) * se  # t quantile times the standard error
            p = 2 * stdtr(df, -np.abs(center / se))
    notes = list[Note]()
    if by_default:
        notes.append(Note.of("chosen", CHOSEN, rule=rule, words=RULES[rule]))
    if m == 1 and rule in ("simple", "proper"):
        notes.append(Note.of("unreliable", ONE))
    return Combined(
        terms=fits[0].terms,
        coef=center,
        se=se,
        low=center - half,
        high=center + half,
        p_value=p,
        freedom=df,
        rule=rule,
        copies=m,
        notes=tuple(notes),
    )


def _exact(center: Array, v: Array, fits: Sequence[Estimates]) -> tuple[Array, Array, Array]:
    """Standard errors, half intervals and p-values, (k,) each, by the exact rule. center, v : (k,) means over the copies.

    The law of (mean - true) / sqrt(v) is that of the pivot of Klein, Moura and Sinha (2021).
    """
    m = len(fits)
    n = fits[0].records
    freedom = fits[0].freedom
    if freedom < 1 or any((fit.records, fit.freedom) != (n, freedom) for fit in fits):
        rule = "must be another one where fits do not say their records and degrees of freedom, the same for all copies"
        raise InvalidParameter("combine", "rule", rule, "exact")
    root = np.sqrt(v)
    half = pivot_quantile(LEVEL, n, freedom, m) * root
    p = pivot_tail(center / root, n, freedom, m)
    se = np.sqrt(v * (n / freedom + 1 / m))  # v is that of noise of variance RSS/n
    return se, half, p


def estimates_of(analysis: Any, k: int, formula: Formula | None, roles: Roles | None = None) -> Estimates:
    """The terms and the fit of one analysis, or of a copy (a Frame) by its formula, the k-th from 1. roles : as in fit_file."""
    if isinstance(analysis, Estimates):
        return analysis
    if isinstance(analysis, Analysis):
        terms = analysis.terms
        fit = analysis.protected
    elif formula is not None:
        result = fit_file(f"combine, copy {k}", analysis, formula, roles=roles)
        terms = (INTERCEPT, *result.design.names)
        fit = result.fit
    else:
        return _of_object(analysis, k)
    return Estimates(terms=terms, coef=fit.coef, se=fit.se, records=fit.records, freedom=fit.freedom)


def _of_object(analysis: Any, k: int) -> Estimates:
    """The estimates of an object with `params` and `bse`, such as statsmodels returns, the k-th from 1."""
    try:
        coef = np.asarray(analysis.params, dtype=np.float64)
        se = np.asarray(analysis.bse, dtype=np.float64)
        one_for_each_term = coef.ndim == 1 and len(coef) > 0 and coef.shape == se.shape
        valid = one_for_each_term and not (np.isinf(coef) | np.isinf(se) | (se < 0)).any()
    except (AttributeError, TypeError, ValueError):
        valid = False
    if not valid:
        rule = (
            "must hold analyses: each an Analysis, or an object with params and bse, which are finite estimates, and standard errors "
            "of at least 0 (with `formula` frames or paths)"
        )
        raise InvalidParameter("combine", "analyses", rule, f"analysis {k}, {type(analysis).__name__}")
    names = getattr(analysis.params, "index", range(len(coef)))  # of a pandas Series
    return Estimates(
        terms=tuple(str(name) for name in names),
        coef=coef,
        se=se,
        records=int(getattr(analysis, "nobs", 0) or 0),
        freedom=int(getattr(analysis, "df_resid", 0) or 0),
    )
