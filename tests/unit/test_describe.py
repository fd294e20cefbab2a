"""What pf.describe finds: each kind, and its edges of 99 per cent and of 10 records.

Oracle: columns made by hand, of which the kind is known. Grade: identical.
"""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

import pyfcrm as pf
from pyfcrm.data.variables import read_variables
from pyfcrm.errors import InvalidInput, InvalidParameter

N = 300
DAYS = pd.Timestamp("1990-01-15") + pd.to_timedelta(np.arange(N) * 29, "D")


def described(column, name="x"):
    if isinstance(column, pl.Series):
        return pf.describe(column.alias(name).to_frame())[name]
    return pf.describe(pd.DataFrame({name: column}))[name]


def repeated(*values_and_times):
    """[(value, times), ...] as one list."""
    return [value for value, times in values_and_times for _ in range(times)]


CASES = {
    "text": (["a", "b", "c"] * 100, "category"),
    "boolean": ([True, False, True] * 100, "category"),
    "boolean with gaps": (pd.Series([True, False, None] * 100, dtype=object), "category"),
    "levels": (pd.Categorical(["a", "b", "c"] * 100), "category"),
    "scale": (list(range(1, 7)) * 50, "codes"),
    "years": ([*range(1990, 2010)] * 15, "codes"),
    "whole numbers": (np.arange(N) * 7 % 211, "count"),
    "whole numbers of both signs": (np.arange(N) * 7 % 211 - 100, "amount"),
    "nullable": (pd.array([None, *range(N - 1)], dtype="Int64") * 3, "count"),
    "decimals": (np.arange(N) * 1.25, "amount"),
    "Decimal": ([Decimal(7 * i) / 100 for i in range(N)], "amount"),
    "timestamps": (DAYS, "date"),
    "dates": ([day.date() for day in DAYS], "date"),
    "periods": (pd.PeriodIndex(DAYS, freq="M"), "date"),
    "YYYYMM": (DAYS.strftime("%Y%m").astype(int), "date"),
    "YYYYMMDD": (DAYS.strftime("%Y%m%d").astype(int), "date"),
    "text dates": (DAYS.strftime("%d.%m.%Y"), "date"),
    "text quarters": (DAYS.to_period("Q").astype(str), "date"),
    "durations": (pd.to_timedelta(np.arange(N) * 17, "s"), "duration"),
    "times of day": ([dt.time(i % 24, i % 60) for i in range(N)], "time"),
    "distinct text": ([f"P{i:04}" for i in range(N)], "identifier"),
    "counts up": (np.random.default_rng(0).permutation(N) + 1000, "identifier"),
    "amounts as text": ([f"{v:,.2f}" for v in np.arange(N) * 31.7], "amount"),
    "empty": ([np.nan] * N, "amount"),
    "lists": ([[1]] * N, "other"),
    "complex": (np.arange(N) * 1j, "other"),
    "periods of two frequencies": ([pd.Period("2020", "M"), pd.Period("2020", "Y")] * 150, "other"),
    "numbers beyond the floats": (pd.Series([10**400, Decimal("sNaN")] * 150, dtype=object), "other"),
    "empty in polars": (pl.Series([None] * N), "other"),
    "levels in polars": (pl.Series(["b", "a"] * 150, dtype=pl.Enum(["b", "a"])), "category"),
}


@pytest.mark.parametrize("case", CASES)
def test_kinds(case):
    column, kind = CASES[case]
    assert described(column).kind == kind


# Decimals, sign and codes of nearly all records


def test_one_odd_value_changes_neither_decimals_nor_sign():
    values = np.arange(N) * 0.25
    assert (described(values).decimals, described(values).sign) == (2, "not negative")
    odd = described([*values, -1.23456])
    assert (odd.kind, odd.decimals, odd.sign) == ("amount", 2, "not negative")


@pytest.mark.parametrize(
    ("records", "odd", "whole"), [(99, 1, True), (98, 1, False), (200, 3, False), (2000, 10, True), (2000, 11, False)]
)
def test_nearly_all_is_99_per_cent_and_all_but_10(records, odd, whole):
    """99 of 100 are 99 per cent, 98 of 99 are not; of 2,011 records 11 are less than 1 per cent, and more than 10."""
    values = [*(np.arange(records) * 3), *(np.arange(odd) + 0.5)]
    assert (described(values).decimals == 0) == whole


