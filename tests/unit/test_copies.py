"""copies=m of protect, evaluate and audit. Oracle: releases from one stream that goes on, each judged by itself; their mean
by hand. Identical."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.data import open_data
from pyfcrm.errors import InvalidInput
from pyfcrm.evaluation.copies import MEAN, mean_of

FRAME = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 4)), columns=list("abcd"))
ROLES = pf.Roles(["a", "b"], ["c", "d"])


def copies(m=3, method=None, frame=FRAME, **more):
    return pf.protect(frame, method or pf.GADP(), ROLES, seed=1, copies=m, **more)


def test_copies_are_drawn_one_after_another():
    stream = pf.RStream(1)
    expected = [pf.protect(FRAME, pf.GADP(), ROLES, seed=stream).frame for _ in range(3)]
    released = copies()
    assert released.frame is released.frames[0]
    for one, other in zip(released.frames, expected, strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert len(copies(1).frames) == 1


def test_the_mean_does_not_depend_on_the_order_of_the_copies_records():
    """Copies that pair by index, the second in another order. Oracle: pandas' means by label. Close: sums of two."""
    rng = np.random.default_rng(2)
    first, second = (FRAME.assign(c=rng.integers(0, 3, 60), d=rng.normal(size=60)) for _ in range(2))
    shuffled = second.sample(frac=1, random_state=1)
    mean = mean_of([open_data("evaluate", frame, whole=True) for frame in (first, shuffled)])
    expected = (first + second) / 2
    for name in FRAME.columns:
        np.testing.assert_allclose(mean.values(name), expected[name], rtol=1e-15)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("in.csv", index=False)
    return tmp_path


@pytest.mark.slow
def test_files_of_copies(folder):
    released = pf.protect("in.csv", pf.GADP(), ROLES, seed=1, copies=3, output="out.csv")
    assert released.path == "out-1.csv"
    assert released.frames == ("out-1.csv", "out-2.csv", "out-3.csv")
    assert sorted(os.listdir()) == ["in.csv", "out-1.csv", "out-2.csv", "out-3.csv"]
    one = pf.protect_file("in.csv", "one.csv", pf.GADP(), ROLES, seed=1)
    assert Path("one.csv").read_bytes() == Path("out-1.csv").read_bytes()
    assert len(one.frames) == 1
    report = pf.evaluate("in.csv", released.frames, ["c", "d"], ["id"])
    assert report["id"] == pf.evaluate(FRAME, copies().frames, ["c", "d"], ["id"])["id"]


def test_a_copy_that_exists_is_refused_before_any_is_written(folder):
    Path("out-2.csv").write_text("mine")
    with pytest.raises(InvalidInput, match="must be a new file"):
        pf.protect("in.csv", pf.GADP(), ROLES, seed=1, copies=3, output="out.csv")
    assert sorted(os.listdir()) == ["in.csv", "out-2.csv"]
    assert Path("out-2.csv").read_text() == "mine"


def test_a_copy_that_cannot_be_renamed_leaves_those_before_it_whole(folder, monkeypatch):
    """The third copy cannot be renamed: the first two are there, whole, and nothing temporary is left."""
    Path("out-1.csv").write_text("mine")
    real = os.replace

    def fails(source, target):
        if str(target).endswith("out-3.csv"):
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(InvalidInput, match=r"out-3\.csv"):
        pf.protect("in.csv", pf.GADP(), ROLES, seed=1, copies=3, output="out.csv", overwrite=True)
    assert sorted(os.listdir()) == ["in.csv", "out-1.csv", "out-2.csv"]
    assert [len(pd.read_csv(f"out-{k}.csv")) for k in (1, 2)] == [60, 60]


@pytest.mark.slow
def test_the_worst_risk_and_the_mean_loss():
    released = copies()
    keys = ["pil", "dbrl", "prl", "id", "dr", "score"]
    each = [pf.evaluate(FRAME, one, ["c", "d"], keys) for one in released.frames]
    mean = FRAME.assign(**{name: np.mean([one[name] for one in released.frames], axis=0) for name in "cd"})
    of_mean = pf.evaluate(FRAME, mean, ["c", "d"], keys)
    found = pf.evaluate(FRAME, released.frames, ["c", "d"], keys)
    for key in ("dbrl", "id"):
        assert found[key] == pytest.approx(max([*(one[key] for one in each), of_mean[key]]), rel=1e-12)
    assert found["pil"] == pytest.approx(np.mean([one["pil"] for one in each]), rel=1e-12)
    assert found["dr"] == pytest.approx((found["dbrl"] + found["prl"]) / 4 + found["id"] / 2, rel=1e-12)
    rows = found.to_frame().set_index(["measure", "part"])["value"]
    assert rows["id", MEAN] == pytest.approx(of_mean["id"], rel=1e-12)
    assert [rows["id", f"copy {k}"] for k in (1, 2, 3)] == pytest.approx([one["id"] for one in each])


@pytest.mark.slow
def test_many_copies_of_added_noise_give_the_original_away():
    """The mean of 40 releases with independent noise is the original to a sixth of the noise: only together is that seen."""
    roles = pf.Roles([], list("abcd"))
    released = pf.protect(FRAME, pf.Noise(amount=100), roles, seed=1, copies=40)
    alone, together = (
        pf.evaluate(FRAME, one, list("abcd"), ["dbrl"])["dbrl"] for one in (released.frame, released.frames)
    )
    assert alone < 50 < 90 < together


@pytest.mark.slow
def test_audit_of_copies_finds_what_one_copy_hides():
    """Noise of 1.5 sd: one release tells little of who was in the file, the mean of 30 tells it."""
    frame = pd.DataFrame(np.random.default_rng(2).normal(size=(200, 5)), columns=list("abcde"))
    roles = pf.Roles([], list("abcde"))
    one, many = (pf.audit(frame, pf.Noise(amount=150), roles, repeats=1, copies=m) for m in (1, 30))
    lines = many.to_frame().set_index("attack")["value"]
    assert lines["membership: nearest record, mean of the copies"] > one["membership"] + 10
    assert many.alarms
    assert one.to_frame()["attack"].isin(many.to_frame()["attack"]).all()
