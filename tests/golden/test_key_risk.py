"""Key-side risk as sdcMicro 5.8.0 computed it (tests/golden/make_key_risk.R), met here without R.

Counts and SUDA scores are identical. Risks are close: the same formulas in another order, 1e-9; the exact form is a sum with
cancelling terms there, 1e-6 where it has a value. DIS is close, 1e-7: a part of it is a single-precision number there.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf

VALUES = Path(__file__).parent / "values" / "key_risk"
FILES = {"whole": "abcd", "missing": "abcd", "three": "abc", "colliding": "abcdef", "one": "a"}
UNWEIGHTED = ("three",)
EVERY = pytest.mark.parametrize("name", FILES)


@cache
def recorded(name):
    return pd.read_csv(VALUES / f"{name}_data.csv"), pd.read_csv(VALUES / f"{name}.csv")


def judged(name, **options):
    weights = None if name in UNWEIGHTED else "w"
    return pf.key_risk(recorded(name)[0], list(FILES[name]), weights, "h", **options)


@EVERY
def test_frequencies_and_risks(name):
    result, expected = judged(name), recorded(name)[1]
    assert result.fk.tolist() == expected["fk"].tolist()
    for column in ("Fk", "individual", "household"):
        np.testing.assert_allclose(getattr(result, column), expected[column], rtol=1e-9)
    assert result.global_risk == pytest.approx(expected["global"][0], rel=1e-9)
    assert result.global_household_risk == pytest.approx(expected["global_household"][0], rel=1e-9)


@EVERY
def test_the_exact_form_where_sdcmicro_has_a_value(name):
    """Its alternating sum loses digits as fk grows: up to 8 records are compared, and nothing is missing here."""
    result, expected = judged(name, form="exact"), recorded(name)[1]
    few = (expected["fk"] <= 8).to_numpy() & np.isfinite(expected["exact"]).to_numpy()
    np.testing.assert_allclose(result.individual[few], expected["exact"][few], rtol=1e-6)
    assert few.any()
    assert ((result.individual > 0) & (result.individual <= 1)).all()


@pytest.mark.parametrize("scoring", ["elliot", "ihsn"])
@pytest.mark.parametrize("name", [name for name, keys in FILES.items() if len(keys) > 2])
def test_suda_scores(name, scoring):
    result, expected = judged(name, scoring=scoring), recorded(name)[1]
    np.testing.assert_allclose(result.suda, expected[scoring], rtol=1e-14, atol=0)  # 15 digits were written
    assert (result.suda > 0).sum() > 5


@pytest.mark.parametrize("scoring", ["elliot", "ihsn"])
@pytest.mark.parametrize("name", ["whole", "missing", "three"])
def test_dis_scores(name, scoring):
    result, expected = judged(name, scoring=scoring), recorded(name)[1]
    np.testing.assert_allclose(result.dis, expected[f"dis_{scoring}"], rtol=0, atol=1e-7)


def test_where_sdcmicro_forgets_unique_records_ours_are_all_counted():
    """Its hash of the six small keys collides, so that its DIS is too low: ours is larger, and never missing. By what it is."""
    result, expected = judged("colliding"), recorded("colliding")[1]
    scored = result.suda > 0
    theirs = expected["dis_elliot"][scored].to_numpy()
    assert np.isfinite(result.dis).all()
    assert (np.isnan(theirs) | (result.dis[scored] > theirs)).all()