@pytest.mark.parametrize("times", [9, 10])
def test_a_code_needs_10_records(times):
    found = described(repeated((1, 600), (2, 600), (3, times)))
    assert found.kind == "codes"
    assert found.values == ((1, 2, 3) if times == 10 else (1, 2))


@pytest.mark.parametrize(("rare", "kind"), [(10, "codes"), (11, "count")])
def test_codes_have_99_per_cent_of_the_records(rare, kind):
    """1,000 and 1,001 records; the rare values have one record each."""
    assert described([*repeated((1, 500), (2, 490)), *range(10, 10 + rare)]).kind == kind


@pytest.mark.parametrize(("levels", "kind"), [(20, "codes"), (21, "count")])
def test_codes_are_at_most_20(levels, kind):
    assert described([*range(0, 3 * levels, 3)] * 12).kind == kind


def test_a_level_of_fewer_than_10_records_is_not_listed():
    assert described(repeated(("a", 50), ("b", 9), ("c", 10))).values == ("a", "c")


@pytest.mark.parametrize(
    ("codes", "step"),
    [
        ((1, 2, 3, 4), 1),
        ((1, 2, 3, 5), 1),
        ((10, 20, 30), 10),
        ((11, 12, 21, 22), None),
        ((1, 2, 24), None),
        ((7,), None),
    ],
)
def test_step_of_codes(codes, step):
    assert described(list(codes) * 12).step == step


def test_nothing_is_inferred_from_fewer_than_10_records():
    few = pd.DataFrame({"w": [199001] * 9, "d": ["1,5"] * 9, "t": ["x"] * 9, "f": [0.5] * 9})
    found = pf.describe(few)
    assert [column.kind for column in found.values()] == ["amount", "category", "category", "amount"]
    assert all(column.values == () and column.sign == "" for column in found.values())


def test_decimals_of_single_precision_and_of_sums():
    values = np.round(np.random.default_rng(1).normal(size=N), 2)
    assert described(values.astype("float32")).decimals == 2
    assert described(values.astype("float32").astype(float)).decimals == 2
    assert described(values + 0.1 + 0.2).decimals == 2
    assert described(np.random.default_rng(1).normal(size=N)).decimals is None
    assert described(np.random.default_rng(1).normal(size=N) * 1e9).decimals is None
    assert described(np.random.default_rng(1).normal(size=N).astype("float32")).decimals is None


# Codes of missing values


def amounts(*codes, times=12):
    wages = np.round(np.random.default_rng(2).gamma(4, 500, N), 2)
    return [*wages, *repeated(*((code, times) for code in codes))]


@pytest.mark.parametrize(
    ("column", "proposed"),
    [
        (amounts(99999), (99999,)),
        (amounts(-9, -8), (-9, -8)),
        (amounts(-1), (-1,)),
        (amounts(-999, 99999), (-999, 99999)),
        (amounts(99999, times=9), ()),  # too few records
        (amounts(88888), ()),  # another form
        (amounts(99), ()),  # not far from the others
        (repeated(*((kids, 40) for kids in range(6)), (98, 11), (99, 12)), (98, 99)),
        (repeated(*((item, 40) for item in range(1, 6)), (9, 12)), (9,)),
        (repeated(*((item, 40) for item in range(1, 8)), (9, 12)), ()),
        (repeated(*((item, 40) for item in range(1, 6)), (-9, 12), (-1, 12)), (-9, -1)),
        (repeated((-1, 40), (0, 40), (1, 40)), ()),
        (repeated(*((degree, 12) for degree in range(-5, 31))), ()),
        ([*repeated(*((age, 12) for age in range(90)), (-1, 12))], ()),  # born after the first of January
        ([*repeated(*((age, 12) for age in range(90)), (-1, 60))], (-1,)),
        ([*DAYS.strftime("%Y%m").astype(int), *[999999] * 12], (999999,)),
        (repeated((0, 40), (-2, 40), (-5, 40)), ()),  # the others do not vary
    ],
)
def test_proposed_codes_of_missing_values(column, proposed):
    found = described(column)
    assert found.proposed_missing_codes == proposed
    assert found.missing_codes == ()
    assert found.doubtful == bool(proposed)
    assert not {*proposed} & {*found.values}


