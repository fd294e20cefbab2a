"""What the studio tells of a trial beyond its measures: audit, key risk, records at risk, two side by side, one column.

Oracles: pf.audit, pf.key_risk and pf.records_at_risk of the same file; a file small enough to see through. Grade: identical.
"""

from __future__ import annotations

import io
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("shiny", reason="needs the extra app")

from support.trials import trial

import pyfcrm as pf
from pyfcrm.app.workbench.bench import Bench, Source
from pyfcrm.app.workbench.fields import can_be_wrapped, grouped_methods
from pyfcrm.app.workbench.inputs import filled
from pyfcrm.app.workbench.keys import Looked, csv_of
from pyfcrm.app.workbench.keys import found_page as keys_page
from pyfcrm.app.workbench.results.acts import named
from pyfcrm.app.workbench.results.audit_tab import audit_of, with_audit
from pyfcrm.app.workbench.results.audit_tab import shown as audit_shown
from pyfcrm.app.workbench.results.later import at_risk_csv
from pyfcrm.app.workbench.results.one_column import both, column_page
from pyfcrm.app.workbench.results.takeaway import replay, report_bytes
from pyfcrm.app.workbench.results.tried import best_in_words, points, value
from pyfcrm.app.workbench.search import advised, found_page, swept
from pyfcrm.app.workbench.session import session_text
from pyfcrm.app.workbench.structure import added, kept_ones, looked, offered
from pyfcrm.app.workbench.trying import Order, run
from pyfcrm.cli.options import externals
from pyfcrm.errors import InvalidInput
from pyfcrm.files import Table

ROLES = pf.Roles(["x"], ["y", "z"])


def source(n: int = 60) -> Source:
    stream = pf.RStream(5)
    x = stream.rnorm(n)
    y, z = 2 * x + stream.rnorm(n), -x + stream.rnorm(n)
    town = ["Vic <b>" if k % 7 else "Olot" for k in range(n)]
    return Source("people.csv", None, Table(pd.DataFrame({"x": x, "y": y, "z": z, "town": town})))


@pytest.mark.slow
def test_an_audit_is_that_of_the_package_and_its_values_are_risks_of_the_map() -> None:
    one = trial(source(), pf.IPSO("C"), ROLES)
    expected = pf.audit(one.source.table.frame, pf.IPSO("C"), ROLES, 1, repeats=1)
    audited = replace(one, audit=audit_of(one, 1))
    assert audited.audit is not None
    assert audited.audit.rows() == expected.rows()
    assert value(audited, "membership") == expected["membership"]
    assert np.isnan(value(one, "membership"))
    [point] = points([one, audited], "membership")
    assert (point.risk, point.named) == (expected["membership"], "membership")
    assert best_in_words([one], 50, "membership") == "No trial has both PIL and membership."
    assert audit_shown(one) == ""
    assert f"{expected['membership']:.2f}" in audit_shown(audited)


@pytest.mark.slow
def test_an_audit_completes_the_verdict() -> None:
    """Oracle: pf.evaluate with the audit of the same file, roles, method and seed. Identical."""
    one = trial(source(120), pf.IPSO("C"), ROLES)
    assert one.report.verdict["audit"].status == "not examined"
    frame = one.source.table.frame
    report = with_audit(one, audit_of(one, 3))
    assert report.verdict == pf.evaluate(frame, one.released, audit=True).verdict
    assert report.verdict["audit"].status != "not examined"
    assert report.results is one.report.results


def test_key_risk_is_that_of_the_package_the_worst_first_with_values() -> None:
    file = source()
    found = pf.key_risk(file.table.frame, ["town"])
    looked = Looked(file, found)
    rows = pd.read_csv(io.BytesIO(csv_of(looked)))
    assert list(rows.columns) == ["record", "town", "fk", "Fk", "individual", "household", "suda", "dis"]
    assert rows["town"][0] == "Olot"
    assert list(rows["record"][:9]) == list(range(1, 61, 7))
    np.testing.assert_array_equal(rows.sort_values("record")["individual"], found.individual)
    page = keys_page(looked)
    assert "Vic &lt;b&gt;" in page
    assert found.describe()[0] in page


def test_records_at_risk_come_with_their_values_counted_from_1() -> None:
    one = trial(source(), pf.Noise("uncorrelated", 1.0), ROLES)
    found = pf.records_at_risk(one.source.table.frame, one.released.frame, ["y", "z"], method=one.method)
    rows = pd.read_csv(io.BytesIO(at_risk_csv(one)))
    assert len(rows) == found.linked.sum() > 0
    original = one.source.table.frame.iloc[rows["record"] - 1]
    np.testing.assert_array_equal(rows["y, original"], original["y"])
    np.testing.assert_array_equal(rows["z, released"], one.released.frame["z"].iloc[rows["record"] - 1])


