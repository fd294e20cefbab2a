"""Every measure that has a plain R twin (r_scripts/reference) on the same files. Oracle: R, run now.

Grade: close, 1e-9 of the value: sums in another order, and R's pnorm beside scipy's erf. Shares of links are
identical: they count. EM stops within 1e-10, so links can differ only where two weights are that near.
"""

import numpy as np
import pytest
from support.data import REPOSITORY, S1_DEPENDENT, S1_INDEPENDENT, census_columns, cloud, requires_census
from support.measured import judge
from support.r import requires_r, run_r

import pyfcrm as pf
from pyfcrm.measures import DEFAULT, MEASURES
from r_bridge.crosschecks.case import FCRM_RELEASE, embedded

pytestmark = [pytest.mark.r, requires_r]

NAMES = ("pil", "dbrl", "prl", "interval_disclosure")
TWINS = "".join(f'source("{REPOSITORY}/r_scripts/reference/{name}.R")\n' for name in NAMES)
JUDGE = """
X <- matrix(inputs$X, inputs$n); Z <- matrix(inputs$Z, inputs$n)
loss <- pil(X, Z)
emit(c(loss$value, loss$parts[!is.na(loss$parts)]))
links <- list(dbrl(X, Z), prl(X, Z), prl(X, Z, "tolerance"), interval_disclosure(X, Z), interval_disclosure_rank(X, Z))
for (one in links) emit(c(one$value, one$baseline))
values <- sapply(links, function(one) one$value)
risk <- dr(values[1], values[2], values[4])
emit(c(risk, score(loss$value, risk)))
"""
KEYS = ("pil", "dbrl", "prl", "prl_tolerance", "id", "id_rank", "dr", "score")


def files():
    """Noise, ties, whole numbers, unchanged values, a constant, one attribute, a release of each method."""
    X, Y = cloud(45, 2, 3, seed=1)
    rng = np.random.default_rng(2)
    whole = np.rint(Y / Y.std(axis=0) * 3)
    noise = Y + 0.3 * Y.std(axis=0) * rng.normal(size=Y.shape)
    flat = embedded(1)
    return {
        "flat likelihood": (flat.Y[:60, [0, 1, 3]], flat.release(FCRM_RELEASE)[:60, [0, 1, 3]]),
        "noise": (Y, noise),
        "some unchanged": (Y, np.where(rng.random(Y.shape) < 0.5, Y, noise)),
        "ties": (whole, np.where(rng.random(Y.shape) < 0.6, whole, np.rint(whole + rng.normal(size=Y.shape)))),
        "one attribute": (Y[:, :1], noise[:, :1]),
        "the original": (Y, Y),
        "swapped": (Y, Y[::-1]),
        "a constant original": (np.column_stack([Y[:, :2], np.full(45, 0.1)]), noise),
        "a constant released": (Y, np.column_stack([noise[:, :2], np.full(45, 3.0)])),
        "fcrm": (Y, pf.FCRM(4).protect(X, Y, pf.RStream(1))),
        "ipso": (Y, pf.IPSO("C").protect(X, Y, pf.RStream(1))),
    }


def compare(X, Z):
    emitted = run_r(TWINS + JUDGE, inputs={"X": X, "Z": Z, "n": len(X)})
    loss, dbrl, prl, prl_tolerance, interval, interval_rank, (risk, score) = emitted
    report = judge(X, Z, [f"v{j}" for j in range(X.shape[1])], KEYS)
    parts = [report["pil"], *(part.value for part in report.results["pil"].parts)]
    np.testing.assert_allclose(parts, loss, rtol=1e-9, atol=1e-9)
    twins = {"dbrl": dbrl, "prl": prl, "prl_tolerance": prl_tolerance, "id": interval, "id_rank": interval_rank}
    for key, twin in twins.items():
        result = report.results[key]
        np.testing.assert_allclose([result.total, result.baseline], twin, rtol=1e-12, err_msg=key)
    np.testing.assert_allclose([report["dr"], report["score"]], [risk, score], rtol=1e-9)


@pytest.mark.parametrize("name", files())
def test_every_measure(name):
    compare(*files()[name])


@requires_census
@pytest.mark.census
def test_every_measure_on_200_records_of_the_census_file():
    """200 of 1080: the time of the R references grows with the square."""
    X, Y = census_columns(*S1_INDEPENDENT)[:200], census_columns(*S1_DEPENDENT)[:200]
    compare(Y, pf.FCRM(3).protect(X, Y, pf.RStream(1)))


def test_no_measure_is_left_out():
    """A new default measure wants a twin in R, or a word here why it has none."""
    assert set(DEFAULT) <= set(KEYS) <= set(MEASURES)
