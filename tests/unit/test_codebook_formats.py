"""pf.codebook in the formats of archives. Oracles: the standards' rules, their own checkers where they are installed.

$PYFCRM_DDI_SCHEMA is the path of codebook.xsd of DDI-Codebook 2.5. Grade: identical.
"""

import csv
import json
import os
import xml.etree.ElementTree as ET
from datetime import datetime

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidParameter

DDI = "{ddi:codebook:2_5}"
SCHEMA = os.environ.get("PYFCRM_DDI_SCHEMA")
# The standard's order of those elements that are used here; "*" may be repeated.
CHILDREN = {
    "codeBook": ["stdyDscr*", "fileDscr*", "dataDscr*"],
    "stdyDscr": ["citation*", "stdyInfo*", "method*"],
    "citation": ["titlStmt"],
    "titlStmt": ["titl"],
    "stdyInfo": ["notes*"],
    "method": ["dataProcessing*"],
    "fileDscr": ["fileTxt*"],
    "fileTxt": ["dimensns"],
    "dimensns": ["caseQnty*", "varQnty*"],
    "dataDscr": ["var*", "notes*"],
    "var": ["labl*", "invalrng*", "sumStat*", "catgry*", "derivation", "varFormat", "notes*"],
    "invalrng": ["item*"],
    "catgry": ["catValu", "labl*", "catStat*"],
    "derivation": ["drvdesc"],
}
WORDS = {
    ("var", "intrvl"): {"contin", "discrete"},
    ("var", "wgt"): {"wgt", "not-wgt"},
    ("sumStat", "type"): {"vald", "invd", "other"},
    ("catStat", "type"): {"percent"},
    ("varFormat", "type"): {"numeric", "character"},
    ("varFormat", "category"): {"date", "time"},
    ("item", "UNITS"): {"INT", "REAL"},
}
REQUIRED = {"var": {"ID", "name"}, "sumStat": {"type"}, "item": {"VALUE"}, "fileDscr": {"ID"}}
LABEL = "Wage <in> \"euro\" & 'cents', a\x01month"


def people(n=400):
    """Columns of every kind: codes of missing values, gaps, dates, a rare level, names that XML must escape."""
    rng = np.random.default_rng(1)
    day = pd.Timestamp("2020-01-31") + pd.to_timedelta(rng.integers(0, 300, n), "D")
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "wage <&> \"'": rng.normal(1000, 100, n).round(2),
            "region": rng.choice(["a<b", "c&d", "NA"], n),
            "rare": np.where(np.arange(n) < 3, "planted", rng.choice(["x", "y"], n)),
            "postcode": rng.choice([10115.0, 20095.0], n),
            "sex": pd.Categorical(rng.choice(["m", "w"], n)),
            "employed": rng.random(n) < 0.5,
            "day": day,
            "moment": day + pd.to_timedelta(rng.integers(0, 86400, n), "s"),
            "weight": rng.integers(100, 900, n) / 2,
            "notes": [f"text {k}" for k in range(n)],
        }
    )
    frame.loc[:39, "wage <&> \"'"] = 99999.0
    frame.loc[50:58, "postcode"] = np.nan
    frame.loc[50:89, "region"] = None
    frame.attrs = {"column_labels": {"wage <&> \"'": LABEL}}
    return frame


@pytest.fixture(scope="module")
def released():
    roles = pf.Roles("age", "wage <&> \"'", weight="weight")
    declared = {"wage <&> \"'": pf.Variable(missing_codes=[99999])}
    result = pf.protect(people(), pf.IPSO("C"), roles, seed=1, variables=declared, allow_unprotected=True)
    # As a file of SPSS has them that was read.
    result.frame.attrs = {"variable_value_labels": {"region": {"a<b": "A & co", "c&d": "C", "planted": "planted"}}}
    return result


@pytest.fixture(scope="module")
def document(released):
    return ET.fromstring(pf.codebook(released, "ddi"))


def variable(document, name):
    [found] = [one for one in document.iter(f"{DDI}var") if one.get("name") == name]
    return found


def statistics(one):
    return {stat.get("otherType") or stat.get("type"): stat.text for stat in one.iter(f"{DDI}sumStat")}


