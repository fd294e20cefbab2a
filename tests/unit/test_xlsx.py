"""Excel workbooks. Oracles: what openpyxl was told to write, pandas's own reader, and parts written by hand. Identical."""

from __future__ import annotations

import datetime
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.app.scripts import release_name
from pyfcrm.errors import InvalidInput
from pyfcrm.files import read_table
from pyfcrm.files.formats import size_of
from pyfcrm.files.xlsx import kind_of

openpyxl = pytest.importorskip("openpyxl", reason="needs openpyxl: pip install openpyxl")

DAY, NOON = datetime.datetime(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 30, 15)
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
HEAD = '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row>'


def people(n: int = 40) -> pd.DataFrame:
    draw = np.random.default_rng(5)
    age = draw.integers(18, 80, n)
    pay = np.round(900 + 30 * age + draw.normal(0, 50, n), 2)
    return pd.DataFrame(
        {"id": [f"{k:03}" for k in range(n)], "age": age, "wage": pay, "tax": np.rint(pay / 7).astype(int)}
    )


def written(path: Path, rows: list[list[object]], **formats: str) -> Path:
    """A workbook of openpyxl's. formats : by cell, how it is shown."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for place, code in formats.items():
        book.active[place].number_format = code
    book.save(path)
    return path


def by_hand(path: Path, rows: str, after: str = "", more: dict[str, str | int] | None = None) -> Path:
    """The least that a workbook has, with these rows, what comes after them in the sheet, and more parts."""
    kinds = {"": ("officeDocument", "xl/workbook.xml"), "xl/": ("worksheet", "worksheets/sheet1.xml")}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder, (kind, target) in kinds.items():
            name = "_rels/.rels" if not folder else "xl/_rels/workbook.xml.rels"
            one = f'<Relationship Id="rId1" Type="{RELATIONS}/{kind}" Target="{target}"/>'
            link = f'<Relationship Id="rId2" Type="{RELATIONS}/externalLink" Target="externalLinks/externalLink1.xml"/>'
            linked = link if folder and more and "xl/externalLinks/externalLink1.xml" in more else ""
            archive.writestr(name, f"<Relationships>{one}{linked}</Relationships>")
        sheets = f'<sheets><sheet name="s" sheetId="1" xmlns:r="{RELATIONS}" r:id="rId1"/></sheets>'
        archive.writestr("xl/workbook.xml", f"<workbook {MAIN}>{sheets}</workbook>")
        archive.writestr(
            "xl/worksheets/sheet1.xml", f"<worksheet {MAIN}><sheetData>{rows}</sheetData>{after}</worksheet>"
        )
        for part, data in (more or {}).items():
            archive.writestr(part, b"0" * data if isinstance(data, int) else data)
    return path


def cells(*values: str) -> str:
    return f'<row r="2">{"".join(values)}</row>'


def test_numbers_text_dates_truths_and_gaps(tmp_path: Path) -> None:
    head = ["n", "x", "word", "day", "moment", "yes", "gap", "code"]
    rows = [[1, 1.5, "ä <b>", DAY, NOON, True, 3, "007"], [2, None, "", None, NOON, False, None, "008"]]
    table = read_table(written(tmp_path / "t.xlsx", [head, *rows]))
    frame = table.frame
    assert [str(dtype) for dtype in frame.dtypes[["n", "x", "yes", "gap"]]] == ["int64", "float64", "bool", "Int64"]
    assert frame["n"].tolist() == [1, 2]
    assert frame["x"].iloc[0] == 1.5
    assert (frame["day"].iloc[0], frame["moment"].tolist()) == (DAY, [NOON, NOON])
    assert (frame["word"].iloc[0], frame["code"].tolist()) == ("ä <b>", ["007", "008"])
    assert frame[["x", "word", "day", "gap"]].isna().iloc[1].all()
    assert table.notes == ()


def test_as_pandas_reads_it(tmp_path: Path) -> None:
    """On plain columns, from a table that begins at C3."""
    frame = people().assign(day=pd.date_range("1999-12-30", periods=40), note=["x", None] * 20)
    frame.to_excel(tmp_path / "t.xlsx", index=False, startrow=2, startcol=2)
    known = pd.read_excel(tmp_path / "t.xlsx", skiprows=2, usecols="C:H", dtype={"id": str})
    known["note"] = known["note"].astype(pd.Series(["x"]).dtype)
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.xlsx").frame, known, check_dtype=False, check_exact=True)


def test_what_is_not_in_the_frame_is_said(tmp_path: Path) -> None:
    path = written(
        tmp_path / "t.xlsx", [["a", "b", "c"], [1, "#N/A", 0.5], [None] * 3, [2, 3, 0.75], ["x", 4, 0.25]], C2="hh:mm"
    )
    book = openpyxl.load_workbook(path)
    book.create_sheet("more").append([1])
    book.active.merge_cells("A4:B4")
    book.save(path)
    table = read_table(path)
    assert table.frame["a"].tolist() == ["1", "2", "x"]
    assert [note.partition(": ")[2].partition(":")[0].partition(" in ")[0] for note in table.notes] == [
        "the first of 2 sheets was read, and no other",
        "1 merged cell was read",
        "1 cell with an error of a formula, such as #N/A, was taken as missing",
        "times of day are fractions of a day",
        "numbers or dates stand beside text",
        "1 empty row was left out",
    ]
    assert all(note.startswith("t.xlsx: ") for note in table.notes)


def test_formulas_have_their_stored_values(tmp_path: Path) -> None:
    row = cells('<c r="A2"><f>1+1</f><v>2</v></c>', '<c r="B2" t="str"><f>"x"&amp;"y"</f><v>xy</v></c>')
    linked = {"xl/externalLinks/externalLink1.xml": "<externalLink/>"}
    table = read_table(by_hand(tmp_path / "t.xlsx", HEAD + row, more=linked))
    assert table.frame.to_dict("records") == [{"a": 2, "b": "xy"}]
    [note] = table.notes
    assert "values from other workbooks are those that were stored" in note


@pytest.mark.parametrize(
    ("number", "code", "kind"),
    [
        (0, None, ""), (14, None, "date"), (20, None, "time"), (46, None, "time"), (57, None, "date"), (2, None, ""),
        (164, "yyyy-mm-dd", "date"), (164, '[$-409]d\\/mmm\\/yy;@', "date"), (164, "[h]:mm:ss", "time"),
        (164, "mmm", "date"), (164, "h:mm AM/PM", "time"), (164, '#,##0.00 "days"', ""), (164, "[Red]0.00;[Blue]-0.00", ""),
        (164, "General", ""), (164, '0.0\\h', ""), (164, "0.00E+00", ""), (164, "[<=9999]0;yy", ""),
    ],
)  # fmt: skip
def test_what_a_format_shows(number: int, code: str | None, kind: str) -> None:
    assert kind_of(number, {} if code is None else {number: code}) == kind


def test_days_from_1904_and_the_day_that_never_was(tmp_path: Path) -> None:
    """Excel's day 60 is a 29 February 1900; before it days are one later."""
    path = written(
        tmp_path / "t.xlsx",
        [["a"], [1], [59], [61], [44000.25]],
        A2="d/m/yy",
        A3="d/m/yy",
        A4="d/m/yy",
        A5="d/m/yy h:mm",
    )
    assert read_table(path).frame["a"].astype(str).tolist() == [
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
    assert read_table(path).frame["a"].tolist() == [DAY, NOON]


BOMB = {"xl/media/x.bin": 150_000_000}  # so many zeros
REFUSED = {
    "no archive": (None, "must be readable as .xlsx"),
    "an old .xls": (b"\xd0\xcf\x11\xe0" + b"0" * 99, "an old .xls file, or has a password"),
    "a bomb": (("<row/>", "", BOMB), "must not unpack to more than 200 times its size; got 150 MB"),
    "macros": ((HEAD, "", {"xl/vbaProject.bin": "x"}), "with macros is more than data"),
    "formulas only": ((HEAD + cells('<c r="A2"><f>1+1</f></c>'), "", None), "must have their values stored.*; got 1 without"),
    "no table": (("", "", None), "must have a table"),
    "names alone": ((HEAD, "", None), "has columns but no records"),
    "a broken number": ((HEAD + cells('<c r="A2"><v>1x</v></c>'), "", None), "hold what its type says; got row 2, column 1"),
    "no number": ((HEAD + cells('<c r="A2"><v>nan</v></c>'), "", None), "hold what its type says"),
    "a text that is not there": ((HEAD + cells('<c r="A2" t="s"><v>7</v></c>'), "", None), "hold what its type says"),
    "a cell twice": ((HEAD + cells('<c r="A2"><v>1</v></c>' * 2), "", None), "stand in the sheet once; got row 2, column 1"),
    "a column without a name": ((HEAD + cells('<c r="D2"><v>1</v></c>'), "", None), "every column must have a name"),
    "broken XML": ((HEAD + "<row>", "", None), "a part that is broken"),
    "far away": ((HEAD + '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', "", None), "every column must have a name"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_table_is_refused_in_a_sentence(tmp_path: Path, what: str) -> None:
    made, words = REFUSED[what]
    path = tmp_path / "t.xlsx"
    if isinstance(made, tuple):
        by_hand(path, *made)
    else:
        path.write_bytes(made or b"nothing of a workbook")
    with pytest.raises(InvalidInput, match=words) as refused:
        read_table(path)
    assert len(str(refused.value).splitlines()) == 1


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    text = '<!DOCTYPE sst [<!ENTITY x SYSTEM "file:///etc/passwd">]><sst><si><t>&x;</t></si></sst>'
    path = by_hand(tmp_path / "t.xlsx", HEAD, more={"xl/workbook.xml.bak": "", "xl/sharedStrings.xml": text})
    with zipfile.ZipFile(path, "a") as archive:
        link = f'<Relationship Id="rId1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>'
        link += f'<Relationship Id="rId3" Type="{RELATIONS}/sharedStrings" Target="sharedStrings.xml"/>'
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{link}</Relationships>")
    with pytest.raises(InvalidInput, match="must not declare types or entities"):
        read_table(path)


def test_a_size_is_counted_and_not_believed(tmp_path: Path) -> None:
    people().to_excel(tmp_path / "t.xlsx", index=False)
    size = size_of(str(tmp_path / "t.xlsx"), 10**6, 10**6)
    assert (size.rows, size.columns, size.bytes) == (40, 4, 40 * (3 + 8 * 3))
    assert 100 < size_of(str(tmp_path / "t.xlsx"), 100, 10**6).cells < 160
    lying = by_hand(tmp_path / "l.xlsx", HEAD + cells('<c r="A2"><v>1</v></c>'), '<dimension ref="A1:XFD1048576"/>')
    assert size_of(str(lying), 100, 100).cells == 2


def test_a_workbook_is_protected_and_leaves_as_csv(tmp_path: Path) -> None:
    """The release is that of the same table as CSV."""
    people().to_excel(tmp_path / "in.xlsx", index=False)
    people().to_csv(tmp_path / "in.csv", index=False)
    roles = pf.Roles(["age"], ["wage", "tax"], ["id"])
    for name in ("xlsx", "csv"):
        pf.protect_file(tmp_path / f"in.{name}", tmp_path / f"{name}.csv", pf.IPSO(), roles, seed=1)
    assert (tmp_path / "xlsx.csv").read_text() == (tmp_path / "csv.csv").read_text()
    with pytest.raises(InvalidInput, match=r"workbooks are only read; take \.csv"):
        pf.protect_file(tmp_path / "in.xlsx", tmp_path / "out.xlsx", pf.IPSO(), roles, seed=1)
    assert release_name("a.xlsx") == "a-protected.csv"


@pytest.mark.slow
def test_the_studio_takes_a_workbook_in_and_refuses_a_bomb(tmp_path: Path) -> None:
    pytest.importorskip("shiny", reason="needs the extra app")
    from pyfcrm.app.visit import Visit, taken_in

    people().to_excel(tmp_path / "good.xlsx", index=False)
    by_hand(tmp_path / "bad.xlsx", "<row/>", more=BOMB)
    visit = Visit()
    try:
        for name in ("good.xlsx", "bad.xlsx"):
            upload = visit.begin(name, 1)
            upload.path.write_bytes((tmp_path / name).read_bytes())
            if name == "good.xlsx":
                assert taken_in(upload, visit)[1].frame.equals(read_table(tmp_path / name).frame)
            else:
                with pytest.raises(InvalidInput, match=r"^bad\.xlsx: a workbook must not unpack to more"):
                    taken_in(upload, visit)
    finally:
        visit.end()
