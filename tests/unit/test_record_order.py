"""Two files in different orders are noticed. Oracle: files turned here, and files that only look like it. Identical."""

import pytest

import pyfcrm as pf
from pyfcrm.data import open_frame
from pyfcrm.data.record_order import reordered_columns

FRAME = pf.datasets.survey(200, seed=1)
ROLES = pf.Roles(["age", "hours", "size"], ["wage", "rent", "tax"], ["name"])
RELEASE = pf.protect(FRAME, pf.IPSO("C"), ROLES, seed=1).frame
TURNED = RELEASE.iloc[::-1]


def turned(before, after):
    return reordered_columns(open_frame("test", before), open_frame("test", after))


def test_a_file_in_another_order_is_told():
    after = TURNED.reset_index(drop=True)
    assert {*turned(FRAME, after)} <= {"region", "stratum", "weight", "age", "hours", "size"}
    notes = pf.evaluate(FRAME, after, ["wage"], ["pil"]).notes
    assert [note.kind for note in notes if "another order" in note] == ["unreliable"]
    assert pf.evaluate(FRAME, after, ["wage"], ["pil"], roles=ROLES).kept is None


@pytest.mark.parametrize("after", [RELEASE, TURNED, RELEASE.head(100), RELEASE[["wage", "rent", "tax"]]])
def test_files_that_pair_are_not(after):
    assert turned(FRAME, after) == ()
    assert not any("another order" in note for note in pf.evaluate(FRAME, after, ["wage"], ["pil"]).notes)


def test_columns_permuted_by_a_method_are_not():
    """Every column of this release is a permutation of the original's, and one follows from another."""
    before = FRAME[["wage", "rent", "tax"]].assign(dollars=FRAME["wage"] * 2)
    after = pf.protect(
        before, pf.Calibrated(pf.IPSO("C"), margins="original"), pf.Roles([], ["wage", "rent", "tax"])
    ).frame
    after = after.assign(dollars=after["wage"] * 2)
    assert all(sorted(after[name]) == sorted(before[name]) for name in before)
    assert turned(before, after) == ()
