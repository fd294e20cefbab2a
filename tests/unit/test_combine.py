"""combine(). Oracle: the published formulas worked out by hand here; the exact law by simulation from its definition."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

import pyfcrm as pf
from pyfcrm.errors import InvalidParameter
from pyfcrm.numerics.plug_in import pivot_quantile, pivot_tail


def fit(coef, se, term="x"):
    """What statsmodels returns of one regression."""
    return SimpleNamespace(params=pd.Series({term: coef}), bse=pd.Series({term: se}))


FITS = [fit(1.0, 0.5), fit(1.4, 0.4), fit(0.9, 0.6)]
V = (0.25 + 0.16 + 0.36) / 3
B = np.var([1.0, 1.4, 0.9], ddof=1)


@pytest.mark.parametrize(
    ("rule", "variance"),
    [("partial", V + B / 3), ("simple", V * (1 + 1 / 3)), ("proper", V * (1 + 2 / 3))],
)
def test_the_published_variances(rule, variance):
    result = pf.combine(FITS, rule)
    assert result.coef[0] == pytest.approx(1.1)
    assert result.se[0] == pytest.approx(np.sqrt(variance))


def test_degrees_of_freedom_are_reiter_s():
    result = pf.combine(FITS)
    df = 2 * (1 + V / (B / 3)) ** 2
    assert result.rule == "partial"
    assert result.freedom[0] == pytest.approx(df)
    assert result.high[0] == pytest.approx(1.1 + student.ppf(0.975, df) * np.sqrt(V + B / 3))
    assert result.p_value[0] == pytest.approx(2 * student.sf(1.1 / np.sqrt(V + B / 3), df))


def test_fits_that_every_copy_has_keep_their_own_errors():
    frame = pf.datasets.survey(200).astype({"wage": float, "rent": float})
    released = pf.protect(
        frame,
        pf.IPSO("C"),
        pf.Roles(["age", "hours"], ["wage", "rent"], ["name"]),
        seed=1,
        copies=3,
        variables="numbers",
    )
    analyses = [pf.analyse(frame, one, "wage ~ age + hours") for one in released.frames]
    result = pf.combine(analyses)
    np.testing.assert_allclose(result.coef, analyses[0].original.coef, rtol=1e-9)
    np.testing.assert_allclose(result.se, analyses[0].original.se, rtol=1e-9)
    by_formula = pf.combine(released.frames, formula="wage ~ age + hours")
    pd.testing.assert_frame_equal(by_formula.to_frame(), result.to_frame())
    assert result.terms == ("(Intercept)", "age", "hours")


def test_one_copy_takes_the_simple_rule_and_says_so():
    result = pf.combine(FITS[0])
    assert (result.rule, result.copies) == ("simple", 1)
    assert result.se[0] == pytest.approx(0.5 * np.sqrt(2))
    assert any("one dataset has no variance" in note for note in result.notes)
    assert "1 copy combined" in str(result)


@pytest.mark.parametrize(("records", "freedom", "copies"), [(12, 9, 1), (60, 57, 1), (12, 9, 4)])
def test_the_exact_law_by_simulation(records, freedom, copies):
    """Statistical: 200,000 draws of the pivot by its definition; 4 standard errors of a share of 5 per cent are 0.002."""
    rng, many = np.random.default_rng(1), 200_000
    w = rng.chisquare(freedom, many) / records
    between = rng.normal(size=(copies, many)).mean(axis=0) * np.sqrt(w)
    v = w * rng.chisquare(freedom, (copies, many)).mean(axis=0) / freedom
    pivot = np.abs(rng.normal(size=many) + between) / np.sqrt(v)
    q = pivot_quantile(0.95, records, freedom, copies)
    assert (pivot > q).mean() == pytest.approx(0.05, abs=0.002)
    assert pivot_tail(np.array([0.0, q]), records, freedom, copies) == pytest.approx([1.0, 0.05], abs=1e-9)


def test_a_release_is_its_copies_and_one_thing_alone_is_one_copy():
    frame = pf.datasets.survey(200, seed=1)
    roles = pf.Roles(["age", "hours"], ["wage"], ["name"])
    released = pf.protect(frame, pf.GADP(), roles, seed=1, copies=2)
    both = pf.combine(list(released.frames), formula="wage ~ age")
    pd.testing.assert_frame_equal(pf.combine(released, formula="wage ~ age").to_frame(), both.to_frame())
    assert pf.combine(released.frame, formula="wage ~ age").copies == 1
    assert pf.combine(SimpleNamespace(params=np.array([1.0]), bse=np.array([0.5]))).copies == 1


@pytest.mark.parametrize("values", [(np.inf, 0.5), (1.0, np.inf), (1.0, -0.5)])
def test_what_is_no_estimate_is_refused(values):
    with pytest.raises(InvalidParameter, match=r"finite estimates, and standard errors of at least 0.*'analysis 2, "):
        pf.combine([fit(1.0, 0.5), fit(*values)])