def test_one_column_before_and_after_by_records_that_are_in_both() -> None:
    one = trial(source(), pf.Sampling(0.5), ROLES, judged=())
    before, after = both(one, "y")
    assert len(before) == 30
    np.testing.assert_array_equal(before, after)
    assert "No value changed." in column_page(one, "y")
    page = column_page(trial(source(), pf.IPSO("C"), ROLES), "z")
    assert "100.0 % of 60 values changed" in page
    assert page.count('class="cell"') <= 60


@pytest.mark.slow
def test_a_trial_is_renamed_deleted_and_fills_the_form_again() -> None:
    from shiny.reactive import isolate

    bench, one = Bench(), trial(source(), pf.IPSO("C"), ROLES, 9)
    with isolate():
        bench.add(one)
        bench.add(one)
        assert [t.number for t in bench.trials()] == [1, 2]
        bench.change(2, title=named("  my\n best " + "x" * 99))
        assert bench.trials()[1].title == "my best " + "x" * 52
        bench.drop(1)
        bench.add(one)
        assert [t.number for t in bench.trials()] == [2, 3]
    name, values = filled(pf.Calibrated(pf.Microaggregation(5, scale=None), margins="original"))
    assert name == "microaggregation"
    wanted = {"calibrate": True, "set_microaggregation_k": "5", "set_microaggregation_scale": "none"}
    wanted |= {"set_calibrated_margins": "original", "set_calibrated_moments": "true"}
    assert wanted.items() <= values.items()
    assert filled(pf.LocalSuppression(3, ["a", "b"]))[1]["set_localsuppression_keys"] == ("a", "b")


def order(method: pf.methods.Method, file: Source) -> Order:
    return Order(file, method, ROLES, "3", ())


def test_a_sweep_is_that_of_the_package_and_what_does_not_suit_is_set_aside() -> None:
    file, methods = source(), [pf.IPSO("A"), pf.Recoding({"town": 2}), pf.Noise("uncorrelated", 10.0)]
    found = swept([order(method, file) for method in methods], lambda *_: None)
    expected = pf.sweep(file.table.frame, ROLES, [methods[0], methods[2]], seed=3)
    assert [one.report.rows() for one in found.trials] == [one.report.rows() for one in expected.candidates]
    assert len(found.aside) == 1
    assert found.aside[0].startswith("Recoding")
    with pytest.raises(InvalidInput, match="none of the methods"):
        swept([order(methods[1], file)], lambda *_: None)


@pytest.mark.slow
def test_a_recommendation_that_finds_nothing_shows_the_nearest() -> None:
    """A file of this size cannot pass. Oracle: pf.recommend."""
    found = advised(order(pf.IPSO("C"), source()), lambda *_: None)
    assert found.advice is not None
    assert found.advice.best is None
    assert not found.trials
    assert "Verdict" in found_page(found)


def test_found_structure_is_offered_and_becomes_constraints_of_a_run() -> None:
    """Oracle: find_structure; what was put in, which every released record keeps. Grade: identical, whole numbers."""
    stream = pf.RStream(6)
    a, b = (100 * stream.runif(80)).round(), (50 * stream.runif(80)).round()
    file = Source(
        "sums.csv",
        None,
        Table(
            pd.DataFrame({"x": stream.rnorm(80), "a": a, "b": b, "both": a + b}).astype(
                {"a": int, "b": int, "both": int}
            )
        ),
    )
    roles = pf.Roles(["x"], ["a", "b", "both"])
    found = looked(file, roles, lambda *_: None).found
    assert [one.words for one in found] == [one.words for one in pf.find_structure(file.table.frame, roles)]
    page = str(offered(found))
    assert "both" in page
    assert "checked" in page
    [number] = [str(k) for k, one in kept_ones(found) if one.exact]
    limits = added("a >= 0", found, (number,))
    assert limits.startswith("a >= 0; ")
    assert added(limits, found, (number,)) == limits
    made = run(Order(file, pf.IPSO("C"), roles, "1", (), constraints=limits), 1, 0.0, lambda *_: None).released.frame
    assert (made["a"] + made["b"] == made["both"]).all()
    assert (made["a"] >= 0).all()


@pytest.mark.slow
def test_a_generator_from_elsewhere_is_tried_and_not_made_again() -> None:
    """By the text and the form: it is offered last, has no fields, no script and no place in a session."""
    command = f"{sys.executable} -c 'import shutil, sys; shutil.copy(*sys.argv[1:])'"
    others = externals([f"copied={command}"])
    assert list(grouped_methods(others).items())[-1] == ("From elsewhere", {"copied": "copied"})
    assert "From elsewhere" not in grouped_methods()
    assert not can_be_wrapped("copied")
    assert filled(others["copied"]) == ("copied", {"calibrate": False})
    file = source()
    made = run(Order(file, others["copied"], ROLES, "", ()), 1, 0.0, lambda *_: None)
    assert np.isnan(made.report["dr"])
    assert not made.report.verdict.ok
    with pytest.raises(InvalidInput, match="no generator from elsewhere does"):
        replay(made)
    with pytest.raises(InvalidInput, match="records pair"):
        at_risk_csv(made)
    assert "[trial" not in session_text(file, [made])
    assert "shutil" not in report_bytes(made, "internal").decode()
