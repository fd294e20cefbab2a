"""Beyond the paper: the files on which it is judged, and the methods it compares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import businesses

from pyfcrm import (
    EGADP,
    FCRM,
    GADP,
    IPSO,
    Calibrated,
    Dummy,
    Hybrid,
    Microaggregation,
    Noise,
    Permutation,
    RankSwapping,
    Roles,
    Sequential,
    Shuffling,
    datasets,
)
from pyfcrm.errors import InvalidInput
from pyfcrm.studies.thesis import S1_CASE, S2_CASE

DRAW = FCRM(2, release="draw")
DRAW_RBF = FCRM(2, release="draw", basis="rbf")
MODEL_METHOD = FCRM(None, release="model")
# Label, method; the words before a comma are the family.
IPSO_C, IPSO_SMOOTH, IPSO_KEPT = "IPSO-C", "IPSO-C, calibrated smooth", "IPSO-C, calibrated smooth, identities kept"
LINEAR, LINEAR_SMOOTH = "FCRM draw", "FCRM draw, calibrated smooth"
RBF, RBF_SMOOTH = "FCRM draw rbf", "FCRM draw rbf, calibrated smooth"
MODEL, MODEL_SMOOTH, MODEL_KEPT = (
    "FCRM model",
    "FCRM model, calibrated smooth",
    "FCRM model, calibrated smooth, identities kept",
)
SETTINGS: dict[str, Any] = {
    "FCRM predict, c=2": FCRM(2),
    "FCRM predict, c=8": FCRM(8),
    LINEAR: DRAW,
    LINEAR_SMOOTH: Calibrated(DRAW),
    RBF: DRAW_RBF,
    RBF_SMOOTH: Calibrated(DRAW_RBF),
    MODEL: MODEL_METHOD,
    MODEL_SMOOTH: Calibrated(MODEL_METHOD),
    MODEL_KEPT: Calibrated(MODEL_METHOD),
    "IPSO-A": IPSO("A"),
    "IPSO-B": IPSO("B"),
    IPSO_C: IPSO("C"),
    IPSO_SMOOTH: Calibrated(IPSO("C")),
    IPSO_KEPT: Calibrated(IPSO("C")),
    "GADP": GADP(),
    "EGADP": EGADP(),
    "Hybrid regression, alpha=0.5": Hybrid("regression", 0.5),
    "Hybrid microaggregation, k=20": Hybrid("microaggregation", k=20),
    "Noise uncorrelated, 50 %": Noise("uncorrelated", 50),
    "Noise linear, 50 %": Noise("linear", 50),
    "Rank swapping, p=5": RankSwapping(5),
    "Rank swapping, p=15": RankSwapping(15),
    "MDAV, k=3": Microaggregation(3),
    "MDAV, k=10": Microaggregation(10),
    "Shuffling": Shuffling(),
    "Permutation, k=30": Permutation(30),
    "Sequential": Sequential(min_leaf=5, smooth=False),
    "Dummy": Dummy(),
}
KEPT = (IPSO_KEPT, MODEL_KEPT)  # with structure="find": other releases than without where a file has exact identities
# Attacked by audit(), which takes some seconds each.
AUDITED = (
    "FCRM predict, c=8",
    LINEAR_SMOOTH,
    MODEL,
    MODEL_SMOOTH,
    IPSO_C,
    IPSO_SMOOTH,
    *KEPT,
    "Rank swapping, p=15",
    "Sequential",
)


@dataclass(frozen=True)
class File:
    """One file with its split of the columns.

    key : its name in the tables; data : the data set; all but "census" are simulated.
    """

    key: str
    title: str
    data: str
    case: Roles


_CASES = {
    "census": S1_CASE,
    "enterprises": Roles(
        ("EMPLOYEES", "AGE", "ASSETS"), ("TURNOVER", "PURCHASES", "PAYROLL", "SURPLUS", "EXPORTS", "INVESTMENT")
    ),
    "accounts": Roles(("AGE", "INCOME", "RISK"), ("DEPOSITS", "DEBT", "NET", "FLOW", "RETURN", "TRANSACTIONS")),
    "balances": Roles(("STAFF", "FOUNDED"), ("FIXED", "CURRENT", "TOTAL", "DEBT", "EQUITY", "PROFIT", "DIVIDEND")),
    "sales": Roles(("FLOOR", "HOURS", "STAFF"), ("ITEMS", "REVENUE", "ONLINE", "TOTAL", "STOCK", "MARGIN")),
}


_TITLES = {
    "enterprises": "simulated, heavy tails, zeros, 6 dependent attributes on 3",
    "accounts": "simulated, three hidden groups, both signs, 6 dependent attributes on 3",
    "balances": "simulated, negatives, sums that hold but for rounding, 7 dependent attributes on 2",
    "sales": "simulated, point masses at zero, a tight ratio, rounded totals, 6 dependent attributes on 3",
}
FILES = (
    File("S1", "S1: Census, 9 dependent attributes on AGI, POTHVAL and PEARNVAL", "census", S1_CASE),
    File("S2", "S2: Census, 4 dependent attributes (v4 v7 v12 v13) on nine", "census", S2_CASE),
    *(File(key, f"{key}: {title}", key, _CASES[key]) for key, title in _TITLES.items()),
)


def frames(census: str | None = None) -> dict[str, Any]:
    """The data sets by name; without "census" if no path is given and the file is not found."""
    data: dict[str, Any] = {
        name: getattr(businesses if hasattr(businesses, name) else datasets, name)() for name in _TITLES
    }
    try:
        data["census"] = datasets.census(census)
    except InvalidInput:
        if census is not None:
            raise
    return data
