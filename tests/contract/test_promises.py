"""Every promise in README, SECURITY and NOTATION is held by tests, and every one of those tests is there.

Oracle: tests/promises.toml beside the documents and the tests. Identical. The table to read, tests/PROMISES.md, is made again by
`python tests/contract/test_promises.py`.
"""

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
REPOSITORY = TESTS.parent
PROMISES = tomllib.loads((TESTS / "promises.toml").read_text(encoding="utf-8"))
TABLE = TESTS / "PROMISES.md"
GRADES = ("identical", "close", "statistical")
PAIRS = [(document, said) for document, promises in PROMISES.items() for said in promises]


@cache
def words(document):
    return " ".join((REPOSITORY / document).read_text(encoding="utf-8").split())


@cache
def functions(path):
    return {one.name for one in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(one, ast.FunctionDef)}


def table():
    lines = [
        "# Promises and the tests that hold them",
        "",
        "Made of promises.toml by `python tests/contract/test_promises.py`.",
        "",
    ]
    for document, promises in PROMISES.items():
        lines += [f"## {document}", "", "| promise | grade | held by |", "| --- | --- | --- |"]
        rows = ((text.replace("|", "\\|"), grade, "<br>".join(tests)) for text, (grade, *tests) in promises.items())
        lines += [*(f"| {text} | {grade} | {tests} |" for text, grade, tests in rows), ""]
    return "\n".join(lines)


@pytest.mark.parametrize(("document", "message"), PAIRS, ids=str)
def test_a_promise_is_made_in_these_words_and_held_by_tests(document, message):
    grade, *tests = PROMISES[document][message]
    assert message in words(document)
    assert grade in GRADES
    assert tests
    for test in tests:
        name, _, function = test.partition("::")
        assert (TESTS / name).is_file(), test
        found = functions(TESTS / name)
        assert function in found if function else any(one.startswith("test_") for one in found), test


def test_the_table_is_that_of_the_file():
    assert TABLE.read_text(encoding="utf-8") == table()


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
