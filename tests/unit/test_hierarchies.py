"""Hierarchies of recode_search: files, rows, prefixes of codes, cut points, and what is refused.

Oracle: worked by hand, and the release of Recoding with the breaks of a level. Grade: identical.
"""

import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.data import open_frame
from pyfcrm.search.hierarchies import hierarchy_of

REGIONS = [["Ham", "Hamburg", "north", "*"], ["Bre", "Bremen", "north", "*"], ["Muc", "Bavaria", "south", "*"]]
FRAME = pd.DataFrame(
    {
        "region": ["Muc", "Ham", None, "Bre", "Ham"],
        "age": [40, 19, 65, 39, 20],
        "job": ["2411", "24.12", "31", "2513", None],
        "income": [1.5, 1234567.0, 2.25, None, 1.5],
    }
)


def groups(key, form):
    """The groups of the values of each level, by value."""
    found = hierarchy_of(open_frame("test", FRAME), key, form)
    _, values = open_frame("test", FRAME).distinct(key)
    return [dict(zip(values, level.tolist(), strict=True)) for level in found.groups], found


def test_a_file_of_arx_is_the_same_as_its_rows(tmp_path):
    path = tmp_path / "region.csv"
    path.write_text("\n".join(";".join(row) for row in REGIONS) + "\n", encoding="utf-8")
    levels, found = groups("region", path)
    assert levels == groups("region", REGIONS)[0]
    assert levels[2] == {"Muc": 0, "Ham": 1, "Bre": 1}
    assert levels[3] == {"Muc": 0, "Ham": 0, "Bre": 0}
    assert found.top == 3
    assert found.codes.tolist() == [0, 1, -1, 2, 1]
    assert found.breaks[1] == {"Ham": "north", "Bre": "north", "Muc": "south"}


def test_cut_points_are_those_of_recoding():
    """A cut belongs to the class above it."""
    levels, found = groups("age", {"cuts": [[20, 40, 60], [40]]})
    assert levels[1] == {40: 2, 19: 0, 65: 3, 39: 1, 20: 1}
    assert levels[2] == {40: 1, 19: 0, 65: 1, 39: 0, 20: 0}
    assert set(levels[3].values()) == {0}
    assert found.breaks == ((20.0, 40.0, 60.0), (40.0,), 1)
    assert groups("age", {"cuts": [[20, 40], 40]})[0][2] == levels[2]  # R's vector of length one


def test_digits_keep_prefixes_without_points():
    levels, found = groups("job", {"digits": [3, 2, 1]})
    assert found.breaks[0] == {"2411": "241", "24.12": "24.1", "2513": "251", "31": "31"}
    assert found.breaks[1] == {"2411": "24", "24.12": "24", "2513": "25", "31": "31"}
    assert found.breaks[2]["2513"] == "2"
    assert len({*levels[2].values()}) == 3
    assert {*levels[4].values()} == {0}


def test_numbers_are_found_by_their_text():
    form = [["1.5", "small"], ["2.25", "small"], ["1234567", "large"]]
    levels, found = groups("income", form)
    assert levels[1] == {1.5: 0, 1234567.0: 1, 2.25: 0}
    roles = pf.Roles(dependent="income")
    released = pf.protect(FRAME, pf.Recoding({"income": found.breaks[0]}), roles, missing="protect")
    assert released.frame["income"].astype(object).where(FRAME["income"].notna(), None).tolist() == [
        "small",
        "large",
        "small",
        None,
        "small",
    ]


REFUSED = {
    "value": (REGIONS[:2], "the hierarchy of `region` must have every value of the column; got Muc"),
    "ragged": ([*REGIONS[:2], ["Muc", "south", "*"]], "must have 4 columns in every row; got 3 in row 3"),
    "twice": ([*REGIONS, REGIONS[0][:]], "must have each value once; got Ham"),
    "monotone": (
        [*REGIONS[:2], ["Muc", "Bremen", "south", "*"]],
        "must put each group of column 2 into one group of column 3; got 'Bremen' in 'north' and 'south'",
    ),
    "empty": ([], "must have a value and at least one group in each row"),
    "one column": ([["Ham"]], "must have a value and at least one group in each row"),
    "a number": (3, "must be the path of a CSV file"),
    "digits": ({"digits": [1, 2]}, "digits must be descending whole numbers above 0"),
    "cuts of text": ({"cuts": [[20]]}, "cut points need numbers in column `region`"),
    "cuts not nested": (
        {"cuts": [[20, 40], [30]]},
        "cuts must be lists of ascending cut points, of which each contains",
    ),
    "cuts of words": ({"cuts": [["a"]]}, "cuts must be lists of ascending cut points"),
    "no file": ("no-such-file.csv", "no-such-file.csv: the file could not be read"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_in_one_sentence(name):
    form, words = REFUSED[name]
    with pytest.raises(pf.errors.PyfcrmError) as caught:
        pf.recode_search(FRAME, "region", {"region": form}, 2)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
