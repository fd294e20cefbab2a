"""What a method declares of its parameters is what it does.

Oracles: the constructors and releases themselves, tried at and just beyond each edge that is stated; the docstrings; R's help
page. Grade: identical.
"""

import dataclasses
import inspect
import math
import re
from pathlib import Path

import numpy as np
import pytest
from support.data import frame as make_frame
from support.method_examples import EXAMPLES

import pyfcrm as pf
from pyfcrm.arguments import MOST
from pyfcrm.errors import InvalidParameter
from pyfcrm.methods import METHODS, Method
from pyfcrm.methods.parameter import Parameter
from pyfcrm.methods.text import make_method, setting_texts
from r_bridge.from_r.words import call_in_r

# What a method cannot do without: required ones, and TopBottomCoding's threshold. The examples of other methods are added.
NEEDED = {
    "fcrm": {"c": 3},
    "microaggregation": {"k": 3},
    "recoding": {"breaks": 3},
    "topbottomcoding": {"top": 6.0},
}
for KEY in METHODS.keys() - NEEDED.keys():
    NEEDED[KEY] = {one.name: one.example for one in METHODS[KEY].declared() if one.required}
# What else a parameter needs.
BUDGET = {"epsilon": 1.0, "delta": 1e-6, "clip": {"y": (0, 10), "whole": (0, 10)}}
BESIDE = {("ipso", name): BUDGET for name in ("epsilon", "delta", "max_leverage")}
# For parameters that are heeded with some words only: another value than the default.
OTHER = {
    ("calibrated", "point_mass"): 40,
    ("fcrm", "donors"): 2, ("fcrm", "intercept"): False, ("fcrm", "joint"): True,
    ("hybrid", "alpha"): 0.25, ("hybrid", "k"): 9, ("microaggregation", "scale"): None,
}  # fmt: skip
ROLES = pf.Roles(independent=["a", "b"], dependent=["y", "whole"], identifiers="id")
ALL = [(key, parameter) for key, kind in METHODS.items() for parameter in kind.declared()]
MANUAL = Path(__file__).resolve().parents[2] / "r_scripts" / "fcrm" / "man" / "protection-methods.Rd"

every = pytest.mark.parametrize("key", list(METHODS))
each = pytest.mark.parametrize(("key", "parameter"), ALL, ids=[f"{key}-{one.name}" for key, one in ALL])


def those(*kinds):
    chosen = [(key, one) for key, one in ALL if one.kind in kinds]
    return pytest.mark.parametrize(("key", "parameter"), chosen, ids=[f"{key}-{one.name}" for key, one in chosen])


def build(key, **values):
    extra = [BESIDE.get((key, name), {}) for name, value in values.items() if value is not None]
    return METHODS[key](**(NEEDED.get(key, {}) | (extra[0] if extra else {}) | values))


def refusal(key, parameter, value):
    with pytest.raises(InvalidParameter) as caught:
        build(key, **{parameter.name: value})
    return caught.value


@pytest.mark.parametrize(("key", "name"), [("arf", "trees"), ("arf", "rounds"), ("fcrm", "max_iter")])
def test_repeated_work_has_a_limit(key, name):
    with pytest.raises(InvalidParameter, match=name):
        build(key, **{name: MOST})


@every
def test_declared_are_the_constructor_s_parameters_in_its_order(key):
    kind = METHODS[key]
    signature = inspect.signature(kind).parameters
    declared = kind.declared()
    assert [one.name for one in declared] == list(signature) == [field.name for field in dataclasses.fields(kind)]
    for one in declared:
        default = signature[one.name].default
        assert one.required == (default is inspect.Parameter.empty)
        if not one.required:
            assert one.default == default
            assert getattr(build(key), one.name) == default or one.name in NEEDED.get(key, {})
    assert kind.declared() is declared
    with pytest.raises(dataclasses.FrozenInstanceError):
        dataclasses.replace(Parameter("a", "flag")).help = "b"


@every
def test_the_base_alone_checks(key):
    """What is checked elsewhere than by the declaration could not be read off it."""
    assert "__post_init__" not in vars(METHODS[key])


@each
def test_each_has_help_and_stands_in_the_docstring(key, parameter):
    assert parameter.help
    assert not parameter.help.endswith(".")
    assert parameter.help.isprintable()
    assert parameter.accepts
    assert re.search(rf"\b{parameter.name}\b", inspect.getdoc(METHODS[key]) or "")