def test_proposed_codes_change_neither_kind_nor_decimals():
    found = described([*DAYS.strftime("%Y%m").astype(int), *[999999] * 12])
    assert (found.kind, found.format, found.high) == ("date", "%Y%m", 201310)
    wage = described(amounts(-9, 99999), "wage")
    assert (wage.kind, wage.decimals, wage.sign) == ("amount", 2, "not negative")
    assert (
        wage.explanation
        == wage.remark
        == (
            "`wage` is -9 or 99999 in 24 records, far below and above the others: declare missing_codes if it is a code"
        )
    )


# Dates


@pytest.mark.parametrize(
    ("moments", "step"),
    [
        (pd.date_range("1990-01-01", periods=40, freq="YS"), "year"),
        (pd.date_range("1990-01-01", periods=40, freq="QS"), "quarter"),
        (pd.date_range("1990-02-01", periods=40, freq="MS"), "month"),
        (pd.date_range("1990-01-03", periods=40, freq="7D"), "week"),
        (DAYS, "day"),
        (pd.date_range("1990-01-01", periods=40, freq="h"), "hour"),
        (pd.date_range("1990-01-01", periods=40, freq="61s"), "second"),
        (pd.date_range("1990-01-01", periods=40, freq="D", tz="Europe/Paris"), "day"),
        (pd.period_range("1990-01", periods=40, freq="Q"), "quarter"),
        ([dt.date(2020, 5, 13)] * 40, "day"),
    ],
)
def test_steps_of_dates(moments, step):
    found = described(moments)
    assert (found.kind, found.step, found.doubtful) == ("date", step, False)


@pytest.mark.parametrize(
    ("format", "step"),
    [("%d.%m.%Y", "day"), ("%m/%d/%Y", "day"), ("%d/%m/%Y", "day"), ("%Y-%m-%d", "day"), ("%d.%m.%y", "day"), ("%d%b%Y", "day"),
     ("%d %b %Y", "day"), ("%Y-%m", "month"), ("%m/%Y", "month"), ("%Y-%m-%d %H:%M", "minute"), ("%Y%m%d", "day")],
)  # fmt: skip
def test_dates_in_text(format, step):
    found = described(DAYS.strftime(format).astype(object))
    assert (found.kind, found.format, found.step, found.doubtful) == ("date", format, step, True)


def test_order_of_day_and_month_that_the_values_leave_open():
    found = described([f"{day:02}/{month:02}/2001" for day in range(1, 13) for month in range(1, 13)])
    assert (found.kind, found.format, found.doubtful) == ("date", None, True)
    assert "%d/%m/%Y and %m/%d/%Y" in found.reason


def test_whole_numbers_are_dates_if_nearly_all_are_valid():
    months = [*DAYS.strftime("%Y%m").astype(int)]
    assert described([*months, 201373]).kind == "date"
    assert described([*months, *range(201313, 201323)]).kind == "count"


def test_a_column_of_years_is_no_identifier():
    assert described(np.arange(1950, 2010), "year").kind == "count"
    assert described(np.arange(1950, 2010), "number").kind == "identifier"


# Numbers in text


@pytest.mark.parametrize(
    ("written", "format"),
    [
        ("{:,.2f}", "1,234.56"),
        ("${:,.2f}", "$1,234.56"),
        ("{:,.2f} EUR", "1,234.56 EUR"),
        ("{:.2f}", "1234.56"),
        ("{:.2f} kg", "1234.56 kg"),
    ],
)
def test_numbers_in_text(written, format):
    found = described([written.format(value) for value in np.arange(N) * 31.25])
    assert (found.kind, found.decimals, found.format, found.doubtful) == ("amount", 2, format, False)
    assert (found.low, found.high) == (0, 9343.75)


