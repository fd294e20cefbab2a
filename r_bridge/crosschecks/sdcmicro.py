"""sdcMicro's routines, if R has the package, against the methods and measures of this package. Requested by an option."""

from collections.abc import Callable
from functools import partial

import numpy as np

from pyfcrm.data.agreeing import agreeing
from pyfcrm.data.codes import MISSING
from pyfcrm.measures.correlation import eigen
from pyfcrm.measures.drisk import drisk
from pyfcrm.measures.il1 import il1, il1s
from pyfcrm.measures.measure import Parts
from pyfcrm.methods import Method, Microaggregation, Noise, RankSwapping, Shuffling
from pyfcrm.methods.grouping.univariate import first_component
from pyfcrm.rstream import RStream
from pyfcrm.types import Array, Codes

from ..to_r import sdcmicro
from .case import FCRM_RELEASE, ROUNDING, Line, Problem, single
from .rounding import open_groups

DRAWN = "the same normals in the same order; " + ROUNDING
GROUPED = "the same groups; their means are summed in another order"
PLACED = "original values in new places: identical"
SIGNED = PLACED + ", given the signs of eigenvectors from R's LAPACK; 0 and -0 are one value"
COUNTS = "whole numbers of records: identical"
COLLINEAR = 1e-5  # relative to the largest eigenvalue: a smaller one loses more to rounding than the tolerance
CANCELLED = 1e10  # a squared mean over the variance: above it at most six digits of a variance are left
EQUAL_EIGENVALUES = 1e-6  # relative to the first
NOISE = 10.0  # per cent of a sd
K = 3  # records in a group, at least
SHARE = 0.05  # of the records, the largest distance of a rank swap

# By sdcMicro's routine: the method, the routine, the tolerance and its reason.
METHODS: dict[str, tuple[Method, Callable[[Problem], Array], float, str]] = {
    "addNoise, additive": (
        Noise("uncorrelated", NOISE), lambda p: sdcmicro.additive_noise(p.Y, NOISE, p.seed), 1e-12, DRAWN,
    ),
    "addNoise, correlated2": (
        Noise("correlated2", NOISE), lambda p: sdcmicro.correlated2_noise(p.Y, NOISE / 100, p.seed), 1e-12, DRAWN,
    ),
    "microaggregation, mdav": (Microaggregation(K, kind="mdav"), lambda p: sdcmicro.mdav(p.Y, K), 1e-12, GROUPED),
    "microaggregation, onedims": (
        Microaggregation(K, kind="individual"), lambda p: sdcmicro.onedims(p.Y, K), 1e-12, GROUPED,
    ),
    "microaggregation, pca": (Microaggregation(K, kind="pca"), lambda p: sdcmicro.pca(p.Y, K), 1e-12, GROUPED),
    "argus_rankswap": (
        RankSwapping(100 * SHARE), lambda p: sdcmicro.argus_rank_swap(p.Y, 100 * SHARE, p.seed), 0.0, PLACED,
    ),
    "rankSwap": (
        RankSwapping(100 * SHARE, form="sdcmicro"), lambda p: sdcmicro.rank_swap(p.Y, SHARE, p.seed), 0.0, PLACED,
    ),
}  # fmt: skip

# By sdcMicro's routine: the measure, the routine, and the difference that is negligible.
MEASURES: dict[str, tuple[Callable[[Array, Array], Parts], Callable[[Array, Array], float], float]] = {
    "dRisk": (drisk, lambda X, Z: 100 * sdcmicro.d_risk(X, Z), 0.0),
    "dUtility, IL1": (il1, partial(sdcmicro.d_utility, method="IL1"), 0.0),
    "dUtility, IL1s": (il1s, partial(sdcmicro.d_utility, method="IL1s"), 0.0),
    "dUtility, eigen": (eigen, partial(sdcmicro.d_utility, method="eigen"), 1e-12),
}


class _Signed(RStream):
    """A stream whose columns of normals have signs (t,): draws along eigenvectors of those signs."""

    def __init__(self, seed: int, signs: Array) -> None:
        super().__init__(seed)
        self.signs = signs

    def rnorm_matrix(self, n: int, k: int) -> Array:
        """Normals (n, k), each column times its sign."""
        return super().rnorm_matrix(n, k) * self.signs


def _protected(method: Method, problem: Problem) -> Array:
    """A release by Python."""
    return method.protect(problem.X, problem.Y, RStream(problem.seed))


