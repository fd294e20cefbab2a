"""Key-side risk: SUDA by every subset, the exact risk by its series, and files that are not polite."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.measures.individual_risk import frequencies, household_risk, individual_risk
from pyfcrm.measures.suda import dis, suda


def minimal_sample_uniques(K, i):
    """The sizes of record i's, by every subset of keys and every other record."""
    sizes = []
    for k in range(1, K.shape[1] + 1):
        for keys in combinations(range(K.shape[1]), k):
            part = K[:, list(keys)]
            alone = (part == part[i]).all(axis=1).sum() == 1 and (part[i] >= 0).all()
            if alone and not any(set(small) <= set(keys) for small in sizes):
                sizes.append(keys)
    return [len(keys) for keys in sizes]


@pytest.mark.parametrize(
    ("n", "q", "levels", "low"), [(1, 1, 2, 0), (6, 2, 2, 0), (40, 3, 4, -1), (60, 5, 3, -1), (30, 6, 4, 0)]
)
def test_suda_equals_every_subset(n, q, levels, low):
    """Oracle: the definition, by loops. Identical: whole numbers, and fractions in one order."""
    K = np.random.default_rng(n).integers(low, levels, (n, q))
    sizes = [minimal_sample_uniques(K, i) for i in range(n)]
    assert suda(K).tolist() == [sum(math.factorial(q - k) for k in found) for found in sizes]
    expected = [sum((2 ** (q - k) - 1) / math.comb(q, k) for k in found) for found in sizes]
    assert suda(K, "ihsn") == pytest.approx(expected, rel=1e-14)


