"""Measures of records with survey weights: equal weights give what no weights give; variances by finite differences.

Every part of every measure that uses weights has an oracle under unequal weights: loops, a formula written here, or the
records' own values, weighted.
"""

import math
from dataclasses import replace
from itertools import pairwise
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from scipy.special import erf
from support import brute
from support.measured import files as random_files
from support.measured import judge, numbers

import pyfcrm as pf
from pyfcrm.data.blocks import Records
from pyfcrm.data.pairs import Knowledge, Pair
from pyfcrm.engine import Local
from pyfcrm.errors import InvalidInput
from pyfcrm.evaluation.measuring import measured
from pyfcrm.linkage.informed import Attack
from pyfcrm.linkage.informed.base import Scores
from pyfcrm.measures import MEASURES
from pyfcrm.numerics.least_squares import least_squares
from pyfcrm.numerics.moments import bandwidth, effective, quantiles, unit_density, weighted_location

COLUMNS = ["wage", "rent", "tax"]


@pytest.fixture(scope="module")
def files():
    frame = pf.datasets.survey(300)
    roles = pf.Roles(["age", "hours"], COLUMNS, identifiers=["name"])
    return frame, pf.protect(frame, pf.Noise(amount=60), roles, seed=3).frame


def covariances(A, w):
    C = np.cov(A.T, aweights=w, ddof=0)
    return C, np.sqrt(np.diag(C))


OFF = np.triu_indices(3, 1)
STATISTICS = {
    "mean": lambda A, w: w @ A / w.sum(),
    "variance": lambda A, w: np.diag(covariances(A, w)[0]),
    "covariance": lambda A, w: covariances(A, w)[0][OFF],
    "correlation": lambda A, w: (covariances(A, w)[0] / np.outer(*[covariances(A, w)[1]] * 2))[OFF],
}


@pytest.mark.parametrize("name", STATISTICS)
def test_variances_by_finite_differences(name):
    """Oracle: how a statistic moves with each record's weight, squared and summed. Close: the step's own error, 1e-6."""
    rng = np.random.default_rng(1)
    X = rng.gamma(2.0, size=(80, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.3], [0, 0, 1]]) + 5
    Z, w, statistic, step = X + rng.normal(0, 0.3, X.shape), np.exp(rng.normal(size=80)), STATISTICS[name], 1e-5
    moves = [(statistic(X, w + step * one) - statistic(X, w - step * one)) / (2 * step) for one in np.eye(80)]
    variance = (w**2) @ np.square(moves)
    expected = 100 * erf(np.abs(statistic(Z, w) - statistic(X, w)) / np.sqrt(2 * variance)).mean()
    report = judge(X, Z, "abc", ["pil"], weights=w)
    assert {part.name: part.value for part in report.results["pil"].parts}[name] == pytest.approx(expected, rel=1e-6)


def weighted_quantile(x, w, q):
    """Records in order, at places that grow by the mean weight of each two neighbours; a straight line between them."""
    order = sorted(range(len(x)), key=lambda i: x[i])
    places = [0.0]
    for below, above in pairwise(order):
        places.append(places[-1] + (w[below] + w[above]) / 2)
    place = q * places[-1]
    k = next(k for k in range(1, len(places)) if place <= places[k])
    share = (place - places[k - 1]) / (places[k] - places[k - 1])
    return (1 - share) * x[order[k - 1]] + share * x[order[k]]


def lost_quantiles(x, z, w):
    """2 Phi(|Q' - Q| f / sqrt(q (1 - q) / n)) - 1, the mean over q, per cent: f by a Gaussian kernel of nrd0's width, and
    n = (sum w)^2 / sum w^2 in all places."""
    n = w.sum() ** 2 / (w**2).sum()
    mean = (w * x).sum() / w.sum()
    sd = math.sqrt((w * (x - mean) ** 2).sum() / w.sum() * n / (n - 1))
    spread = min(sd, (weighted_quantile(x, w, 0.75) - weighted_quantile(x, w, 0.25)) / 1.34)
    h = 0.9 * spread * n**-0.2
    losses = []
    for k in range(1, 20):
        q = k / 20
        Q = weighted_quantile(x, w, q)
        density = sum(w * np.exp(-0.5 * ((Q - x) / h) ** 2)) / w.sum() / (h * math.sqrt(2 * math.pi))
        moved = abs(weighted_quantile(z, w, q) - Q)
        losses.append(2 * NormalDist().cdf(moved * density / math.sqrt(q * (1 - q) / n)) - 1)
    return 100 * sum(losses) / len(losses)


