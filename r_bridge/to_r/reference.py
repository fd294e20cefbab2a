"""The plain R twins in r_scripts/reference, called with arrays: slow and obvious, an oracle, not a tool. And IPSO as R
runs it: the project's own r_scripts/ipso.R, or an agency's copy of the thesis's listing.

What goes in, what comes out and from which paper is said in each R file; matrices are records by columns, shares
per cent. A stream is a seed for set.seed, or a stream that is read and not moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pyfcrm.arguments import choice
from pyfcrm.errors import InvalidInput
from pyfcrm.rstream import RStream
from pyfcrm.types import Array

from ..columns import Column, Columns
from ..scripts import script
from .apart import apart
from .session import session

FUNCTION = "IPSOabc"
KINDS = ("A", "B", "C")  # 1, 2, 3 there
Twin = dict[str, Any]


@dataclass(frozen=True)
class Release:
    """What R released: Z (n, t) in the units of Y, where the stream stands after its draws, and X (n, s) as R returned it,
    None where R returns Z alone."""

    Z: Array
    stream: RStream
    X: Array | None = None


def ipso(X: Array, Y: Array, kind: str, stream: int | RStream, path: Path | str | None = None) -> Release:
    """IPSO-A, B or C of Y (n, t) given X (n, s) by R's IPSOabc, the thesis's variant.

    stream : a seed for set.seed, or a stream, which is not moved; path : an R file that defines
    IPSOabc(data, Lxxx, Lsss, IPSO), run instead of ours, in a process of its own. Its columns are called V1, V2, ..., as the listing needs.
    Raises RError with R's words, REnded where the code ends R, InvalidInput where the file cannot be read or returns no such table.
    """
    choice("ipso", "kind", kind, KINDS)
    X, Y = np.asarray(X, dtype=np.float64), np.asarray(Y, dtype=np.float64)
    s, t = X.shape[1], Y.shape[1]
    named = [Column(f"V{k}", "double", column) for k, column in enumerate([*X.T, *Y.T], 1)]
    arguments = {
        "data": Columns(tuple(named), len(Y)),
        "Lxxx": np.arange(s + 1, s + t + 1),
        "Lsss": np.arange(1, s + 1),
        "IPSO": KINDS.index(kind) + 1,
    }
    where = session() if path is None else apart()
    reply = where.call(FUNCTION, arguments, [path or script("ipso.R")], stream)
    assert reply.stream is not None
    table = _returned(reply.value, named, len(Y), str(path or "ipso.R"))
    return Release(table[:, s:], reply.stream, table[:, :s])


def _returned(table: object, columns: list[Column], n: int, owner: str) -> Array:
    if not isinstance(table, Columns) or table.n != n:
        raise InvalidInput(owner, f"{FUNCTION} must return a data frame of as many records, {n}", type(table).__name__)
    found = {column.name: column for column in table.columns}
    if any(column.name not in found or found[column.name].kind != "double" for column in columns):
        raise InvalidInput(owner, f"{FUNCTION} must return the columns it was given, as numbers", ", ".join(found))
    return np.column_stack([np.asarray(found[column.name].values, dtype=np.float64) for column in columns])


def random_membership(n: int, c: int, stream: int | RStream) -> Array:
    """A start of fuzzy c-means, (n, c)."""
    U: Array = session().call("random_membership", {"n": n, "c": c}, [script("reference/fcm.R")], stream).value
    return U


def fcm(X: Array, c: int, initial: Array, m: float = 2.0, tol: float = 1e-5, max_iter: int = 100) -> Twin:
    """Fuzzy c-means from a given membership: membership, centers, objective, delta, iterations, converged."""
    arguments = {"X": X, "c": c, "m": m, "tol": tol, "max_iter": max_iter, "U0": initial}
    return _by_round(_call("fcm", arguments, "fcm.R"))


def fcrm(
    X: Array,
    Y: Array,
    c: int,
    initial: Array,
    *,
    m: float = 1.5,
    tol: float = 1e-5,
    max_iter: int = 30,
    intercept: bool = True,
) -> Twin:
    """Fuzzy c-regression from a given membership; coef (c, s+1, t), fitted (n, t) by each record's own cluster."""
    arguments = {
        "X": X,
        "Y": Y,
        "c": c,
        "m": m,
        "tol": tol,
        "max_iter": max_iter,
        "U0": initial,
        "intercept": intercept,
    }
    fit = _by_round(_call("fcrm", arguments, "fcm.R", "fcrm.R"))
    own = np.argmax(fit["membership"], axis=1)
    return fit | {"fitted": fit["fitted"][np.arange(len(own)), own]}