def test_dis_by_hand():
    """Two keys, records 11 12 21 21: of 1 and 2 only 12 has a unique value, and 11 is unique on both. Identical.

    U = 2 alone, P = 2 in pairs, f = 0.01: the share is 0.02 / (0.02 + 1.98); scores s and powers s^1.3.
    """
    K = np.array([[0, 0], [0, 1], [1, 0], [1, 0]])
    s = suda(K)
    assert s.tolist() == [1, 1, 0, 0]
    result = dis(K, s)
    assert result[:2] == pytest.approx([1 / (1 + (2 / 0.01 - 2) / 2)] * 2)
    assert result[2:].tolist() == [0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("f", [1, 2, 3, 7, 19, 20, 60])
@pytest.mark.parametrize("p", [1e-4, 0.01, 0.3, 0.499, 0.501, 0.9, 0.999999])
def test_the_exact_risk_is_its_series(f, p):
    """Oracle: the sum of 1/F times the negative binomial probabilities, by scipy. Close: a truncated sum."""
    from scipy.stats import nbinom

    h = np.arange(0, 40 + int(60 * (f + 5) / p) if p >= 0.01 else 3_000_000)
    expected = (nbinom.pmf(h, f, p) / (h + f)).sum()
    assert individual_risk(np.array([float(f)]), np.array([f / p]), "exact")[0] == pytest.approx(expected, rel=1e-7)


def test_the_approximate_risk_by_hand():
    """f = 1: p/(1-p) log(1/p); f = 2; f = 5 of 50: 0.1/4.1. Close: the same numbers."""
    f, F = np.array([1.0, 2, 5, 3]), np.array([4.0, 10, 50, 3])
    expected = [1 / 3 * math.log(4), 0.25 - 0.0625 * math.log(5), 0.1 / 4.1, 1 / 3]
    assert individual_risk(f, F) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("form", ["approx", "exact"])
def test_no_risk_is_above_1_or_missing(form):
    """Weights of 0, below 1, just above 1, huge; up to 10^5 alike. By what a probability is."""
    f = np.array([1.0, 1, 1, 2, 2, 3, 7, 100_000, 100_000, 1, 2, 3])
    F = np.array([0.0, 0.3, 1 + 1e-15, 2 + 1e-12, 1.9, 3 + 1e-9, 0.5, 1e5 + 1e-3, 1e9, 1e300, 1e300, 1e300])
    risk = individual_risk(f, F, form)
    assert np.isfinite(risk).all()
    assert (risk <= 1 / f).all()
    assert (risk >= 0).all()
    assert risk[[0, 1, 4, 6]].tolist() == [1, 1, 0.5, 1 / 7]
    assert risk[2:4] == pytest.approx([1, 0.5])


def test_frequencies_with_gaps_by_hand():
    """The fourth misses one key, the fifth both: complete records count the former only, as freqCalc does. Identical."""
    K = np.array([[0, 0], [0, 0], [1, 0], [-1, 0], [-1, -1]])
    fk, Fk = frequencies(K, np.array([1.0, 2, 4, 8, 16]))
    assert fk.tolist() == [3, 3, 2, 5, 5]
    assert Fk.tolist() == [11, 11, 12, 31, 31]


def test_households_by_hand():
    """Two together, one alone, two without a household: each by itself. Close."""
    risk = household_risk(np.array([0.5, 0.5, 0.1, 0.2, 1.0]), np.array([3, 3, 0, -1, -1]))
    assert risk == pytest.approx([0.75, 0.75, 0.1, 0.2, 1.0])


def test_a_weighted_release_with_many_key_variables_is_judged():
    """Oracle: every record is unique on its 20 keys, so that each counts by its weight alone: 1/F is 1, by hand.

    Above 16 keys SUDA, which the verdict does not use, refused the whole evaluation.
    """
    rng = np.random.default_rng(1)
    n = 200
    frame = pd.DataFrame({f"x{j}": rng.integers(0, 5, n) for j in range(20)})
    frame["wage"] = np.round(rng.lognormal(7, 1, n))
    frame["weight"] = 1.0
    roles = pf.Roles(list(frame.columns[:20]), ["wage"], weight="weight")
    protected = pf.protect(frame, pf.Noise(), roles, seed=1)
    test = pf.evaluate(frame, protected, measures=["dbrl"]).verdict["key_risk"]
    assert test.status == "hold"
    assert test.found == (100.0, 100.0)


@pytest.mark.parametrize("form", ["%Y-%m-%d", None])
def test_dates_in_text_are_key_variables_beside_a_weight(form):
    """A fixed defect: `evaluate` ended in an error of a conversion. Oracle: the test for the same dates as a column of dates."""
    frame = pf.datasets.survey(100)[["age", "wage", "rent"]].dropna()
    days = pd.to_timedelta(np.random.default_rng(1).integers(0, 3000, len(frame)), unit="D")
    frame = frame.assign(birth=pd.Timestamp("1950-01-01") + days, weight=400 + 100 * (np.arange(len(frame)) % 3))
    text = frame.assign(birth=frame["birth"].dt.strftime(form) if form else frame["birth"].dt.date)
    roles = pf.Roles("age", ["wage", "rent"], weight="weight")
    tests = []
    for each in (frame, text):
        released = pf.protect(each, pf.IPSO("C"), roles, seed=1)
        tests.append(pf.evaluate(each, released, measures="pil").verdict["key_risk"])
    assert tests[0].found == pytest.approx(tests[1].found)
    assert tests[0].status == "hold"


@pytest.mark.parametrize(("wrong", "rule"), [(np.nan, "must not be missing"), (-1.0, "must not be negative")])
@pytest.mark.parametrize("dependent", [["wage", "rent"], ["region"]])
def test_a_wrong_weight_of_a_release_ends_evaluate(dependent, wrong, rule):
    """Oracle: the rule of weights; the utility panel and the test key_risk read them, whichever is first. Identical."""
    frame = pf.datasets.survey(100).dropna().reset_index(drop=True)
    release = frame.copy()
    release.loc[3, "weight"] = wrong
    roles = pf.Roles(["age", "hours"], dependent, weight="weight")
    with pytest.raises(pf.errors.InvalidInput, match=f"evaluate, protected: .*`weight` {rule}.*in record 4"):
        pf.evaluate(frame, release, roles=roles, weights="weight")


def test_contributions_of_keys_are_those_of_sdcmicro():
    """Oracle: attribute_contributions of sdcMicro 5.8.0's suda2 on this file, as printed. Grade: close, seven printed digits."""
    cells = {
        "a": "123233231211111122123232313323",
        "b": "132424132412143211111242134324",
        "c": "134421415252231225324153443552",
        "d": "212211211111122211212222112211",
    }
    frame = pd.DataFrame({name: [int(cell) for cell in text] for name, text in cells.items()})
    printed = {"elliot": [56.06061, 81.81818, 74.24242, 34.84848], "ihsn": [55.38462, 81.53846, 73.84615, 33.84615]}
    for scoring, expected in printed.items():
        found = pf.key_risk(frame, list(cells), scoring=scoring).contributions
        assert list(found.values()) == pytest.approx(expected, abs=1e-5)
