"""SPSS, Stata and SAS files in and out.

Oracle: pyreadstat itself, reading what was written before and after. Grade: identical.
"""

import datetime as dt
import subprocess
import sys

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput
from pyfcrm.files import open_table, write_table
from pyfcrm.files.labelled import loses

VALUES = {"sex": {1.0: "man", 2.0: "woman"}, "wage": {-9.0: "refused"}}
COLUMNS = {"wage": "Monthly wage", "sex": "Sex of the person"}
pytestmark = pytest.mark.usefixtures("in_this_process")
ROLES = pf.Roles(independent=["age"], dependent=["wage", "tax"], identifiers=["id"])


def people(n=40):
    rng = np.random.default_rng(5)
    age = rng.integers(18, 80, n).astype(float)
    wage = np.round(1000 + 30 * age + rng.normal(0, 200, n), 2)
    return pd.DataFrame(
        {
            "id": np.arange(1.0, n + 1),
            "age": age,
            "wage": wage,
            "tax": np.round(0.2 * wage + rng.normal(0, 30, n)),
            "sex": rng.integers(1, 3, n).astype(float),
            "born": [dt.date(1950, 1, 1) + dt.timedelta(days=200 * k) for k in range(n)],
            "town": ["Àger", "=cmd()", "", "Vic"] * (n // 4),
        }
    )


def spss(path, frame, **more):
    pyreadstat.write_sav(
        frame,
        path,
        file_label="Survey of wages",
        column_labels=COLUMNS,
        variable_value_labels=VALUES,
        variable_measure={"sex": "nominal"},
        variable_format={"tax": "F8.0", "id": "F6.0"},
        **more,
    )
    return str(path)


def released(source, target, **more):
    table = open_table(source)
    release = pf.protect(table.frame, pf.IPSO("C"), ROLES, seed=1, **more)
    write_table(release.frame, target, table, ROLES.dependent)
    return release


@pytest.mark.parametrize("kind", ["sav", "zsav"])
def test_an_spss_file_keeps_its_labels_and_what_is_not_protected(tmp_path, kind):
    source = spss(tmp_path / f"in.{kind}", people())
    release = released(source, tmp_path / f"out.{kind}")
    before, was = pyreadstat.read_sav(source)
    after, now = pyreadstat.read_sav(tmp_path / f"out.{kind}")
    assert list(after.columns) == list(before.columns[1:])  # the identifier is gone
    for name in ("age", "sex", "born", "town"):
        assert after[name].tolist() == before[name].tolist()
    assert after["wage"].tolist() == release.frame["wage"].tolist()
    assert after["wage"].tolist() != before["wage"].tolist()
    assert now.variable_value_labels == {"sex": VALUES["sex"]}  # no released wage is -9
    for facts in ("column_names_to_labels", "original_variable_types", "variable_measure"):
        expected = {name: value for name, value in getattr(was, facts).items() if name != "id"}
        assert getattr(now, facts) == expected
    assert (was.file_label, now.file_label) == ("Survey of wages", None)


@pytest.mark.slow
def test_whole_numbers_of_spss_stay_whole(tmp_path):
    table = open_table(spss(tmp_path / "in.sav", people()))
    assert table.frame["tax"].dtype == np.int64  # printed without decimals
    assert table.frame["age"].dtype == np.float64  # whole by chance, printed with two
    release = released(str(tmp_path / "in.sav"), tmp_path / "out.sav")
    assert release.frame["tax"].dtype == np.int64


def test_a_column_may_be_called_self(tmp_path):
    """The defect: a name that pandas takes for an argument was refused."""
    pyreadstat.write_sav(pd.DataFrame({"self": [1.0, 2.0]}), tmp_path / "in.sav", variable_format={"self": "F8.0"})
    assert pf.read_table(tmp_path / "in.sav")["self"].tolist() == [1, 2]


@pytest.mark.slow
def test_values_declared_missing_are_missing_and_leave_as_they_came(tmp_path):
    frame = people()
    frame.loc[[3, 7], "wage"] = -9.0
    frame.loc[9, "wage"] = np.nan
    source = spss(tmp_path / "in.sav", frame, missing_ranges={"wage": [-9]})
    table = open_table(source)
    assert table.frame["wage"].isna().sum() == 3
    assert any("declared missing" in note for note in table.notes)
    with pytest.raises(InvalidInput):
        pf.protect(table.frame, pf.IPSO("C"), ROLES, seed=1, missing="refuse")
    released(source, tmp_path / "out.sav")  # declared codes make gaps, which are protected by default
    after, about = pyreadstat.read_sav(tmp_path / "out.sav", user_missing=True)
    assert after["wage"].iloc[[3, 7]].tolist() == [-9.0, -9.0]
    assert np.isnan(after["wage"].iloc[9])
    assert about.missing_ranges == {"wage": [{"lo": -9.0, "hi": -9.0}]}
    assert not (after["wage"].drop([3, 7]) == -9).any()


@pytest.mark.slow
def test_a_stata_file_keeps_labels_types_and_reasons(tmp_path):
    frame = people().astype({"sex": "int64", "tax": "int64"})
    frame["wage"] = frame["wage"].astype(object)
    frame.loc[5, "wage"] = "b"
    source = tmp_path / "in.dta"
    values = {"sex": {1: "man", 2: "woman"}}
    pyreadstat.write_dta(
        frame, source, column_labels=COLUMNS, variable_value_labels=values, missing_user_values={"wage": ["b"]}
    )
    released(str(source), tmp_path / "out.dta", missing="protect")
    before, was = pyreadstat.read_dta(source, user_missing=True)
    after, now = pyreadstat.read_dta(tmp_path / "out.dta", user_missing=True)
    assert now.variable_value_labels == was.variable_value_labels == values
    assert now.column_names_to_labels["wage"] == "Monthly wage"
    assert after["wage"].iloc[5] == "b"
    for name in ("age", "sex", "born", "town"):
        assert after[name].tolist() == before[name].tolist()


@pytest.mark.slow
def test_a_sas_transport_file_keeps_its_variable_labels(tmp_path):
    source = tmp_path / "in.xpt"
    pyreadstat.write_xport(people(), source, column_labels=COLUMNS)
    release = released(str(source), tmp_path / "out.xpt")
    after, now = pyreadstat.read_xport(tmp_path / "out.xpt")
    assert now.column_names_to_labels["sex"] == "Sex of the person"
    np.testing.assert_array_equal(after["wage"], release.frame["wage"])


@pytest.mark.slow
def test_between_formats_values_are_the_same_and_what_is_lost_is_said(tmp_path):
    table = open_table(spss(tmp_path / "in.sav", people()))
    for name in ("out.csv", "out.parquet", "out.dta", "out.xpt"):
        write_table(table.frame, tmp_path / name, table)
        back = open_table(tmp_path / name).frame
        assert back["wage"].tolist() == table.frame["wage"].tolist()
        assert back["town"].fillna("").tolist() == table.frame["town"].tolist()
    assert pyreadstat.read_dta(tmp_path / "out.dta")[1].variable_value_labels["sex"] == {1: "man", 2: "woman"}
    assert loses("dta", table.labels) == []
    assert [text.split(" are ")[0] for text in loses("csv", table.labels)] == ["value labels", "variable labels"]
    assert [text.split(" are ")[0] for text in loses("xpt", table.labels)] == ["value labels"]


def portable(path, records):
    """A portable SPSS file with labels, in which 9 is declared missing for SEX: pyreadstat's writer has no such declarations."""
    frame = pd.DataFrame({"AGE": 20.0 + np.arange(records) % 40, "SEX": np.tile([1.0, 2.0, 1.0, 9.0], records // 4)})
    frame["WAGE"] = np.round(1000 + 30 * frame["AGE"] + np.random.default_rng(1).normal(0, 200, records), 2)
    pyreadstat.write_por(
        frame, path, column_labels=["Age", "Sex", "Wage"], variable_format={"AGE": "F3.0", "SEX": "F1.0"}
    )
    content = path.read_bytes().decode("latin-1").replace("\r", "").replace("\n", "")
    content = content.replace("SEX5/1/0/5/1/0/", "SEX5/1/0/5/1/0/89/", 1)
    content = content.replace("C4/Wage", "C4/WageD1/3/SEX3/1/3/man2/5/woman9/2/DK", 1)
    lines = [content[start : start + 80] for start in range(0, len(content), 80)]
    path.write_bytes("\r\n".join([*lines, ""]).encode("latin-1"))
    return frame


def test_a_portable_spss_file_is_read_and_released_as_sav(tmp_path):
    """Oracle: the frame that was written. Labels stay; what is declared missing is a gap, and a note says so."""
    frame = portable(tmp_path / "in.por", 80)
    table = open_table(tmp_path / "in.por")
    gaps = frame["SEX"] == 9
    np.testing.assert_array_equal(table.frame["WAGE"], frame["WAGE"])
    np.testing.assert_array_equal(table.frame["SEX"].isna(), gaps)
    assert (table.frame["SEX"][~gaps] == frame["SEX"][~gaps]).all()
    assert table.frame["AGE"].dtype == "int64"
    assert any("without their codes" in note for note in table.notes)
    roles = pf.Roles(["AGE"], ["WAGE"])
    pf.protect_file(tmp_path / "in.por", tmp_path / "out.sav", pf.IPSO("C"), roles, 1, shuffle=False)
    back, metadata = pyreadstat.read_sav(tmp_path / "out.sav", user_missing=True)
    assert metadata.column_names_to_labels == {"AGE": "Age", "SEX": "Sex", "WAGE": "Wage"}
    assert metadata.variable_value_labels == {"SEX": {1.0: "man", 2.0: "woman"}}
    np.testing.assert_array_equal(back["SEX"].isna(), gaps)
    with pytest.raises(InvalidInput, match=r"\.sav"):
        pf.protect_file(tmp_path / "in.por", tmp_path / "out.por", pf.IPSO("C"), roles, 1)


@pytest.mark.parametrize("name", ["bad.sav", "bad.por", "bad.dta", "bad.xpt", "bad.sas7bdat"])
@pytest.mark.slow
def test_a_file_that_is_none_gets_one_sentence(tmp_path, name):
    (tmp_path / name).write_bytes(b"a,b\n1,2\n" * 40)
    with pytest.raises(InvalidInput, match=r"must be readable as"):
        open_table(tmp_path / name)
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(InvalidInput, match="the file is empty"):
        open_table(tmp_path / name)


@pytest.mark.process
@pytest.mark.slow(3)
def test_a_full_disk_is_not_the_fault_of_the_columns(tmp_path):
    """No file may exceed 50 kB, as on a disk without room: pyreadstat reports it for three formats, and cuts SAS files in silence."""
    program = f"""
import resource, signal
import numpy as np, pandas as pd
from pyfcrm.files import write_table
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
frame = pd.DataFrame(np.random.default_rng(1).normal(size=(5000, 5)), columns=list("abcde"))
for kind in ("sav", "zsav", "dta", "xpt"):
    try:
        write_table(frame, {str(tmp_path)!r} + "/out." + kind)
    except ValueError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.count("there must be room for a copy of the file in the folder ") == 4, done.stdout
    assert list(tmp_path.iterdir()) == []
