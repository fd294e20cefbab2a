"""analyse(): the analyst's check: one ordinary regression on the original and on the release, side by side, with
standard errors and confidence intervals."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import stdtrit

from ..arguments import choice
from ..data import checked, complete_records
from ..data.names import tokens
from ..data.source import open_data
from ..display import Shown, View, pictures
from ..errors import InvalidInput, InvalidParameter, Note, lines
from ..numerics.location import location, scores
from ..types import Array

if TYPE_CHECKING:
    import pandas as pd

# A regressor of which less than this share is its own, beside those before it, has no coefficient (R's lm, 1e-7).
ALIASED = 1e-7
LEVEL = 0.95
INTERCEPT = "(Intercept)"
_TOKEN = re.compile(r"\s*(?:`(?P<ticked>[^`]+)`|(?P<name>[^\W\d][\w.]*)|(?P<sign>[~+]))")


@dataclass(frozen=True)
class Fit:
    """A regression on (1, X), in the data's units, the intercept first.

    Parameters
    ----------
    coef, se : ndarray, shape (s + 1,)
        Estimates and standard errors; NaN for a regressor that is constant or determined by those before it.
    low, high : ndarray, shape (s + 1,)
        The 95 % intervals by Student's t; NaN likewise.
    records, freedom : int
        How many records, and residual degrees of freedom.
    """

    coef: Array
    se: Array
    low: Array
    high: Array
    records: int
    freedom: int


def least_squares(owner: str, X: Array, y: Array) -> Fit:
    """Regression of y (n,) on (1, X), X (n, s). Raises InvalidInput where records do not outnumber coefficients."""
    n, s = X.shape
    x, where = location(X), location(y[:, None])
    S, t = scores(X, x), scores(y[:, None], where)[:, 0]
    used = _independent(S)
    freedom = n - len(used) - 1
    if freedom < 1:
        raise InvalidInput(owner, f"needs more than {len(used) + 1} records for {len(used) + 1} coefficients", n)
    Q, R = np.linalg.qr(S[:, used])
    b = solve_triangular(R, Q.T @ t)
    left = t - S[:, used] @ b
    V = solve_triangular(R, np.eye(len(used)))
    covariance = V @ V.T * float(left @ left) / freedom
    # Back to the data's units, in sd of y until the last step.
    unit, mean = x.sd[used], x.origin[used] + x.offset[used]
    slope = b / unit
    coef, variance = np.full(s + 1, np.nan), np.full(s + 1, np.nan)
    coef[1:][used] = slope * where.sd[0]
    variance[1:][used] = np.diag(covariance) / unit**2
    coef[0] = (where.origin[0] + where.offset[0]) - where.sd[0] * float(slope @ mean)
    shift = mean / unit
    variance[0] = float(left @ left) / freedom / n + float(shift @ covariance @ shift)
    se = np.sqrt(variance) * where.sd[0]
    half = float(stdtrit(freedom, (1 + LEVEL) / 2)) * se
    return Fit(coef, se, coef - half, coef + half, n, freedom)


def _independent(S: Array) -> NDArray[np.intp]:
    """The columns of standardised S (n, s) that those before them do not determine."""
    kept: list[int] = []
    Q = np.empty((len(S), 0))
    for j in range(S.shape[1]):
        own = S[:, j] - Q @ (Q.T @ S[:, j])
        own -= Q @ (Q.T @ own)
        size = float(np.linalg.norm(own))
        if size > ALIASED * max(float(np.linalg.norm(S[:, j])), 1e-300) and S[:, j].any():
            kept.append(j)
            Q = np.column_stack([Q, own / size])
    return np.array(kept, dtype=np.intp)


@dataclass(frozen=True, repr=False)
class Analysis(Shown):
    """One regression on two files.

    Parameters
    ----------
    formula : str
        As asked.
    terms : tuple of str
        The intercept and the regressors, k of them.
    original, protected : Fit
        The regression of each file.
    overlap : ndarray, shape (k,)
        How much of the two 95 % intervals is common, per cent of either, averaged; 0 where they are apart, NaN where a
        file cannot tell the coefficient.
    notes : tuple of str
        What was met.
    """

    formula: str
    terms: tuple[str, ...]
    original: Fit
    protected: Fit
    overlap: Array
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", tuple(lines(self.notes)))

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
        overlap = [float(value) for value in self.overlap]
        fits = [
            [f"{b:.4g} ({low:.4g} to {high:.4g})" for b, low, high in zip(fit.coef, fit.low, fit.high, strict=True)]
            for fit in (self.original, self.protected)
        ]
        drawn = [(term, value / 100, None, f"{value:.0f} %") for term, value in zip(self.terms, overlap, strict=True)]
        return View(
            f"{self.formula}: {self.original.records:,} original records, {self.protected.records:,} protected",
            ("term", "original", "protected", "overlap, %"),
            list(zip(self.terms, *fits, overlap, strict=True)),
            ("Estimates with their 95 % intervals.", *self.notes),
            lambda: pictures.bars(drawn, "how much of the two intervals is common"),
        )


def analyse(original: Any, protected: Any, formula: str, *, missing: str = "refuse") -> Analysis:
    """Fit the same ordinary least squares regression, with an intercept, to an original and a protected frame.

    Parameters
    ----------
    original, protected : DataFrame, Table or path
        Frames, or paths of files, whose records need no pairing.
    formula : str
        "y ~ a + b" of numeric columns, odd names in `backticks`; nothing else is understood, and nothing is evaluated.
    missing : {"refuse", "complete"}
        With "complete" the records complete in each file are used.

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
    """
    choice("analyse", "missing", missing, ("refuse", "complete"))
    wanted = parse_formula(formula)
    fits, notes = [], list[Note]()
    for which, frame in (("original", original), ("protected", protected)):
        owner = f"analyse, {which}"
        door = open_data(owner, frame, whole=True)
        notes += door.notes
        A = checked(owner, door, wanted)
        whole = complete_records(owner, A, wanted, missing, "uses")
        if not whole.all():
            said = f"{which}: {{count}} of {{total}} records have missing values and are left out"
            notes.append(Note.of("left_out", said, count=int((~whole).sum()), total=len(A)))
        fit = least_squares(owner, A[whole, 1:], A[whole, 0])
        for name, b in zip(wanted[1:], fit.coef[1:], strict=True):
            if np.isnan(b):
                said = f"{which}: `{{columns}}` is constant, or determined by the terms before it: no coefficient"
                notes.append(Note.of("collinear", said, [name]))
        fits.append(fit)
    terms = (INTERCEPT, *wanted[1:])
    return Analysis(formula, terms, fits[0], fits[1], interval_overlap(fits[0], fits[1]), tuple(notes))


def parse_formula(formula: object) -> tuple[str, ...]:
    """The response and the regressors that a formula names. Raises InvalidParameter for anything but names and +."""
    rule = 'must be like "y ~ a + b": column names, `in backticks` if odd, with one ~ and + between'
    if not isinstance(formula, str):
        raise InvalidParameter("analyse", "formula", rule, formula)
    found = list(tokens(_TOKEN, formula))
    kinds, named = (
        [t.text if t.kind == "sign" else t.kind for t in found],
        tuple(t.text for t in found if t.kind == "name"),
    )
    if len(named) < 2 or kinds != ["name", "~", *["name", "+"] * (len(named) - 1)][:-1]:
        raise InvalidParameter("analyse", "formula", rule, formula)
    for name in named:
        if named.count(name) > 1:
            raise InvalidParameter("analyse", "formula", f"must name `{name}` once", formula)
    return named


def interval_overlap(original: Fit, protected: Fit) -> Array:
    """The part of each file's interval that lies in the other's, averaged, per cent; (k,)."""
    low, high = np.maximum(original.low, protected.low), np.minimum(original.high, protected.high)
    shares = []
    for fit in (original, protected):
        width = fit.high - fit.low
        # An interval of no width lies in the other or does not.
        point = np.where(high >= low, 1.0, np.where(np.isnan(high - low), np.nan, 0.0))
        shares.append(np.where(width > 0, np.maximum(high - low, 0.0) / np.where(width > 0, width, 1.0), point))
    return np.asarray(100 * (shares[0] + shares[1]) / 2)
