"""Words that are not used: coined ones have a term of the field instead (docs/glossary.md).

Oracle: the list below, with the term to use. Identical: none occurs in docs, vignettes, R help, help of the command line, the studio's
templates, notes, refusals or docstrings.
"""

import ast
import re

import pytest
from support.data import REPOSITORY

COINED = {
    r"(leave|leaves|leaving|left) as (it|they) (came|is|are|was|were)": "is released unchanged",
    r"(goes|go) out as": "is released unchanged",
    r"by who knows|(?<!intruder )who knows the method": "by an intruder who knows the method; method-aware",
    r"(un)?beaten": "Pareto-optimal",
    r"heaps|[at]h?e? heap": "point mass",
    r"exchanges?|exchanged|exchanging": "swap",
    r"doors?|rooms?": "interface; module",
    r"twins?": "reference implementation",
    r"mends?|mended": "fix, correct, install",
    r"told|tells?|telling": "report; distinguish; disclose",
    r"asks?( for)?": "request; require",
    r"by (itself|themselves)": "separately",
    r"nobody's|somebody's": "a point mass; of another record",
    r"hand(s|ed)? (it |them )?out|handed round": "releases verbatim; permuted",
    r"alone (with|on) (its|their)": "sample unique",
    r"lies above (it|that|this)?|own leak|leaks?": "excess over the baseline; attributable",
    r"gives? away": "discloses",
    r"goes out|go out|going out": "is published",
    r"from elsewhere": "third-party synthesizer",
    r"throws?|thrown": "draw, generate",
    r"kin": "similar methods",
    r"nought|say so|says so first": "0; it is reported",
}
PATTERN = re.compile("|".join(rf"\b(?:{words})\b" for words in COINED), re.IGNORECASE)
TEXTS = [
    *(path for path in (REPOSITORY / "docs").glob("*.*md")), *(REPOSITORY / "vignettes").glob("*.Rmd"),
    *(REPOSITORY / "r_scripts" / "fcrm").glob("man/*.Rd"), *(REPOSITORY / "r_scripts" / "fcrm").glob("vignettes/*.Rmd"),
    *(REPOSITORY / "pyfcrm").rglob("templates/*.html"), *(REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md")),
]  # fmt: skip
MODULES = [path for path in (REPOSITORY / "pyfcrm").rglob("*.py") if "__pycache__" not in path.parts]


def prose(text):
    """Without code: fences, chunks, indented blocks, inline code, macros and tags."""
    text = re.sub(r"^(`{3,})[^\n]*\n.*?^\1`*$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"\\(code|link|pkg|env|item)\{[^{}]*\}|`[^`\n]*`|<[^>]*>|\{[{%].*?[%}]\}|\]\([^)]*\)", " ", text)
    return " ".join(re.sub(r"^    .*$", "", text, flags=re.MULTILINE).split())


def sentences(path):
    """The sentences of a module: strings and docstrings with three words or more."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source if PATTERN.search(source) else "")  # parsing takes longest
    constants = [
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return prose(" | ".join(" ".join(text.split()) for text in constants if text.count(" ") >= 2))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_documents_use_the_terms_of_the_field(path):
    text = prose(path.read_text(encoding="utf-8"))
    found = [text[max(match.start() - 30, 0) : match.end() + 30] for match in PATTERN.finditer(text)]
    assert not found, found


def test_modules_use_the_terms_of_the_field():
    found = [f"{path.stem}: {match[0]}" for path in MODULES for match in PATTERN.finditer(sentences(path))]
    assert not found, found
