"""recommend(): candidates by the verdict, figures from fresh seeds, no clock.

Oracle: protect() and evaluate() one by one. Grade: identical; statistical where a method is drawn.
"""

import math

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidParameter
from pyfcrm.search.grid import default_grid

X, Y = ["sex", "age", "size"], ["wage", "rent"]
ROLES = pf.Roles(X, Y)
CLEAN, LEAKY = pf.Calibrated(pf.IPSO("C")), pf.Calibrated(pf.IPSO("C"), margins="original")


def survey(n=300):
    """Predictors that many records share, and two continuous amounts above 0, whose tails are not heavy."""
    rng = np.random.default_rng(3)
    sex, age, size = rng.integers(0, 2, n), 10 * rng.integers(2, 7, n), rng.integers(1, 4, n)
    wage = 200 * sex + 5 * age + rng.gamma(2, 300, n)
    rent = 40 * size + rng.gamma(2, 50, n) + 0.1 * wage
    return pd.DataFrame({"sex": sex, "age": age, "size": size, "wage": wage, "rent": rent})


@pytest.fixture(scope="module")
def frame():
    return survey()


@pytest.fixture(scope="module")
def found(frame):
    return pf.recommend(
        frame, ROLES, seed=1, candidates=[CLEAN, pf.IPSO("C"), pf.Noise("uncorrelated", 10), pf.Dummy()]
    )


@pytest.mark.slow
def test_the_best_passes_and_its_figures_are_of_fresh_seeds(frame, found):
    """Oracle: evaluate() of releases from the seeds of the result."""
    assert found.best is not None
    assert found.best.method == CLEAN
    assert found.verdict.status == "pass"
    assert str(found).startswith("Verdict: PASS")
    releases = [pf.protect(frame, CLEAN, ROLES, seed).frame for seed in found.seeds]
    losses = [pf.evaluate(frame, release, Y, "pil")["pil"] for release in releases]
    assert found.best["pil"] == pytest.approx(np.mean(losses))


@pytest.mark.slow
def test_methods_that_fail_a_test_are_not_proposed(found):
    table = found.to_frame().set_index("method")
    assert table.loc["IPSO", "choice"] == ""
    assert table.loc["IPSO", "verdict"] == "hold"
    assert "edits" in table.loc["IPSO", "failed"]
    assert table.loc["Noise", "verdict"] == "hold"


@pytest.mark.slow
def test_the_same_seed_gives_the_same_answer(frame):
    one, two = (pf.recommend(frame, ROLES, seed=1, candidates=[pf.Noise("uncorrelated", 10)]) for _ in range(2))
    pd.testing.assert_frame_equal(one.to_frame(), two.to_frame())


@pytest.mark.slow
def test_an_alarm_of_the_audit_is_never_proposed(frame):
    """Amounts are top-coded, so that no unit decides an extreme: only the audit detects original margins."""
    top_coded = frame.assign(**{name: frame[name].clip(upper=frame[name].quantile(0.95)) for name in Y})
    found = pf.recommend(top_coded, ROLES, seed=1, candidates=[LEAKY])
    assert found.best is None
    assert [one.method for one in found.nearest] == [LEAKY]
    assert "audit" in [test.key for test in found.nearest[0].verdict.tests if test.status == "hold"]


@pytest.mark.slow
def test_limits_are_the_verdicts_and_max_dr_is_one_of_them(frame):
    found = pf.recommend(frame, ROLES, max_dr=0, seed=1, candidates=[CLEAN, pf.Calibrated(pf.GADP())])
    assert found.best is None
    assert len(found.nearest) == 2
    assert "dr 0" in found.verdict.headline
    with pytest.raises(InvalidParameter, match="max_dr"):
        pf.recommend(frame, ROLES, max_dr=-1, candidates=[CLEAN])


@pytest.mark.slow
def test_unique_predictors_leave_no_method(frame):
    coded = frame.assign(code=np.arange(len(frame)) * 7)
    found = pf.recommend(coded, pf.Roles([*X, "code"], Y), seed=1, candidates=[CLEAN])
    assert found.best is None
    assert found.verdict["sample_uniques"].status == "hold"


@pytest.mark.slow(6)
def test_a_file_that_no_method_can_help_ends_the_search(frame):
    """No method changes the predictors: with a test of them the search tried all 26 methods of the second list."""
    coded = frame.assign(code=np.arange(len(frame)) * 7)
    roles = pf.Roles([*X, "code"], Y)
    found = pf.recommend(coded, roles, seed=1)
    assert [one.method for one in found.candidates] == default_grid(4, numbers=True)[0]
    assert found.untried == tuple(map(str, default_grid(4, numbers=True)[1]))
    assert len(found.nearest) == 2
    assert any("The method does not change sample_uniques" in reason for reason in found.reasons)
    assert f"{len(found.untried)} more would fail too" in found.reasons[-1]


@pytest.mark.slow
def test_methods_whose_records_do_not_pair_are_never_proposed(found):
    assert math.isnan(found.to_frame().set_index("method").loc["Dummy", "dr"])


@pytest.mark.slow
def test_options_of_protect_reach_every_release(frame):
    gaps = frame.copy()
    gaps.loc[:20, "wage"] = np.nan
    found = pf.recommend(gaps, ROLES, seed=1, candidates=[pf.IPSO("C")], missing="drop")
    assert found.candidates[0].report.records == len(frame) - 21


def test_a_limit_on_what_a_method_does_not_have_leaves_it_out(frame):
    """Records of dummy data do not pair, so that DR is not computed: the search ended in a ValueError."""
    found = pf.recommend(frame, ROLES, max_dr=15, seed=1, candidates=[pf.Dummy()])
    assert found.best is None
    assert [one.method for one in found.nearest] == [pf.Dummy()]
    assert found.nearest[0].verdict["dr"].status == "not examined"
