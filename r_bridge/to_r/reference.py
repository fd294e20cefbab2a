"""The reference implementations in r_scripts/reference, called with arrays: plain, slow, only for comparison.

Also IPSO in R: r_scripts/ipso.R, or an agency's copy of the thesis's listing.

Each R file documents its arguments, results and source. Matrices are records by columns, shares per cent. A stream is a seed
for set.seed, or an RStream, whose own position does not change.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pyfcrm.arguments import choice
from pyfcrm.errors import InvalidInput
from pyfcrm.rstream import RStream
from pyfcrm.types import Array, Index

from ..columns import Column, Columns
from ..scripts import script
from .process import r_process
from .session import session

FUNCTION = "IPSOabc"
KINDS = ("A", "B", "C")  # 1, 2, 3 in R
# The files with the syntheses: functions of X and Y, some of which call another one.
SYNTHESES = (
    "predictors.R", "fcm.R", "fcrm.R", "ipso_burridge.R", "gadp.R", "permutation.R", "weights.R", "strata.R", "calibrated.R",
    "basis.R", "trees.R",
)  # fmt: skip
Result = dict[str, Any]


@dataclass(frozen=True)
class Release:
    """A release by an R function."""

    Z: Array
    """The released columns (n, t), in the units of Y."""
    stream: RStream
    """The stream after the draws."""
    X: Array | None = None
    """The predictors (n, s) that R returns; None if it returns Z alone."""


def ipso(
    X: Array,
    Y: Array,
    kind: str,
    stream: int | RStream,
    path: Path | str | None = None,
    *,
    scattered: bool = False,
) -> Release:
    """IPSO-A, B or C of Y (n, t) given X (n, s) by R's IPSOabc, the thesis's variant.

    path : an R file that defines IPSOabc(data, Lxxx, Lsss, IPSO), called in place of r_scripts/ipso.R, in a separate process.
    scattered : whether the columns of `data` are in another order than X, then Y, with one further column among them.
    Columns are called V1, V2, ... by their positions, as the listing requires. Raises RError with R's message, REnded if the
    code ends R, and InvalidInput for a file that cannot be read or a result of another form.
    """
    choice("ipso", "kind", kind, KINDS)
    X = np.asarray(X, dtype=np.float64)
    Y = np.asarray(Y, dtype=np.float64)
    s = X.shape[1]
    t = Y.shape[1]
    values = [*X.T, *Y.T]
    places = np.arange(s + t)  # of the columns of X, then of those of Y, in `data`
    if scattered:
        # Every second column, a column of whole numbers that is neither X nor Y, and the other columns.
        order = [*range(1, s + t, 2), s + t, *range(0, s + t, 2)]
        values.append(np.arange(len(Y)) % 7 + 1.0)
        values = [values[k] for k in order]
        places = np.argsort(order)[: s + t]
    sent = Columns(tuple(Column(f"V{k}", "double", column) for k, column in enumerate(values, 1)), len(Y))
    arguments = {
        "data": sent,
        "Lxxx": places[s:] + 1,
        "Lsss": places[:s] + 1,
        "IPSO": KINDS.index(kind) + 1,
    }
    r = session() if path is None else r_process()
    reply = r.call(FUNCTION, arguments, [path or script("ipso.R")], stream)
    assert reply.stream is not None
    table = _returned(reply.value, sent, places[s:], str(path or "ipso.R"))
    return Release(table[:, places[s:]], reply.stream, table[:, places[:s]])


def _returned(table: object, sent: Columns, replaced: Index, owner: str) -> Array:
    """The returned values (n, columns). Raises InvalidInput unless the columns are those of the argument, in its order, and the
    records are in their order.

    replaced : positions of the dependent columns; all others must be unmodified.
    """
    if not isinstance(table, Columns) or table.n != sent.n:
        rule = f"{FUNCTION} must return a data frame of as many records, {sent.n}"
        raise InvalidInput(owner, rule, type(table).__name__)
    names = [column.name for column in table.columns]
    expected = [column.name for column in sent.columns]
    foreign = [name for name in names if name not in expected]
    if foreign:
        rule = f"{FUNCTION} must return no other columns than those of its argument"
        raise InvalidInput(owner, rule, ", ".join(foreign))
    if sorted(names) != sorted(expected) or any(column.kind != "double" for column in table.columns):
        rule = f"{FUNCTION} must return the columns of its argument, as numbers"
        raise InvalidInput(owner, rule, ", ".join(names))
    if names != expected:
        rule = f"{FUNCTION} must return the columns in the order of its argument: Lxxx and Lsss are positions"
        raise InvalidInput(owner, rule, ", ".join(names))
    values = _matrix(table)
    original = _matrix(sent)
    others = np.delete(np.arange(len(expected)), replaced)
    modified = [k for k in others if not np.array_equal(values[:, k], original[:, k])]
    if modified and np.array_equal(np.sort(values[:, others], axis=0), np.sort(original[:, others], axis=0)):
        raise InvalidInput(owner, f"{FUNCTION} must return the records in their order", "another order")
    if modified:
        rule = f"{FUNCTION} must change no other columns than those of Lxxx"
        raise InvalidInput(owner, rule, ", ".join(expected[k] for k in modified))
    return values


def _matrix(table: Columns) -> Array:
    """The columns of a table of numbers as an array (n, columns)."""
    return np.column_stack([np.asarray(column.values, dtype=np.float64) for column in table.columns])


def random_membership(n: int, c: int, stream: int | RStream) -> Array:
    """An initial membership of fuzzy c-means, (n, c)."""
    U: Array = session().call("random_membership", {"n": n, "c": c}, [script("reference/fcm.R")], stream).value
    return U


def fcm(X: Array, c: int, initial: Array, **options: Any) -> Result:
    """Fuzzy c-means from an initial membership: membership, centers, objective, delta, iterations, converged.

    options : m, tol, max_iter.
    """
    return _by_round(_call("fcm", {"X": X, "c": c, "U0": initial} | options, "fcm.R"))


def fcrm(X: Array, Y: Array, c: int, initial: Array, **options: Any) -> Result:
    """Fuzzy c-regression from an initial membership; coef (c, s+1, t), fitted (n, t) by each record's own cluster.

    options : m, tol, max_iter, intercept.
    """
    fit = _by_round(_call("fcrm", {"X": X, "Y": Y, "c": c, "U0": initial} | options, "fcm.R", "fcrm.R"))
    own = np.argmax(fit["membership"], axis=1)
    return fit | {"fitted": fit["fitted"][np.arange(len(own)), own]}


def synthesis(function: str, X: Array | Columns, Y: Array, stream: int | RStream, **arguments: Any) -> Release:
    """A release by the name of its R function, one of X and Y in SYNTHESES, with its further arguments.

    X : (n, s), or a table with categories.
    """
    reply = session().call(
        function, {"X": X, "Y": Y} | arguments, [script(f"reference/{file}") for file in SYNTHESES], stream
    )
    assert reply.stream is not None
    return Release(reply.value, reply.stream)


def predictors(X: Columns, Y: Array) -> Array:
    """The design (n, s) of a table of predictors, categories by model.matrix."""
    design: Array = session().call("predictors", {"X": X, "Y": Y}, [script("reference/predictors.R")]).value
    return design


def rules_by_level(column: list[str], Y: Array) -> Array:
    """The rules that each level of a column violates, 0 and 1: too few records, then those of the totals of Y.

    Levels are in code point order: (levels, rules).
    """
    code = [script("reference/predictors.R")]
    rules: Array = session().call("rules_by_level", {"x": column, "Y": Y}, code).value
    return rules


def dbrl(X: Array, Z: Array, **options: float) -> Result:
    """Distance-based record linkage: value and baseline. options : tie, the relative difference up to which distances are equal."""
    return _call("dbrl", {"X": X, "Z": Z} | options, "dbrl.R")


def prl(X: Array, Z: Array, agreement: str = "exact", most: int = 100_000, **options: float) -> Result:
    """Probabilistic record linkage: value, baseline, m, u, prevalence, iterations, converged.

    agreement : "exact" or "tolerance"; most : iterations of EM; options : prevalence, its initial value.
    """
    return _call("prl", {"X": X, "Z": Z, "agreement": agreement, "most": most} | options, "prl.R")


def pil(X: Array, Z: Array) -> Result:
    """Probabilistic information loss: value, and parts (mean, variance, covariance, correlation, quantiles)."""
    return _call("pil", {"X": X, "Z": Z}, "pil.R")


def interval_disclosure(X: Array, Z: Array) -> Result:
    """Interval disclosure by standard deviations: value and baseline."""
    return _call("interval_disclosure", {"X": X, "Z": Z}, "interval_disclosure.R")


def interval_disclosure_rank(X: Array, Z: Array) -> Result:
    """Interval disclosure by ranks: value and baseline."""
    return _call("interval_disclosure_rank", {"X": X, "Z": Z}, "interval_disclosure.R")


def dr(dbrl: float, prl: float, interval: float) -> float:
    """Disclosure risk."""
    return _number("dr", dbrl, prl, interval)


def score(pil: float, dr: float) -> float:
    """The score of information loss and disclosure risk."""
    return _number("score", pil, dr)


def _call(function: str, arguments: dict[str, Any], *files: str) -> Result:
    """The list that a function of these reference files returns, by name."""
    fit = session().call(function, arguments, [script(f"reference/{file}") for file in files]).value
    return {name: _scalar(value) for name, value in fit.items()}


def _by_round(fit: Result) -> Result:
    """The fit with objective and delta as vectors, also after one iteration."""
    return fit | {name: np.atleast_1d(fit[name]) for name in ("objective", "delta")}


def _scalar(value: Any) -> Any:
    """A vector of length one as a number; other values unchanged."""
    return value[0].item() if isinstance(value, np.ndarray) and value.shape == (1,) else value


def _number(function: str, *values: float) -> float:
    """The number that a function of interval_disclosure.R returns."""
    return float(session().call(function, values, [script("reference/interval_disclosure.R")]).value[0])
