"""The two files simulated for the study beyond the paper. Oracles: what their docstrings state, counted; Hill's estimator."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pyfcrm.datasets import accounts, balances, enterprises, sales, survey
from pyfcrm.datasets.simulated import TAIL_INDEX
from pyfcrm.errors import InvalidParameter
from pyfcrm.rstream import RStream

MAKE = {"enterprises": enterprises, "accounts": accounts}
NAMES = {
    "enterprises": ["EMPLOYEES", "AGE", "ASSETS", "TURNOVER", "PURCHASES", "PAYROLL", "SURPLUS", "EXPORTS", "INVESTMENT"],
    "accounts": ["AGE", "INCOME", "RISK", "DEPOSITS", "DEBT", "NET", "FLOW", "RETURN", "TRANSACTIONS"],
}  # fmt: skip
FLOATS = {"enterprises": set(), "accounts": {"RISK", "RETURN"}}


def hill(values: np.ndarray, k: int) -> float:
    """The tail index from the k largest values: Hill (1975). Its standard error is the index over sqrt(k)."""
    x = np.sort(values.astype(float))[::-1]
    return float(1 / np.mean(np.log(x[:k] / x[k])))


@pytest.mark.parametrize("name", MAKE)
def test_one_seed_one_frame(name: str) -> None:
    """Grade: identical."""
    stream = RStream(1)
    first = MAKE[name](120, stream)
    pd.testing.assert_frame_equal(MAKE[name](120), first, check_exact=True)
    pd.testing.assert_frame_equal(MAKE[name](120, 1), first, check_exact=True)
    assert not MAKE[name](120, stream).equals(first)  # the stream moved on
    assert not MAKE[name](120, 2).equals(first)


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("n", [1, 7, 1000, 30_000])
def test_shape_and_types(name: str, n: int) -> None:
    """Grade: identical."""
    frame = MAKE[name](n, 3)
    assert list(frame.columns) == NAMES[name]
    assert frame.shape == (n, 9)
    assert {column for column in frame if frame[column].dtype == np.float64} == FLOATS[name]
    assert {str(frame[column].dtype) for column in frame if column not in FLOATS[name]} == {"int64"}
    assert frame.index.equals(pd.RangeIndex(n))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_enterprises_keep_their_accounts(seed: int) -> None:
    """Grade: identical."""
    frame = enterprises(5000, seed)
    assert (frame.TURNOVER == frame.PURCHASES + frame.PAYROLL + frame.SURPLUS).all()
    assert (frame.drop(columns="SURPLUS") >= 0).all(axis=None)
    assert (frame.EXPORTS <= frame.TURNOVER).all()
    assert (frame.SURPLUS < 0).any()
    assert (frame.SURPLUS > 0).any()


def test_enterprises_have_heavy_tails_and_zeros() -> None:
    """Grade: statistical. 1000 of 100 000 records: the standard error of the index is 0.05, so 0.2 is four; what is
    log-normal for each size has the same index in the limit (Breiman 1965), from above at a finite n: 0.6 either side."""
    frame = enterprises(100_000, 3)
    assert abs(hill(frame.EMPLOYEES.to_numpy(), 1000) - TAIL_INDEX) < 0.2
    for name in ("TURNOVER", "PAYROLL", "ASSETS"):
        assert abs(hill(frame[name].to_numpy(), 1000) - TAIL_INDEX) < 0.6, name
    assert abs((frame.EXPORTS == 0).mean() - 0.61) < 0.03
    assert abs((frame.INVESTMENT == 0).mean() - 0.34) < 0.02


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_accounts_balance_and_have_both_signs(seed: int) -> None:
    """Grade: identical, but for the correlations: statistical, of 5000 records, standard error below 0.015."""
    frame = accounts(5000, seed)
    assert (frame.NET == frame.DEPOSITS - frame.DEBT).all()
    assert (frame[["DEPOSITS", "DEBT", "TRANSACTIONS"]] >= 0).all(axis=None)
    for name in ("NET", "FLOW", "RETURN"):
        assert 0.1 < (frame[name] < 0).mean() < 0.9, name
    correlation = frame.corr()
    assert correlation.DEPOSITS.DEBT < -0.4
    assert correlation.DEBT.FLOW < -0.5
    assert correlation.AGE.TRANSACTIONS < -0.3


def test_accounts_are_switching_regressions() -> None:
    """Grade: statistical. Where DEBT is high, borrowers only: it falls with age and FLOW falls with income there, and
    among the others FLOW rises with income, as their tables of coefficients say."""
    frame = accounts(20_000, 4)
    borrowers = frame.DEBT > 70_000
    assert frame[borrowers].corr().AGE.DEBT < -0.5
    assert frame[borrowers].corr().INCOME.FLOW < -0.3
    savers = ~borrowers & (frame.TRANSACTIONS < 20)
    assert frame[savers].corr().INCOME.FLOW > 0.3


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("n", [0, -1, 2.5, "10", True])
def test_other_sizes_are_refused(name: str, n: object) -> None:
    with pytest.raises(InvalidParameter, match=f"{name}: `n` must be a whole number"):
        MAKE[name](n)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5, 6, 7, 8])
def test_few_records_of_the_survey_are_unique_on_what_may_be_kept(seed: int) -> None:
    """As its docstring says, and heaps of zeros, gaps, weights by strata. Grade: identical; the share is statistical."""
    frame = survey(2000, seed)
    assert list(frame.columns) == ["name", "region", "stratum", "weight", "age", "hours", "size", "wage", "rent", "tax"]
    kept = ["region", "stratum", "weight", "age", "hours", "size"]
    assert (frame.groupby(kept, dropna=False).size() == 1).sum() < 100
    assert frame["name"].is_unique
    assert 0.04 < frame["region"].isna().mean() < 0.12
    assert ((frame[["wage", "rent", "tax"]] == 0).mean() > 0.3).all()
    assert (frame.groupby("stratum")["weight"].nunique() == 1).all()
    assert ((frame["wage"] == 0) == (frame["hours"] == 0)).all()
    assert {str(frame[name].dtype) for name in frame.columns[2:]} == {"int64"}


def test_one_seed_one_survey() -> None:
    """Grade: identical."""
    stream = RStream(1)
    first = survey(120, stream)
    pd.testing.assert_frame_equal(survey(120), first, check_exact=True)
    assert not survey(120, stream).equals(first)
    with pytest.raises(InvalidParameter, match="survey: `n` must be a whole number, at least 1; got 0"):
        survey(0)


@pytest.mark.parametrize("seed", [1, 5])
def test_balances_hold_but_for_rounding(seed: int) -> None:
    """By the definition: sums are off by at most 1, and by 1 now and then; a loss pays nothing."""
    frame = balances(2000, seed)
    off = [frame["TOTAL"] - frame["FIXED"] - frame["CURRENT"], frame["EQUITY"] - frame["TOTAL"] + frame["DEBT"]]
    assert all(0.1 < (one != 0).mean() < 0.5 and one.abs().max() == 1 for one in off)
    assert (frame.loc[frame["PROFIT"] < 0, "DIVIDEND"] == 0).all()
    assert (frame["DIVIDEND"] == 0).mean() > 0.6
    assert (frame[["EQUITY", "PROFIT"]] < 0).any().all()
    assert (frame.drop(columns=["EQUITY", "PROFIT"]) >= 0).all().all()


@pytest.mark.parametrize("seed", [1, 5])
def test_sales_have_heaps_a_ratio_and_rounded_totals(seed: int) -> None:
    """By the definition."""
    frame = sales(2000, seed)
    sold = frame[frame["ITEMS"] > 50]
    assert (sold["REVENUE"] / sold["ITEMS"]).between(10.5, 13.7).all()
    assert (frame["TOTAL"] % 100 == 0).all()
    assert (frame["TOTAL"] - frame["REVENUE"] - frame["ONLINE"]).abs().max() <= 50
    assert (frame["STOCK"] % 10 == 0).all()
    assert 0.09 < (frame["ITEMS"] == 0).mean() < 0.16
    assert (frame["ONLINE"] == 0).mean() > 0.6
    assert (frame["MARGIN"] < 0).any()
    assert frame.equals(sales(2000, seed))
