"""Two files of which nothing shows which records pair are not judged as if they did.

Oracle: a release in random order, and the same release in the order of the original. Identical.
"""

import numpy as np
import pandas as pd
import pytest
from support.business_file import business_file

import pyfcrm as pf

COMPARE = ("unprotected", "risk", "linkage", "dependence", "seed")
NUMBERS = pf.Roles([], ["wage", "debt"])
PERTURBING = [
    pf.Noise(amount=5),
    pf.RankSwapping(p=10),
    pf.Microaggregation(k=5),
    pf.Permutation(k=5),
    pf.FCRM(c=3),
    pf.Hybrid("linear", alpha=0.8),
    pf.Hybrid("microaggregation"),
]
CATEGORIES = pf.Roles([], ["region", "size"])
FRAME = business_file(200)


def plain(frame):
    """A copy without what a release remembers of its records."""
    return pd.DataFrame({name: frame[name].to_numpy() for name in frame})


def in_random_order(frame):
    return plain(frame.iloc[np.random.default_rng(4).permutation(len(frame))])


def verdict(original, released, method, roles=NUMBERS, **more):
    columns = [*roles.independent, *roles.dependent]
    return pf.evaluate(original[columns], released[columns], method=method, roles=roles, guesses=10, **more).verdict


@pytest.mark.parametrize(
    ("method", "roles"),
    [*((method, NUMBERS) for method in PERTURBING), (pf.PRAM(keep=0.8), CATEGORIES)],
    ids=lambda value: type(value).__name__,
)
def test_no_test_that_compares_records_passes_a_shuffled_release(method, roles):
    released = pf.protect(FRAME, method, roles, shuffle=False)
    found = verdict(FRAME, in_random_order(released.frame), method, roles)
    assert {found[key].status for key in COMPARE} <= {"not examined", "hold", "not applicable"}
    assert found["unprotected"].status == "not examined"
    assert "which records pair" in found["unprotected"].reason
    assert found.status != "pass"


def test_stating_that_records_pair_examines_them():
    method = pf.Noise(amount=5)
    released = plain(pf.protect(FRAME, method, NUMBERS, shuffle=False).frame)
    unknown = verdict(FRAME, released, method)
    stated = verdict(FRAME, released, method, paired=True)
    assert {unknown[key].status for key in COMPARE} == {"not examined"}
    assert stated["linkage"].status == "hold"
    assert not {stated[key].status for key in ("unprotected", "risk")} & {"not examined"}


EDITED_ROLES = pf.Roles(["age", "hours", "region", "size"], ["wage", "rent", "tax"], weight="weight")
OF_KEYS = ("sample_uniques", "key_risk", "unprotected", "risk")


@pytest.mark.parametrize(
    ("column", "records", "stated"),
    [("size", 1, True), ("age", 1, True), ("size", 1, False), ("region", 200, True)],
)
def test_edited_cells_of_a_key_variable_leave_records_paired(column, records, stated):
    """One corrected cell, or another value in most records that are stated to pair: every record is examined.

    Oracle: the tests on the release without the edits, which count at least as many unique records.
    The defect: the records of a file with one other key value did not pair.
    """
    names = ["age", "hours", "region", "size", "wage", "rent", "tax", "weight"]
    frame = pf.datasets.survey(300, seed=1)[names].dropna().reset_index(drop=True)
    released = plain(pf.protect(frame, pf.Calibrated(pf.IPSO("C")), EDITED_ROLES, seed=1, shuffle=False).frame)
    edited = released.copy()
    values = edited[column].unique()
    edited.loc[: records - 1, column] = np.where(edited[column] == values[0], values[1], values[0])[:records]
    found = [pf.evaluate(frame, one, roles=EDITED_ROLES, paired=stated).verdict for one in (released, edited)]
    assert [found[1][key].status for key in OF_KEYS] == [found[0][key].status for key in OF_KEYS]
    assert "not examined" not in {found[1][key].status for key in OF_KEYS}


def test_a_seed_that_is_found_holds_the_release():
    method = pf.Noise(amount=5)
    released = plain(pf.protect(FRAME, method, NUMBERS, seed=3, shuffle=False).frame)
    assert verdict(FRAME, released, method)["seed"].status == "hold"


@pytest.mark.parametrize(
    ("column", "known"),
    [
        (np.arange(200) % 7, True),
        (np.full(200, 7), False),  # equal in every order
    ],
)
def test_a_column_that_varies_and_is_equal_shows_the_pairs(column, known):
    method = pf.Noise(amount=5)
    frame = FRAME[["wage", "debt"]].assign(code=column)
    released = plain(pf.protect(frame, method, NUMBERS, shuffle=False).frame)
    found = pf.evaluate(frame, released, method=method, roles=NUMBERS, guesses=10).verdict
    assert (found["risk"].status != "not examined") == known


def test_labels_of_a_frame_show_the_pairs():
    method = pf.Noise(amount=5)
    labels = [f"r{k}" for k in range(len(FRAME))]
    released = pf.protect(FRAME, method, NUMBERS, shuffle=False).frame
    mixed = released.set_axis(labels).sample(frac=1, random_state=1)
    found = verdict(FRAME.set_axis(labels), mixed, method)
    assert found["linkage"].status == "hold"


def test_what_protect_returned_is_known_to_pair():
    method = pf.Noise(amount=5)
    released = pf.protect(FRAME[["wage", "debt"]], method, NUMBERS, shuffle=True)
    found = pf.evaluate(FRAME[["wage", "debt"]], released).verdict
    assert found["linkage"].status == "hold"