@pytest.mark.parametrize(("mark", "separator"), [(",", "."), (",", " "), (",", "\u202f"), (",", ""), (".", "'")])
def test_decimal_marks_and_separators(mark, separator):
    texts = [f"{v:,.2f}".translate(str.maketrans({".": mark, ",": separator})) for v in np.arange(N) * 31.25]
    found = described(texts)
    assert (found.kind, found.high, found.doubtful) == ("amount", 9343.75, False)


def test_numbers_in_text_with_two_readings_are_doubtful():
    found = described([f"{value:,}" for value in range(1000, 1000 + 7 * N, 7)])
    assert (found.kind, found.format, found.doubtful) == ("amount", None, True)
    assert "1,234.56 and 1234,56" in found.reason


@pytest.mark.parametrize(
    "texts",
    [["01", "02", "10"] * 40, ["1", "2", "3"] * 40, ["18-24", "25-34"] * 40, ["01.11", "10.20"] * 40, ["5 EUR", "6 USD"] * 40,
     ["Q1", "Q2"] * 40],
)  # fmt: skip
def test_codes_in_text_are_categories(texts):
    assert described(texts).kind == "category"


def test_few_numbers_with_decimals_are_doubtful():
    """An amount, unless a person declares codes. The defect: no question was asked."""
    found = described(np.arange(N) % 3 / 4)
    assert (found.kind, found.decimals, found.doubtful) == ("amount", 2, True)
    assert "declare kind codes" in found.reason


# Identifiers and other names


