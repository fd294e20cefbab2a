"""Words that the glossary replaces by a term of the field, where a user reads them: documents and messages.

Oracle: the list below, with the term to use (docs/glossary.md). Identical: none occurs in docs, vignettes, R help, help of the
command line, the studio's templates, notes or refusals. What only a programmer reads is not examined.
"""

import ast
import re

import pytest
from support.data import REPOSITORY

COINED = {
    r"(leave|leaves|leaving|left) as (it|they) (came|is|are|was|were)": "is released unchanged",
    r"(goes|go|going) out( as)?": "is released; is published",
    r"by who knows|(?<!intruder )who knows the method": "by an intruder who knows the method; method-aware",
    r"(un)?beaten": "Pareto-optimal",
    r"heaps|[at]h?e? heap": "point mass",
    r"exchanges?|exchanged|exchanging": "swap",
    r"nobody's|somebody's": "a point mass; of another record",
    r"hand(s|ed)? (it |them )?out|handed round": "releases verbatim; permuted",
    r"alone (with|on) (its|their)": "sample unique",
    r"own leak|leaks?": "excess over the baseline; attributable",
    r"gives? away": "discloses",
    r"from elsewhere": "third-party synthesizer",
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


def messages(path):
    """The sentences of a module that a user may read: strings of three words or more, no docstrings."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source if PATTERN.search(source) else "")  # parsing takes longest
    nodes = list(ast.walk(tree))
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    strings = [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    texts = [node.value for node in strings if id(node) not in docstrings]
    return prose(" | ".join(" ".join(text.split()) for text in texts if text.count(" ") >= 2))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_documents_use_the_terms_of_the_field(path):
    text = prose(path.read_text(encoding="utf-8"))
    found = [text[max(match.start() - 30, 0) : match.end() + 30] for match in PATTERN.finditer(text)]
    assert not found, found


def test_messages_use_the_terms_of_the_field():
    found = [f"{path.stem}: {match[0]}" for path in MODULES for match in PATTERN.finditer(messages(path))]
    assert not found, found