def broken_rules(document):
    """The rules of the standard that a document breaks, of the elements that are used here."""
    broken = []
    for element in document.iter():
        tag = element.tag.removeprefix(DDI)
        order = [name.rstrip("*") for name in CHILDREN.get(tag, [])]
        children = [child.tag.removeprefix(DDI) for child in element]
        if not set(children) <= set(order) or children != sorted(children, key=order.index):
            broken.append((tag, children))
        once = [name for name in CHILDREN.get(tag, []) if not name.endswith("*")]
        broken += [(tag, name) for name in once if children.count(name) > 1]
        broken += [(tag, name) for name in REQUIRED.get(tag, set()) - set(element.attrib)]
        broken += [
            (tag, name, value) for name, value in element.attrib.items() if value not in WORDS.get((tag, name), {value})
        ]
    ids = [element.get("ID") for element in document.iter() if element.get("ID")]
    broken += [name for name in ids if ids.count(name) > 1]
    files = {element.get("ID") for element in document.iter(f"{DDI}fileDscr")}
    broken += [one.get("files") for one in document.iter(f"{DDI}var") if one.get("files") not in files]
    return broken


def test_ddi_keeps_the_rules_of_the_standard(document):
    assert document.tag == f"{DDI}codeBook"
    assert document.get("version") == "2.5"
    assert not broken_rules(document)
    one = next(document.iter(f"{DDI}var"))
    one.insert(0, one[-1])  # the check sees an element in the wrong place
    assert broken_rules(document)
    one.append(one[0])
    one.remove(one[0])
    assert not broken_rules(document)


@pytest.mark.skipif(SCHEMA is None, reason="PYFCRM_DDI_SCHEMA is not set")
def test_ddi_is_valid_against_the_schema(released):
    schema = pytest.importorskip("xmlschema").XMLSchema(SCHEMA)
    text = pf.codebook(released, "ddi")
    assert not list(schema.iter_errors(text))
    assert list(schema.iter_errors(text.replace('type="vald"', 'type="valid"')))
    for other in (pf.datasets.survey(300).dropna(), pf.datasets.accounts(200)):
        numbers = [name for name in other.columns if other[name].dtype.kind in "if"]
        few = pf.protect(other, pf.IPSO("C"), pf.Roles(numbers[0], numbers[-1]), seed=1, allow_unprotected=True)
        assert not list(schema.iter_errors(pf.codebook(few, "ddi")))


def test_ddi_has_the_texts_of_the_release(document):
    """Oracle: another parser's texts; a character that XML cannot have is replaced."""
    wage = variable(document, "wage <&> \"'")
    assert wage.find(f"{DDI}labl").text == LABEL.replace("\x01", "\N{REPLACEMENT CHARACTER}")
    region = variable(document, "region")
    found = {c.find(f"{DDI}catValu").text: c.find(f"{DDI}labl") for c in region.iter(f"{DDI}catgry")}
    assert {level: None if label is None else label.text for level, label in found.items()} == {
        "a<b": "A & co",
        "c&d": "C",
        "NA": None,
    }
    assert variable(document, "weight").get("wgt") == "wgt"
    assert [c.find(f"{DDI}catValu").text for c in variable(document, "postcode").iter(f"{DDI}catgry")] == [
        "10115",
        "20095",
    ]


def test_ddi_has_codes_and_counts_of_missing_values(document):
    """Oracle: by hand; 9 gaps are fewer than 10, so neither they nor their complement are stated."""
    wage = variable(document, "wage <&> \"'")
    assert [item.get("VALUE") for item in wage.iter(f"{DDI}item")] == ["99999"]
    found = statistics(wage)
    assert (found["vald"], found["invd"]) == ("360", "40")
    assert float(found["percentile-95"]) < 99999
    assert statistics(variable(document, "postcode")) == {}
    assert not {"min", "max"} & {stat.get("type") for stat in document.iter(f"{DDI}sumStat")}


def test_formats_have_no_level_of_fewer_than_ten_records(released):
    for name in ("ddi", "frictionless"):
        text = pf.codebook(released, name)
        assert "planted" not in text
        assert "text 1" not in text


def test_a_percentile_has_ten_records_beyond(released, document):
    """Oracle: counts of the released values."""
    wage = released.frame["wage <&> \"'"]
    found = statistics(variable(document, "wage <&> \"'"))
    assert (wage < float(found["percentile-5"]) - 0.5).sum() >= 9
    assert (wage[wage != 99999] > float(found["percentile-95"]) + 0.5).sum() >= 9


