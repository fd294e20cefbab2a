"""Python's texts in R's words. Oracle: by hand. Grade: identical."""

import pytest

import pyfcrm as pf
from pyfcrm.methods import METHODS
from r_bridge.from_r.words import call_in_r, constructor, text_in_r, value_in_r

TEXTS = {
    "run evaluate(..., audit=True)": "run evaluate(..., audit = TRUE)",
    "the roles are not known: give roles=": "the roles are not known: give `columns` and `independent`",
    "give what protect() returned, its manifest, or roles=": "give what protect() returned, or `columns` and `independent`",
    "compare methods with sweep() or recommend()": "compare methods with sweep_methods() or recommend()",
    "the method is not known: give method=": "the method is not known: give `method`",
    "`audit` needs method= and roles=": "`audit` needs `method`, `columns` and `independent`",
    "records must pair, by index or by position": "records must pair, by row names or by position",
    "Microaggregation(k=3) keeps 2": "microaggregation(k = 3) keeps 2",
    "Calibrated(method=IPSO(kind=C), margins=smooth)": 'calibrated(method = ipso(kind = "C"), margins = "smooth")',
    "PRAM(matrix=None)": "pram()",
    "Sequential: `model` must be 'cart'": 'sequential_trees: `model` must be "cart"',
    'a mapping, such as {"wage": (0, 5000)}': "a named list, such as list(wage = c(0, 5000))",
    "FCRM: `c` must be None": "fcrm: `c` must be NULL",
}
VALUES = {
    "True": "TRUE", "None": "NULL", "[1, 2]": "c(1, 2)", "('a', 'b')": 'c("a", "b")', "('a',)": 'c("a")', "()": "nothing",
    "[True]": "c(TRUE)", "'x'": '"x"', "Microaggregation(k=3)": "microaggregation(k = 3)", "12": "12",
}  # fmt: skip
CALLS = {
    'ipso(kind = "C")': pf.IPSO("C"),
    "pram()": pf.PRAM(),
    "noise(amount = 20)": pf.Noise(amount=20),
    'fcrm(c = NULL, m = 2, release = "model")': pf.FCRM(None, m=2.0, release="model"),
    'sequential_trees(order = c("b", "a"), complexity = 1e-05)': pf.Sequential(order=["b", "a"], complexity=1e-5),
    "calibrated(method = noise(amount = 20), moments = FALSE)": pf.Calibrated(pf.Noise(amount=20), moments=False),
    'topbottomcoding(top = list("wage, gross" = "95%", tax = 4))': pf.TopBottomCoding(
        {"wage, gross": "95%", "tax": 4.0}
    ),
    'microaggregation(k = 3, blocks = list(list(c("a"), 3), list(c("b", "c"), 4)))': pf.Microaggregation(
        3, blocks=[("a", 3), (["b", "c"], 4)]
    ),
}
UNCHANGED = [
    "None of 3 methods passes",
    "the method's own columns and the users' choice",
    "column `True` and `None`",
    "/data/year=2020/weights=3.csv",
    "net == wage - tax, a=b",
    "IPSO does not preserve it",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_sentence(text):
    assert text_in_r(text) == TEXTS[text]


@pytest.mark.parametrize("value", VALUES)
def test_a_value(value):
    assert value_in_r(value) == VALUES[value]


@pytest.mark.parametrize("call", CALLS)
def test_the_call_of_a_constructor(call):
    assert call_in_r(CALLS[call]) == call


@pytest.mark.parametrize("text", UNCHANGED)
def test_other_text_is_not_changed(text):
    assert text_in_r(text) == text


@pytest.mark.parametrize("kind", [*METHODS.values(), pf.Steps, pf.External], ids=lambda kind: kind.__name__)
def test_every_method_has_its_constructor_in_r(kind):
    assert text_in_r(f"{kind.__name__}(k=2) and {kind.__name__}: x") == "{0}(k = 2) and {0}: x".format(
        constructor(kind.__name__)
    )