@every
def test_its_settings_as_text_make_it_again(key):
    """Oracle: the method itself."""
    for method in (METHODS[key].example(), EXAMPLES[key]):
        assert make_method(key, setting_texts(method)) == method


@every
def test_a_method_has_an_example(key):
    """Its own parameters, and a value for each that is required: forms, stored results and tests begin with it."""
    assert isinstance(METHODS[key].example(), METHODS[key])


@every
def test_a_method_is_made_with_what_is_required_and_nothing_else(key):
    """TopBottomCoding asks for one of two, which no single parameter can say."""
    required = {one.name for one in METHODS[key].declared() if one.required}
    options = {name: value for name, value in NEEDED.get(key, {}).items() if name in required}
    if key == "topbottomcoding":
        with pytest.raises(InvalidParameter, match="`top` or `bottom` must be given"):
            METHODS[key](**options)
    else:
        assert METHODS[key](**options) == build(key)
        assert set(NEEDED.get(key, {})) == required


@those("whole", "number")
def test_every_edge_is_where_it_is_said_to_be(key, parameter):
    """The value at the edge is taken, the next one beyond is refused with the rule; without an edge there is none."""
    whole = parameter.kind == "whole"
    ends = [(parameter.ends.get("low"), -math.inf, True), (parameter.ends.get("high"), math.inf, True)]
    ends += [(parameter.ends.get("above"), -math.inf, False), (parameter.ends.get("below"), math.inf, False)]
    for edge, beyond, taken in ends:
        if edge is None:
            continue
        outside = edge + math.copysign(1, beyond) if whole else math.nextafter(edge, beyond)
        inside = edge if taken else math.nextafter(edge, -beyond)
        assert getattr(build(key, **{parameter.name: inside}), parameter.name) == inside
        for value in (outside, edge) if not taken else (outside,):
            message = refusal(key, parameter, value)
            assert (message.owner, message.name, message.rule) == (
                METHODS[key].__name__,
                parameter.name,
                parameter.rule,
            )
    if parameter.ends.get("high") is None and parameter.ends.get("below") is None:
        assert getattr(build(key, **{parameter.name: MOST}), parameter.name) == MOST
    if whole:
        for edge in (e for e in (parameter.ends.get("low"), parameter.ends.get("high")) if e is not None):
            assert str(int(edge)) in parameter.rule
        if parameter.ends.get("high") is None:
            low = -MOST if parameter.ends.get("low") is None else int(parameter.ends.get("low"))
            assert refusal(key, parameter, MOST + 1).rule == f"must be a whole number from {low} to {MOST}"


def masses():
    """The example frame with a point mass of twenty records."""
    frame = make_frame()
    frame.loc[:19, "y"] = 0.0
    return frame


@those("whole", "number")
def test_numbers_are_taken_from_any_type_of_them_and_nothing_else(key, parameter):
    """3.0 for 3, as R sends it, and numpy's; no flag, no text, no fraction for a whole number."""
    kind = int if parameter.kind == "whole" else float
    near = 3 if parameter.ends.get("high") is None or parameter.ends.get("high") >= 3 else 1
    near = max(near, int(parameter.ends.get("low") or 0))
    if parameter.ends.get("below") is not None and parameter.ends.get("below") <= near:
        return  # no whole number is in its range
    for value in (near, float(near), np.int64(near), np.float64(near)):
        kept = getattr(build(key, **{parameter.name: value}), parameter.name)
        assert kept == near
        assert type(kept) is kind
    for bad in (True, str(near), [near], math.nan, math.inf, *([] if parameter.optional else [None])):
        assert refusal(key, parameter, bad).rule == parameter.rule
    if kind is int:
        assert refusal(key, parameter, 3.5).rule == parameter.rule


@those("flag")
def test_flags_are_true_or_false(key, parameter):
    for value in (True, False):
        assert getattr(build(key, **{parameter.name: value}), parameter.name) is value
    for bad in (0, 1, "true", None):
        assert refusal(key, parameter, bad).rule == parameter.rule


