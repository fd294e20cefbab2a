"""What is written of a release contains nothing of the original but released cells.

Oracle: distinct texts and numbers that no released cell has are planted in the original: levels that no record has, values of one
record that is suppressed, dropped or not drawn, index values, labels and titles. Their bytes are searched in everything that the
libraries write of a released frame, and in every file format. Each search finds the plants in the original. Grade: identical.
"""

import contextlib
import io
import pickle
import re
import zipfile
import zlib
from pathlib import Path

import numpy as np
import openpyxl
import openpyxl.packaging.custom
import openpyxl.workbook.defined_name
import openpyxl.worksheet.datavalidation
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pyreadstat
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput
from pyfcrm.report import report_page

N, ALONE = 60, 7  # the record that no release has, or whose key cells are emptied
NEVER, OWN, SHORT, NUMBER = "PLANTED_UNUSED_LEVEL", "PLANTED_LEVEL_OF_ONE_RECORD", "Zq9Xw", 7311223344556677
OTHERS = ["a common first level", "a common second level", "a common third level"]
TEXTS = [NEVER, OWN, SHORT]


def original():
    """Record ALONE has texts and a number of its own, and misses `income`. `town` has no role."""
    rng = np.random.default_rng(1)
    job = [OTHERS[k] for k in rng.integers(0, 3, N)]
    town, number = list(job), rng.integers(1, 4, N)
    short = [text[9:14] for text in job]
    job[ALONE], town[ALONE], short[ALONE], number[ALONE] = OWN, OWN, SHORT, NUMBER
    age = rng.normal(40, 10, N).round(1)
    income = np.where(np.arange(N) == ALONE, np.nan, (50 * age + rng.normal(0, 200, N)).round(1))
    return {"age": age, "income": income, "job": job, "town": town, "short": short, "number": number}


LEVELS = [NEVER, *OTHERS, OWN]


def in_pandas(categories="category"):
    frame = pd.DataFrame(original())
    return frame.assign(
        job=pd.Categorical(frame["job"], LEVELS, ordered=True)
        if categories == "category"
        else pd.arrays.ArrowExtensionArray(arrow_categories()),
        town=pd.Categorical(frame["town"], LEVELS),
        short=frame["short"].astype("string"),
        number=frame["number"].astype("Int64"),
    )


def arrow_categories():
    codes = pa.array([LEVELS.index(text) for text in original()["job"]], pa.int8())
    return pa.chunked_array([pa.DictionaryArray.from_arrays(codes, pa.array(LEVELS))])


def in_polars():
    levels = pl.Enum(LEVELS)
    return pl.DataFrame(original()).with_columns(pl.col("job").cast(levels), pl.col("town").cast(pl.Categorical))


def in_arrow():
    table = pa.table(original())
    table = table.set_column(2, "job", arrow_categories())
    return table.set_column(3, "town", table["town"].dictionary_encode())


FRAMES = {
    "pandas": in_pandas,
    "pandas with arrow types": lambda: in_pandas("arrow"),
    "polars": in_polars,
    "arrow": in_arrow,
}


def written(frame):
    """Everything that a library writes of a frame, by kind."""
    files = {}

    def add(kind, write):
        buffer = io.BytesIO()
        write(buffer)
        files[kind] = buffer.getvalue()

    files["pickle"] = pickle.dumps(frame)
    if isinstance(frame, pd.DataFrame):
        add("csv", frame.to_csv)
        add("parquet", frame.to_parquet)
        table = pa.Table.from_pandas(frame)
        files["tables by group"] = "".join(str(frame.groupby(name, observed=False).size()) for name in frame).encode()
    elif isinstance(frame, pl.DataFrame):
        add("csv", frame.write_csv)
        add("parquet", lambda file: frame.write_parquet(file, compression="uncompressed"))
        add("ipc", lambda file: frame.write_ipc(file, compression="uncompressed"))
        table = frame.to_arrow()
    else:
        add("parquet", lambda file: pa.parquet.write_table(frame, file, compression="none"))
        table = frame
    add("feather", lambda file: pa.feather.write_feather(table, file, compression="uncompressed"))
    return files


def found(files, plants):
    data = {plant: plant.to_bytes(8, "little") if isinstance(plant, int) else plant.encode() for plant in plants}
    return {(kind, plant) for kind, content in files.items() for plant, own in data.items() if own in content}


