"""Files whose records do not pair: which measures mean something there. Oracle: what each measure's facts say."""

import math

import pytest
from support.method_examples import EXAMPLES
from support.school_file import school_file

import pyfcrm as pf
from pyfcrm.measures import MEASURES

FRAME = pf.datasets.survey(150, seed=1)
ROLES = pf.Roles(["age", "hours", "size"], ["wage", "rent", "tax"], ["name"])
EMPTY = ("dbrl", "prl", "id", "dr", "score", "linkage_informed", "certain", "dr_informed")


def test_every_method_says_whether_its_records_pair():
    pairs = {name: method.facts(ROLES).pairs for name, method in EXAMPLES.items()}
    assert {name for name, value in pairs.items() if value == "never"} == {"dummy", "sampling"}
    assert {name for name, value in pairs.items() if value == "by columns"} == {"arf"}


@pytest.mark.parametrize("method", [pf.Dummy(), pf.Sampling(0.5)])
def test_measures_of_pairs_are_empty_and_the_others_are_what_they_are(method):
    released = pf.protect(FRAME, method, ROLES, seed=1).frame
    keys = [key for key, one in MEASURES.items() if not one.needs_keys]
    report = pf.evaluate(FRAME, released, ROLES.dependent, keys, method=method)
    assert {key for key in keys if math.isnan(report[key])} == {key for key in keys if MEASURES[key].paired}
    alone = pf.evaluate(FRAME, released, ROLES.dependent, ["pil", "pmse"])
    assert (report["pil"], report["pmse"]) == (alone["pil"], alone["pmse"])
    assert any("do not pair" in note for note in report.notes)
    assert list(report.keys()) == keys


@pytest.mark.slow
def test_a_sweep_has_empty_cells_and_best_leaves_them_out():
    frontier = pf.sweep(FRAME, ROLES, [pf.Dummy(), pf.IPSO("C"), pf.Sampling(0.5)], seed=1)
    table = frontier.to_frame()
    assert table.loc[[0, 2], list(EMPTY)].isna().all(axis=None)
    assert table.loc[1, list(EMPTY)].notna().all()
    assert table["pil"].notna().all()
    assert frontier.nondominated() == [False, True, False]
    assert str(frontier.best(max_dr=100).method) == "IPSO(kind=C)"
    assert len(frontier.plot().axes[0].get_legend().get_texts()) >= 1
    assert frontier._repr_html_()


def test_a_whole_synthetic_file_has_no_key_variable_and_no_record_of_its_own():
    """Identical: no column is released unchanged, and no released record has an original whose values it could follow."""
    file = school_file(300)
    released = pf.protect(file, pf.ARF(trees=5), pf.Roles([], list(file)), seed=1)
    found = pf.evaluate(file, released).verdict
    assert found["sample_uniques"].status == "pass"
    assert found["dependence"].status == "not applicable"
    kept = pf.protect(file, pf.ARF(trees=5), pf.Roles([], list(file.columns[:5])), seed=1)
    assert pf.evaluate(file, kept).verdict["sample_uniques"].status != "pass"
