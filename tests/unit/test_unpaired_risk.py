"""The test `risk` of files whose records pair with no original ones. Oracle: how the release was made."""

import numpy as np
import pandas as pd
import pytest
from support.generators import Given
from support.school_file import school_file

import pyfcrm as pf
from pyfcrm.evaluation.risk.unpaired_disclosure import CERTAINTY, Guessed, Target, _excess, guessed


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


def of_households(households: int, seed: int, share: float) -> pd.DataFrame:
    """Households of 1 to 4 people; a share have a rent, which depends on nothing, and each member has the household's."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, households)
    has_rent = rng.random(households) < share
    rent = np.where(has_rent, np.exp(rng.normal(8, 1, households)).round(), 0.0)
    household = np.repeat(np.arange(households), sizes)
    size, region = sizes[household], rng.integers(0, 9, households)[household]
    age, job = rng.integers(18, 90, len(household)), rng.integers(0, 5, len(household))
    return pd.DataFrame({
        "hid": household, "pid": np.arange(len(household)), "size": size, "region": np.array(list("abcdefghi"))[region],
        "age": age, "job": np.array(list("vwxyz"))[job], "rent": rent[household],
    })  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_zeros_that_most_have_are_not_found_in_households_drawn_anew(seed: int) -> None:
    """Known truth: the release has other households, of which 3.5 per cent have a rent, not 5. Statistical: chance holds 1 of 100.

    A mean over leaves was 0 where none of a leaf has a rent. So it found the more zeros the fewer rents the release had.
    """
    roles = pf.Roles([], ["size", "region", "age", "job", "rent"], household="hid", unit="pid", product="public")
    file, release = of_households(400, 2 * seed, 0.05), of_households(400, 2 * seed + 1, 0.035)
    released = release.drop(columns=["hid", "pid"])
    given = pf.External(Given(released))
    found = pf.evaluate(file, released, roles=roles, method=given, measures=["pil"], limits={"risk": 2}).verdict["risk"]
    assert found.status == "pass"


def test_zeros_and_amounts_are_found_where_known_columns_decide_them() -> None:
    """Identical, by hand: the release has y = 0 below 100 and 1,000 above; the originals' own y is not known from theirs."""
    rng = np.random.default_rng(1)
    known = rng.integers(0, 200, (400, 1)).astype(float)
    y = np.where(known[:, 0] < 100, 0.0, 1000.0)
    _, model = guessed(Target("y", rng.permutation(y), y), known, known, np.arange(400), pf.RStream(1))
    assert model.value < 70
    _, model = guessed(Target("y", y, y), known, known, np.arange(400), pf.RStream(1))
    assert (model.value, model.inference) == (100, pytest.approx(100, abs=1))


def test_the_commonest_value_is_found_without_a_release() -> None:
    """By hand: as many of two values in either file, which nothing predicts. A release of one value alone finds half. Grade: identical.

    Each fold has more of the value that the others have less of, so that their model finds less than half: a release that
    follows the margins seemed to add what it lacks.
    """
    rng = np.random.default_rng(3)
    y = rng.permutation(np.repeat([0.0, 1.0], 200))
    known = rng.integers(0, 3, (400, 1)).astype(float)
    _, model = guessed(Target("y", y, np.zeros(400), is_category=True), known, known, np.arange(400), pf.RStream(1))
    assert model.value == 50
    assert model.inference >= 50
    assert model.beyond <= 0


def test_the_excess_of_whole_households_counts_these() -> None:
    """By hand: 50 households of 4 equal members are 50 values, with twice the standard error of 200. Grade: identical."""
    rng = np.random.default_rng(2)
    hits = np.repeat(rng.random(50) < 0.5, 4).astype(float)
    alone = _excess("y", "a model", hits, np.zeros(200), np.arange(200))
    together = _excess("y", "a model", hits, np.zeros(200), np.repeat(np.arange(50), 4))
    mean, spread = 100 * hits.mean(), 100 * hits.std(ddof=1)
    assert alone.beyond == pytest.approx(mean - CERTAINTY * spread / np.sqrt(200), rel=1e-12)
    of_households = 100 * hits[::4].std(ddof=1)
    assert together.beyond == pytest.approx(mean - CERTAINTY * of_households / np.sqrt(50), rel=1e-12)


def test_categories_of_many_levels_alone_are_no_knowledge() -> None:
    """Known truth: the one column that an intruder knows beside the block has 56 levels, which no attack compares.

    The risk of a public file of a field trial ended in a refusal of scikit-learn.
    """
    rng = np.random.default_rng(1)
    field = pd.DataFrame(
        {
            "block": rng.integers(1, 5, 224),
            "variety": [f"V{k % 56}" for k in range(224)],
            "harvest": rng.normal(50, 5, 224),
        }
    )
    released = field.assign(block=rng.permutation(field["block"]), variety=rng.permutation(field["variety"]))
    roles = pf.Roles([], ["block", "variety", "harvest"], product="public")
    found = pf.evaluate(field, released, roles=roles, method=pf.External(Given(released)), measures=["pil"]).verdict
    assert found["risk"].status in ("pass", "hold")
