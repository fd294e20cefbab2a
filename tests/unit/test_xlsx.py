"""Excel workbooks. Oracles: what openpyxl was told to write, pandas's own reader, and parts written by hand. Identical."""

import datetime
import zipfile

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput
from pyfcrm.files import open_table

openpyxl = pytest.importorskip("openpyxl", reason="needs openpyxl: pip install openpyxl")

DAY, NOON = datetime.datetime(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 30, 15)
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
HEAD = '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row>'


def people(n=40):
    draw = np.random.default_rng(5)
    age = draw.integers(18, 80, n)
    pay = np.round(900 + 30 * age + draw.normal(0, 50, n), 2)
    return pd.DataFrame(
        {"id": [f"{k:03}" for k in range(n)], "age": age, "wage": pay, "tax": np.rint(pay / 7).astype(int)}
    )


def written(path, rows, **formats):
    """A workbook of openpyxl's. formats : by cell, how it is shown."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for place, code in formats.items():
        book.active[place].number_format = code
    book.save(path)
    return path


def by_hand(path, rows, after="", more=None, before=""):
    """The least that a workbook has, with these rows, what stands before and after them in the sheet, and more parts."""
    kinds = {"": ("officeDocument", "xl/workbook.xml"), "xl/": ("worksheet", "worksheets/sheet1.xml")}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder, (kind, target) in kinds.items():
            name = "_rels/.rels" if not folder else "xl/_rels/workbook.xml.rels"
            one = f'<Relationship Id="rId1" Type="{RELATIONS}/{kind}" Target="{target}"/>'
            archive.writestr(name, f"<Relationships>{one}</Relationships>")
        sheets = f'<sheets><sheet name="s" sheetId="1" xmlns:r="{RELATIONS}" r:id="rId1"/></sheets>'
        archive.writestr("xl/workbook.xml", f"<workbook {MAIN}>{sheets}</workbook>")
        sheet = f"{before}<worksheet {MAIN}><sheetData>{rows}</sheetData>{after}</worksheet>"
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
        for part, data in (more or {}).items():
            archive.writestr(part, data)
    return path


def cells(*values):
    return f'<row r="2">{"".join(values)}</row>'


@pytest.mark.usefixtures("in_this_process")
def test_numbers_text_dates_truths_and_gaps(tmp_path):
    head = ["n", "x", "word", "day", "moment", "yes", "gap", "code"]
    rows = [[1, 1.5, "ä <b>", DAY, NOON, True, 3, "007"], [2, None, "", None, NOON, False, None, "008"]]
    table = open_table(written(tmp_path / "t.xlsx", [head, *rows]))
    frame = table.frame
    assert [str(dtype) for dtype in frame.dtypes[["n", "x", "yes", "gap"]]] == ["int64", "float64", "bool", "Int64"]
    assert frame["n"].tolist() == [1, 2]
    assert frame["x"].iloc[0] == 1.5
    assert (frame["day"].iloc[0], frame["moment"].tolist()) == (DAY, [NOON, NOON])
    assert (frame["word"].iloc[0], frame["code"].tolist()) == ("ä <b>", ["007", "008"])
    assert frame[["x", "word", "day", "gap"]].isna().iloc[1].all()
    assert table.notes == ()


@pytest.mark.usefixtures("in_this_process")
def test_as_pandas_reads_it(tmp_path):
    """On plain columns, from a table that begins at C3."""
    frame = people().assign(day=pd.date_range("1999-12-30", periods=40), note=["x", None] * 20)
    frame.to_excel(tmp_path / "t.xlsx", index=False, startrow=2, startcol=2)
    known = pd.read_excel(tmp_path / "t.xlsx", skiprows=2, usecols="C:H", dtype={"id": str})
    known["note"] = known["note"].astype(pd.Series(["x"]).dtype)
    pd.testing.assert_frame_equal(open_table(tmp_path / "t.xlsx").frame, known, check_dtype=False, check_exact=True)


@pytest.mark.usefixtures("in_this_process")
def test_notes_name_what_is_not_in_the_frame(tmp_path):
    path = written(
        tmp_path / "t.xlsx", [["a", "b", "c"], [1, "NA", 0.5], [None] * 3, [2, 3, 0.75], ["x", 4, 0.25]], C2="hh:mm"
    )
    book = openpyxl.load_workbook(path)
    book.create_sheet("more").append([1])
    book.save(path)
    table = open_table(path)
    assert table.frame["a"].tolist() == ["1", "2", "x"]
    assert table.frame["b"].tolist() == [pd.NA, 3, 4]
    assert table.frame["c"].tolist() == ["12:00:00", "0.75", "0.25"]
    assert [note.partition(": ")[2].partition(":")[0].partition(" in ")[0] for note in table.notes] == [
        "only the first of 2 sheets was read (name another one by `sheet`)",
        "values of several kinds stand",
    ]
    assert all(note.startswith("t.xlsx: ") for note in table.notes)


@pytest.mark.usefixtures("in_this_process")
def test_formulas_have_their_stored_values(tmp_path):
    row = cells('<c r="A2"><f>1+1</f><v>2</v></c>', '<c r="B2" t="str"><f>"x"&amp;"y"</f><v>xy</v></c>')
    table = open_table(by_hand(tmp_path / "t.xlsx", HEAD + row))
    assert table.frame.to_dict("records") == [{"a": 2, "b": "xy"}]


@pytest.mark.usefixtures("in_this_process")
def test_days_from_1904_and_the_day_that_never_was(tmp_path):
    """Excel's day 60 is a 29 February 1900; before it days are one later."""
    path = written(
        tmp_path / "t.xlsx",
        [["a"], [1], [59], [61], [44000.25]],
        A2="d/m/yy",
        A3="d/m/yy",
        A4="d/m/yy",
        A5="d/m/yy h:mm",
    )
    assert open_table(path).frame["a"].astype(str).tolist() == [
        "1900-01-01 00:00:00",
        "1900-02-28 00:00:00",
        "1900-03-01 00:00:00",
        "2020-06-18 06:00:00",
    ]
    book = openpyxl.Workbook()
    book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    for row in (["a"], [DAY], [NOON]):
        book.active.append(row)
    book.save(path)
    assert open_table(path).frame["a"].tolist() == [DAY, NOON]