def fcrm_protect(
    X: Array | Columns,
    Y: Array,
    c: int,
    stream: int | RStream,
    *,
    m: float = 1.5,
    tol: float = 1e-5,
    max_iter: int = 30,
) -> Release:
    """The release of FCRM, one fit for each column of Y."""
    arguments = {"X": X, "Y": Y, "c": c, "m": m, "tol": tol, "max_iter": max_iter}
    return _release("fcrm_protect", arguments, stream, "predictors.R", "fcm.R", "fcrm.R")


def ipso_burridge(X: Array | Columns, Y: Array, kind: str, stream: int | RStream) -> Release:
    """IPSO-A, B or C by Burridge's formula. X : (n, s), or a table with categories."""
    return _release("ipso_burridge", {"X": X, "Y": Y, "kind": kind}, stream, "predictors.R", "ipso_burridge.R")


def regression_synthesis(
    function: str, X: Array | Columns, Y: Array, stream: int | RStream, **parameters: float
) -> Release:
    """GADP, EGADP or a hybrid, by the name of its function in gadp.R."""
    files = ("predictors.R", "ipso_burridge.R", "gadp.R")
    return _release(function, {"X": X, "Y": Y} | parameters, stream, *files)


def permutation(Y: Array, k: int, stream: int | RStream) -> Release:
    """Controlled permutation in blocks of k ranks."""
    return _release("permutation", {"Y": Y, "k": k}, stream, "permutation.R")


def predictors(X: Columns, Y: Array) -> Array:
    """The design (n, s) of a table of predictors, categories by model.matrix."""
    design: Array = session().call("predictors", {"X": X, "Y": Y}, [script("reference/predictors.R")]).value
    return design


def dbrl(X: Array, Z: Array, tie: float = 1e-12) -> Twin:
    """Distance-based record linkage: value and baseline. tie : distances no further apart, relatively, are equal."""
    return _call("dbrl", {"X": X, "Z": Z, "tie": tie}, "dbrl.R")


def prl(X: Array, Z: Array, agreement: str = "exact", most: int = 100_000, prevalence: float | None = None) -> Twin:
    """Probabilistic record linkage, "exact" or "tolerance", by at most so many iterations, begun at a prevalence, 1/n if not
    given: value, baseline, m, u, prevalence, iterations, converged."""
    begun = 1 / len(X) if prevalence is None else prevalence
    return _call("prl", {"X": X, "Z": Z, "agreement": agreement, "most": most, "prevalence": begun}, "prl.R")


def _call(function: str, arguments: dict[str, Any], *files: str) -> Twin:
    fit = session().call(function, arguments, [script(f"reference/{file}") for file in files]).value
    return {name: _scalar(value) for name, value in fit.items()}


def _by_round(fit: Twin) -> Twin:
    """One round is a vector of one, and stays a vector."""
    return fit | {name: np.atleast_1d(fit[name]) for name in ("objective", "delta")}


def _release(function: str, arguments: dict[str, Any], stream: int | RStream, *files: str) -> Release:
    reply = session().call(function, arguments, [script(f"reference/{file}") for file in files], stream)
    assert reply.stream is not None
    return Release(reply.value, reply.stream)


def _scalar(value: Any) -> Any:
    """A vector of one as a number; everything else as it is."""
    return value[0].item() if isinstance(value, np.ndarray) and value.shape == (1,) else value


def _measure(function: str, file: str, X: Array, Z: Array) -> Twin:
    return _call(function, {"X": X, "Z": Z}, file)


def _number(function: str, *values: float) -> float:
    return float(session().call(function, values, [script("reference/interval_disclosure.R")]).value[0])


# Value and parts: mean, variance, covariance, correlation, quantiles.
pil = partial(_measure, "pil", "pil.R")
# Value and baseline, by standard deviations and by ranks.
interval_disclosure = partial(_measure, "interval_disclosure", "interval_disclosure.R")
interval_disclosure_rank = partial(_measure, "interval_disclosure_rank", "interval_disclosure.R")
# The disclosure risk of DBRL, PRL and interval disclosure; the score of PIL and the risk.
dr = partial(_number, "dr")
score = partial(_number, "score")
