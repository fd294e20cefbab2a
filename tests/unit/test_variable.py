"""Declarations of variables: what is accepted, refused in one sentence, and read back from TOML.

Oracle: the rules of pf.Variable, by hand. Identical.
"""

import math

import pytest

import pyfcrm as pf
from pyfcrm.data.variables import read_variables
from pyfcrm.errors import InvalidInput, InvalidParameter


def test_fields_become_plain_python():
    """R sends whole numbers as floats, and single values without a list."""
    variable = pf.Variable("codes", codes=range(1, 4), missing_codes=9.0)
    assert (variable.codes, variable.missing_codes) == ((1, 2, 3), (9,))
    assert pf.Variable(missing_codes="x").missing_codes == ("x",)
    assert pf.Variable("amount", bounds=(0, math.inf), decimals=2.0).bounds == (0.0, None)
    assert pf.Variable(bounds=[None, "none"]).bounds == (None, None)
    assert pf.Variable(bounds="none", decimals="all").decimals == "all"
    assert pf.Variable() == pf.Variable(None, codes=None, missing_codes=())


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "number"},
        {"kind": "category", "bounds": (0, 1)},
        {"kind": "date", "decimals": 2},
        {"kind": "amount", "codes": [1, 2]},
        {"codes": []},
        {"codes": [1, 1.0]},
        {"codes": [1, math.nan]},
        {"kind": "codes", "codes": ["a"]},
        {"codes": [1, 99], "missing_codes": [99]},
        {"missing_codes": [None]},
        {"missing_codes": True},
        {"bounds": (1, 0)},
        {"bounds": 3},
        {"bounds": "sign"},
        {"bounds": (0, 1, 2)},
        {"decimals": -1},
        {"decimals": 1.5},
        {"decimals": "original"},
        {"kind": "date", "format": "yyyymm"},
        {"kind": "amount", "format": "%Y"},
        {"kind": "identifier", "format": "%Y"},
        {"label": 3},
    ],
)
def test_wrong_fields_are_refused_in_one_sentence(fields):
    with pytest.raises(InvalidParameter) as refused:
        pf.Variable(**fields)
    assert "\n" not in str(refused.value)
    assert "Variable: `" in str(refused.value)


@pytest.mark.parametrize("format", ["%Y%m", "%d.%m.%Y", "%YQ%q", "%tm", "MOYR8", "%d %B %Y"])
def test_formats_of_dates(format):
    assert pf.Variable("date", format=format).format == format


@pytest.mark.parametrize("format", ["1.234,56", "1,234.56 EUR", "$1,234.56", "1 234,56 €", "1234,56 %"])
def test_formats_of_numbers_in_text(format):
    assert pf.Variable("amount", format=format).format == format


def test_read_back_from_toml():
    text = """
[variables.wage]
missing_codes = [99999]
bounds = [0, "none"]
[variables.month]
kind = "date"
format = "%Y%m"
"""
    assert read_variables(text) == {
        "wage": pf.Variable(missing_codes=[99999], bounds=(0, None)),
        "month": pf.Variable("date", format="%Y%m"),
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[variables.a]\nkinds = 'codes'", "did you mean `kind`"),
        ("[variable.a]\n", "did you mean `variables`"),
        ("[variables]\na = 3", "`variables.a` must be a table"),
        ("[variables.a]\nkind = 'wrong'", "`variables.a.kind` must be one of"),
        ("variables", "must be TOML"),
    ],
)
def test_other_toml_is_refused_with_its_place(text, words):
    with pytest.raises((InvalidInput, InvalidParameter), match=words):
        read_variables(text)