KEYS = ["job", "town", "short", "number"]
GROUPS = {"new": OTHERS[:2]}
RELEASES = {
    "dropped": (pf.IPSO("C"), pf.Roles("age", "income"), {"missing": "drop"}),
    "not drawn": (pf.Sampling(0.5), pf.Roles(dependent=["age"]), {}),
    "suppressed": (pf.LocalSuppression(2, KEYS), pf.Roles(dependent=KEYS), {}),
    "unused": (pf.IPSO("C"), pf.Roles("age", "income"), {"missing": "protect"}),
    "drawn anew": (pf.Sequential(), pf.Roles("age", ["income", "job"]), {"missing": "drop"}),
    "perturbed": (pf.PRAM(), pf.Roles(dependent=["town"]), {}),
    "in steps": (
        pf.Steps([
            (pf.Recoding({"job": GROUPS}), pf.Roles(dependent="job")),
            (pf.LocalSuppression(2, ["town", "short", "number"]), pf.Roles(dependent=["town", "short", "number"])),
            (pf.Sampling(0.9), pf.Roles(dependent=["age"])),
        ]),
        None, {},
    ),
}  # fmt: skip
ONLY_UNUSED = ("unused", "perturbed", "in steps")  # after which record ALONE may still have some of its values


def cells_of(frame):
    frame = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
    return {str(cell) for name in frame for cell in frame[name].astype(object).tolist()}


@pytest.mark.parametrize("case", RELEASES)
@pytest.mark.parametrize("library", FRAMES)
def test_a_released_frame_contains_released_cells_only(library, case):
    method, roles, options = RELEASES[case]
    if (library, case) == ("pandas with arrow types", "drawn anew"):
        roles = pf.Roles("age", "income")  # such dictionaries cannot be confidential
    frame = FRAMES[library]()
    released = pf.protect(frame, method, roles, seed=1, allow_unprotected=True, **options).frame
    cells = cells_of(released)
    plants = [plant for plant in (*TEXTS, NUMBER) if str(plant) not in cells]
    assert NEVER in plants
    assert case in ONLY_UNUSED or plants == [*TEXTS, NUMBER]
    assert {plant for _, plant in found(written(frame), [OWN, SHORT, NUMBER])} == {OWN, SHORT, NUMBER}
    assert not found(written(released), plants)


@pytest.mark.parametrize("library", FRAMES)
def test_a_part_of_a_larger_frame_does_not_bring_its_other_records(library):
    """A slice shares the memory of the larger frame, and some libraries pickle all of it."""
    frame = FRAMES[library]()
    part = frame.iloc[ALONE + 1 :] if isinstance(frame, pd.DataFrame) else frame[ALONE + 1 :]
    released = pf.protect(part, pf.IPSO("C"), pf.Roles("age", "income"), seed=2).frame
    assert not found(written(released), [*TEXTS, NUMBER])


def test_the_order_of_the_levels_and_the_types_stay():
    roles = pf.Roles("age", "income")
    for library, make in FRAMES.items():
        frame = make()
        released = pf.protect(frame, pf.IPSO("C"), roles, seed=2, missing="drop").frame
        if isinstance(frame, pd.DataFrame):
            assert released["job"].dtype.name.startswith("category") == (library == "pandas")
            assert (released.drop(columns=["job", "town"]).dtypes == frame.drop(columns=["job", "town"]).dtypes).all()
        if library == "pandas":
            assert released["job"].cat.ordered
            assert released["job"].cat.categories.tolist() == OTHERS
        if library == "polars":
            assert released["job"].dtype == pl.Enum(OTHERS)
            assert released["town"].dtype == pl.Categorical
        if library == "arrow":
            assert released.schema == frame.schema
            assert released["job"].combine_chunks().dictionary.to_pylist() == OTHERS


def test_an_index_is_not_released():
    frame = in_pandas().drop(index=ALONE)
    names = [f"PLANTED_PERSON_{k}" for k in range(N - 1)]
    roles = pf.Roles("age", "income", "person")
    numbers = frame.set_axis(np.arange(N - 1) + NUMBER, axis=0)
    for indexed in (frame.set_axis(pd.Index(names, name="person"), axis=0), numbers):
        own = roles if indexed.index.name else pf.Roles("age", "income")
        released = pf.protect(indexed, pf.IPSO("C"), own, seed=2).frame
        assert found(written(indexed), ["PLANTED_PERSON_3", NUMBER + 3])
        assert not found(written(released), ["PLANTED_PERSON_3", "person", NUMBER + 3, str(NUMBER + 3)])
        assert released.index.equals(pd.RangeIndex(N - 1))
    for indexed in (frame.set_index("income", drop=False), frame.set_index("town"), frame.set_axis(names, axis=0)):
        with pytest.raises(InvalidInput, match=r"reset_index"):
            pf.protect(indexed, pf.IPSO("C"), pf.Roles("age", "income"), seed=2)