REFUSED = {
    "no archive": (None, "must be readable as .xlsx"),
    "an old .xls": (b"\xd0\xcf\x11\xe0" + b"0" * 99, "an older .xls, or one with a password, must be saved anew"),
    "formulas only": ((HEAD + cells('<c r="A2"><f>1+1</f></c>'), "", None), "must have their values stored.*; got cell A2"),
    "a shared formula": ((HEAD + cells('<c s="1" r="B2"><f t="shared" si="0"/><v/></c>'), "", None), "; got cell B2"),
    "an error": ((HEAD + cells('<c r="A2"><v>1</v></c><c t="e" r="B2"><v>#N/A</v></c>'), "", None), "an error, .*; got cell B2"),
    "no table": (("", "", None), "must have a table"),
    "names alone": ((HEAD, "", None), "has columns but no records"),
    "a text that is not there": ((HEAD + cells('<c r="A2" t="s"><v>7</v></c>'), "", None), "must be readable as .xlsx"),
    "a column without a name": ((HEAD + cells('<c r="D2"><v>1</v></c>'), "", None), "every column must have a name"),
    "broken XML": ((HEAD + "<row>", "", None), "must be readable as .xlsx"),
    "far away": ((HEAD + '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', "", None), "its reader needs more than .* MB of memory"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.slow
def test_what_is_no_table_is_refused_in_a_sentence(tmp_path, what, request):
    result, words = REFUSED[what]
    if "memory" not in words:
        request.getfixturevalue("in_this_process")
    path = tmp_path / "t.xlsx"
    if isinstance(result, tuple):
        by_hand(path, *result)
    else:
        path.write_bytes(result or b"nothing of a workbook")
    with pytest.raises(InvalidInput, match=words) as refused:
        open_table(path)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.slow
def test_entities_are_not_expanded(tmp_path):
    """A file that an entity names is not read. Oracle: its text, which is in neither frame nor message."""
    (tmp_path / "secret").write_text("PLANTED")
    declared = f'<!DOCTYPE c [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]>'
    path = by_hand(
        tmp_path / "t.xlsx", HEAD + cells('<c r="A2" t="inlineStr"><is><t>&x;</t></is></c>'), before=declared
    )
    try:
        shown = open_table(path).frame.to_string()
    except InvalidInput as error:
        shown = str(error)
    assert "PLANTED" not in shown


@pytest.mark.slow
def test_a_workbook_is_protected_and_leaves_as_csv(tmp_path):
    """The release is that of the same table as CSV."""
    people().to_excel(tmp_path / "in.xlsx", index=False)
    people().to_csv(tmp_path / "in.csv", index=False)
    roles = pf.Roles(["age"], ["wage", "tax"], ["id"])
    for name in ("xlsx", "csv"):
        pf.protect_file(tmp_path / f"in.{name}", tmp_path / f"{name}.csv", pf.IPSO(), roles, seed=1)
    assert (tmp_path / "xlsx.csv").read_text() == (tmp_path / "csv.csv").read_text()
    with pytest.raises(InvalidInput, match=r"an output's extension must be one of \.csv"):
        pf.protect_file(tmp_path / "in.xlsx", tmp_path / "out.xlsx", pf.IPSO(), roles, seed=1)
