"""The test `risk` of files whose records pair with no original ones. Oracle: how the release was made."""

import numpy as np
import pandas as pd
import pytest
from support.generators import Given
from support.school_file import school_file

import pyfcrm as pf
from pyfcrm.evaluation.risk.unpaired_disclosure import Guessed, Target, guessed


def judged(file, release, **limits):
    released = pf.protect(file, pf.External(Given(release)), pf.suggest_roles(file, product="public"))
    return pf.evaluate(file, released, measures=["pil"], limits=limits or None).verdict["risk"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_draws_from_the_true_law_pass_by_the_public_limit(seed):
    """Known truth: the release is another sample of the law, so that nothing in it is a respondent's. Statistical."""
    test = judged(school_file(500, 2 * seed + 1), school_file(500, 2 * seed + 2), risk=2)
    assert test.status == "pass"


def test_records_in_another_order_are_found_though_one_column_is_new():
    """Known truth: a fifth of the records is the respondents' own; their grades are found where the scores are known."""
    file = school_file(400)
    release = school_file(400, seed=2)
    copied = np.random.default_rng(1).permutation(400)[:150]
    release.iloc[:150] = file.iloc[copied]
    test = judged(file, release)
    assert test.status == "hold"
    assert "the released record nearest" in test.reason
    assert "without their values" in test.reason


@pytest.mark.slow
def test_values_of_leaves_of_few_records_are_found():
    """Known truth: trees with leaves of 5 give back the original values of the leaf."""
    file = school_file(500)
    released = pf.protect(file, pf.Sequential(min_leaf=5, smooth=False), pf.Roles([], list(file)), seed=pf.RStream(2))
    assert pf.evaluate(file, released, measures=["pil"]).verdict["risk"].status == "hold"


def test_shares_of_both_attacks_by_hand():
    """Identical, by hand: 30 originals at 0, 1, ..., 29 with values 100, 200, ...; the release has them all in reverse order.

    The nearest released record has the own value, the nearest others have none within 5 per cent below 2,000 (100 / 2,100 < 5 per
    cent), so that the places from 20 on are within it.
    """
    known = np.arange(30.0)[:, None]
    y = 100 * (known[:, 0] + 1)
    nearest, _ = guessed(Target("y", y, y[::-1]), known, known[::-1], np.arange(30), pf.RStream(1))
    assert nearest.value == 100
    # Nearest are both neighbours, of the last place one. y = 100 k: 100 <= 5 k holds from k = 20 on, of 30 places.
    assert nearest.inference == pytest.approx(100 * 11 / 30)


def test_dates_and_codes_have_no_value_of_which_a_share_is_near():
    """By hand: 5 per cent of a day number are years, and 5 per cent of code 40 are other codes."""
    days = np.array([0.0, 1000.0, 2000.0])
    assert Target("day", 18_000 + days, days, has_zero=False).hits(18_000 + days + 100, 18_000 + days).sum() == 0
    assert not Target("code", days, days, is_category=True).hits(np.array([41.0]), np.array([40.0])).any()


@pytest.mark.parametrize("records", [3, 12])
def test_small_files_and_gaps_have_an_outcome(records):
    """No oracle but an outcome: too few records for the attacks, gaps, and categories of both files that differ."""
    file = pd.DataFrame({"a": ["x", "y", "z"] * (records // 3), "n": [1.0, np.nan, 3.0] * (records // 3)})
    release = file.assign(a=["x", "x", "y"] * (records // 3))
    roles = pf.Roles([], ["a", "n"])
    found = pf.evaluate(file, release, roles=roles, method=pf.External(Given(release)), measures=["pil"]).verdict
    assert found["risk"].status in ("pass", "hold")


def test_codes_may_have_decimals() -> None:
    """Oracle: the same codes times two, which are whole numbers. Grade: identical.

    Years married of .5 and 1.5 ended in a refusal of scikit-learn.
    """
    rng = np.random.default_rng(4)
    known, released = rng.normal(size=(2, 120, 2))
    y, z = (np.round(part[:, 0]) for part in (known, released))

    def found(factor: float) -> list[Guessed]:
        target = Target("code", factor * y, factor * z, is_category=True)
        return guessed(target, known, released, np.arange(120), pf.RStream(1))

    assert found(0.5) == found(1.0)
