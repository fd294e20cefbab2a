"""Methods of numbers on roles with categorical confidential columns, which are drawn after the numbers. Statistical, and identical."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.search.grid import default_grid


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n = 600
    group = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    x = rng.normal(size=n)
    wage = 10 + 2 * (group == "b") + 4 * (group == "c") + x + rng.normal(size=n)
    return pd.DataFrame({"x": x, "group": group, "flag": wage + rng.normal(size=n) > 11, "wage": wage})


ROLES = pf.Roles("x", ["group", "flag", "wage"])


def test_relations_with_drawn_categories_survive(frame):
    """Known truth: group effects 0, 2 and 4. Statistical: four standard errors of the released means."""
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1).frame
    means = released.groupby("group").wage.agg(["mean", "sem"])
    expected = frame.groupby("group").wage.mean()
    assert (abs(means["mean"] - expected) < 4 * means["sem"] + 0.1).all()
    assert 0.2 < (released["group"] == frame["group"]).mean() < 0.9
    assert (released.dtypes == frame.dtypes).all()


def test_numbers_are_those_of_the_method_and_no_own_category_enters(frame):
    """Oracle: the same method on the numbers alone. Identical."""
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1)
    alone = pf.protect(frame[["x", "wage"]], pf.IPSO("C"), pf.Roles("x", "wage"), seed=1)
    pd.testing.assert_series_equal(released.frame["wage"], alone.frame["wage"])
    verdict = pf.evaluate(frame, released).verdict
    assert [test.key for test in verdict.tests if test.status == "hold"] == ["sample_uniques"]  # of x


def test_without_a_number_the_remedy_is_named(frame):
    with pytest.raises(pf.errors.InvalidInput, match="Sequential"):
        pf.protect(frame, pf.IPSO("C"), pf.Roles("x", "group"))


@pytest.mark.slow
def test_a_search_takes_categories_and_files_of_categories_alone(frame):
    """Oracle: evaluate() of each release. Identical."""
    assert {*map(type, default_grid(1, numbers=False)[0])} == {pf.Sequential, pf.ARF, pf.PRAM}
    coarse = frame.assign(x=frame.x.round()).head(300)
    for dependent, method in ((["group", "wage"], pf.IPSO("C")), (["group", "flag"], pf.PRAM())):
        roles = pf.Roles("x", dependent)
        found = pf.recommend(coarse, roles, seed=1, candidates=method)
        (one,) = found.shortlist or found.candidates
        releases = [pf.protect(coarse, method, roles, seed) for seed in found.seeds[: len(one.reports)]]
        for released, report in zip(releases, one.reports, strict=True):
            assert report.results == pf.evaluate(coarse, released).results
        assert one.column_loss == sum(one[key] for key in ("pil", "tables") if key in one.report.results)
        assert "tables" in str(found)
        frontier = pf.sweep(coarse, roles, method, seed=1)
        assert "tables" in str(frontier)
        assert frontier.plot() is not None


def test_a_column_without_cells_passes_a_transition_matrix():
    """Oracle: by hand. Grade: identical."""
    frame = pd.DataFrame({"k": ["u", "v"] * 30, "w": pd.Series([None] * 60, dtype="string")})
    matrix = {"u": {"u": 0.9, "v": 0.1}, "v": {"u": 0.1, "v": 0.9}}
    released = pf.protect(frame, pf.PRAM(matrix=matrix), pf.Roles([], ["k", "w"]), 1, missing="protect").frame
    assert released["w"].isna().all()
    assert set(released["k"]) == {"u", "v"}
