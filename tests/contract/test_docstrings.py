"""Every public name has a docstring in numpydoc's form that says what the signature says.

Oracle: the signature, and numpydoc's sections in their order. Identical: the same parameters in the same order, each with a
type and a sentence; Returns where something is returned; Raises for every function that takes a user's data.
"""

import inspect
import re
from functools import cache
from types import ModuleType

import pytest
from support.interfaces import parameters_of

import pyfcrm as pf
from pyfcrm.measures import MEASURES, measure
from pyfcrm.methods import METHODS, facts, method, work

SEE = re.compile(r"See ([\w.]+)\.( .*)?")  # the one line of what is documented there
SECTIONS = ("Parameters", "Attributes", "Returns", "Raises", "Warns", "Notes", "References", "Examples")
ENTRY = re.compile(r"^(?P<names>\S[^:]*) : (?P<type>\S.*)$")
METHOD_CLASSES = (method.Procedure, method.Method)
PLUMBING = (facts.Facts, work.CellRelease, work.Released)
MEASURE_CLASSES = (measure.Part, measure.Parts, measure.Measure)


@cache
def documented():
    """Public functions and classes by name, what methods and measures are made of, and the public members of all these."""
    found = dict(_in_module(pf, pf.__all__, ""))
    found |= {kind.__name__: kind for kind in (*METHOD_CLASSES, *PLUMBING, *MEASURE_CLASSES)}
    for key, one in MEASURES.items():
        found[f"measure {key}"] = one.compute
    for name, value in list(found.items()):
        if isinstance(value, type) and value not in METHODS.values():
            found |= {f"{name}.{member}": one for member, one in _members(value)}
    return found


def elsewhere():
    """Those that say where their docstring is."""
    found = {name: SEE.fullmatch(inspect.getdoc(value) or "") for name, value in documented().items()}
    return {name: see[1] for name, see in found.items() if see}


def _in_module(module, names, prefix):
    for name in names:
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            at_home = [n for n, v in vars(value).items() if getattr(v, "__module__", "") == value.__name__]
            classes = [n for n in at_home if isinstance(getattr(value, n), type)]
            yield from _in_module(value, getattr(value, "__all__", classes), f"{name}.")
        elif callable(value):
            yield prefix + name, value


def _members(kind):
    """What the class itself defines; what it overrides is documented where it comes from."""
    for name, value in vars(kind).items():
        inherited = any(hasattr(base, name) for base in kind.__mro__[1:])
        plain = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        if not name.startswith("_") and not inherited and (inspect.isfunction(plain) or isinstance(plain, property)):
            yield name, plain


def sections(text):
    """The lines of each section; "" is what stands before the first."""
    found = {"": []}
    lines = text.splitlines()
    title = ""
    for line, under in zip(lines, [*lines[1:], ""], strict=True):
        if under and under == "-" * len(line):
            title = line
            found[title] = []
        elif not re.fullmatch("-{3,}", line):
            found[title].append(line)
    return found


def entries(lines):
    """Each parameter's name with its description, those that share one apart."""
    found = []
    for line in lines:
        if line and not line.startswith(" "):
            entry = ENTRY.match(line)
            assert entry, f"`name : type` is expected: {line}"
            found.append((entry["names"].split(", "), []))
        elif line.strip():
            found[-1][1].append(line.strip())
    return [(name, " ".join(text)) for names, text in found for name in names]


def parameters(value):
    try:
        found = parameters_of(value)
    except ValueError:  # a subclass of str that is made by a method of its own
        return []
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [stars.get(one.kind, "") + one.name for one in found if one.name not in ("self", "cls")]


def test_what_is_documented_elsewhere_is_so():
    every = documented()
    for name, there in elsewhere().items():
        assert there not in elsewhere()
        assert parameters(every[name]) == parameters(every[there])


def documented_members():
    """By name, what is documented in its own place, with its docstring and the sections of that."""
    found = {name: (value, inspect.getdoc(value) or "") for name, value in documented().items()}
    return {name: (value, text, sections(text)) for name, (value, text) in found.items() if name not in elsewhere()}


@pytest.mark.slow
def test_each_begins_with_a_sentence_and_has_its_sections_in_order():
    wrong = []
    for name, (_, text, found) in documented_members().items():
        first, *rest = text.splitlines() or [""]
        if not first.endswith(".") or (rest and rest[0]):
            wrong.append(f"{name}: {first}")
        if list(found)[1:] != [title for title in SECTIONS if title in found]:
            wrong.append(f"{name}: {list(found)[1:]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_each_has_every_parameter_in_order_with_a_sentence():
    wrong = []
    for name, (value, _, found) in documented_members().items():
        text = entries(found.get("Parameters", []))
        expected = [] if isinstance(value, property) else parameters(value)
        if [one for one, _ in text] != expected:
            wrong.append(f"{name}: {expected}, and documented {[one for one, _ in text]}")
        wrong += [f"{name}: {one} has no sentence" for one, words in text if not words.endswith(".")]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_each_says_what_comes_back_and_what_is_raised():
    wrong = []
    for name, (value, _, found) in documented_members().items():
        if inspect.isfunction(value):
            gives = value.__annotations__.get("return", "None") not in ("None", None)
            wrong += [f"{name}: Returns"] if ("Returns" in found) != gives else []
            wrong += [f"{name}: Raises"] if name in pf.__all__ and "Raises" not in found else []
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("key", MEASURES)
def test_a_measure_says_where_it_is_from(key):
    found = sections(inspect.getdoc(documented()[f"measure {key}"]) or "")
    assert any(line.strip() for line in found["References"])


def test_the_check_sees_what_is_missing():
    """Identical: worked by hand."""
    found = sections(
        "One.\n\nParameters\n----------\na, b : int\n    Two.\nc : str\n\nReturns\n-------\nint\n    Three."
    )
    assert list(found) == ["", "Parameters", "Returns"]
    assert entries(found["Parameters"]) == [("a", "Two."), ("b", "Two."), ("c", "")]
    with pytest.raises(AssertionError, match="is expected"):
        entries(["a: int"])
