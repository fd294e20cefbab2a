"""Notes: sentences that are data too, so that nobody reads them back. Oracle: written out by hand. Identical."""

import pickle

import numpy as np
import pytest

from pyfcrm.data.strata import NoteSummary
from pyfcrm.errors import Note, flagged, lines

ROUNDS = "{attributes}: did not converge in {rounds} rounds (moved by {far:.2g})"


@pytest.mark.parametrize("columns", [[1], (1,), np.array([1])])
def test_attributes_by_position_get_names(columns):
    """A name that looks like a number, or like a placeholder, is a name."""
    note = Note.of("not_converged", ROUNDS, columns, rounds=5, far=0.123)
    assert note == "dependent attribute 2: did not converge in 5 rounds (moved by 0.12)"
    named = note.named(["2019", "{rounds}"])
    assert named == "dependent attribute {rounds}: did not converge in 5 rounds (moved by 0.12)"
    assert named.named(["x", "y"]) == named
    assert named.columns == ("{rounds}",)
    assert (named.kind, named.wording, named.facts) == (note.kind, note.wording, {"rounds": 5, "far": 0.123})


def test_a_note_travels():
    note = Note.of("not_converged", ROUNDS, ["a"], rounds=5, far=0.1, count=1)
    note = note.changed(wording="in {many} places: " + note.wording, many=3)
    back = pickle.loads(pickle.dumps(note))
    assert back == note == "in 3 places: dependent attribute a: did not converge in 5 rounds (moved by 0.1)"
    assert vars(back) == vars(note)


def test_severity_is_data_and_warnings_come_first():
    """It follows the kind unless it is set, survives changes, and orders notes. Identical."""
    risk, info = Note.of("risk", "r"), Note.of("rounded", "{columns} rounded", ["a"], count=1)
    warning = Note.of("rounded", "{columns} rounded", ["b"], count=2, severity="warning")
    assert [note.severity for note in (risk, info, warning)] == ["warning", "info", "warning"]
    changed = (warning.changed(count=3, columns=["c"]), pickle.loads(pickle.dumps(warning)))
    assert {note.severity for note in changed} == {"warning"}
    assert lines(["text", info, warning, "more", risk]) == [warning, risk, "text", info, "more"]
    assert [flagged(note) for note in (warning, info)] == ["WARNING: b rounded", "a rounded"]


def test_a_note_of_several_strata_says_of_how_many_and_whose_numbers_it_has():
    """By hand: two of three strata, whose numbers differ, of which the second is the first that has the note."""
    summary = NoteSummary(3)
    for stratum, far in ((1, 0.1), (2, 0.4)):
        summary.note(stratum, Note.of("not_converged", ROUNDS, ["a"], rounds=5, far=far))
        summary.note(stratum, Note.of("rounded", "{columns} rounded", ["b"]))
    first, second = summary.texts()
    assert (first.facts["strata_with"], first.facts["strata"], first.facts["stratum"], first.facts["far"]) == (
        2,
        3,
        2,
        0.1,
    )
    assert str(first).startswith("in 2 of 3 strata, numbers of stratum 2: ")
    assert str(second) == "in 2 of 3 strata: b rounded"