@pytest.fixture
def files(tmp_path, released):
    """A Table Schema and the CSV file that it describes, for a frame."""
    path = tmp_path / "out.csv"
    released.frame.to_csv(path, index=False)
    return json.loads(pf.codebook(released, "frictionless")), path


def read_cell(field, schema, text):
    """A cell by the rules of Table Schema; None where it is missing. Raises ValueError for one that breaks them."""
    if text in field.get("missingValues", schema["missingValues"]):
        if field.get("constraints", {}).get("required"):
            raise ValueError("required")
        return None
    text = text.replace(field.get("groupChar", "\0"), "")
    readers = {
        "integer": int,
        "number": lambda cell: float(cell.replace(field.get("decimalChar", "."), ".")),
        "string": str,
        "any": str,
        "boolean": lambda cell: {"True": True, "False": False}[cell],
        "date": datetime.fromisoformat,
        "datetime": datetime.fromisoformat,
    }
    value = readers[field["type"]](text)
    levels = field.get("constraints", {}).get("enum")
    if levels is not None and value not in levels:
        raise ValueError("enum")
    return value


def columns_read(schema, path, separator=","):
    """The columns of a CSV file as its schema reads them."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=separator))
    assert list(rows[0]) == [field["name"] for field in schema["fields"]]
    return {field["name"]: [read_cell(field, schema, row[field["name"]]) for row in rows] for field in schema["fields"]}


def test_table_schema_reads_the_release(files):
    """Oracle: pandas' own values, and the gaps by hand."""
    schema, path = files
    columns = columns_read(schema, path)
    missing = {name: sum(value is None for value in values) for name, values in columns.items()}
    assert missing == dict.fromkeys(columns, 0) | {"wage <&> \"'": 40, "postcode": 9, "region": 40}
    types = {field["name"]: field["type"] for field in schema["fields"]}
    assert (types["age"], types["weight"], types["sex"], types["employed"]) == (
        "integer",
        "number",
        "string",
        "boolean",
    )
    assert (types["day"], types["moment"]) == ("datetime", "datetime")


def test_table_schema_lists_levels_only_where_they_are_all(files):
    schema, _ = files
    fields = {field["name"]: field for field in schema["fields"]}
    assert fields["sex"]["constraints"]["enum"] == ["m", "w"]
    assert fields["postcode"]["constraints"] == {"enum": [10115, 20095]}
    assert "enum" not in fields["rare"]["constraints"]
    assert fields["region"]["categories"][0] == {"value": "NA"}
    assert fields["region"]["missingValues"] == [""]


def test_table_schema_of_a_file_with_decimal_commas(tmp_path):
    """A file with decimal commas, thousands and marks is read by its schema. Oracle: the released values."""
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    frame = pd.DataFrame({"age": range(20, 80), "wage": np.arange(60) * 37.5 + 900, "rent": np.arange(60) * 25.0})
    lines = [f"{a};{w:.2f};{r:.2f}".replace(".", ",") for a, w, r in frame.to_numpy()]
    lines = [line.rpartition(";")[0] + ";:" if k < 12 else line for k, line in enumerate(lines)]
    source.write_text("\n".join(["age;wage;rent", *lines, ""]))
    reading = {"missing_marks": [":"]}
    table = pf.read_table(source, **reading)
    assert table["rent"].isna().sum() == 12
    released = pf.protect_file(
        source, output, pf.IPSO("C"), pf.Roles("age", "wage"), seed=1, allow_unprotected=True, **reading
    )
    schema = json.loads(pf.codebook(released, "frictionless"))
    columns = columns_read(schema, output, ";")
    assert all(isinstance(value, float) for value in columns["wage"])


def test_the_standards_own_checker_accepts_the_release(files):
    frictionless = pytest.importorskip("frictionless")
    schema, path = files

    def found(descriptor):
        resource = frictionless.Resource(
            path=path.name, basepath=str(path.parent), schema=frictionless.Schema.from_descriptor(descriptor)
        )
        return resource.validate().flatten(["rowNumber", "fieldName", "type"])

    assert not found(schema)
    changed = json.loads(json.dumps(schema))
    changed["fields"][0]["type"] = "boolean"
    assert found(changed)


def test_another_format_is_refused(released):
    with pytest.raises(InvalidParameter, match="format"):
        pf.codebook(released, "sdmx")
