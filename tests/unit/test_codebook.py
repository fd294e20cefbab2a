"""pf.codebook: what it states of each variable. Oracle: how the release was made. Grade: identical."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.constraints.proposal import proposal, rounded_rule
from pyfcrm.data import open_data
from pyfcrm.protection.released_values import number_text, released_values


def workers(n=120):
    rng = np.random.default_rng(1)
    age, wage = rng.integers(20, 60, n), rng.normal(1000, 100, n).round(2)
    return pd.DataFrame(
        {"hid": np.repeat(np.arange(n // 2), 2) + 5001, "age": age, "job": rng.choice(list("abc"), n), "wage": wage}
    )


def variables(frame, missing="refuse"):
    roles = pf.Roles("age", ["job", "wage"], household="hid")
    released = pf.protect(frame, pf.IPSO("C"), roles, seed=1, missing=missing)
    return {variable.name: variable for variable in pf.codebook(released).variables}


def test_ids_are_new():
    """The defect: ids were "released unchanged"."""
    found = variables(workers())
    assert (found["hid"].treatment, found["hid"].values) == ("replaced by new numbers, equal ids by equal numbers", "")


def test_few_gaps_are_not_counted():
    """9 are fewer than 10; 10 are 10; of 120 records 111 without a value leave 9 with one."""
    counts = {}
    for gaps in (0, 9, 10, 111):
        frame = workers().assign(extra=lambda f, gaps=gaps: f.age.where(f.index >= gaps))
        counts[gaps] = variables(frame)["extra"].missing
    assert counts == {0: "0", 9: "fewer than 10", 10: "10", 111: "all but fewer than 10"}


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"a": 60, "b": 60}, "a: 50 %, b: 50 %"),
        ({"a": 400, "b": 580, "c": 8, "d": 12}, "a: 40 %, b: 58 %, others: 2 %"),  # 8 of c would follow without d
        ({"a": 110, "b": 9}, ""),  # and here 9 of b from the share of a
        ({"a": 8, "b": 9}, ""),
    ],
)
def test_levels_have_ten_records_and_so_do_the_others(counts, expected):
    """Oracle: by hand."""
    frame = open_data("test", pd.DataFrame({"x": [level for level, count in counts.items() for _ in range(count)]}))
    assert released_values(frame, "x").text() == expected


@pytest.mark.parametrize(("n", "low"), [(1001, 1), (1000, 5), (201, 5), (101, 10), (41, 25), (40, None)])
def test_ten_records_are_beyond_each_percentile(n, low):
    """Oracle: counts of the values beyond both ends; the largest value changes nothing."""
    y = np.random.default_rng(n).normal(size=n) * 100
    text = released_values(open_data("test", pd.DataFrame({"y": y})), "y").text()
    assert text == released_values(open_data("test", pd.DataFrame({"y": np.where(y == y.max(), 1e9, y)})), "y").text()
    if low is None:
        assert text == ""
        return
    ends, _, percentiles = text.partition(" (percentiles ")
    assert percentiles == f"{low} and {100 - low})"
    first, last = (float(end.replace(",", "")) for end in ends.split(" to "))
    assert (y < first - 0.05).sum() >= 9
    assert (y > last + 0.05).sum() >= 9
    ordered = np.sort(y)
    assert ordered[10] - 0.05 <= first
    assert last <= ordered[-11] + 0.05


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1987.0, "1987"), (123456.0, "123,500"), (0.123456, "0.1235"), (-2.5, "-2.5"), (1e20, "1e+20")],
)
def test_numbers_have_four_digits(value, text):
    assert number_text(value) == text


def test_relations_of_the_release_have_no_counts_and_three_digits():
    """Wages that are zero with hours. Oracle: the release is made so; constants by hand."""
    frame = pf.datasets.survey(n=400).dropna()
    released = pf.protect(
        frame, pf.Calibrated(pf.IPSO("C")), pf.Roles(["age", "hours"], ["wage", "tax"], ["name"]), seed=1
    )
    book = pf.codebook(released)
    assert "hours and wage are zero together" in book.relations
    assert not any("records" in relation for relation in book.relations)
    for text in (book.to_json(), book.to_html(), " ".join(str(book).split())):
        assert "hours and wage are zero together" in text
    terms = (("wage", 0.123456), ("age", -1.0))
    rule = proposal("identity", ("tax", "wage", "age"), 400, 400, terms=terms, constant=1234.5)
    assert rounded_rule(rule, 3) == "tax == 0.123*wage - age + 1230"


def test_labels_of_the_input_are_in_the_codebook_of_a_frame():
    frame = workers()
    frame.attrs = {"column_labels": {"wage": "Monthly wage"}}
    assert variables(frame)["wage"].label == "Monthly wage"


def test_codes_of_missing_values_are_no_values():
    """The defect: a code counted as a value, so a percentile was 100,000 and no value was missing. Oracle: by hand."""
    frame = workers(400).assign(wage=lambda f: f.wage.where(f.index >= 40, 99999.0))
    released = pf.protect(
        frame,
        pf.IPSO("C"),
        pf.Roles("age", "wage", identifiers="hid"),
        seed=1,
        variables={"wage": pf.Variable(missing_codes=[99999]), "hid": pf.Variable(missing_codes=[0])},
    )
    [wage] = [variable for variable in pf.codebook(released).variables if variable.name == "wage"]
    assert (released.frame["wage"] == 99999).sum() == 40
    assert wage.missing == "40"
    assert "100,000" not in wage.values


def test_levels_are_exact():
    """The defect: postal codes beside gaps are floats, and 10115 was listed as 10,120. Oracle: by hand."""
    frame = open_data("test", pd.DataFrame({"x": [10115.0] * 20 + [0.1 + 0.2] * 20 + [np.nan] * 20}))
    assert released_values(frame, "x").text() == "0.3: 50 %, 10115: 50 %"
