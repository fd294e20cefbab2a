"""Our value of each published figure, by source: a function of the file's name and the setting, None where a file is missing."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import literature
import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

import pyfcrm as pf
from pyfcrm.data import open_frame
from pyfcrm.numerics.design import design
from pyfcrm.numerics.group_conditions import Conditions
from pyfcrm.numerics.location import location
from pyfcrm.search.hierarchies import hierarchy_of
from pyfcrm.search.lattice import Lattice
from pyfcrm.trust import strd

NUMBERS = {"allow_unprotected": True, "shuffle": False, "variables": "numbers"}


def released(frame: pd.DataFrame, method: Any, seed: int = 1) -> pd.DataFrame:
    """The file with every column masked, in its own order."""
    roles = pf.Roles(dependent=list(frame.columns))
    return pf.protect(frame.astype(float), method, roles, seed, **NUMBERS).frame


def loss_of_mdav(name: str, k: str) -> float | None:
    """100 SSE/SST of MDAV's groups of k, every column divided by its standard deviation."""
    frame = literature.file(name)
    if frame is None:
        return None
    scale = frame.std().to_numpy(dtype=float)
    difference = (frame.to_numpy(dtype=float) - released(frame, pf.Microaggregation(int(k))).to_numpy()) / scale
    centred = (frame - frame.mean()).to_numpy(dtype=float) / scale
    return float(100 * (difference**2).sum() / (centred**2).sum())


def linked_after_swapping(name: str, setting: str) -> float | None:
    """Mean prl_numeric, per cent, after rank swapping with three seeds. setting : form and p."""
    frame = literature.file(name)
    if frame is None:
        return None
    form, p = setting.split()
    method = pf.RankSwapping(float(p), form)
    releases = [released(frame, method, seed) for seed in (1, 2, 3)]
    return float(np.mean([pf.evaluate(frame, each, measures="prl_numeric")["prl_numeric"] for each in releases]))


def loss_of_levels(name: str, setting: str) -> float | None:
    """The loss of recoding to ARX's levels. setting : loss, and levels of the keys in the file's order; eight keys lack occupation."""
    frame = literature.file(name)
    if frame is None:
        return None
    loss, text = setting.split()
    levels = tuple(map(int, text.split("-")))
    keys = _keys(frame, len(levels))
    forms = literature.hierarchies(keys)
    opened = open_frame("peers", frame)
    found = [hierarchy_of(opened, key, forms[key]) for key in keys]
    lattice = Lattice(found, Conditions(k=1), (), by_entropy=loss == "entropy")
    return lattice.node(levels).loss * lattice.worst / 100


def loss_of_search(name: str, setting: str) -> float | None:
    """The loss of the levels that recode_search finds. setting : loss, number of keys, k, per cent suppressed, and t with its order.

    ARX's monotonic loss leaves suppression out; ours is computed alike from the levels.
    """
    frame = literature.file(name)
    if frame is None:
        return None
    loss, count, k, suppressed, *closeness = setting.split()
    keys = _keys(frame, int(count))
    options: dict[str, Any] = {"loss": loss, "max_suppressed": float(suppressed)}
    if closeness:
        t, order = closeness
        target = frame["occupation"]
        if order == "ordered":  # by the alphabet, as a number
            frame = frame.assign(occupation=target.map({text: j for j, text in enumerate(sorted(set(target)))}))
        options |= {"t": float(t), "targets": "occupation"}
    found = pf.recode_search(frame, keys, literature.hierarchies(keys), int(k), **options)
    return loss_of_levels(name, f"{loss} {'-'.join(map(str, found.levels.values()))}")


def _keys(frame: pd.DataFrame, count: int) -> list[str]:
    return [name for name in frame if count == frame.shape[1] or name != "occupation"]


def individual_risk(_: str, setting: str) -> float:
    """A record's risk in sdcMicro's test. setting : form, weighted or not, missing or not, and the record from 1."""
    form, weighted, gaps, record = setting.split()
    frame = pd.DataFrame(
        {
            "A": [2, 3, 2, 2, 3, 3, 1, 2],
            "B": [3, 3, 3, 3, 3, 3, 4, 3],
            "C": [1, 3, 1, 2, 1, 1, 1, 1],
            "weight": [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51],
        }
    ).astype({"A": "Int64", "C": "Int64"})
    if gaps == "missing":
        frame.loc[7, "A"] = pd.NA
        frame.loc[[2, 6], "C"] = pd.NA
    weights = "weight" if weighted == "weighted" else None
    return float(pf.key_risk(frame, ["A", "B", "C"], weights, form=form).individual[int(record) - 1])