def test_quantiles_under_weights_by_loops():
    """Oracle: `lost_quantiles`. Close: sums in another order. The effective number of records is 52 of 80."""
    rng = np.random.default_rng(2)
    X = rng.gamma(2.0, size=(80, 2))
    X[:, 1] = 5 * (X[:, 1] > 1.5) + 0.2 * X[:, 1]  # two groups, so that the sd and not the IQR gives the bandwidth
    Z = X + rng.normal(0, 0.3, X.shape)
    w = rng.uniform(1, 12, size=80)
    report = judge(X, Z, "ab", ["pil"], weights=w)
    expected = np.mean([lost_quantiles(x, z, w) for x, z in zip(X.T, Z.T, strict=True)])
    parts = {part.name: part.value for part in report.results["pil"].parts}
    assert parts["quantiles"] == pytest.approx(expected, rel=1e-10)
    assert (
        abs(parts["quantiles"] - np.mean([lost_quantiles(x, z, np.ones(80)) for x, z in zip(X.T, Z.T, strict=True)]))
        > 1
    )
    assert report["pil"] == pytest.approx(np.mean([*parts.values()]), rel=1e-12)


def test_information_loss_with_gaps_uses_the_weights_of_the_records_that_have_a_cell():
    """Oracle: the column's complete records alone. Identical."""
    X, Z = random_files(60, 2, 4)
    w = np.random.default_rng(3).uniform(1, 9, 60)
    X[:20, 0] = Z[:20, 0] = np.nan
    [alone] = [judge(X[20:, [0]], Z[20:, [0]], "a", ["pil"], weights=w[20:]).results["pil"]]
    gaps = judge(X[:, [0]], Z[:, [0]], "a", ["pil"], weights=w).results["pil"]
    assert [part.value for part in gaps.parts] == [part.value for part in alone.parts]
    first, both = (
        judge(A, B, "ab"[: A.shape[1]], ["id"], weights=w).results["id"] for A, B in ((X[:, [0]], Z[:, [0]]), (X, Z))
    )
    assert first.parts[0] == both.parts[0]
    own = judge(X[20:, [0]], Z[20:, [0]], "a", ["id"], weights=w[20:]).results["id"]
    assert numbers(first) == numbers(own)


# Of these the value of a file is the weighted mean of something that each record has.
SHARES = ["dbrl", "prl", "prl_tolerance", "linkage_informed", "id"]


def measured_under(pair, weights):
    return {key: numbers(one) for key, one in measured(replace(pair, weights=weights), tuple(SHARES), Local()).items()}


def pair_of_an_intruder(n=24):
    """A pair of files, with an attack that knows the method by distance in the first column."""

    class Nearest(Attack):
        words = "by the first column"

        def scores(self, X, Y, Z):
            return Scores(lambda rows: -np.abs(Y[rows, :1] - Z[:, 0]), margin=0.3)

    X, Z = random_files(n, 3, 11)
    return replace(Pair.of(X, Z), knowledge=Knowledge((Nearest(),), Records(X[:, :1])))