def test_columns_that_are_dropped_leave_no_label():
    """Labels of several levels and of categories keep those of dropped columns in pandas."""
    frame = pd.DataFrame(original())[["age", "income", "town"]].dropna().reset_index(drop=True)
    several = frame.set_axis(pd.MultiIndex.from_tuples([("x", "age"), ("x", "income"), ("PLANTED_A", "town")]), axis=1)
    categories = frame.set_axis(pd.CategoricalIndex(["age", "income", "PLANTED_A"]), axis=1)
    for indexed, names in ((several, [str(label) for label in several.columns]), (categories, [*categories.columns])):
        released = pf.protect(indexed, pf.IPSO("C"), pf.Roles(names[0], names[1], names[2]), seed=2).frame
        assert b"PLANTED_A" not in pickle.dumps(released)


TITLE, UNUSED_LABEL, OWN_LABEL = "PLANTED_TITLE", "PLANTED_LABEL_OF_NO_CODE", "PLANTED_LABEL_OF_ONE_CODE"
REFUSED = "PLANTED_REASON_OF_ONE"
SOURCES = ["csv", "parquet", "xlsx", "sav", "dta"]
TARGETS = ["csv", "parquet", "sav", "zsav", "dta", "xpt"]


def source_file(kind, folder):
    """A file in which record ALONE has texts, codes and labels of its own."""
    path = str(folder / f"in.{kind}")
    frame = pd.DataFrame(original()).drop(columns="number")
    if kind == "parquet":
        pa.parquet.write_table(in_arrow(), path)
        return path
    if kind in ("csv", "xlsx"):
        getattr(frame, {"csv": "to_csv", "xlsx": "to_excel"}[kind])(path, index=False)
        return path
    codes = np.where(frame["job"] == OWN, 9.0, frame["job"].map({text: k for k, text in enumerate(OTHERS)}))
    labelled = pd.DataFrame({"age": frame["age"], "income": frame["income"], "code": codes, "town": frame["town"]})
    labels = {"code": {0.0: "zero", 1.0: "one", 9.0: OWN_LABEL, 10.0: UNUSED_LABEL}}
    more = {"column_labels": {"code": "Code of the job"}, "file_label": TITLE}
    if kind == "sav":
        labelled["reason"] = np.where(np.arange(N) == ALONE, 98.0, np.where(np.arange(N) == 8, 99.0, 1.0))
        labels["reason"] = {98.0: REFUSED, 99.0: "does not know"}
        more["missing_ranges"] = {"reason": [98.0, 99.0]}
    writer = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta}[kind]
    if kind == "dta":
        labels["code"] = {int(code): text for code, text in labels["code"].items()}
        labelled["code"] = labelled["code"].astype(int)
    writer(labelled, path, variable_value_labels=labels, **more)
    return path


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", SOURCES)
def test_a_released_file_contains_released_cells_only(tmp_path, source, target):
    path = source_file(source, tmp_path)
    output = str(tmp_path / f"out.{target}")
    roles = pf.Roles("age", "income")
    result = pf.protect_file(path, output, pf.IPSO("C"), roles, 1, missing="drop", allow_unprotected=True)
    plants = [*TEXTS, TITLE, UNUSED_LABEL, OWN_LABEL, REFUSED]
    assert not found({output: Path(output).read_bytes()}, plants)
    read = pf.read_table(output)
    assert len(read) == N - 1
    assert not found(written(result.frame), plants)
    if source in ("sav", "dta") and target in ("sav", "zsav", "dta"):
        labels = read.attrs["variable_value_labels"]
        assert list(labels["code"].values()) == ["zero", "one"]
        assert read.attrs["column_labels"] == {"code": "Code of the job"}
    if source == "sav" and target in ("sav", "zsav"):
        reader = pyreadstat.read_sav(output, user_missing=True)
        assert reader[1].missing_ranges == {"reason": [{"lo": 99.0, "hi": 99.0}]}
        assert reader[1].variable_value_labels["reason"] == {99.0: "does not know"}
        assert sorted(set(reader[0]["reason"])) == [1.0, 99.0]


