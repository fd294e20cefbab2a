"""Notes in brief: ten of at most 25 words; every note is in `all_notes`, and no warning disappears without a number.

Oracle: the source itself for declared wordings, and notes made by hand. Identical.
"""

import ast
from string import Formatter

import numpy as np
import pandas as pd
import pytest
from support.data import REPOSITORY

import pyfcrm as pf
from pyfcrm.data import open_data
from pyfcrm.errors import Note
from pyfcrm.notes import MOST_NAMES, MOST_NOTES, MOST_WORDS, brief_notes
from pyfcrm.report.context import evidence

PACKAGE = REPOSITORY / "pyfcrm"
PLAIN = {"{test}", "{conflict}"}  # a sentence that has its own declaration


def constants(tree):
    """The texts of a module by name, of top-level constants and of those joined from others."""
    texts = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found = wordings_of(node.value, texts)
            if found:
                texts[node.targets[0].id] = found
    return texts


def wordings_of(node, texts):
    """The texts that an expression may be; a value within an f-string is one word."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "value" for part in node.values]
        return ["".join(parts)]
    if isinstance(node, ast.Name):
        return texts.get(node.id, [])
    if isinstance(node, ast.IfExp):
        return [*wordings_of(node.body, texts), *wordings_of(node.orelse, texts)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        ends = wordings_of(node.right, texts)
        return [start + end for start in wordings_of(node.left, texts) for end in ends]
    if isinstance(node, ast.Dict):
        return [text for value in node.values for text in wordings_of(value, texts)]
    return []


def declared():
    """(module, wording) of every Note.of of the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text())
        texts = constants(tree)
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "Note.of" and path.name != "errors.py"):
                continue
            brief = [word.value for word in node.keywords if word.arg == "brief"]
            for expression in brief or [node.args[1]]:
                found = wordings_of(expression, texts)
                if not found:  # a wording that is an argument: any text of the module with a place for a number
                    found = [text for some in texts.values() for text in some if "{count" in text]
                for text in found:
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", text


def rendered(wording):
    """A wording with three columns, and a word or a number in each other place; of words that a number chooses, the longer ones."""
    names = {"columns": "a, b, c", "attributes": "dependent attributes a, b, c"}
    parts = []
    for text, name, choice, _ in Formatter().parse(wording):
        parts.append(text)
        if name is not None:
            parts.append(max(choice.split("|"), key=len) if choice and "|" in choice else names.get(name, "value"))
    return "".join(parts)


def test_declared_wordings_have_at_most_25_words():
    long = {
        place: rendered(text)
        for place, text in declared()
        if text not in PLAIN and len(rendered(text).split()) > MOST_WORDS
    }
    assert long == {}
    assert len([*declared()]) > 100


def coded(k, **changes):
    facts = {"count": k, "total": 100, "words": f"rule {k}"}
    return Note.of("recoded", "{columns}: {count} of {total} values were coded", [f"c{k}"], **(facts | changes))


def test_notes_of_one_wording_are_one_with_all_columns_and_sums():
    [note] = brief_notes([coded(k) for k in range(12)])
    assert note == "12 columns: 66 of 1200 values were coded"
    assert note.columns == tuple(f"c{k}" for k in range(12))
    assert (note.count, note.total) == (66, 1200)
    assert brief_notes([coded(k) for k in range(3)]) == ["c0, c1, c2: 3 of 300 values were coded"]


def test_facts_that_differ_are_of_the_first_note():
    notes = [Note.of("chosen", "{columns}: width {width}", [str(k)], width=k) for k in range(5)]
    assert brief_notes(notes) == ["5 columns: width 0 (the first of 5 such notes)"]
    assert brief_notes(notes[:1]) == ["0: width 0"]


def test_a_long_fact_does_not_make_a_long_note():
    long = " ".join(["word"] * 300)
    for note in (
        Note.of("left_as_is", "kept: {words}", words=long),
        Note.of("left_as_is", "kept: {words}", ["a"], words=long, brief="kept: {alike:a rule|rules} of {columns}"),
        Note.taken("a {remark} " + long),
    ):
        [brief] = brief_notes([note])
        assert len(brief.split()) <= MOST_WORDS
        assert brief_notes([brief]) == [brief]


def test_warnings_come_first_and_those_beyond_the_limit_are_counted():
    infos = [Note.of("chosen", f"fact number {k}") for k in range(8)]
    warnings = [Note.of("risk", f"risk number {k}") for k in range(5)]
    brief = brief_notes([*infos, *warnings])
    assert len(brief) == MOST_NOTES
    assert brief[:5] == warnings
    assert (brief[-1], brief[-1].severity) == ("4 further notes, 0 of them warnings: all_notes has them", "info")
    brief = brief_notes([Note.of("risk", f"risk number {k}") for k in range(15)] + infos)
    assert (len(brief), brief[-1].count, brief[-1].facts["warnings"], brief[-1].severity) == (10, 14, 6, "warning")
    assert len(brief_notes([*infos, *warnings][:10])) == 10


def wide(columns):
    """A file with 40 confidential columns that have gaps, zeros, rare levels and one value far out."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({f"y{k}": rng.normal(100, 20, 300).round(k % 3) for k in range(columns)})
    for k in range(columns):
        frame.loc[rng.integers(0, 300, 30), f"y{k}"] = np.nan
        frame.loc[rng.integers(0, 300, 60), f"y{k}"] = 0.0
    for k in range(6):
        frame[f"group{k}"] = rng.choice(["a", "b", "c", "d", "e"], 300, p=[0.5, 0.46, 0.02, 0.01, 0.01])
    frame["home"] = rng.integers(0, 100, 300)
    return frame


@pytest.mark.slow
@pytest.mark.parametrize("strata", [None, "group0"])
def test_a_wide_file_has_ten_notes_of_25_words_and_all_notes_in_full(strata):
    frame = wide(40)
    roles = pf.Roles([f"group{k}" for k in range(1, 6)], [f"y{k}" for k in range(40)])
    if strata:
        frame[strata] = np.where(frame.home < 50, "low", "high")
    for method in (pf.Calibrated(pf.IPSO("C")), pf.Noise("uncorrelated", 50), pf.Sequential()):
        released = pf.protect(
            frame, method, roles, 1, missing="protect", strata=strata, structure="find", allow_unprotected=True
        )
        assert len(released.notes) <= MOST_NOTES
        assert all(type(note) is Note and len(note.split()) <= MOST_WORDS for note in released.notes), released.notes
        for note in released.notes:
            named = [name for name in note.columns if f"{name}," in note or note.endswith(str(name))]
            assert len(note.columns) <= MOST_NAMES or not named
        assert {*(name for note in released.notes[:9] for name in note.columns)} <= {
            name for note in released.all_notes for name in note.columns
        }
        shown = sum(note.severity == "warning" for note in released.notes)
        assert shown or not any(note.severity == "warning" for note in released.all_notes)


@pytest.mark.slow
def test_an_internal_report_marks_warnings_and_has_them_first():
    frame = pf.datasets.survey(200)
    roles = pf.Roles(["age", "hours"], ["wage", "rent"], identifiers="name")
    released = pf.protect(frame, pf.IPSO("C"), roles, seed=1, missing="protect", allow_unprotected=True)
    report = pf.evaluate(frame, released, measures=["pil"])
    expected = [note.severity for note in (*released.notes, *report.notes)].count("warning")
    original, release = (open_data("test", one) for one in (frame, released.frame))
    notes = evidence(original, release, report, released, None)["notes"]
    assert expected > 0
    assert [note.startswith("WARNING: ") for note in notes] == [True] * expected + [False] * (len(notes) - expected)