def test_each_part_of_a_share_is_the_weighted_mean_over_the_records():
    """Oracle: by definition a share under weights is that of a population in which each record stands for as many as its
    weight says. The value of one record is that of a file in which it alone has a weight. Close: sums in another order."""
    pair, w = pair_of_an_intruder(), np.random.default_rng(12).uniform(1, 20, 24)
    of_records = [measured_under(pair, one) for one in np.eye(24)]
    plain, weighted = measured_under(pair, None), measured_under(pair, w)
    different = 0
    for key in SHARES:
        for name, value in weighted[key].items():
            if value is None or (key == "linkage_informed" and name in ("total", "baseline")):
                continue  # the best of several linkages; a model's
            own = np.array([one[key][name] for one in of_records])
            assert value == pytest.approx(np.average(own, weights=w), rel=1e-9), (key, name)
            assert plain[key][name] == pytest.approx(own.mean(), rel=1e-9), (key, name)
            different += abs(value - plain[key][name]) > 0.1
    assert different > 10  # the weights matter in these files


def test_linkages_under_weights_by_loops():
    """Oracle: distances and agreement patterns in loops, averaged by hand. Close: EM's tolerance, 1e-6."""
    X, Z = random_files(24, 3, 11)
    w = np.random.default_rng(12).uniform(1, 20, 24)
    report = judge(X, Z, "abc", ["dbrl", "prl", "prl_tolerance", "id", "dr"], weights=w)
    xs, zs = brute.standardised(X), brute.standardised(Z)
    nearest = [min(range(24), key=lambda k, x=x: math.dist(x, zs[k])) for x in xs]
    assert report["dbrl"] == pytest.approx(100 * w[np.array(nearest) == np.arange(24)].sum() / w.sum(), rel=1e-12)
    for key, agrees in (("prl", brute.exact(X, Z)), ("prl_tolerance", brute.tolerance(X, Z))):
        m, u, _ = brute.em(brute.pattern_counts(24, 3, agrees), 24, 3)
        share = np.array(brute.prl_share(24, 3, agrees, m, u))
        assert report[key] == pytest.approx(100 * (w * share).sum() / w.sum(), rel=1e-6), key
    widths = [
        sum(w[np.abs(z - x) <= p / 100 * x.std(ddof=1)].sum() for p in range(1, 11))
        for x, z in zip(X.T, Z.T, strict=True)
    ]
    assert report["id"] == pytest.approx(10 * np.mean(widths) / w.sum(), rel=1e-12)
    assert report["dr"] == pytest.approx(0.25 * (report["dbrl"] + report["prl"]) + 0.5 * report["id"], rel=1e-12)


def test_every_measure_that_uses_weights_has_an_oracle_here():
    """A new measure of weights needs a test in this file. Identical."""
    of_others = {key for key, one in MEASURES.items() if one.components}
    assert {key for key, one in MEASURES.items() if one.weighted} - of_others == {"pil", *SHARES}


