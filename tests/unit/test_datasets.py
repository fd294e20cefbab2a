"""The data sets. Oracle: the facts each docstring states, checked by counting."""

import os
from functools import partial

import pandas as pd
import pytest
from businesses import balances, sales

from pyfcrm.datasets import CENSUS_COLUMNS, accounts, census, census_like, enterprises, example, survey
from pyfcrm.errors import InvalidInput
from pyfcrm.rstream import RStream

NAMES = [
    "AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC",
    "POTHVAL", "INTVAL", "PEARNVAL", "FICA", "WSALVAL", "ERNVAL",
]  # fmt: skip


SIZED = {"census_like": census_like, "enterprises": enterprises, "accounts": accounts, "survey": survey}
SIZED |= {"balances": balances, "sales": sales}


@pytest.mark.parametrize("make", [example, *(partial(make, 120) for make in SIZED.values())])
def test_one_seed_one_frame(make):
    """Grade: identical."""
    stream = RStream(1)
    first = make(stream)
    pd.testing.assert_frame_equal(make(), first, check_exact=True)
    pd.testing.assert_frame_equal(make(1), first, check_exact=True)
    assert not make(stream).equals(first)  # the stream moved on
    assert not make(2).equals(first)


@pytest.mark.parametrize("n", [1, 5, 17, 1080, 20_000])
@pytest.mark.parametrize("seed", [1, 2])
def test_census_like_keeps_the_files_promises(n, seed):
    """Grade: identical."""
    frame = census_like(n, seed)
    assert list(frame.columns) == NAMES == list(CENSUS_COLUMNS)
    assert frame.shape == (n, 13)
    assert set(map(str, frame.dtypes)) == {"int64"}
    assert (frame >= 1).all(axis=None)
    assert (frame.PTOTVAL == frame.POTHVAL + frame.PEARNVAL).all()
    assert (frame.INTVAL <= frame.POTHVAL).all()
    assert (frame.WSALVAL <= frame.PEARNVAL).all()
    assert (frame.TAXINC < frame.AGI).all()
    assert frame.AGI.max() < 100_000
    assert frame.index.equals(pd.RangeIndex(n))


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """A machine without the variable and without R; the folder is its PATH."""
    monkeypatch.delenv("PYFCRM_CENSUS", raising=False)
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_census_from_a_path_or_the_variable(nowhere, tmp_path, monkeypatch):
    """Columns come back in file order, others are left out; a path goes before the variable. Grade: identical."""
    data = census_like(20)
    path = tmp_path / "c.csv"
    data[data.columns[::-1]].assign(extra=1).astype(float).to_csv(path, index=False)
    pd.testing.assert_frame_equal(census(path), data, check_exact=True)
    monkeypatch.setenv("PYFCRM_CENSUS", str(path))
    pd.testing.assert_frame_equal(census(), data, check_exact=True)
    for absent in ("other.csv", "other"):
        with pytest.raises(InvalidInput, match="no such file"):
            census(tmp_path / absent)


def test_census_from_sdcmicro(nowhere, tmp_path):
    """An Rscript that does what R with sdcMicro would: write the file it is asked for."""
    data = census_like(20)
    data.to_csv(tmp_path / "c.csv", index=False)
    program = nowhere / "Rscript"
    program.write_text(f'#!/bin/sh\nfor target; do :; done\n/bin/cat "{tmp_path / "c.csv"}" > "$target"\n')
    program.chmod(0o755)
    pd.testing.assert_frame_equal(census(), data, check_exact=True)
    program.write_text("#!/bin/sh\nexit 3\n")  # R without sdcMicro
    with pytest.raises(InvalidInput, match="PYFCRM_CENSUS"):
        census()


@pytest.mark.slow
@pytest.mark.census
@pytest.mark.skipif(not os.environ.get("PYFCRM_CENSUS"), reason="$PYFCRM_CENSUS does not name the Census file")
def test_the_census_file_itself():
    """Its published size, and the identity. Grade: identical. Its records are nowhere in the simulated file."""
    frame = census()
    assert frame.shape == (1080, 13)
    assert (frame.PTOTVAL == frame.POTHVAL + frame.PEARNVAL).all()
    simulated = census_like(100_000)
    assert len(simulated.merge(frame, on=NAMES)) == 0


@pytest.mark.parametrize("seed", [1, 2])
def test_enterprises_keep_their_accounts(seed):
    """Grade: identical."""
    frame = enterprises(5000, seed)
    assert (frame.TURNOVER == frame.PURCHASES + frame.PAYROLL + frame.SURPLUS).all()
    assert (frame.drop(columns="SURPLUS") >= 0).all(axis=None)
    assert (frame.EXPORTS <= frame.TURNOVER).all()
    assert (frame.SURPLUS < 0).any()
    assert (frame.SURPLUS > 0).any()


@pytest.mark.parametrize("seed", [1, 2])
def test_accounts_balance_and_have_both_signs(seed):
    """Grade: identical."""
    frame = accounts(5000, seed)
    assert (frame.NET == frame.DEPOSITS - frame.DEBT).all()
    assert (frame[["DEPOSITS", "DEBT", "TRANSACTIONS"]] >= 0).all(axis=None)
    for name in ("NET", "FLOW", "RETURN"):
        assert 0.1 < (frame[name] < 0).mean() < 0.9, name


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_few_records_of_the_survey_are_unique_on_what_may_be_kept(seed):
    """As its docstring says, and point masses at zero, gaps, weights by strata. Grade: identical; the share is statistical."""
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
