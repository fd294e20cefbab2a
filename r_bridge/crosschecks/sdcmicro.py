"""sdcMicro's routines, where R has the package, against the methods and measures here; asked for apart."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from pyfcrm.measures.correlation import eigen
from pyfcrm.measures.drisk import drisk
from pyfcrm.measures.il1 import il1, il1s
from pyfcrm.measures.keys import MISSING, agreeing
from pyfcrm.measures.measure import Parts
from pyfcrm.methods import Method, Microaggregation, Noise, RankSwapping, Shuffling
from pyfcrm.rstream import RStream
from pyfcrm.types import Array, Codes

from ..to_r import sdcmicro
from .case import ROUNDING, Line, Problem, single

DRAWN = "the same normals in the same order; " + ROUNDING
GROUPED = "the same groups; their means are summed in another order"
PLACED = "original values in new places: identical"
SIGNED = PLACED + ", once the eigenvectors have the signs that R's LAPACK gives them; 0 and -0 are one value"
COUNTS = "whole numbers of records: identical"
COLLINEAR = 1e-5  # of the largest: a smaller eigenvalue loses more to rounding than the tolerance
CANCELLED = 1e10  # a squared mean over the variance: above it six digits of a variance at most are left
APART = 1e-6  # of the first eigenvalue
NOISE, K, SHARE = 10.0, 3, 0.05  # per cent of a sd; the least group; of the records


# By sdcMicro's routine: the method here, the routine, the tolerance and its reason.
METHODS: dict[str, tuple[Method, Callable[[Problem], Array], float, str]] = {
    "addNoise, additive": (
        Noise("uncorrelated", NOISE), lambda g: sdcmicro.additive_noise(g.Y, NOISE, g.seed), 1e-12, DRAWN,
    ),
    "addNoise, correlated2": (
        Noise("correlated2", NOISE), lambda g: sdcmicro.correlated2_noise(g.Y, NOISE / 100, g.seed), 1e-12, DRAWN,
    ),
    "microaggregation, mdav": (Microaggregation(K, kind="mdav"), lambda g: sdcmicro.mdav(g.Y, K), 1e-12, GROUPED),
    "microaggregation, onedims": (
        Microaggregation(K, kind="individual"), lambda g: sdcmicro.onedims(g.Y, K), 1e-12, GROUPED,
    ),
    "microaggregation, pca": (Microaggregation(K, kind="pca"), lambda g: sdcmicro.pca(g.Y, K), 1e-12, GROUPED),
    "argus_rankswap": (
        RankSwapping(100 * SHARE), lambda g: sdcmicro.argus_rank_swap(g.Y, 100 * SHARE, g.seed), 0.0, PLACED,
    ),
    "rankSwap": (
        RankSwapping(100 * SHARE, form="sdcmicro"), lambda g: sdcmicro.rank_swap(g.Y, SHARE, g.seed), 0.0, PLACED,
    ),
}  # fmt: skip

MEASURES: dict[str, tuple[Callable[[Array, Array], Parts], Callable[[Array, Array], float]]] = {
    "dRisk": (drisk, lambda X, Z: 100 * sdcmicro.d_risk(X, Z)),
    "dUtility, IL1": (il1, lambda X, Z: sdcmicro.d_utility(X, Z, "IL1")),
    "dUtility, IL1s": (il1s, lambda X, Z: sdcmicro.d_utility(X, Z, "IL1s")),
    "dUtility, eigen": (eigen, lambda X, Z: sdcmicro.d_utility(X, Z, "eigen")),
}


def _protected(method: Method, ground: Problem) -> Array:
    return method.protect(ground.X, ground.Y, RStream(ground.seed))


class _Signed(RStream):
    """A stream whose columns of normals have signs (t,): drawing along eigenvectors of those signs."""

    def __init__(self, seed: int, signs: Array) -> None:
        super().__init__(seed)
        self.signs = signs

    def rnorm_matrix(self, n: int, k: int) -> Array:
        return super().rnorm_matrix(n, k) * self.signs


def _shuffled(ground: Problem) -> Array:
    stream = _Signed(ground.seed, sdcmicro.shuffle_signs(ground.X, ground.Y))
    return Shuffling().protect(ground.X, ground.Y, stream) + 0.0  # -0 + 0 is 0


def _total(measure: Callable[[Array, Array], Parts], ground: Problem) -> float:
    return measure(ground.Y, ground.near).total


def _value(measure: Callable[[Array, Array], float], ground: Problem) -> float:
    return measure(ground.Y, ground.near)


def _keys(ground: Problem) -> Codes:
    """Y in coarse steps as keys, coded (n, t), with every seventh cell missing."""
    codes = np.column_stack([np.unique(y, return_inverse=True)[1] for y in ground.coarse[0].T]).astype(np.int64)
    codes.flat[::7] = MISSING
    return codes


def _frequencies_r(ground: Problem) -> Array:
    codes = _keys(ground)
    return sdcmicro.frequencies(np.where(codes == MISSING, np.nan, codes))


def _always(ground: Problem) -> None:
    """The comparison has a meaning on all data."""


def _other_groups(ground: Problem) -> str | None:
    if ground.Y.shape[1] == 1:
        return "of one column sdcMicro's mdav makes groups of sorted values, which is onedims; ours is MDAV"
    means = ground.Y.mean(axis=0)
    if (means**2 > CANCELLED * ground.Y.var(axis=0)).any():
        return (
            "sdcMicro's mdav takes a variance as the mean of squares less the square of the mean, of which "
            "so large a mean leaves few digits; less an offset its groups are others, and ours"
        )
    return None


def _eigenvalues(ground: Problem) -> Array:
    """Of the correlation matrix, in ascending order."""
    return np.linalg.eigvalsh(np.atleast_2d(np.corrcoef(ground.Y, rowvar=False)))


def _no_component(ground: Problem) -> str | None:
    values = _eigenvalues(ground)[::-1]
    if len(values) > 1 and values[1] > values[0] * (1 - APART):
        return "two principal components are equally long, and either may be the first"
    return None


def _collinear(ground: Problem) -> str | None:
    values = _eigenvalues(ground)
    if values[0] < COLLINEAR * values[-1]:
        return "on collinear data sdcMicro divides by the rounding of an eigenvalue, which ours leaves out"
    return None


NOTHING = {"dUtility, eigen": 1e-12}
UNFAIR = {
    "microaggregation, mdav": _other_groups,
    "microaggregation, pca": _no_component,
    "dUtility, eigen": _collinear,
}
_case = partial(single, "sdcMicro", option="--sdcmicro")
CASES = (
    *(
        _case(Line(name, tolerance, reason), partial(_protected, ours), theirs, UNFAIR.get(name, _always))
        for name, (ours, theirs, tolerance, reason) in METHODS.items()
    ),
    _case(
        Line("shuffle, ds", 0.0, SIGNED),
        _shuffled,
        lambda g: sdcmicro.shuffle(g.X, g.Y, g.seed) + 0.0,
        moves=False,
    ),
    *(
        _case(
            Line(name, 1e-10, ROUNDING, NOTHING.get(name, 0.0)),
            partial(_total, ours),
            partial(_value, theirs),
            UNFAIR.get(name, _always),
            moves=name != "dRisk",
        )
        for name, (ours, theirs) in MEASURES.items()
    ),
    _case(
        Line("freqCalc", 0.0, COUNTS),
        lambda g: agreeing(_keys(g)).astype(np.float64),
        _frequencies_r,
        moves=False,
    ),
)
