"""Every public name has a docstring in numpydoc's form that says what the signature says; what is named exists.

Oracle: the signature, and numpydoc's sections in their order. Identical: the same parameters in the same order, each with a
type and a sentence; Returns where something is returned; Raises for every function that takes a user's data. No docstring has a
sentence twice. Files, pages and names that docstrings, comments and the documents of the repository name are there.
"""

import ast
import dataclasses
import inspect
import re
import textwrap
from collections import Counter
from functools import cache
from itertools import pairwise
from types import ModuleType

import pytest
from support.data import REPOSITORY
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


def described_fields(value):
    """The fields of a dataclass with the texts below them, in place of a section of parameters."""
    if not (isinstance(value, type) and dataclasses.is_dataclass(value)):
        return []
    fields = {field.name for field in dataclasses.fields(value)}
    body = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0].body
    return [
        (node.target.id, " ".join(text.value.value.split()))
        for node, text in pairwise(body)
        if isinstance(node, ast.AnnAssign)
        and node.target.id in fields
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    ]


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
        text = entries(found.get("Parameters", [])) or described_fields(value)
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


LONG = 6  # words: shorter sentences, such as "None for equal ones.", may say the same of two parameters
NAMED_FILE = re.compile(r"(?<![\w./<{])(\w[\w./-]*\.(?:md|py))(?![\w(])")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "NOTATION.md", "CHANGELOG.md")
FOLDERS = ("benchmarks", "docs", "pyfcrm", "r_bridge", "r_scripts", "tests", "vignettes")
OWN = re.compile(r"`([^`]*)`")


def repeated(text):
    """Sentences that follow themselves, and those of six words or more that stand twice."""
    sentences = re.split(r"(?<=[.!?])\s+", " ".join(text.split()))
    twice = [one for one, times in Counter(sentences).items() if times > 1 and len(one.split()) >= LONG]
    return twice + [one for one, other in pairwise(sentences) if one == other and " " in one]


@cache
def repository_files():
    """The files of the repository, without what is built or installed there."""
    found = [path for path in REPOSITORY.iterdir() if path.is_file()]
    for folder in FOLDERS:
        found += [path for path in (REPOSITORY / folder).rglob("*") if path.is_file()]
    built = {"__pycache__", "site", "node_modules"}
    return tuple(path.relative_to(REPOSITORY).as_posix() for path in found if not built & set(path.parts))


@cache
def sources():
    """By path, the syntax tree and the text of each Python file."""
    texts = {
        path: (REPOSITORY / path).read_text(encoding="utf-8") for path in repository_files() if path.endswith(".py")
    }
    return {path: (ast.parse(text), text) for path, text in texts.items()}


def docstrings(tree):
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [text for node in ast.walk(tree) if isinstance(node, kinds) and (text := ast.get_docstring(node))]


@pytest.mark.slow
def test_no_docstring_has_a_sentence_twice():
    assert repeated("It lifts two rules. It lifts two rules. None by default.") == ["It lifts two rules."]
    found = {
        path: twice for path, (tree, _) in sources().items() for text in docstrings(tree) if (twice := repeated(text))
    }
    assert not found


def absent(text):
    """Files named in a text that the repository does not have, whole or by the end of their path."""
    known = {"/" + path for path in repository_files()}
    return [name for name in NAMED_FILE.findall(text) if not any(path.endswith(f"/{name}") for path in known)]


@pytest.mark.slow
def test_files_that_are_named_exist():
    assert absent("by conftest.py, tests/conftest.py and RISK.md") == ["RISK.md"]
    found = {document: absent((REPOSITORY / document).read_text(encoding="utf-8")) for document in DOCUMENTS}
    for path, (tree, text) in sources().items():
        found[path] = absent("\n".join([*docstrings(tree), *re.findall("#(.*)", text)]))
    example = {"tests/contract/test_docstrings.py": ["RISK.md"]}
    assert {path: names for path, names in found.items() if names and names != example.get(path)} == {}


@pytest.mark.slow
def test_pages_that_are_named_exist():
    """Pages of the documentation that docstrings name by title, such as page "Verdict", and references by an abbreviation."""
    pages = [(REPOSITORY / path).read_text(encoding="utf-8") for path in repository_files() if path.startswith("docs/")
             and path.endswith(("md", "Rmd"))]  # fmt: skip
    titles = " ".join(line for page in pages for line in page.splitlines() if line.startswith(("# ", "title:")))
    named = {name for path, (tree, _) in sources().items() if path.startswith("pyfcrm/") for text in docstrings(tree)
             for name in re.findall(r'page "([^"]+)"', " ".join(text.split()))}  # fmt: skip
    assert named
    assert {name for name in named if name.lower() not in titles.lower()} == set()
    for name, (value, _, found) in documented_members().items():
        cited = " ".join(found.get("References", []))
        assert not re.findall(r"\b[A-Z]{5,}\b", cited), (name, value, cited)


@pytest.mark.slow
def test_names_of_the_notation_are_in_the_code():
    """Oracle: every identifier of the package and the bridge; a folder of modules, or a key in a string, counts."""
    known = set()
    for path, (tree, _) in sources().items():
        if path.startswith(("pyfcrm/", "r_bridge/")):
            known |= set(re.split(r"[/.]", path))
            for node in ast.walk(tree):
                known |= {getattr(node, field, None) for field in ("id", "attr", "arg", "name", "value")
                          if isinstance(getattr(node, field, None), str)}  # fmt: skip
    rows = [line.split(" | ") for line in (REPOSITORY / "NOTATION.md").read_text(encoding="utf-8").splitlines()]
    named = {
        name
        for row in rows
        if len(row) > 3
        for code in OWN.findall(row[1])
        for name in re.findall(r"[A-Za-z_]\w*", code)
    }
    assert len(named) > 60
    assert named - known == set()
