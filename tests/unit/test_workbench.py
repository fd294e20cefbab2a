"""The workbench's plain parts: columns, fields, intake, jobs.

Oracles: frames small enough to see through; the methods' own declarations; regression by numpy. Grade: identical.
"""

from __future__ import annotations

import threading
import time

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("shiny", reason="needs the extra app")

import pyfcrm as pf
from pyfcrm.app.visit import Upload, Visit
from pyfcrm.app.workbench.columns import ROLES, examined
from pyfcrm.app.workbench.fields import can_be_wrapped, fields_of, grouped_methods, method_from, plain_methods
from pyfcrm.app.workbench.file import EMBEDDED, dropped, embedded, looked_at
from pyfcrm.app.workbench.jobs import MOST_ENDING, Desk, Job
from pyfcrm.app.workbench.trying import Order, run, seed_of
from pyfcrm.errors import Cancelled, InvalidInput, InvalidParameter, PyfcrmError
from pyfcrm.methods import METHODS


def frame(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "row": np.arange(1, n + 1),
            "name": [f"person {k}" for k in range(n)],
            "town": ["a", "b"] * (n // 2),
            "sex": rng.integers(1, 3, n),
            "grade": rng.integers(1, 6, n),
            "empty": [np.nan] * n,
            "flag": [True, False] * (n // 2),
            "x": x,
            "y": 2 * x + rng.normal(0, 0.1, n),
            "z": -x + rng.normal(0, 0.1, n),
            "noise": rng.normal(size=n),
        }
    )


def test_each_column_is_told_and_given_a_role_with_its_reason() -> None:
    found = {column.name: column for column in examined(frame())}
    roles = {name: column.role for name, column in found.items()}
    assert roles["row"] == "identifier"
    assert roles["name"] == "identifier"
    assert [roles[name] for name in ("town", "sex", "grade", "empty", "flag")] == ["leave"] * 5
    assert [roles[name] for name in ("x", "y", "z", "noise")] == ["dependent"] * 4  # each value differs from all others
    assert found["x"].unique == 60
    assert found["town"].unique == 0
    assert found["empty"].missing == 60
    assert found["sex"].distinct == 2
    assert found["town"].kind == "text"
    assert sum(found["x"].bars) == 60
    assert all(column.reason and column.role in ROLES for column in found.values())


@pytest.mark.parametrize("name", plain_methods())
def test_every_method_has_a_form_that_makes_it(name: str) -> None:
    method = METHODS[name]
    found = fields_of(method)
    given = {field.name: field.default for field in found if field.required}
    filled = {"breaks": "4", "top": "90%"}
    given |= {field.name: filled[field.name] for field in found if field.name in filled}
    made = method_from(name, given)
    assert type(made) is method
    for field in found:
        for word in field.allowed:
            assert isinstance(method_from(name, given | {field.name: word}), method)
        if field.allowed:
            with pytest.raises(PyfcrmError):
                method_from(name, given | {field.name: "zzz"})


def test_what_the_form_knows_of_words() -> None:
    kinds = {field.name: field for field in fields_of(METHODS["noise"])}
    assert kinds["kind"].allowed[:2] == ("uncorrelated", "correlated")
    assert kinds["amount"].kind == "number"
    assert {field.name: field.kind for field in fields_of(pf.FCRM)}["joint"] == "flag"
    assert method_from("ipso", {"kind": "A"}, {"margins": "original"}) == pf.Calibrated(
        pf.IPSO("A"), margins="original"
    )
    assert method_from("microaggregation", {"k": "5", "scale": "none"}) == pf.Microaggregation(5, scale=None)
    assert method_from("localsuppression", {"k": "3", "keys": ("a, b]", "sex")}) == pf.LocalSuppression(
        3, ["a, b]", "sex"]
    )
    assert sorted(one for group in grouped_methods().values() for one in group) == sorted(plain_methods())
    assert "calibrated" not in plain_methods()
    assert can_be_wrapped("ipso")
    assert not can_be_wrapped("sampling")


def arrived(visit: Visit, name: str, content: bytes) -> Upload:
    """An upload as the studio has it once all its bytes have come."""
    job = visit.begin(name, len(content)).job
    upload = visit.receive(job)
    assert upload is not None
    upload.path.write_bytes(content)
    visit.arrived(upload)
    return visit.take(job)


def test_a_dropped_file_lies_in_the_visit_and_a_bad_one_is_gone() -> None:
    visit = Visit()
    try:
        upload = arrived(visit, "survey.csv", b"a,b\n1,2\n3,4\n")
        source = dropped(upload, visit)
        assert source.path is not None
        assert source.path.name == "survey.csv"
        assert source.path.parent.parent == visit.folder
        assert len(source.table.frame) == 2
        assert not upload.path.exists()
        with pytest.raises(InvalidInput) as caught:
            dropped(arrived(visit, "../../etc/bad.csv", b"a,b\n1\n"), visit)
        assert str(caught.value).startswith("bad.csv: ")
        assert str(visit.folder) not in str(caught.value)
        assert [path.name for path in visit.folder.rglob("*") if path.is_file()] == ["survey.csv"]
    finally:
        visit.end()


@pytest.mark.parametrize("name", ["a\0b.csv", "a\nb.csv", "x" * 300 + ".csv", "\ud800.csv", "x.csv\0.parquet"])
def test_a_name_that_no_file_can_have_gets_one_short_sentence(name: str) -> None:
    """Oracle: the rule. A NUL and 300 characters led to "ValueError" and "OSError" before. Grade: identical."""
    visit = Visit()
    try:
        looked = looked_at(dropped, arrived(visit, name, b"a,b\n1,2\n3,4\n"), visit)
        assert looked.source is None
        assert "a file's name must have 200 bytes at most, and no control characters" in looked.trouble
        assert looked.trouble.isprintable()
        assert len(looked.trouble) < 160
        assert list(visit.folder.iterdir()) == []
    finally:
        visit.end()


@pytest.mark.parametrize("which", EMBEDDED)
def test_the_embedded_files_can_be_put_on_the_bench(which: str) -> None:
    source = embedded(which)
    found = examined(source.table.frame)
    assert "dependent" in {column.role for column in found}
    assert not [column.name for column in found if column.role == "independent" and 20 * column.unique > 2000]
    assert source.embedded == which


def test_a_file_that_is_too_wide_is_refused_in_one_sentence() -> None:
    wide = pd.DataFrame(np.ones((3, 401)), columns=[f"v{k}" for k in range(401)])
    with pytest.raises(InvalidInput, match=r"^the studio: examines 400 numeric columns at most .*; got 401$"):
        examined(wide)


@pytest.mark.slow
def test_a_run_is_what_protect_and_evaluate_give() -> None:
    source = embedded("census_like")
    roles = pf.Roles(independent=["AGI"], dependent=["FEDTAX", "TAXINC"])
    told: list[float] = []
    order = Order(source, pf.IPSO("C"), roles, " 7 ", ("um",), constraints="FEDTAX >= 0")
    trial = run(order, 3, time.monotonic(), lambda done, most, what: told.append(done / most))
    expected = pf.protect(source.table.frame, pf.IPSO("C"), roles, seed=7, constraints="FEDTAX >= 0")
    pd.testing.assert_frame_equal(trial.released.frame, expected.frame)
    assert trial.report["pil"] == pf.evaluate(source.table.frame, expected.frame, roles.dependent)["pil"]
    assert "um" in trial.report.keys()  # noqa: SIM118
    assert trial.number == 3
    assert told == sorted(told)
    assert told[-1] == 1
    assert seed_of("") is None
    with pytest.raises(InvalidParameter, match="whole number"):
        seed_of("one")


def test_a_method_that_leaves_gaps_is_judged_by_what_is_left_or_says_why_not() -> None:
    """Oracle: evaluate(). A release in which every cell is empty was lost before. Grade: identical."""
    source = embedded("accounts")
    roles = pf.Roles(["TRANSACTIONS"], ["AGE", "INCOME"])
    some = run(Order(source, pf.LocalSuppression(3, keys=["AGE"]), roles, "1", ()), 1, 0.0, lambda *_: None)
    judged = pf.evaluate(source.table.frame, some.released.frame, roles.dependent)
    assert some.report["dr"] == judged["dr"]
    none = run(Order(source, pf.LocalSuppression(1000), roles, "1", ()), 1, 0.0, lambda *_: None)
    assert none.report.keys() == []
    assert "could not be judged" in none.report.notes[0]


def wait(job: Job) -> None:
    for _ in range(200):
        if not job.running:
            return
        time.sleep(0.02)
    raise AssertionError("the job did not end")


def test_a_job_ends_with_a_result_a_sentence_or_nothing() -> None:
    def bad(progress: object) -> None:
        raise InvalidInput("x", "must be y")

    def worse(progress: object) -> None:
        raise ZeroDivisionError("secret 42")

    for work, result, trouble in ((lambda progress: 5, 5, None), (bad, None, "x: must be y")):
        job = Job(work)
        wait(job)
        assert (job.result, job.trouble) == (result, trouble)
    job = Job(worse)
    wait(job)
    assert job.trouble is not None
    assert "ZeroDivisionError" in job.trouble
    assert "42" not in job.trouble


def test_a_cancelled_job_stops_at_its_next_report() -> None:
    seen = threading.Event()

    def work(progress: pf.progress.Progress) -> str:  # type: ignore[name-defined]
        try:
            for k in range(1000):
                progress(k, 1000, "working")
                time.sleep(0.01)
        except Cancelled:
            seen.set()
            raise
        return "done"

    desk = Desk()
    assert desk.start(work) is None
    job = desk.job
    assert job is not None
    time.sleep(0.05)
    assert 0 < job.standing().fraction < 1
    assert desk.start(work) == "A run is going on already: cancel it first."
    desk.cancel()
    assert desk.job is None  # the page is free at once
    assert seen.wait(1)
    wait(job)
    assert (job.result, job.trouble) == (None, None)


def test_cancelled_jobs_that_do_not_end_are_not_piled_up() -> None:
    go, desk = threading.Event(), Desk()

    def deaf(progress: object) -> None:
        go.wait(20)

    try:
        for _ in range(MOST_ENDING):
            assert desk.start(deaf) is None
            desk.cancel()
        refused = desk.start(deaf)
        assert refused is not None
        assert "wait a moment" in refused
    finally:
        go.set()
