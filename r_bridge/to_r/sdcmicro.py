"""sdcMicro's routines on arrays, if R has the package: for comparisons only.

Matrices are records by columns, in the data's units. A stream is a seed for set.seed, or an RStream, whose own position does
not change. Without sdcMicro every function raises RUnavailable, with the R command that installs it. Source: sdcMicro 5.8.0.
"""

from functools import partial
from typing import Any

import numpy as np

from pyfcrm.rstream import RStream
from pyfcrm.types import Array

from ..columns import Column, Columns
from ..scripts import script
from .session import RUnavailable, session
from .versions import package_version

MISSING = 'R\'s package sdcMicro is needed and is not installed; in R run: install.packages("sdcMicro")'


def installed() -> bool:
    """True if R has sdcMicro."""
    return package_version("sdcMicro") is not None


def _microaggregation(method: str, X: Array, k: int) -> Array:
    """Microaggregation of X (n, p) in groups of k records."""
    return _table("sdc_microaggregation", X, method=method, aggr=k)


mdav = partial(_microaggregation, "mdav")
"""Groups by MDAV on all columns."""
onedims = partial(_microaggregation, "onedims")
"""Groups by each column alone."""
pca = partial(_microaggregation, "pca")
"""Groups by the first principal component."""


def rank_swap(X: Array, share: float, seed: int) -> Array:
    """Rank swapping within a share of the records, 0 to 1; sdcMicro's own generator, from its own seed."""
    return _table("sdc_rank_swap", X, P=share, seed=seed)


def argus_rank_swap(X: Array, per_cent: float, stream: int | RStream) -> Array:
    """argus_rankswap: rank swapping within per_cent of the records, from R's stream."""
    return _table("sdc_argus_rank_swap", X, stream, perc=per_cent)


def additive_noise(X: Array, noise: float, stream: int | RStream) -> Array:
    """addNoise "additive": normal noise of `noise` per cent of each sd."""
    return _table("sdc_add_noise", X, stream, method="additive", noise=noise, delta=0.1)


def correlated2_noise(X: Array, delta: float, stream: int | RStream) -> Array:
    """addNoise "correlated2"; delta : its parameter of that name."""
    return _table("sdc_add_noise", X, stream, method="correlated2", noise=0.0, delta=delta)


def shuffle(X: Array, Y: Array, stream: int | RStream, method: str = "ds") -> Array:
    """Shuffling of the columns of Y (n, t) given X (n, s); (n, t)."""
    return _table("sdc_shuffle", np.column_stack([Y, X]), stream, **_sides(X, Y), method=method)


def shuffle_signs(X: Array, Y: Array) -> Array:
    """The sign (t,), 1 or -1, of the last nonzero component of each eigenvector that shuffle "ds" uses.

    LAPACK determines the signs, so that one seed gives different releases on different machines.
    """
    data = _frame(np.column_stack([Y, X]))
    return np.asarray(_call("sdc_shuffle_signs", {"data": data, **_sides(X, Y)}), dtype=np.float64)


def d_risk(X: Array, Z: Array, k: float = 0.05) -> float:
    """dRisk: the share, 0 to 1, of records all of whose values lie within k sd of the protected ones."""
    return float(_call("sdc_risk", {"data": _frame(X), "protected": _frame(Z), "k": k})[0])


def d_utility(X: Array, Z: Array, method: str = "IL1s") -> float:
    """dUtility: "IL1", "IL1s" or "eigen"."""
    return float(_call("sdc_utility", {"data": _frame(X), "protected": _frame(Z), "method": method})[0])


def frequencies(K: Array) -> Array:
    """freqCalc: the number of records that agree with each record on all keys; K (n, q) of numbers, NaN missing; (n,)."""
    return np.asarray(_call("sdc_frequencies", {"data": _frame(K)}), dtype=np.float64)


def _sides(X: Array, Y: Array) -> dict[str, list[str]]:
    """The names of the columns of Y, then of X, in the frame that has them in this order."""
    names = [f"V{k}" for k in range(1, X.shape[1] + Y.shape[1] + 1)]
    return {"dependent": names[: Y.shape[1]], "independent": names[Y.shape[1] :]}


def _frame(X: Array) -> Columns:
    """An array (n, p) as a data frame with columns V1, V2, ..."""
    return Columns(tuple(Column(f"V{k}", "double", x) for k, x in enumerate(X.T, 1)), len(X))


def _table(function: str, X: Array, stream: int | RStream | None = None, /, **arguments: Any) -> Array:
    """The data frame that a function of X returns, as an array."""
    table: Columns = _call(function, {"data": _frame(X), **arguments}, stream)
    return np.column_stack([np.asarray(column.values, dtype=np.float64) for column in table.columns])


def _call(function: str, arguments: dict[str, Any], stream: int | RStream | None = None) -> Any:
    """The result of a function of sdcmicro.R. Raises RUnavailable without sdcMicro."""
    if not installed():
        raise RUnavailable(MISSING)
    return session().call(function, arguments, [script("sdcmicro.R")], stream).value
