"""pf.read_table: a frame of any file that goes in. Oracles: the frame inside files.read_table, and what was written into
the file. Grade: identical."""

import warnings
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.data import open_frame
from pyfcrm.errors import InvalidInput
from pyfcrm.files import open_table, write_table

ROLES = pf.Roles(independent=["age"], dependent=["wage"])


def people(n=40):
    rng = np.random.default_rng(5)
    age = rng.integers(18, 80, n)
    return pd.DataFrame({"id": [f"{k:03}" for k in range(n)], "age": age, "wage": np.round(900 + 30.0 * age, 2)})


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.sav", "t.dta"])
@pytest.mark.slow
def test_every_format_is_a_frame_that_can_be_protected_and_judged(tmp_path, name):
    """And silently, where nothing was guessed. The release is that of the file."""
    pytest.importorskip("pyarrow" if name.endswith("parquet") else "pyreadstat")
    write_table(people(), tmp_path / name)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        frame = pf.read_table(tmp_path / name)
    assert type(frame) is pd.DataFrame
    assert frame.equals(open_table(tmp_path / name).frame)
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1, allow_unprotected=True)
    assert pf.evaluate(frame, released.frame, columns=["wage"])["pil"] >= 0
    pf.protect_file(tmp_path / name, tmp_path / "out.csv", pf.IPSO("C"), ROLES, seed=1, allow_unprotected=True)
    assert pf.read_table(tmp_path / "out.csv")["wage"].tolist() == released.frame["wage"].tolist()


def test_codes_stay_text_and_integers_with_gaps_integers(tmp_path):
    (tmp_path / "t.csv").write_text("code;n;x\n007;1;1,5\n008;NA;2\n")
    frame = pf.read_table(tmp_path / "t.csv")
    assert frame["code"].tolist() == ["007", "008"]
    assert (str(frame["n"].dtype), frame["x"].tolist()) == ("Int64", [1.5, 2.0])
    assert pf.read_table(tmp_path / "t.csv", decimal=".")["x"].tolist() == ["1,5", "2"]


def test_an_empty_cell_of_text_is_missing(tmp_path):
    """Oracle: pandas's own reader, told that nothing else is missing. Identical; and such a cell leaves as it came."""
    (tmp_path / "t.csv").write_text('region;x\nnorth;1\n;2\n"";3\nNA;4\n ;5\nsouth;6\n')
    frame = pf.read_table(tmp_path / "t.csv")
    theirs = pd.read_csv(tmp_path / "t.csv", sep=";", keep_default_na=False, na_values=[""])
    assert frame.equals(theirs)
    assert frame["region"].isna().tolist() == [False, True, True, False, False, False]
    with pytest.raises(InvalidInput, match="missing"):
        pf.protect(frame, pf.Noise("uncorrelated", 10), pf.Roles([], ["x"]), strata="region")
    options = {"allow_unprotected": True}
    pf.protect_file(
        tmp_path / "t.csv", tmp_path / "out.csv", pf.Noise("uncorrelated", 10), pf.Roles([], ["x"]), **options
    )
    cells = [line.split(";")[0] for line in (tmp_path / "out.csv").read_text().splitlines()]
    assert cells == ["region", "north", "", "", "NA", " ", "south"]


def test_iso_dates_of_a_csv_file_are_dates(tmp_path):
    """Other ways of writing a date, and columns without one, stay text; what is released unchanged keeps its text."""
    rows = ["born;mixed;short;none;wage", "1980-02-29;2024-01-01;1980-2-9;NA;1", "NA;x;1980-02-09;NA;2"]
    rows += [f"2{k:03}-01-31;2024-01-01;1980-02-09;NA;{k}" for k in range(18)]
    (tmp_path / "t.csv").write_text("\n".join([*rows, ""]))
    frame = pf.read_table(tmp_path / "t.csv")
    assert frame["born"].tolist()[:2] == [date(1980, 2, 29), None]
    assert [open_frame("test", frame).kind(name) for name in frame] == ["date", "text", "text", "text", "integer"]
    recoding, roles = pf.Recoding({"born": "year"}), pf.Roles(dependent="born")
    assert pf.protect(frame, recoding, roles, missing="protect").frame["born"][0] == "1980"
    suppression, roles = pf.LocalSuppression(2, ["born", "short"]), pf.Roles(dependent=["born", "short"])
    (tmp_path / "t.csv").write_text("\n".join([*rows, *rows[1:9], ""]))
    pf.protect_file(tmp_path / "t.csv", tmp_path / "out.csv", suppression, roles, seed=1, missing="protect")
    born = [line.split(";")[0] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    assert born[2:4] == ["2000-01-31", "2001-01-31"]


@pytest.mark.parametrize(
    "name",
    ["t.csv", "t.parquet", *(pytest.param(name, marks=pytest.mark.slow) for name in ("t.sav", "t.dta"))],
)
def test_dates_of_a_file_are_predictors_in_days(tmp_path, name):
    """Oracle: the same file with days. Objects of `datetime.date`, as Parquet files become, were columns of no kind."""
    frame = people().drop(columns="id").assign(born=[date(1980, 1, 1) + timedelta(7 * k % 40) for k in range(40)])
    frame["wage"] += np.random.default_rng(2).normal(0, 90, 40).round(2)
    write_table(frame, tmp_path / name)
    read = pf.read_table(tmp_path / name)
    assert open_frame("test", read).kind("born") == "date"
    roles = pf.Roles(["born", "age"], ["wage"])
    in_days = read.assign(born=[day.toordinal() - date(1970, 1, 1).toordinal() for day in frame["born"]])
    released = [pf.protect(each, pf.IPSO("C"), roles, seed=1).frame["wage"] for each in (read, in_days)]
    np.testing.assert_array_equal(*released)


@pytest.mark.slow
def test_labels_are_with_the_frame_but_not_with_its_release(tmp_path):
    """As pyreadstat's own reader names them, so that its writers take them as they are."""
    import pyreadstat

    labels = {"column_labels": {"wage": "Monthly wage"}, "variable_value_labels": {"sex": {1.0: "man", 2.0: "woman"}}}
    data = people().assign(sex=[1.0, 2.0] * 20)
    pyreadstat.write_sav(data, tmp_path / "t.sav", **labels)
    frame = pf.read_table(tmp_path / "t.sav")
    assert frame.attrs == labels
    pyreadstat.write_sav(frame, tmp_path / "again.sav", **frame.attrs)
    assert pf.read_table(tmp_path / "again.sav").attrs == labels
    assert pf.protect(frame, pf.IPSO("C"), ROLES, seed=1, allow_unprotected=True).frame.attrs == {}
    released = pf.protect_file(tmp_path / "t.sav", tmp_path / "out.sav", pf.IPSO("C"), ROLES, 1, allow_unprotected=True)
    assert released.frame.attrs == {}