ATTRIBUTE, COLUMN_ATTRIBUTE, INDEX_NAME, NOTE = (
    "PLANTED_ATTRIBUTE",
    "PLANTED_OF_COLUMN",
    "PLANTED_INDEX",
    "PLANTED_NOTE",
)
EVERYWHERE = [ATTRIBUTE, COLUMN_ATTRIBUTE, INDEX_NAME, NOTE]


def with_attributes(library):
    """A frame with plants beside its cells: attributes of frame and column, names of indexes, metadata of schema and field."""
    frame = FRAMES[library]()
    if library == "arrow":
        fields = [field.with_metadata({"note": COLUMN_ATTRIBUTE}) for field in frame.schema]
        metadata = {"title": ATTRIBUTE, "pandas": f'{{"index_columns": ["{INDEX_NAME}"], "note": "{NOTE}"}}'}
        return frame.cast(pa.schema(fields, metadata=metadata))
    frame.attrs["title"] = ATTRIBUTE
    frame.attrs["variable_value_labels"] = {"number": {1: "one", 99: NOTE}}
    for name in frame:
        frame[name].attrs["note"] = COLUMN_ATTRIBUTE
    return frame.rename_axis(columns=INDEX_NAME)  # a name of the index needs a role


@pytest.mark.parametrize("case", RELEASES)
@pytest.mark.parametrize("library", [name for name in FRAMES if name != "polars"])  # polars has none of these
def test_attributes_and_metadata_are_not_released(library, case):
    method, roles, options = RELEASES[case]
    if (library, case) == ("pandas with arrow types", "drawn anew"):
        roles = pf.Roles("age", "income")
    frame = with_attributes(library)
    assert {plant for _, plant in found(written(frame), EVERYWHERE)} >= {ATTRIBUTE, INDEX_NAME, NOTE}
    released = pf.protect(frame, method, roles, seed=1, allow_unprotected=True, **options).frame
    assert not found(written(released), [NEVER, *EVERYWHERE])


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("target", TARGETS)
def test_metadata_of_a_parquet_file_is_not_released(tmp_path, target):
    """By blocks as well as in memory, which differ in how the file is written."""
    path = str(tmp_path / "in.parquet")
    pa.parquet.write_table(with_attributes("arrow"), path)
    assert found({path: Path(path).read_bytes()}, [ATTRIBUTE, COLUMN_ATTRIBUTE])
    output = str(tmp_path / f"out.{target}")
    pf.protect_file(path, output, pf.IPSO("C"), pf.Roles("age", "income"), 1, missing="drop")
    assert not found({output: Path(output).read_bytes()}, [*TEXTS, *EVERYWHERE])


@pytest.mark.slow
@pytest.mark.usefixtures("in_this_process")
def test_notes_of_files_are_not_released(tmp_path):
    """A document of SPSS, comments and properties of a workbook."""
    frame = pd.DataFrame(original()).drop(columns="number")
    spss = str(tmp_path / "in.sav")
    pyreadstat.write_sav(frame, spss, note=[NOTE], file_label=TITLE)
    excel = str(tmp_path / "in.xlsx")
    frame.to_excel(excel, index=False)
    book = openpyxl.load_workbook(excel)
    book.properties.title = TITLE
    book.active["A1"].comment = openpyxl.comments.Comment(NOTE, "author")
    book.save(excel)
    for path in (spss, excel):
        for target in TARGETS:
            output = str(tmp_path / f"of-{path[-3:]}.{target}")
            pf.protect_file(path, output, pf.IPSO("C"), pf.Roles("age", "income"), 1, missing="drop")
            assert not found({output: Path(output).read_bytes()}, [*TEXTS, NOTE, TITLE])


LARGE = 7311223344.5  # the income of one record