def _measured(measure: Callable[[Array, Array], Parts | float], problem: Problem) -> float:
    """A measure of FCRM's release, by either side."""
    value = measure(problem.Y, problem.release(FCRM_RELEASE))
    return value.total if isinstance(value, Parts) else value


def _shuffled(problem: Problem) -> Array:
    """Python's shuffling, along eigenvectors with the signs that R's LAPACK gives them."""
    stream = _Signed(problem.seed, sdcmicro.shuffle_signs(problem.X, problem.Y))
    return Shuffling().protect(problem.X, problem.Y, stream) + 0.0  # -0 + 0 is 0


def _keys(problem: Problem) -> Codes:
    """Y in coarse steps as keys, coded (n, t), with every seventh cell missing."""
    codes = np.column_stack([np.unique(y, return_inverse=True)[1] for y in problem.coarse[0].T]).astype(np.int64)
    codes.flat[::7] = MISSING
    return codes


def _frequencies_r(problem: Problem) -> Array:
    """R's frequencies of the same keys."""
    codes = _keys(problem)
    return sdcmicro.frequencies(np.where(codes == MISSING, np.nan, codes))


def _other_groups(problem: Problem) -> str | None:
    """The reason if sdcMicro's mdav does not form the groups of MDAV on these data, else None."""
    if problem.Y.shape[1] == 1:
        return "of one column sdcMicro's mdav makes groups of sorted values, as onedims does; Python uses MDAV"
    means = problem.Y.mean(axis=0)
    if (means**2 > CANCELLED * problem.Y.var(axis=0)).any():
        return (
            "sdcMicro's mdav computes a variance as the mean of squares minus the squared mean, which keeps few digits "
            "of a column with so large a mean; without the offset its groups equal those of Python"
        )
    return None


def _eigenvalues(problem: Problem) -> Array:
    """The eigenvalues (t,) of the correlation matrix of Y, ascending."""
    return np.linalg.eigvalsh(np.atleast_2d(np.corrcoef(problem.Y, rowvar=False)))


def _equal_components(problem: Problem) -> str | None:
    """The reason if the first principal component is not determined, else None."""
    values = _eigenvalues(problem)[::-1]
    if len(values) > 1 and values[1] > values[0] * (1 - EQUAL_EIGENVALUES):
        return "two principal components have equal variance, and either may be the first"
    return None


def _collinear(problem: Problem) -> str | None:
    """The reason if an eigenvalue is next to 0, else None."""
    values = _eigenvalues(problem)
    if values[0] < COLLINEAR * values[-1]:
        return "on collinear data sdcMicro divides by the rounding of an eigenvalue; Python omits that eigenvalue"
    return None


def _open_groups(problem: Problem) -> float:
    """Infinite if rounding can decide the groups of nearest records, else 0."""
    return open_groups(problem.Y, problem.condition)


def _open_ranks(problem: Problem) -> float:
    """Infinite if rounding can decide the order of records along the first principal component, else 0."""
    scores = first_component(problem.Y, "variance")
    return open_groups(scores[:, None], problem.condition)


ROUNDED = {"microaggregation, mdav": _open_groups, "microaggregation, pca": _open_ranks}
INCOMPARABLE = {
    "microaggregation, mdav": _other_groups,
    "microaggregation, pca": _equal_components,
    "dUtility, eigen": _collinear,
}
_case = partial(single, "sdcMicro", option="--sdcmicro")
CASES = (
    *(
        _case(
            Line(name, tolerance, reason, rounding=ROUNDED.get(name)),
            partial(_protected, method),
            routine,
            incomparable=INCOMPARABLE.get(name),
        )
        for name, (method, routine, tolerance, reason) in METHODS.items()
    ),
    _case(Line("shuffle, ds", 0.0, SIGNED), _shuffled, lambda p: sdcmicro.shuffle(p.X, p.Y, p.seed) + 0.0),
    *(
        _case(
            Line(name, 1e-10, ROUNDING, negligible),
            partial(_measured, measure),
            partial(_measured, routine),
            incomparable=INCOMPARABLE.get(name),
            exact=name == "dRisk",
        )
        for name, (measure, routine, negligible) in MEASURES.items()
    ),
    _case(Line("freqCalc", 0.0, COUNTS), lambda p: agreeing(_keys(p)).astype(np.float64), _frequencies_r),
)
