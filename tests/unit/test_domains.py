"""PIL by domain: each level judged by itself, the mean and the worst."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput


def files(n=400, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"region": rng.choice(["n", "s", "w"], n), "sex": rng.integers(0, 2, n)})
    frame["a"], frame["b"] = rng.gamma(2.0, size=n), np.where(rng.random(n) < 0.5, 0, rng.normal(size=n))
    released = frame.copy()
    released["a"] = np.where(frame["region"] == "s", frame["a"] * 1.5, frame["a"])
    return frame, released


def parts(report):
    return {row["part"]: row["value"] for row in report.rows() if row["measure"] == "pil"}


def test_each_domain_is_the_pil_of_its_records():
    """Oracle: evaluate() of each level's records alone. Identical."""
    frame, released = files()
    result = parts(pf.evaluate(frame, released, ["a", "b"], "pil", domains=["region", "sex"]))
    alone = {}
    for column in ("region", "sex"):
        for level in frame[column].unique():
            rows = frame[column] == level
            alone[f"{column}={level}"] = pf.evaluate(frame[rows], released[rows], ["a", "b"], "pil")["pil"]
    assert {name: result[name] for name in alone} == alone
    assert result["domains, mean"] == pytest.approx(np.mean(list(alone.values())))
    assert result["domains, worst: region=s"] == max(alone.values())


def test_the_whole_is_judged_as_without_domains():
    """Identical."""
    frame, released = files()
    without, result = (pf.evaluate(frame, released, ["a", "b"], "pil", domains=d) for d in (None, "region"))
    assert result["pil"] == without["pil"]
    assert list(parts(result))[: len(parts(without))] == list(parts(without))


def test_the_largest_change_of_a_mean_is_a_note_and_a_warning_above_one_standard_error():
    """The defect: only the printed report of Python had it. Oracle: `groups`."""
    frame, released = files()
    [note] = [note for note in pf.evaluate(frame, released, ["a"], "pil").notes if note.kind == "answers"]
    assert "means within 3 groups" in note
    assert "(a in region=s)" in note
    assert note.severity == "warning"
    report = pf.evaluate(frame, frame, ["a"], "pil", roles=pf.Roles(dependent="a"))
    assert [note.severity for note in report.notes if note.kind == "answers"] == ["info"]


@pytest.mark.parametrize(("moved", "severity"), [(["n"], "info"), (["n", "s", "w"], "warning")])
def test_groups_of_another_sample_are_no_warning_unless_their_mean_is(moved, severity):
    """The worst of some groups is above 61 by chance, while the panel finds the release faithful. By hand: levels far away."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"region": np.repeat(["n", "s", "w"], 100), "a": rng.normal(size=300).round(3)})
    released = frame.assign(a=frame["a"] + 9.0 * frame["region"].isin(moved))
    [note] = [note for note in pf.evaluate(frame, released, ["a"], "pil").notes if note.kind == "unreliable"]
    assert (note.severity, note.facts["group"].startswith("region=")) == (severity, True)


def test_small_domains_are_left_out_and_counted():
    """Four records of a region of their own. By hand."""
    frame, released = files()
    for one in (frame, released):
        one.loc[:3, "region"] = "x"
    report = pf.evaluate(frame, released, ["a"], "pil", domains="region")
    assert "region=x" not in parts(report)
    assert "1 of 4 domains has fewer than 10 records and is not judged" in report.notes
    assert not pf.evaluate(frame, released, ["b"], "pil", domains="a").groups
    with pytest.raises(InvalidInput, match="records must pair"):
        pf.evaluate(frame, released[:50].reset_index(drop=True), ["a"], "pil", domains="region")


def test_means_by_group_are_in_standard_errors():
    """Oracle: pandas groupby. Close: one mean and one standard deviation, in another order."""
    frame, released = files()
    groups = {
        (mean.domain, mean.level, mean.column): mean
        for mean in pf.evaluate(frame, released, ["a", "b"], "pil", domains=["region"]).groups
    }
    for region in ("n", "s", "w"):
        x, z = (one.loc[frame["region"] == region, "a"] for one in (frame, released))
        mean = groups["region", region, "a"]
        assert mean.difference == pytest.approx((z.mean() - x.mean()) / x.sem(), rel=1e-12)
        assert (mean.records, mean.original, mean.released) == (
            len(x),
            pytest.approx(x.mean()),
            pytest.approx(z.mean()),
        )


@pytest.mark.parametrize(("shift", "severity"), [(0.05, "info"), (0.9, "info"), (1.5, "warning")])
def test_a_mean_that_moves_by_more_than_a_standard_error_is_a_warning(shift, severity):
    """Every value of one group moves by as many of the standard errors of its mean; by hand."""
    frame, _ = files()
    south = frame["region"] == "s"
    released = frame.assign(a=frame["a"] + np.where(south, shift * frame["a"][south].sem(), 0))
    [note] = [
        note for note in pf.evaluate(frame, released, ["a"], "pil", domains="region").notes if note.kind == "answers"
    ]
    assert (note.severity, note.facts["change"]) == (severity, pytest.approx(shift))
    assert note.facts["where"] == "a in region=s"


@pytest.mark.parametrize(("size", "judged"), [(9, False), (10, True)])
def test_a_domain_of_ten_records_is_judged(size, judged):
    """At the edge by hand."""
    frame, released = files()
    for one in (frame, released):
        one.loc[: size - 1, "region"] = "x"
    assert ("region=x" in parts(pf.evaluate(frame, released, ["a"], "pil", domains="region"))) == judged


def test_levels_are_named_with_their_labels_in_the_file():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"region": rng.integers(1, 3, 300), "age": rng.integers(20, 70, 300)})
    frame["wage"] = np.round(1000 + 20 * frame["age"] + rng.normal(0, 90, 300))
    frame.attrs["variable_value_labels"] = {"region": {1: "North", 2: "South"}}
    released = pf.protect(frame, pf.IPSO("C"), pf.Roles(["age"], ["wage"]), seed=1)
    report = pf.evaluate(frame, released, domains=["region"])
    assert {group.level for group in report.groups} == {"1 (North)", "2 (South)"}