def test_identifiers():
    spread = np.arange(N) * 17
    assert described(spread, "person_id").kind == "identifier"
    assert described(spread, "wage").kind == "count"
    several = described(np.arange(N) // 3 * 17, "household_id")
    assert (several.kind, several.doubtful) == ("identifier", True)  # the defect: a count
    assert described(np.arange(N) // 3 * 17, "rent").kind == "count"
    assert described(np.arange(N) // 3 * 17 % 5, "group_id").kind == "codes"
    assert described([*np.arange(N), 5]).kind == "identifier"  # one value twice
    assert not described([f"P{i}" for i in range(N)]).doubtful


def test_text_of_many_levels_is_doubtful():
    found = described([f"street {i}" for i in range(200)] + ["street 0"] * 100)
    assert (found.kind, found.doubtful) == ("category", True)


def test_classifications_are_doubtful_counts():
    found = described(np.arange(N) * 7 % 211 + 10000, "zip_code")
    assert (found.kind, found.doubtful) == ("count", True)


# Labels and files


def test_labels_and_declared_codes_of_a_frame():
    """As read_table keeps them; fewer than 10 records have labels of the file, too."""
    frame = pd.DataFrame({"q": [1, 2, 3, 9] * 30, "p": [1, 2, 3, 9] * 30})
    frame.attrs = {
        "variable_value_labels": {"q": {1: "low", 2: "mid", 3: "high"}},
        "missing_ranges": {"q": [{"lo": 9, "hi": 9}], "p": [{"lo": 9, "hi": 9}]},
    }
    found = pf.describe(frame)
    assert (found["q"].kind, found["q"].values, found["q"].missing_codes) == ("category", (1, 2, 3), (9,))
    assert (found["p"].kind, found["p"].values, found["p"].doubtful) == ("codes", (1, 2, 3), False)
    assert found["q"].domain() == "1 (low), 2 (mid), 3 (high)"
    assert "1 (low), 2 (mid)" in str(found)
    few = frame.iloc[:3]
    few.attrs = frame.attrs
    assert (pf.describe(few)["q"].kind, pf.describe(few)["q"].values) == ("category", ())


@pytest.fixture
def labelled():
    """Columns, labels, and missing values as SPSS declares them."""
    frame = pd.DataFrame({
        "q": [1.0, 2, 3, 9] * 30, "income": [*np.arange(100.0) * 31, *[-9.0] * 20], "top": [*np.arange(98.0), *[98.0] * 22],
        "month": 12_002_592_000.0 + np.arange(120) * 86_400 * 31,
    })  # fmt: skip
    return frame, {
        "column_labels": {"q": "An item", "income": "Income"},
        "variable_value_labels": {"q": {1: "low", 2: "mid", 3: "high", 9: "refused"}, "top": {98: "98 or more"},
                                  "income": {-9: "no answer"}},
        "missing_ranges": {"q": [9], "income": [{"lo": -9, "hi": -1}]}, "variable_format": {"month": "MOYR8"},
    }  # fmt: skip


@pytest.mark.slow
def test_spss_files(labelled, tmp_path):
    frame, metadata = labelled
    pyreadstat.write_sav(frame, tmp_path / "in.sav", **metadata)
    found = pf.describe(tmp_path / "in.sav")
    q, income, top, month = found.values()
    assert (q.kind, q.label, q.values, q.missing_codes) == ("category", "An item", (1, 2, 3), (9,))
    assert (income.kind, income.missing_codes, income.low, income.doubtful) == ("count", (-9,), 0, False)
    assert (top.kind, dict(top.value_labels)) == ("count", {98: "98 or more"})
    assert (month.kind, month.step, month.format) == ("date", "month", "MOYR8")
    with pytest.warns(UserWarning, match="declared missing"):
        assert pf.describe(pf.read_table(tmp_path / "in.sav")) == found


@pytest.mark.slow
def test_stata_files(tmp_path):
    """Periods stay numbers; codes of missing values are letters."""
    steps = {"%tm": "month", "%tq": "quarter", "%tw": "week", "%th": "half-year", "%ty": "year"}
    formats = {letter: f"%t{letter}" for letter in "mqwhy"}
    frame = pd.DataFrame(dict.fromkeys(formats, np.arange(62.0)))
    frame["x"] = pd.Series([*(np.arange(50) * 1.5).tolist(), *["a"] * 12], dtype=object)
    pyreadstat.write_dta(frame, tmp_path / "in.dta", variable_format=formats, missing_user_values={"x": ["a"]})
    found = pf.describe(tmp_path / "in.dta")
    for name, format in formats.items():
        assert (found[name].kind, found[name].step, found[name].format) == ("date", steps[format], format)
    assert found["x"].missing_codes == ("a",)
    with pytest.warns(UserWarning, match="declared missing"):
        assert pf.describe(pf.read_table(tmp_path / "in.dta")) == found


def test_csv_and_parquet_files_as_their_frames(tmp_path):
    frame = pf.datasets.survey()
    frame.to_csv(tmp_path / "in.csv", index=False)
    frame.to_parquet(tmp_path / "in.parquet")
    found = pf.describe(frame)
    assert pf.describe(tmp_path / "in.csv") == found
    assert pf.describe(tmp_path / "in.parquet") == found


def test_libraries_of_frames():
    columns = {
        "text": ["a", "b", "c"] * 100, "flag": [True, False, None] * 100, "scale": list(range(1, 7)) * 50,
        "wage": amounts(99999)[:N], "day": [day.date() for day in DAYS], "moment": list(DAYS), "eur": CASES["amounts as text"][0],
        "span": [dt.timedelta(seconds=17 * i) for i in range(N)], "time": CASES["times of day"][0], "dec": CASES["Decimal"][0],
        "id": list(range(N)), "gaps": [None, *range(N - 1)], "day_text": list(CASES["text dates"][0]),
    }  # fmt: skip
    expected = pf.describe(pd.DataFrame(columns))
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    arrow = table.to_pandas(types_mapper=pd.ArrowDtype)
    for frame in (table, pl.from_arrow(table), arrow):
        assert pf.describe(frame) == expected


def test_declared_variables_go_before_what_the_values_show():
    """Oracle: the declarations. What is not declared is described as without them."""
    frame = pf.datasets.survey().assign(month=lambda f: 199001 + np.arange(len(f)) % 12)
    frame.loc[::9, "wage"] = 99999
    declared = {
        "wage": pf.Variable(missing_codes=[99999], bounds=(0, None), decimals="all"),
        "month": pf.Variable("codes"),
        "region": pf.Variable("identifier"),
        "size": pf.Variable(label="Persons"),
    }
    inferred = pf.describe(frame)
    found = pf.describe(frame, variables=declared)
    assert inferred["wage"].doubtful
    assert (found["wage"].missing_codes, found["wage"].proposed_missing_codes) == ((99999,), ())
    assert found["wage"].high == frame["wage"][frame["wage"] != 99999].max()
    assert (found["month"].kind, found["month"].format, found["month"].doubtful) == ("codes", None, False)
    assert (found["region"].kind, found["size"].label) == ("identifier", "Persons")
    assert [found[name] for name in found if name not in declared] == [
        inferred[name] for name in inferred if name not in declared
    ]


def test_declarations_that_are_written_are_read_again():
    """Grade: identical. Bounds, codes and decimals of a declaration stay in the TOML of the description."""
    frame = pf.datasets.survey().assign(month=lambda f: 199001 + np.arange(len(f)) % 12)
    declared = {
        "wage": pf.Variable(missing_codes=[99999], bounds=(0, None), decimals="all"),
        "month": pf.Variable("date", format="%Y%m"),
        "hours": pf.Variable("codes", codes=range(0, 60, 10)),
    }
    written = pf.describe(frame, variables=declared).to_toml()
    again = pf.Variables.from_toml(written)
    assert (again["wage"].bounds, again["wage"].decimals) == ((0, None), "all")
    assert pf.describe(frame, variables=again).to_toml() == written


def test_every_numeric_column_is_a_real_number_on_request():
    frame = pf.datasets.survey()
    found = pf.describe(frame, variables="numbers")
    numeric = {name for name in frame if pd.api.types.is_numeric_dtype(frame[name])}
    assert {name for name in found if found[name].kind == "amount" and found[name].decimals is None} == numeric
    assert found["region"] == pf.describe(frame)["region"]


def test_declarations_that_the_file_cannot_have_are_refused():
    frame = pf.datasets.survey(60)
    with pytest.raises(InvalidInput, match="did you mean `wage`"):
        pf.describe(frame, variables={"wag": pf.Variable("count")})
    with pytest.raises(InvalidInput, match="must have a `format`"):
        pf.describe(frame, variables={"wage": pf.Variable("date")})
    with pytest.raises(InvalidParameter):
        pf.describe(frame, variables=3)


def test_the_input_is_unchanged_and_other_input_is_refused():
    frame = pf.datasets.survey(50)
    before = frame.copy(deep=True)
    pf.describe(frame)
    pd.testing.assert_frame_equal(frame, before)
    with pytest.raises(InvalidInput):
        pf.describe(3)
    with pytest.raises(InvalidInput):
        pf.describe(frame.iloc[:0])


def test_the_reason_names_no_value_of_a_record():
    """A date that cannot be converted is in the message of other functions."""
    days = pa.array([2**30 + 7, *range(N)], pa.date32())
    found = pf.describe(pa.table({"x": days}))["x"]
    assert found.kind == "other"
    assert str(2**30 + 7) not in found.reason


# Results


def test_declarations_in_toml():
    """What is written is what the description declares; proposed codes and reasons are comments."""
    frame = pd.DataFrame(
        {"wage": amounts(99999)[-N:], "a.b": DAYS.strftime("%Y%m").astype(int), "q 1": list(range(1, 7)) * 50}
    )
    found = pf.describe(frame)
    text = found.to_toml()
    assert read_variables(text) == {name: column.declared() for name, column in found.items()}
    assert "# missing_codes = [99999]" in text
    assert "codes = [1, 2, 3, 4, 5, 6]" in text
    assert read_variables(text.replace("# missing", "missing"))["wage"].missing_codes == (99999,)


def test_results():
    found = pf.describe(pf.datasets.survey())
    assert list(found) == list(found.to_frame()["column"]) == [row["column"] for row in found.rows()]
    assert "name" in found
    assert len(found) == 10
    with pytest.raises(KeyError):
        found["absent"]
    assert "stratum" in repr(found)
    assert "<table" in found._repr_html_()
    assert found["name"].domain() == ""
    assert found["stratum"].domain() == "1 to 5"