def test_means_of_domains_are_weighted():
    """By hand: the linearised standard error of a weighted mean (Cochran 1977, 6.4), sqrt(n/(n-1) sum w^2 (x - mean)^2) / sum w.
    The loss of a domain is that of its records with their weights."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {"g": np.repeat(["a", "b"], [30, 20]), "x": rng.gamma(2.0, size=50), "w": rng.uniform(1, 9, 50)}
    )
    released = frame.assign(x=frame["x"] + rng.normal(0, 0.5, 50))
    report = pf.evaluate(frame, released, ["x"], "pil", domains="g", weights="w")
    lines = {part.name: part.value for part in report.results["pil"].parts}
    for mean in report.groups:
        rows = (frame["g"] == mean.level).to_numpy()
        x, z, w = frame["x"][rows].to_numpy(), released["x"][rows].to_numpy(), frame["w"][rows].to_numpy()
        before, after, n = (w * x).sum() / w.sum(), (w * z).sum() / w.sum(), rows.sum()
        error = math.sqrt(n / (n - 1) * ((w * (x - before)) ** 2).sum()) / w.sum()
        assert (mean.original, mean.released) == pytest.approx((before, after), rel=1e-12)
        assert mean.difference == pytest.approx((after - before) / error, rel=1e-10)
        assert lines[f"g={mean.level}"] == judge(x[:, None], z[:, None], "x", ["pil"], weights=w)["pil"]
    assert len(report.groups) == 2


def test_regressions_with_whole_weights_are_those_of_repeated_records():
    """Oracle: each record as many times as its weight says: the same coefficients. The standard errors of R's lm count the
    records that there are, sigma^2 (D'WD)^-1 with n - k degrees of freedom. Close: another factorisation."""
    rng = np.random.default_rng(6)
    X, w = rng.normal(size=(40, 2)), rng.integers(1, 6, 40).astype(float)
    y = 1 + X @ [2.0, -1.0] + rng.normal(size=40)
    fit = least_squares("t", X, y, w)
    times = w.astype(int)
    repeated = least_squares("t", np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(fit.coef, repeated.coef, rtol=1e-10)
    D = np.column_stack([np.ones(40), X])
    residual = y - D @ fit.coef
    covariance = np.linalg.inv(D.T @ (w[:, None] * D)) * (w * residual**2).sum() / (40 - 3)
    np.testing.assert_allclose(fit.se, np.sqrt(np.diag(covariance)), rtol=1e-10)
    np.testing.assert_allclose(fit.cov, covariance, rtol=1e-9)
    assert (fit.records, fit.freedom) == (40, 37)
    assert fit.high - fit.coef == pytest.approx(2.026192463 * fit.se)  # t of 37 at 97.5 %, by a table


def test_shares_are_of_the_population():
    """By hand: two records of four keep their values; what they stand for is linked and inside every interval."""
    X = np.array([[0.0], [100.0], [200.0], [300.0]])
    Z = np.array([[0.0], [100.0], [300.0], [200.0]])
    w = np.array([5.0, 3.0, 1.0, 1.0])
    report = judge(X, Z, ["x"], ["dbrl", "id"], weights=w)
    assert [report["dbrl"], report["id"]] == pytest.approx([80, 80], abs=1e-9)
    assert report.results["id"].baseline == pytest.approx(25)  # each value is that of one record of the release


def test_weights_are_worth():
    """By hand: a record of all the weight is one record. A weight of next to nothing moves no quantile."""
    assert effective(np.array([1.0, 1e-12])) == pytest.approx(1)
    x, w = np.array([1.0, 2.0, 3.0, 1e9]), np.array([1.0, 1.0, 1.0, 1e-14])
    assert quantiles(x, np.array([0.4]), w)[0] == pytest.approx(2, abs=0.01)
    constant = np.full((5, 1), 2.5)
    assert weighted_location(constant, np.arange(1.0, 6)).sd[0] == 0
    assert bandwidth(constant[:, 0], np.ones(5)) > 0
    assert np.isfinite(unit_density(np.array([2.5, 1e300]), constant[:, 0], np.ones(5), 0.1)).all()


@pytest.mark.slow
def test_informative_weights_show_what_plain_measures_hide(files):
    """Known truth: the records of large weight alone are changed, so the population loses more than the file."""
    frame = files[0].copy()
    heavy = frame["weight"] == frame["weight"].max()
    released = frame.copy()
    released.loc[heavy, "rent"] = released.loc[heavy, "rent"] * 3
    plain = pf.evaluate(frame, released, COLUMNS)
    weighted = pf.evaluate(frame, released, COLUMNS, weights="weight")
    assert weighted["pil"] > plain["pil"]
    assert weighted["id"] < plain["id"]


@pytest.mark.parametrize("bad", [-1.0, np.nan])
def test_wrong_weights_of_a_release_are_refused_by_the_name_of_the_call(bad):
    """A fixed defect: the sentence named `key_risk`, which nobody had called."""
    frame = pf.datasets.survey(100)[["age", "wage", "rent", "weight"]].dropna()
    roles = pf.Roles("age", ["wage", "rent"], weight="weight")
    released = pf.protect(frame, pf.IPSO("C"), roles, seed=1, shuffle=False).frame
    released.loc[released.index[3], "weight"] = bad
    with pytest.raises(InvalidInput, match=r"^evaluate, protected: the weights in column `weight`.* in record 4$"):
        pf.evaluate(frame, released, roles=roles, method=pf.IPSO("C"), measures="pil")