@those("choice")
def test_the_words_are_exactly_what_is_taken(key, parameter):
    """Each word makes a release; anything else is refused with all of them."""
    assert parameter.default in (*parameter.words, None)
    for word in parameter.words:
        method = build(key, **{parameter.name: word})
        assert getattr(method, parameter.name) == word
        pf.protect(make_frame(), method, ROLES, seed=1, allow_unprotected=True)
    bad = ["", "\0", "no such word", 1, True, *([] if parameter.optional else [None])]
    bad += [
        changed
        for word in parameter.words
        for changed in (word.swapcase(), f" {word}", word[:-1])
        if changed not in parameter.words
    ]
    for value in bad:
        message = refusal(key, parameter, value)
        assert message.allowed == parameter.words
        assert message.rule == parameter.rule


@each
def test_none_is_taken_where_it_is_said_to_be(key, parameter):
    if key == "topbottomcoding":
        assert getattr(METHODS[key](**{"top": 5.0, "bottom": 1.0, parameter.name: None}), parameter.name) is None
    elif (key, parameter.name) == ("fcrm", "c"):
        assert build(key, c=None, release="model").c is None  # for this release alone
    elif parameter.optional:
        assert getattr(build(key, **{parameter.name: None}), parameter.name) is None
    else:
        assert refusal(key, parameter, None).name == parameter.name


ONLY = [(key, one) for key, one in ALL if one.only is not None]


@pytest.mark.slow
@pytest.mark.parametrize(("key", "parameter"), ONLY, ids=[f"{key}-{one.name}" for key, one in ONLY])
def test_a_parameter_is_heeded_with_the_words_it_names_and_no_others(key, parameter):
    """Another value makes another release with one of these words, and the same release without."""
    assert parameter.only is not None
    name, words = parameter.only
    other = next(one for one in METHODS[key].declared() if one.name == name)
    assert set(words) < set(other.words)
    for word in other.words:
        first, second = (
            pf.protect(masses(), build(key, **{name: word, **value}), ROLES, seed=1, allow_unprotected=True).frame
            for value in ({}, {parameter.name: OTHER[key, parameter.name]})
        )
        assert first.equals(second) == (word not in words), word


@every
def test_the_dial_turns_within_the_range_and_is_the_one_that_is_heeded(key):
    dials = [one for one in METHODS[key].declared() if one.dial is not None]
    for one in dials:
        assert one.dial is not None
        for end in one.dial:
            assert build(key, **{one.name: end}).parameters()[one.name] == end


WORK_ON_CELLS = {"sampling", "recoding", "topbottomcoding", "localsuppression", "pram"}


@every
def test_what_a_method_says_of_itself_holds(key):
    """One for one: as many numbers as came; and only such ones can be calibrated."""
    assert build(key).replaces_numbers() == (key not in WORK_ON_CELLS)
    if build(key).replaces_numbers():
        assert build("calibrated", method=build(key)).wrapped == build(key)
    else:
        with pytest.raises(InvalidParameter, match="`method` must be a method that replaces numbers one for one"):
            build("calibrated", method=build(key))
    assert (build(key).wrapped is None) == (key != "calibrated")
    assert set(build(key).columns(pf.Roles(dependent="y"))) <= {"y"}


@each
def test_r_s_help_page_has_each_parameter_and_word(key, parameter):
    """The formals themselves are compared with live R in tests/parity/test_r_package.py."""
    text = MANUAL.read_text(encoding="utf-8")
    items = {
        name.strip(): message
        for names, message in re.findall(r"\\item\{([^}]*)\}\{(.*)", text)
        for name in names.split(",")
    }
    assert parameter.name in items
    for word in parameter.words:
        assert f'"{word}"' in text, word
    function = METHODS[key].r_name or key
    usage = re.search(rf"^{function}\(((?:[^()]|\([^()]*\))*)\)", text, re.MULTILINE)
    assert usage is not None
    shown = {True: "TRUE", False: "FALSE", None: "NULL"}
    default = parameter.default
    if parameter.required:
        assert re.search(rf"\b{parameter.name}\b(?! =)", usage[1])
    elif isinstance(default, bool) or default is None:
        assert f"{parameter.name} = {shown[default]}" in usage[1]
    elif isinstance(default, Method):
        assert f"{parameter.name} = {call_in_r(default)}" in usage[1]
    else:
        assert f"{parameter.name} = " + (f'"{default}"' if isinstance(default, str) else f"{default:g}") in usage[1]
