"""The workbench's map of everything tried: points, the unbeaten ones, the best within a limit, and the picture.

Oracles: a handful of points compared by hand; brute force over all pairs; XML's own parser. Grade: identical.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("shiny", reason="needs the extra app")

import pyfcrm as pf
from pyfcrm.app.workbench.bench import Source, Trial
from pyfcrm.app.workbench.results.risk_map import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    legend,
    risk_map,
)
from pyfcrm.app.workbench.results.tables import tried_table
from pyfcrm.app.workbench.results.tried import best_in_words, best_within, points
from pyfcrm.evaluation.verdict import Test, Verdict
from pyfcrm.files import Table
from pyfcrm.measures.measure import Parts

SOURCE = Source("x.csv", None, Table(None))  # type: ignore[arg-type]
METHODS = (pf.FCRM(c=8), pf.IPSO("C"), pf.FCRM(c=2), pf.Calibrated(pf.IPSO("A")), pf.GADP())
PER_CENT = st.integers(0, 40).map(lambda k: k * 2.5)  # ties too


def tried(*pairs: tuple[float, float]) -> tuple[Trial, ...]:
    """Trials of these (PIL, DR); NaN leaves a measure out."""
    made = []
    for k, (pil, dr) in enumerate(pairs):
        method = METHODS[k % len(METHODS)]
        results = {key: Parts(v) for key, v in (("pil", pil), ("dr", dr)) if not math.isnan(v)}
        released = pf.Protected(None, [], method, pf.Roles("a", "b"), 1)
        made.append(Trial(k + 1, SOURCE, method, released, pf.Report(results, ("b",), 10)))
    return tuple(made)


def parsed(trials: Sequence[Trial], limit: float | None = None, best: int | None = None, chosen: int | None = None):
    return ElementTree.fromstring(risk_map(points(trials), limit, best, chosen))


def buttons(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [one for one in root.iter("g") if one.get("role") == "button"]


def test_points_by_hand() -> None:
    made = points(tried((12.06, 40.2), (3, 50), (20, 60), (3, 50), (90, 1)))
    assert [p.words for p in made][:2] == ["FCRM c=8: PIL 12.1, DR 40.2", "IPSO kind=C: PIL 3.0, DR 50.0"]
    assert [p.unbeaten for p in made] == [True, True, False, True, True]  # equal ones do not beat each other
    assert [p.kind for p in made] == [0, 1, 0, 2, 3]
    assert made[0].color == made[2].color == "#0072B2"


def test_a_trial_without_pil_or_dr_is_in_the_table_and_not_on_the_map() -> None:
    trials = tried((5, math.nan), (7, 9))
    assert [p.number for p in points(trials)] == [2]
    assert len(re.findall(r'data-pick="\d"', tried_table(trials, points(trials), None, 1))) == 2
    assert "not on the map" in tried_table(trials, points(trials), None, 1)
    assert best_in_words(tried((5, math.nan)), 20) == "No trial has both PIL and DR."
    assert len(buttons(parsed(tried((5, math.nan))))) == 0


def test_the_best_within_a_limit_is_named() -> None:
    trials = tried((12, 40), (30, 10), (30, 5), (60, 2))
    assert best_within(trials, 20) is trials[2]
    assert "DR within 20 %, not on hold: FCRM c=2 (trial 3), PIL 30.0, DR 5.0." in best_in_words(trials, 20)
    assert best_within(trials, 40) is best_within(trials, None) is trials[0]
    assert best_within(trials, 1) is None


def test_a_trial_on_hold_is_never_the_best() -> None:
    """Whatever its figures are: one place decides."""
    one, other = tried((12, 40), (30, 5))
    held = replace(other, report=replace(other.report, verdict=Verdict((Test("seed", "hold"),))))
    assert best_within((one, held), 50) is one
    assert best_within((one, held), 20) is None
    assert best_within((held,), None) is None


@given(st.lists(st.tuples(PER_CENT, PER_CENT), min_size=1, max_size=8), PER_CENT)
def test_best_and_unbeaten_by_brute_force(pairs: list[tuple[float, float]], limit: float) -> None:
    trials = tried(*pairs)
    within = [(pil, dr) for pil, dr in pairs if dr <= limit]
    best = best_within(trials, limit)
    assert (best is None) == (not within)
    if best is not None:
        assert (best.report["pil"], best.report["dr"]) == min(within)
    beaten = [any(a <= pil and b <= dr and (a, b) != (pil, dr) for a, b in pairs) for pil, dr in pairs]
    assert [not p.unbeaten for p in points(trials)] == beaten


@pytest.mark.slow
@given(st.lists(st.tuples(PER_CENT, PER_CENT), min_size=1, max_size=12), st.none() | PER_CENT)
def test_every_point_is_a_button_inside_the_picture(pairs: list[tuple[float, float]], limit: float | None) -> None:
    root = parsed(tried(*pairs), limit)
    found = buttons(root)
    assert sorted(int(one.get("data-trial", 0)) for one in found) == list(range(1, len(pairs) + 1))
    places = []
    for one in found:
        x, y = map(float, re.findall(r"[-\d.]+", one.get("transform", "")))
        assert LEFT <= x <= WIDTH - RIGHT
        assert TOP <= y <= HEIGHT - BOTTOM
        assert one.get("tabindex") == "0"
        assert one.get("aria-label")
        places.append(x)
    assert places == sorted(places)  # Tab goes from left to right
    assert (root.find(".//g[@class='limit']") is not None) == (limit is not None)


def test_a_method_cannot_write_into_the_page() -> None:
    wild = pf.LocalSuppression(2, keys='<img src=x onerror="1">')
    one = tried((1, 2))[0]
    trial = Trial(1, SOURCE, wild, one.released, one.report)
    shown = points([trial])
    for text in (risk_map(shown, None, None, None), legend(shown), tried_table([trial], shown, 1, 1)):
        assert "<img" not in text
    ElementTree.fromstring(risk_map(shown, 5.0, 1, 1))