BOOK = {
    "age": ["20s"] * 7 + ["60s"],
    "gender": ["male"] * 4 + ["female"] * 3 + ["male"],
    "income": ["50k+"] * 2 + ["50k-"] * 6,
    "education": ["high"] * 4 + ["university", "high", "middle", "university"],
}
GUIDELINE = {
    "Residence": ["Urban"] * 4 + ["Rural"] + ["Urban"] * 5,
    "Gender": list("FFFMFMFMFF"),
    "Education": ["SI", "SI", "PI", "SC", "SC", "SC", "PC", "PS", "SI", "SI"],
    "Labor": ["E", "E", "N", "E", "U", "E", "N", "U", "N", "N"],
}
CONTRIBUTIONS = {"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]}
SEVEN = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def suda(name: str, setting: str) -> float | None:
    """A record's score. setting : the record from 1; of testdata2 scoring and number of keys; a key for its contribution."""
    if name == "contributions":
        return float(pf.key_risk(pd.DataFrame(CONTRIBUTIONS), list("abc")).contributions[setting])
    if name == "testdata2":
        frame = literature.file(name)
        if frame is None:
            return None
        scoring, count = setting.split()
        keys = SEVEN if count == "7" else [key for key in SEVEN if key not in ("electcon", "relat")]
        return float(pf.key_risk(frame, keys, scoring=scoring).suda[0])
    frame = pd.DataFrame(BOOK if name == "book" else GUIDELINE)
    return float(pf.key_risk(frame, list(frame)).suda[int(setting) - 1])


def suppressed_cells(name: str, setting: str) -> float | None:
    """Cells emptied by local suppression where an empty cell agrees with anything.

    setting : k, the key of SEVEN that is left out or none, and the first so many records or nothing.
    """
    frame = literature.file(name)
    if frame is None:
        return None
    k, left_out, *records = setting.split()
    frame = frame.head(int(records[0])) if records else frame
    keys = [key for key in SEVEN if key != left_out]
    method = pf.LocalSuppression(int(k), keys=keys, missing="wildcard")
    release = pf.protect(frame, method, pf.Roles(dependent=keys), shuffle=False, missing="protect").frame
    return float((release[keys].isna() & frame[keys].notna()).to_numpy().sum())


@cache
def noisy_tarragona() -> dict[str, float]:
    """IL_correl after noise of 100 and then of 25 per cent, from one stream."""
    frame = literature.file("tarragona")
    stream = pf.RStream(1)
    losses = {}
    for amount in (100, 25):
        roles = pf.Roles(dependent=list(frame.columns))
        release = pf.protect(frame.astype(float), pf.Noise("uncorrelated", amount), roles, stream, **NUMBERS).frame
        table = pf.evaluate(frame, release, measures="correlation_difference").to_frame().set_index("part")["value"]
        losses[str(amount)] = float(table["inverse correlations, Mlodak"])
    return losses


def correlation_loss(name: str, setting: str) -> float | None:
    """IL_correl of sdcMicro's test. setting : the amount of noise."""
    return None if literature.file(name) is None else noisy_tarragona()[setting]


def certified(name: str, setting: str) -> float:
    """A mean, a standard deviation, or a regression coefficient by its number, of a dataset of NIST StRD."""
    if setting in ("mean", "sd"):
        data = dict(strd.datasets("mean"))[name]
        y = np.array(data["y"] + data.get("pattern", []) * strd.REPEATS, dtype=float)
        where = location(y[:, None], ddof=1)
        return float(where.origin[0] + where.offset[0] if setting == "mean" else where.sd[0])
    X, y = strd.regression(dict(strd.datasets("beta"))[name])
    D = design(X)
    return float((D.back @ (D.columns.T @ y))[int(setting)])


SYNTHPOP = {
    "repU": ("rep_u", "total"),
    "UiO": ("rep_u", "unique in the original"),
    "UiS": ("rep_u", "unique in the release"),
    "DiSCO": ("disco", "total"),
    "Dorig": ("disco", "class, one value in the original"),
    "DCAP": ("dcap", "total"),
    "TCAP": ("tcap", "class, matched"),
    "pMSE": ("pmse", "logistic"),
    "S_pMSE": ("pmse", "logistic, ratio to its null expectation"),
    "SPECKS": ("specks", "logistic"),
}


@cache
def others(name: str) -> pd.DataFrame:
    """A file of synthpop and RegSDC."""
    return pd.read_csv(literature.OTHERS / f"{name}.csv")


def synthpop(_: str, setting: str) -> float:
    """A measure. setting : its name there, and the keys, or the number of released records."""
    name, on = setting.split()
    measure, part = SYNTHPOP[name]
    numbers = ["v", "w", "x", "y"]
    if on.isdigit():
        report = pf.evaluate(others("original"), others("release").head(int(on)), measures=measure, columns=numbers)
    else:
        keys, release = on.split(","), others("release")
        report = pf.evaluate(
            others("original"), release, measures=measure, columns=numbers, keys=keys, targets=["class"]
        )
    return float(report.to_frame().set_index(["measure", "part"])["value"][measure, part])


@cache
def combined(m: int, rule: str) -> Any:
    """The combination of m regressions of y on x, of files drawn from one stream."""
    stream = pf.RStream(3)
    copies = []
    for _ in range(4):
        x = stream.rnorm(50)
        copies.append(pd.DataFrame({"x": x, "y": 1 + 2 * x + stream.rnorm(50)}))
    return pf.combine(copies[:m], rule, formula="y ~ x")


def combining_rule(_: str, setting: str) -> float:
    """A coefficient or a standard error. setting : number of files, rule, term, coef or se."""
    m, rule, term, figure = setting.split()
    result = combined(int(m), rule)
    return float(getattr(result, figure)[list(result.terms).index(term)])


@cache
def protected_by(kind: str) -> pd.DataFrame:
    """The release of RegSDC's example, with seed 7."""
    methods = {
        "ipso": (pf.IPSO("C"), "vwy"),
        "egadp": (pf.EGADP(), "v"),
        "hybrid": (pf.Hybrid("regression", alpha=0.3), "v"),
    }
    method, dependent = methods[kind]
    roles = pf.Roles(["b", "x"], list(dependent))
    frame = others("original")[["b", "x", *dependent]]
    return pf.protect(frame, method, roles, seed=7, variables="numbers").frame[list(dependent)]


def regsdc(_: str, setting: str) -> float:
    """A released value. setting : method and column there, such as ipso.V1, and the record from 1."""
    column, record = setting.split()
    kind, _, number = column.partition(".V")
    return float(protected_by(kind).iloc[int(record) - 1, int(number) - 1])


def univariate_sse(name: str, setting: str) -> float | None:
    """The sum of squares within groups of optimal univariate microaggregation. setting : the column, and k."""
    frame = literature.file(name)
    if frame is None:
        return None
    column, k = setting.split()
    one = frame[[column]]
    return float(((one - released(one, pf.Microaggregation(int(k), "optimal"))) ** 2).to_numpy().sum())


@cache
def iris_partition() -> pf.FCMFit:
    """Fuzzy c-means of iris with three clusters."""
    return pf.fcm(load_iris().data, 3, 2.0, tol=1e-12, max_iter=5000, seed=1)


def fuzzy_partition(_: str, setting: str) -> float:
    """A centre's coordinate, "1.2", clusters by their first coordinate; the objective; the partition coefficient."""
    fit = iris_partition()
    if setting == "objective":
        return float(fit.objective[-1])
    if setting == "coefficient":
        return float((fit.membership**2).sum() / len(fit.membership))
    cluster, coordinate = map(int, setting.split("."))
    return float(fit.centers[np.argsort(fit.centers[:, 0])][cluster - 1, coordinate - 1])


OURS: Mapping[str, Callable[[str, str], float | None]] = {
    "MDAV": loss_of_mdav,
    "DBA-2": loss_of_mdav,
    "rank swapping": linked_after_swapping,
    "ARX, loss": loss_of_levels,
    "ARX, search": loss_of_search,
    "individual risk": individual_risk,
    "SUDA": suda,
    "local suppression": suppressed_cells,
    "IL_correl": correlation_loss,
    "NIST StRD": certified,
    "synthpop": synthpop,
    "combining rules": combining_rule,
    "RegSDC": regsdc,
    "microagg1d": univariate_sse,
    "fuzzy c-means": fuzzy_partition,
}
