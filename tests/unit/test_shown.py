"""What results show of themselves: text for a console, HTML for a notebook, figures.

Oracles: the limits that were promised (30 lines, 4,000 characters, 40,000 of HTML), XML's own parser, the boxes that
matplotlib gives of what it drew. Grade: identical.
"""

from functools import cache
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.evaluation.auditing.audit_result import Audit, Line
from pyfcrm.measures.measure import Parts
from pyfcrm.numerics.least_squares import Fit

HOSTILE = "<script>alert('&')</script>\n\x1b[31m" + "x" * 300
SEED = 987654


def report(dr, pil, notes=()):
    values = {"pil": pil, "dbrl": dr, "prl": dr, "id": dr, "dr": dr, "score": (dr + pil) / 2, "um": 0.5}
    parts = {key: Parts(value, baseline=1.0 if key == "dbrl" else None) for key, value in values.items()}
    return pf.Report(parts, (HOSTILE, "b"), 1234, tuple(notes))


@cache
def results(many):
    """One of each, small, or with `many` of all that can be many and texts that are long and odd."""
    rng, notes = np.random.default_rng(many), [HOSTILE] * many
    names = [f"{HOSTILE}{k}" for k in range(many)]
    frame = pd.DataFrame({name: rng.normal(size=8) for name in names})
    candidates = tuple(
        pf.Candidate(pf.FCRM(k + 1), (report(99 - 90 * k / many, 90 * k / many),), ()) for k in range(many)
    )
    fit = Fit(*(rng.normal(size=(4, many))), records=9, freedom=3, cov=np.eye(many))
    proposals = tuple(
        pf.Proposal("identity", (n, "b"), f"{n} == b", f"{n} == b", texts=(f"{n} == b",), count=8, total=9)
        for n in names
    )
    arrays = [rng.random(many) for _ in range(4)]
    changes = pf.variable_changes(frame, frame * 2)
    key_risk = pf.key_risk(pd.DataFrame({HOSTILE: np.arange(many)}), HOSTILE)
    return {
        "Protected": pf.Protected(frame, notes, pf.IPSO("C"), pf.Roles("a", names), SEED),
        "Report": report(5, 6, notes),
        "Frontier": pf.Frontier(candidates, SEED),
        "Recommendation": pf.Recommendation(candidates[0], None, (), tuple(notes), candidates, (SEED,), candidates[:5]),
        "RecordsAtRisk": pf.RecordsAtRisk(tuple(names), *arrays, "exact agreement", tuple(notes)),
        "Audit": Audit(tuple(Line(n, 1.0, 2.0, 0.5, 1.5) for n in names), pf.IPSO(), 9, 4, 2, STRONGEST),
        "Analysis": pf.Analysis("y ~ x", tuple(names), fit, fit, rng.random(many), tuple(notes)),
        "KeyRisk": key_risk,
        "Structure": pf.Structure(proposals),
        "VariableChanges": changes,
    }


STRONGEST = {"membership": "nearest record", "tpr": "exact copies"}
SMALL, LARGE = 1, 120
NAMES = (
    "Protected",
    "Report",
    "Frontier",
    "Recommendation",
    "RecordsAtRisk",
    "Audit",
    "Analysis",
    "KeyRisk",
    "Structure",
    "VariableChanges",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("many", [SMALL, LARGE])
def test_a_result_shows_itself_within_its_limits(name, many):
    result = results(many)[name]
    text, html = repr(result), result._repr_html_()
    assert str(result) == text
    assert len(text.splitlines()) <= 30
    assert len(text) <= 4_000
    assert max(map(len, text.splitlines())) <= 130
    assert all(line.isprintable() for line in text.split("\n"))
    assert text.strip()
    assert len(html) <= 40_000
    ElementTree.fromstring(html)
    assert "<script" not in html
    assert ("<svg" in html) == (name in ("Frontier", "Recommendation"))
    assert str(SEED) not in text + html


@pytest.mark.slow
def test_equal_points_on_the_map_have_numbers_apart():
    """Defect: the labels of equal or near candidates were written on each other. Oracle: boxes of the drawn texts."""
    places = [(10, 40), (10, 40), (10.1, 40), (10, 39.9), (30, 5), (31, 5), (30.5, 5.2)]
    methods = [pf.FCRM(k + 10) for k in range(len(places))]
    frontier = pf.Frontier(tuple(pf.Candidate(m, (report(*p),), ()) for m, p in zip(methods, places, strict=True)), 1)
    figure = frontier.plot()
    figure.canvas.draw()
    (axes,) = figure.axes
    texts = [text for text in axes.texts if text.get_text()]
    boxes = [text.get_window_extent() for text in texts]
    assert [text.get_text() for text in texts] == [str(k + 1) for k in range(len(places))]
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names[:2] == ["1  FCRM c=10", "2  FCRM c=11"] or sorted(names)[0].startswith("1  FCRM c=1")


@pytest.mark.slow
def test_figures_show_themselves_in_a_notebook():
    """Defect: a bare Figure as a cell's last line gave its type and size in words."""
    names = ("Report", "Frontier", "Recommendation")
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"a": rng.normal(size=40), "b": np.r_[np.zeros(20), rng.normal(size=20)], "c": rng.normal(size=40)}
    )
    released = pf.protect(frame, pf.IPSO("C"), pf.Roles("a", ["b", "c"]), 1)
    for figure in (*(results(SMALL)[name].plot() for name in names), released.plot(frame)):
        assert figure._repr_png_().startswith(b"\x89PNG")
    drawn = released.plot(frame)
    assert [axes.get_title(loc="left") for axes in drawn.axes] == ["b", "c"]
    with pytest.raises(pf.errors.InvalidInput, match="no column is called `b`"):
        released.plot(frame[["a", "c"]])


@pytest.mark.slow
def test_a_release_on_disk_is_shown_and_drawn(tmp_path):
    frame = pd.DataFrame({"a": np.arange(30.0), "b": np.arange(30.0) ** 2})
    frame.to_csv(tmp_path / "in.csv", index=False)
    released = pf.protect(tmp_path / "in.csv", pf.IPSO("C"), pf.Roles("a", "b"), 1, output=tmp_path / "out.csv")
    assert "out.csv" in repr(released)
    assert released.plot(tmp_path / "in.csv").axes
    assert "The release is" in released._repr_html_()
