"""Results of copies and of strata taken together, for every measure. By hand from given values. Identical, but for sums of floats."""

import math

import numpy as np
import pandas as pd
import pytest
from support.measured import FEW_FILES

import pyfcrm as pf
from pyfcrm.errors import Note
from pyfcrm.evaluation.by_strata import mean_parts
from pyfcrm.evaluation.copies import MEAN, merged
from pyfcrm.evaluation.report import Report
from pyfcrm.evaluation.verdict.decision import Test, Verdict
from pyfcrm.measures import MEASURES
from pyfcrm.measures.measure import Part, Parts

ALONE = [key for key, one in MEASURES.items() if not one.components]
VALUES = [0.25, 1.0, 0.5]  # within the range of every measure


def report(key, value, status="pass", notes=()):
    tests = tuple(Test(name, status, found=(value,)) for name in ("unprotected", "risk", "edits"))
    return Report({key: Parts(value)}, ("x",), 10, notes, Verdict(tests))


def lines(parts):
    return {part.name: part.value for part in parts.parts}


@pytest.mark.parametrize("key", ALONE)
def test_of_copies_the_mean_loss_counts_or_the_worst_risk(key):
    """A loss is the mean; of a risk the largest value is the worst where lower is better, else the smallest."""
    measure = MEASURES[key]
    worst = {"lower": max, "higher": min}[measure.better](VALUES)
    expected = np.mean(VALUES) if measure.kind == "loss" else worst
    for turn in range(3):
        copies = [report(key, value) for value in np.roll(VALUES, turn).tolist()]
        found = merged(copies, None).results[key]
        assert found.total == pytest.approx(expected, rel=1e-15)
        if measure.kind != "loss":
            assert lines(found) == dict(zip(("copy 1", "copy 2", "copy 3"), np.roll(VALUES, turn), strict=True))


@pytest.mark.parametrize("key", ALONE)
def test_the_mean_of_the_copies_is_one_more_release_of_a_risk(key):
    """The mean has values of numbers, not keys: it does not count for measures of keys, nor for a loss."""
    measure = MEASURES[key]
    beyond = 2.0 if measure.better == "lower" else 0.1
    found = merged([report(key, value) for value in VALUES], report(key, beyond)).results[key]
    counts = measure.kind != "loss" and not measure.needs_keys
    assert (MEAN in lines(found)) == counts
    assert (found.total == beyond) == counts


def test_measures_made_of_others_are_made_of_the_copies_worst():
    """DR = DBRL/4 + PRL/4 + ID/2 of the worst of each, whichever copy has it."""
    values = [{"dbrl": 8.0, "prl": 0.0, "id": 4.0}, {"dbrl": 0.0, "prl": 12.0, "id": 2.0}]
    reports = [
        Report({key: Parts(value) for key, value in each.items()} | {"dr": Parts(0.0)}, ("x",), 10) for each in values
    ]
    assert merged(reports, None)["dr"] == 8 / 4 + 12 / 4 + 4 / 2


def test_the_tests_of_copies_and_of_their_mean():
    """Each test has its worst outcome over the copies; that of their mean counts for `unprotected` and `risk` alone."""
    copies = [report("dbrl", 1.0), report("dbrl", 2.0, "not examined")]
    assert merged(copies, None).verdict.status == "not examined"
    found = merged(copies[:1], report("dbrl", 9.0, "hold")).verdict
    assert {test.key: test.status for test in found.tests} == {"unprotected": "hold", "risk": "hold", "edits": "pass"}


def test_notes_of_copies():
    """One note on how copies are judged, one where they have no mean, then each note of a copy once."""
    own = Note.of("rounded", "{columns} rounded", ["a"])
    found = merged([report("dbrl", 1.0, notes=(own,)), report("dbrl", 2.0, notes=(own,))], None).notes
    assert [(note.kind, note.severity) for note in found] == [
        ("risk", "warning"), ("unreliable", "warning"), ("rounded", "info")
    ]  # fmt: skip
    assert found[0].facts == {"copies": 2}


def test_a_mean_over_strata_is_weighted_by_their_records():
    """Three strata of 1, 2 and 5 records. A line is the mean over the strata that have it; a baseline needs all."""
    results = [
        Parts(1.0, (Part("a", 1.0, 0.5, attribute=0, better="neither", range=(0.0, 9.0)), Part("b", 7.0)), 1.0),
        Parts(2.0, (Part("a", 4.0, 1.5, attribute=0), Part("a", 6.0, attribute=1)), 4.0),
        Parts(4.0, (Part("a", 8.0, 2.5, attribute=0), Part("a", 2.0, attribute=1), Part("b", 1.0, 3.0)), 8.0),
    ]
    found = mean_parts(results, np.array([1.0, 2.0, 5.0]))
    assert (found.total, found.baseline) == ((1 + 2 * 2 + 5 * 4) / 8, (1 + 2 * 4 + 5 * 8) / 8)
    a, b, second = found.parts
    assert (a.value, a.baseline, a.better, a.range) == ((1 + 8 + 40) / 8, (0.5 + 3 + 12.5) / 8, "neither", (0.0, 9.0))
    assert (second.attribute, second.value, second.baseline) == (1, pytest.approx((2 * 6 + 5 * 2) / 7), None)
    assert (b.name, b.value, b.baseline) == ("b", (7 + 5 * 1) / 6, None)


def two_strata():
    """Strata of 40 and 25 records, which differ in how near the release is."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(rng.gamma(2.0, size=(65, 3)), columns=list("xyz"))
    frame["g"], frame["k"], frame["t"] = np.repeat(["a", "b"], [40, 25]), rng.integers(0, 6, 65), rng.integers(0, 3, 65)
    released = frame.copy()
    far = np.repeat([0.05, 1.0], [40, 25])[:, None]
    released[list("xyz")] += far * rng.normal(size=(65, 3))
    released["k"] = np.where(rng.random(65) < 0.3, 0, frame["k"])
    return frame, released


REPORTED = [key for key in MEASURES if key not in FEW_FILES and not MEASURES[key].informed]


def test_every_measure_by_strata_is_the_mean_weighted_by_records():
    """Oracle: the report of each stratum alone, weighted by 40 and 25 records. Close: a sum of two floats."""
    frame, released = two_strata()
    averaged = [key for key in REPORTED if key != "k_anonymity" and not MEASURES[key].needs_targets]
    options = {"columns": list("xyz"), "measures": averaged, "keys": ["k"]}
    together = pf.evaluate(frame, released, strata="g", **options)
    parts = [pf.evaluate(frame[frame["g"] == g], released[frame["g"] == g], **options) for g in "ab"]
    different = 0
    for key in averaged:
        first, second = (one[key] for one in parts)
        assert together[key] == pytest.approx((40 * first + 25 * second) / 65, rel=1e-12, nan_ok=True), key
        different += not math.isclose(first, second, rel_tol=0.05)
    assert different > len(averaged) / 2
    assert together.records == 65


@pytest.mark.slow
def test_the_direction_of_every_line_is_that_of_its_measure_or_its_own():
    """`better` of a row is the part's own word, else the measure's. Identical."""
    frame, released = two_strata()
    options = {"columns": list("xyz"), "measures": REPORTED, "keys": ["k"], "targets": ["t"]}
    found = pf.evaluate(frame, released, **options)
    expected = [
        (key, better)
        for key in REPORTED
        for better in (
            MEASURES[key].better,
            *(part.better or MEASURES[key].better for part in found.results[key].parts),
        )
    ]
    assert [(row["measure"], row["better"]) for row in found.rows()] == expected
    assert {better for _, better in expected} == {"lower", "higher", "neither"}
