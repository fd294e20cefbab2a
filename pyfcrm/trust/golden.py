"""Stored values: what every method, measure and algorithm gave of one small file, to be given again.

The file, values/sample.csv, is simulated and has no ties, so that another order of summation moves results but decides
nothing. values/golden.json is written by `python tests/golden/make_stored.py`.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..data import Roles
from ..evaluation.key_risk import key_risk
from ..interface import audit, evaluate, protect
from ..measures import MEASURES
from ..methods import METHODS, PRAM, Calibrated, Hybrid, Microaggregation, Noise, RankSwapping
from ..methods.text import make_candidates

STORED = Path(__file__).parent / "values" / "golden.json"
SAMPLE = STORED.with_name("sample.csv")
SEED = 1
TOLERANCE = 1e-8  # of a column's largest value: another BLAS sums in another order, and what iterates amplifies that
ROLES = Roles(independent=["a", "b"], dependent=["c", "d"])
KEYS = ["word", "group"]
METHOD_CASES = """fcrm:c=2, fcrm:c=3:release=draw:donors=5, fcrm:c=none:release=model, fcrm:c=2:basis=rbf, fcrm:c=2:joint=true,
ipso:kind=A|B|C, ipso:kind=A|B|C:variant=thesis, gadp, egadp,
noise:kind=uncorrelated|correlated|linear|nonlinear|laplace|multiplicative|correlated2:amount=20,
rankswapping:p=15:form=argus|sdcmicro, shuffling, microaggregation:k=3:kind=mdav|vmdav|individual|zscores|pca|optimal,
permutation:k=5, hybrid:kind=linear|regression|microaggregation:alpha=0.3, sequential, arf:trees=3, dummy, sampling:fraction=0.5,
recoding:breaks=3:labels=false, topbottomcoding:top=6:bottom=1, localsuppression:k=3:keys=[word],
calibrated:method={ipso:kind=B}:margins=smooth|original|none, pram"""
_LISTED = {type(method) for method in make_candidates(METHOD_CASES.replace("\n", " "))}
EXAMPLES = tuple(kind.example() for kind in METHODS.values() if kind not in _LISTED)
"""The examples of methods that METHOD_CASES does not have."""
# The methods whose releases are compared by measures.
JUDGED: Mapping[str, Any] = {"noise": Noise("uncorrelated", 30), "rank swapping": RankSwapping(20)}
Values = dict[str, list[Any]]


@dataclass(frozen=True)
class Case:
    """One computation: which of METHODS or MEASURES, or "" for another algorithm; its name in golden.json."""

    of: str
    name: str
    compute: Callable[[], Values]


@cache
def file() -> Any:
    """A table (44, 6): a and b, c and d that depend on them, a word and a group."""
    import pandas as pd

    return pd.read_csv(SAMPLE)


def cases() -> list[Case]:
    """Every case: methods, then measures, then the algorithms beside them."""
    releases = [
        Case(type(method).__name__.lower(), str(method), lambda method=method: _release(method))  # type: ignore[misc]
        for method in (*make_candidates(METHOD_CASES.replace("\n", " ")), *EXAMPLES)
    ]
    known = [(method, key) for method in JUDGED for key in MEASURES]
    judged = [Case(key, f"{key}, {method}", lambda m=method, k=key: _judged(m)[k]) for method, key in known]  # type: ignore[misc]
    return [*releases, *judged, *(Case("", name, compute) for name, compute in _OTHERS.items())]


def compared(stored: Mapping[str, Values] | None = None) -> Iterator[tuple[Case, float]]:
    """Each case with the largest difference of its columns from the stored ones, relative to a column's largest value.

    Infinite where they are not alike or not stored. stored : golden.json if None.
    """
    known = json.loads(STORED.read_text(encoding="utf-8")) if stored is None else stored
    for case in cases():
        yield case, _difference(case.compute(), known.get(case.name, {}))


def _release(method: Any, **options: Any) -> Values:
    roles = Roles(dependent="word") if isinstance(method, PRAM) else ROLES
    released = protect(file(), method, roles, seed=SEED, shuffle=False, **options, allow_unprotected=True).frame
    return _columns(released, dict.fromkeys((*roles.dependent, *method.columns(roles))))


def _columns(frame: Any, names: Any) -> Values:
    """The cells of columns, None for what is missing or has no value."""
    cells = frame[list(names)].astype(object)
    return {str(name): column.where(column.notna(), None).tolist() for name, column in cells.items()}


@cache
def _judged(name: str) -> dict[str, Values]:
    """Every measure of one release, by key: its parts in order, and their baselines."""
    method = JUDGED[name]
    released = protect(file(), method, ROLES, seed=SEED, allow_unprotected=True).frame
    released = released.assign(word=released["word"].where(released["word"] != "blue", "green"))
    report = evaluate(
        file(), released, measures=list(MEASURES), keys=KEYS, targets=["d"], target_groups=4,
        method=method, roles=ROLES, guesses=0,
    )  # fmt: skip
    parts = report.to_frame().groupby("measure")
    return {str(key): _columns(rows, ("value", "baseline")) for key, rows in parts}


_OTHERS: Mapping[str, Callable[[], Values]] = {
    "constraints": lambda: _release(Hybrid("linear", 0.5), constraints=["c >= d", "d >= 0"]),
    "strata": lambda: _release(Calibrated(RankSwapping(20)), strata=["group"]),
    "key risk": lambda: _columns(key_risk(file(), keys=KEYS).to_frame(), ("fk", "Fk", "individual", "suda", "dis")),
    "audit": lambda: _columns(
        audit(file(), Microaggregation(3), ROLES, seed=SEED, repeats=1).to_frame(), ("value", "control")
    ),
}


def _difference(values: Values, stored: Values) -> float:
    """The largest difference of two tables, relative to each column's largest value; infinite where they are not alike."""
    if values.keys() != stored.keys():
        return np.inf
    return max((_column_difference(values[name], stored[name]) for name in stored), default=np.inf)


def _column_difference(values: list[Any], stored: list[Any]) -> float:
    if any(isinstance(x, str) for x in stored):
        return 0.0 if values == stored else np.inf
    a, b = (np.array(column, dtype=float) for column in (values, stored))
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return np.inf
    size = max(np.nanmax(np.abs(b), initial=0.0), np.finfo(float).tiny)
    return float(np.nanmax(np.where(a == b, 0.0, np.abs(a - b)), initial=0.0) / size)
