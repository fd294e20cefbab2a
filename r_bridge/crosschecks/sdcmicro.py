"""sdcMicro's routines, where R has the package, against the methods and measures here; asked for apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from pyfcrm.measures.drisk import drisk
from pyfcrm.measures.il1 import il1, il1s
from pyfcrm.measures.measure import Parts
from pyfcrm.methods import Method, Microaggregation, Noise, RankSwapping, Shuffling
from pyfcrm.methods.normal_draws import multivariate_normal
from pyfcrm.rstream import RStream

from .. import sdcmicro
from .case import ROUNDING, Case, Line, Results
from .ground import Array, Ground

DRAWN = "the same normals in the same order; " + ROUNDING
GROUPED = "the same groups; their means are summed in another order"
PLACED = "original values in new places: identical"
NOISE, K, SHARE = 10.0, 3, 0.05  # per cent of a sd; the least group; of the records


@dataclass(frozen=True)
class Pair:
    """A method here, sdcMicro's routine, the tolerance and its reason."""

    ours: Method
    theirs: Callable[[Ground], Array]
    tolerance: float
    reason: str


METHODS = {
    "addNoise, additive": Pair(
        Noise("uncorrelated", NOISE), lambda g: sdcmicro.additive_noise(g.Y, NOISE, g.seed), 1e-12, DRAWN
    ),
    "addNoise, correlated2": Pair(
        Noise("correlated2", NOISE), lambda g: sdcmicro.correlated2_noise(g.Y, NOISE / 100, g.seed), 1e-12, DRAWN
    ),
    "microaggregation, mdav": Pair(Microaggregation(K, kind="mdav"), lambda g: sdcmicro.mdav(g.Y, K), 1e-12, GROUPED),
    "microaggregation, onedims": Pair(
        Microaggregation(K, kind="individual"), lambda g: sdcmicro.onedims(g.Y, K), 1e-12, GROUPED
    ),
    "microaggregation, pca": Pair(Microaggregation(K, kind="pca"), lambda g: sdcmicro.pca(g.Y, K), 1e-12, GROUPED),
    "rankSwap": Pair(
        RankSwapping(100 * SHARE, form="sdcmicro"), lambda g: sdcmicro.rank_swap(g.Y, SHARE, g.seed), 0.0, PLACED
    ),
    "shuffle, ds": Pair(Shuffling(), lambda g: sdcmicro.shuffle(g.X, g.Y, g.seed), 0.0, PLACED),
}

MEASURES: dict[str, tuple[Callable[[Array, Array], Parts], Callable[[Array, Array], float]]] = {
    "dRisk": (drisk, lambda X, Z: 100 * sdcmicro.d_risk(X, Z)),
    "dUtility, IL1": (il1, lambda X, Z: sdcmicro.d_utility(X, Z, "IL1")),
    "dUtility, IL1s": (il1s, lambda X, Z: sdcmicro.d_utility(X, Z, "IL1s")),
}


def _method_python(ground: Ground, name: str) -> Results:
    return {name: METHODS[name].ours.protect(ground.X, ground.Y, RStream(ground.seed))}


def _method_r(ground: Ground, name: str) -> Results:
    return {name: METHODS[name].theirs(ground)}


def _data_gen_python(ground: Ground) -> Results:
    Y = ground.Y
    return {"dataGen": multivariate_normal(len(Y), Y.mean(axis=0), np.cov(Y, rowvar=False), RStream(ground.seed))}


def _data_gen_r(ground: Ground) -> Results:
    return {"dataGen": sdcmicro.data_gen(ground.Y, len(ground.Y), ground.seed)}


def _value_python(ground: Ground, name: str) -> Results:
    return {name: MEASURES[name][0](ground.Y, ground.near).total}


def _value_r(ground: Ground, name: str) -> Results:
    return {name: MEASURES[name][1](ground.Y, ground.near)}


def _missing(ground: Ground) -> str | None:
    return None if sdcmicro.installed() else sdcmicro.MISSING


def _has_zeros(ground: Ground) -> str | None:
    if (ground.Y == 0).any():
        return "not compared: an original of 0 makes sdcMicro's sum infinite or not a number; ours leaves it out"
    return _missing(ground)


def _not_compared(ground: Ground) -> str:
    return "not compared: sdcMicro's sum over eigenvalues is meaningless on collinear data, ours leaves those out"


def _nothing(ground: Ground) -> Results:
    return {}


CASES = (
    *(
        Case(
            "sdcMicro",
            partial(_method_python, name=name),
            partial(_method_r, name=name),
            (Line(name, pair.tolerance, pair.reason),),
            _missing,
        )
        for name, pair in METHODS.items()
    ),
    Case(
        "sdcMicro",
        _data_gen_python,
        _data_gen_r,
        (Line("dataGen", 1e-10, "the same normals times a Cholesky factor, " + ROUNDING),),
        _missing,
    ),
    *(
        Case(
            "sdcMicro",
            partial(_value_python, name=name),
            partial(_value_r, name=name),
            (Line(name, 1e-10, ROUNDING),),
            _has_zeros if name == "dUtility, IL1" else _missing,
        )
        for name in MEASURES
    ),
    Case("sdcMicro", _nothing, _nothing, (Line("dUtility, eigen", 0.0, ""),), _not_compared),
)