def texts_of(number):
    """A number as pages and files may write it, to four digits and more."""
    return [
        f"{number:.1f}",
        f"{number:,.1f}",
        f"{number:.0f}",
        f"{number:,.0f}",
        f"{number:.4g}",
        f"{number:.5g}",
        f"{number:.6g}",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("source", ["frame", "sav", "dta", "parquet"])
def test_codebook_and_external_report_contain_no_original(tmp_path, source):
    """Oracle: plants in labels, levels, attributes, and an amount of one record; the internal report has that amount."""
    if source == "frame":
        frame = in_pandas()
        frame.attrs["title"] = TITLE
    else:
        frame = pf.read_table(source_file(source, tmp_path))
    frame = frame.assign(income=frame["income"].fillna(900.0).astype(float))
    frame.loc[3, "income"] = LARGE
    frame = frame.drop(index=ALONE).reset_index(drop=True)  # the record whose texts no release may have
    roles = pf.Roles("age", "income")
    released = pf.protect(frame, pf.Calibrated(pf.IPSO("C"), margins="smooth"), roles, seed=1, allow_unprotected=True)
    book = pf.codebook(released)
    report = pf.evaluate(frame, released)
    pages = {
        "json": book.to_json(),
        "html": book.to_html(),
        "ddi": pf.codebook(released, "ddi"),
        "frictionless": pf.codebook(released, "frictionless"),
        "external": report_page(frame, released, report, "external"),
    }
    files = {name: page.encode() for name, page in pages.items()}
    plants = [*TEXTS, TITLE, UNUSED_LABEL, OWN_LABEL, REFUSED]
    assert not found(files, plants)
    assert not found(files, texts_of(LARGE))
    internal = report_page(frame, released, report, "internal").encode()
    assert found({"internal": internal}, texts_of(LARGE))


PLACES = "PLANTED_IN_"  # every plant of a file with metadata begins so, followed by its place
PERSON = [f"{PLACES}person_{k}" for k in range(N)]  # cells of an identifier, which is dropped


def people_with_names():
    """Records without gaps or own texts, and an identifier."""
    frame = pd.DataFrame(original())[["age", "income"]].fillna(900.0)
    return frame.assign(code=np.arange(N) % 3 * 1.0, person=PERSON, pid=1000.0 + np.arange(N))


def excel_with_metadata(path):
    """Plants in properties, comments, hidden sheets, defined names, headers, lists of allowed values, links and formats."""
    people_with_names().to_excel(path, index=False, sheet_name=f"{PLACES}sheet")
    book = openpyxl.load_workbook(path)
    properties = ("title", "subject", "creator", "keywords", "description", "category", "lastModifiedBy", "version")
    for name in properties:
        setattr(book.properties, name, f"{PLACES}{name}")
    custom = openpyxl.packaging.custom.StringProperty(name=f"{PLACES}custom_name", value=f"{PLACES}custom")
    book.custom_doc_props.append(custom)
    sheet = book.active
    sheet["A1"].comment = openpyxl.comments.Comment(f"{PLACES}comment", f"{PLACES}author")
    sheet["A2"].hyperlink = f"https://example.org/{PLACES}link"
    sheet["A3"].number_format = f'0.0"{PLACES}format"'
    sheet.oddHeader.center.text = f"{PLACES}header"
    allowed = openpyxl.worksheet.datavalidation.DataValidation(type="list", formula1=f'"{PLACES}allowed"')
    allowed.add("A4")
    sheet.add_data_validation(allowed)
    for state in ("hidden", "veryHidden"):
        further = book.create_sheet(f"{PLACES}{state}"[:31])
        further["A1"] = f"{PLACES}cell_of_{state}"
        further.sheet_state = state
    name = f"{PLACES}defined"
    book.defined_names[name] = openpyxl.workbook.defined_name.DefinedName(name, attr_text=f'"{PLACES}text"')
    book.save(path)


def parquet_with_metadata(path):
    """Plants in metadata of schema and fields, in pandas' own, and among the levels of a dictionary."""
    frame = people_with_names()
    levels = pa.array(["a", "b", "c", f"{PLACES}level"])
    coded = pa.DictionaryArray.from_arrays(pa.array((np.arange(N) % 3).astype(np.int8)), levels)
    table = pa.Table.from_pandas(frame, preserve_index=False).append_column("level", coded)
    fields = [field.with_metadata({f"{PLACES}key": f"{PLACES}field"}) for field in table.schema]
    of_pandas = f'{{"index_columns": ["{PLACES}index"], "attributes": {{"note": "{PLACES}attribute"}}}}'
    metadata = {f"{PLACES}schema_key": f"{PLACES}schema", "pandas": of_pandas}
    pa.parquet.write_table(table.cast(pa.schema(fields, metadata=metadata)), path)


def labels_with_plants(*, whole):
    """Labels of columns and values as pyreadstat's writers take them: of unused values, and of columns that are dropped."""
    number = int if whole else float
    of_code = {number(k): f"class {k}" for k in range(3)} | {number(7): f"{PLACES}unused_label"}
    of_person = {number(1000 + k): f"{PLACES}label_of_person_{k}" for k in range(N)}
    return {
        "file_label": f"{PLACES}file_label",
        "column_labels": {"code": "Class", "person": f"{PLACES}name_label", "pid": f"{PLACES}pid_label"},
        "variable_value_labels": {"code": of_code, "pid": of_person},
    }


def spss_with_metadata(path):
    """Plants in the title, the document and labels; code 8 is declared missing, and no record has it."""
    labels = labels_with_plants(whole=False)
    labels["variable_value_labels"]["code"][8.0] = f"{PLACES}unused_missing"
    pyreadstat.write_sav(
        people_with_names(),
        path,
        note=[f"{PLACES}document", f"{PLACES}line_2"],
        missing_ranges={"code": [8.0]},
        **labels,
    )


def stata_with_metadata(path):
    """Plants in the data label, labels, and a note, which Stata stores as a characteristic: no writer of Python has these."""
    frame = people_with_names().astype({"code": int, "pid": int})
    pyreadstat.write_dta(frame, path, **labels_with_plants(whole=True))
    content = Path(path).read_bytes()
    note = f"{PLACES}characteristic\0".encode()
    record = b"_dta".ljust(129, b"\0") + b"note1".ljust(129, b"\0") + note
    record = b"<ch>" + len(record).to_bytes(4, "little") + record + b"</ch>"
    place = content.index(b"<characteristics>") + len(b"<characteristics>")
    begin = content.index(b"<map>") + len(b"<map>")
    end = content.index(b"</map>")
    offsets = np.frombuffer(content[begin:end], "<u8")
    moved = np.where(offsets > place, offsets + len(record), offsets).astype("<u8")
    content = content[:begin] + moved.tobytes() + content[end:place] + record + content[place:]
    Path(path).write_bytes(content)


WITH_METADATA = {
    "xlsx": excel_with_metadata,
    "parquet": parquet_with_metadata,
    "sav": spss_with_metadata,
    "dta": stata_with_metadata,
}


def plain_bytes(path):
    """The bytes of a file, and what is compressed in it."""
    content = Path(path).read_bytes()
    parts = [content]
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            parts += [archive.read(name) for name in archive.namelist()]
    if path.endswith(".parquet"):
        table = pa.parquet.read_table(path)
        buffer = io.BytesIO()
        pa.parquet.write_table(table, buffer, compression="none", use_dictionary=False)
        parts += [buffer.getvalue(), str(table.schema).encode(), str(table.schema.metadata).encode()]
    if path.endswith(".zsav"):
        for place in [match.start() for match in re.finditer(b"\x78[\x01\x5e\x9c\xda]", content)]:
            with contextlib.suppress(zlib.error):
                parts.append(zlib.decompressobj().decompress(content[place:]))
    return b"\n".join(parts)


def plants_in(content):
    """The plants in some bytes, in UTF-8 and UTF-16."""
    return {*re.findall(PLACES.encode() + rb"\w+", content), *re.findall(PLACES.encode("utf-16-le"), content)}


@pytest.mark.slow
@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("source", WITH_METADATA)
def test_no_metadata_of_a_file_is_in_anything_that_leaves(tmp_path, source):
    """In releases of every format, in the codebook and in the external report."""
    path = str(tmp_path / f"in.{source}")
    WITH_METADATA[source](path)
    assert len(plants_in(plain_bytes(path))) >= 8
    roles = pf.Roles("age", "income", ["person", "pid"])
    for target in TARGETS:
        output = str(tmp_path / f"out.{target}")
        released = pf.protect_file(path, output, pf.IPSO("C"), roles, 1, allow_unprotected=True)
        assert not plants_in(plain_bytes(output)), target
    report = pf.evaluate(path, released)
    book = pf.codebook(released)
    external = report_page(path, released, report, "external")
    pages = {"json": book.to_json(), "html": book.to_html(), "text": str(book), "external": external}
    pages["table"] = book.to_frame().to_csv()
    pages |= {name: pf.codebook(released, name) for name in ("ddi", "frictionless")}
    for name, page in pages.items():
        assert not plants_in(page.encode()), name
