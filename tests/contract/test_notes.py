"""Notes are data: nothing that is said of a release, a file or a judgement is a plain sentence, and nobody reads one back.

Oracle: the source itself, and errors.NOTE_KINDS. Identical: a sentence is a Note of a documented kind or it is not.
mypy holds `progress.Reporter` to Note too; what it cannot see, such as a str in a list without a type, is found here.
"""

import ast
from functools import cache

import numpy as np
import pytest
from support.data import REPOSITORY, frame
from support.method_examples import EXAMPLES

import pyfcrm as pf
from pyfcrm.errors import NOTE_KINDS, Note
from pyfcrm.measures import MEASURES
from pyfcrm.methods import METHODS

PACKAGE = REPOSITORY / "pyfcrm"
DOCUMENTED = NOTE_KINDS.keys() - {"remark"}  # which is for plain sentences of others' methods and measures
METHODS_OF_NOTES = {"of", "taken", "changed", "named"}
ROLES = pf.Roles(["a", "b"], ["y", "whole"], identifiers="id")
RELEASED = {
    "fcrm": [pf.FCRM(8, max_iter=1), pf.FCRM(3, release="draw"), pf.FCRM(3, basis="rbf"), pf.FCRM(3, joint=True)],
    "ipso": [pf.IPSO("A"), pf.IPSO("C"), pf.IPSO("C", variant="thesis")],
    "noise": [pf.Noise("multiplicative", 10), pf.Noise("uncorrelated", 10)],
    "rankswapping": [pf.RankSwapping(1), pf.RankSwapping(1, form="sdcmicro")],
    "microaggregation": [pf.Microaggregation(3), pf.Microaggregation(3, kind="individual", blocks={"y": 3})],
    "hybrid": [pf.Hybrid("linear", 0.3), pf.Hybrid("microaggregation", 0.3, k=3)],
    "calibrated": [pf.Calibrated(pf.IPSO("B"), margins=margins) for margins in ("original", "smooth", None)],
}


def hostile():
    """A file about which there is much to say: zeros, ties, a collinear column, a value far out."""
    data = frame()
    data["b"] = 2 * data["a"]
    data.loc[:9, "y"] = 0.0
    data.loc[3, "whole"] = 10**6
    return data


@pytest.mark.slow
@pytest.mark.parametrize("strata", [None, "word"])
@pytest.mark.parametrize("key", list(METHODS))
def test_what_releases_say_are_notes(key, strata):
    for method in RELEASED.get(key) or [EXAMPLES[key]]:
        if strata and isinstance(method, pf.LocalSuppression | pf.Recoding):
            continue
        released = pf.protect(hostile(), method, ROLES, seed=1, strata=strata, allow_unprotected=True)
        assert isinstance(released.notes, list)
        assert all(type(note) is Note and note.kind in DOCUMENTED for note in released.notes), released.notes
        assert all(isinstance(name, str) for note in released.notes for name in note.columns), released.notes


@pytest.mark.parametrize("where", ["memory", "disk"])
def test_what_is_said_of_gaps_constraints_seeds_and_types_are_notes(where, tmp_path, monkeypatch):
    """In memory, and by blocks of a file that is taken to be too large for it."""
    result = hostile().astype({"whole": "float64"})
    result.loc[5, "y"], result["small"] = np.nan, np.arange(len(result), dtype=np.int8)
    options = {"missing": "drop", "constraints": "whole >= 0"}
    if where == "disk":
        result.to_parquet(tmp_path / "in.parquet")
        monkeypatch.setattr("pyfcrm.data.frame.memory", lambda: 1)
        options["output"] = tmp_path / "out.parquet"
    roles = pf.Roles(["a"], ["y", "whole", "small"])
    method = pf.Noise("uncorrelated", 300)
    released = pf.protect(
        result if where == "memory" else tmp_path / "in.parquet", method, roles, 1, **options, allow_unprotected=True
    )
    kinds = [note.kind for note in released.notes]
    assert {"left_as_is", "constraints", "rounded", "cut_at_limits", "risk"} <= {*kinds}
    assert ("by_blocks" in kinds) == (where == "disk")
    assert all(type(note) is Note and note.kind in DOCUMENTED for note in released.notes), released.notes


@pytest.mark.slow
def test_what_judgements_say_are_notes():
    before, after = hostile(), pf.protect(hostile(), pf.IPSO("C"), ROLES, seed=1).frame
    keys = [key for key, measure in MEASURES.items() if measure.of_numbers]
    reports = [
        pf.evaluate(before, after, ["y", "whole"], keys),
        pf.evaluate(before, after, ["y"], ["um", "prl", "detection"], strata="word"),
        pf.variable_changes(before, after[5:].reset_index(drop=True)),
        pf.records_at_risk(before, after, ["y", "whole"]),
        pf.analyse(before, after, "y ~ a + b"),
    ]
    for report in reports:
        for note in report.notes:
            assert type(note) is Note
            assert note.kind in DOCUMENTED, note
    assert len({note.kind for report in reports for note in report.notes}) >= 4


@cache
def sources():
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text())
        for path in sorted(PACKAGE.rglob("*.py"))
        if "node_modules" not in path.parts
    }


def is_note(node):
    """Whether an expression makes a Note, whatever texts stand in it."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS_OF_NOTES


def called(node):
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


@pytest.mark.slow
def test_every_kind_is_documented_and_every_documented_kind_is_used():
    used = {}
    for name, tree in sources().items():
        for node in ast.walk(tree):
            if is_note(node) and node.func.attr == "of" and called(node.func.value) == "Note" and name != "errors.py":
                assert isinstance(node.args[0], ast.Constant), f"{name}:{node.lineno} must say its kind as a word"
                used[node.args[0].value] = f"{name}:{node.lineno}"
    assert {kind: where for kind, where in used.items() if kind not in NOTE_KINDS} == {}
    assert used.keys() >= DOCUMENTED
