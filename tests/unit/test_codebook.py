"""pf.codebook: what it states of each variable. Oracle: how the release was made. Grade: identical."""

import numpy as np
import pandas as pd

import pyfcrm as pf


def workers(n=120):
    rng = np.random.default_rng(1)
    age, wage = rng.integers(20, 60, n), rng.normal(1000, 100, n).round(2)
    return pd.DataFrame(
        {"hid": np.repeat(np.arange(n // 2), 2) + 5001, "age": age, "job": rng.choice(list("abc"), n), "wage": wage}
    )


def variables(frame, missing="refuse"):
    roles = pf.Roles("age", ["job", "wage"], household="hid")
    released = pf.protect(frame, pf.IPSO("C"), roles, seed=1, missing=missing)
    return {variable.name: variable for variable in pf.codebook(released).variables}


def test_ids_are_new_and_no_moments_of_categories_are_exact():
    """The defects: ids were "released unchanged", and means of a category that is drawn from trees were exact."""
    found = variables(workers())
    assert (found["hid"].treatment, found["hid"].exact) == ("replaced by new numbers, equal ids by equal numbers", "")
    assert (found["job"].exact, found["job"].near) == ("", "")
    assert "means" in found["wage"].exact


def test_moments_of_columns_with_gaps_are_near():
    found = variables(workers().assign(wage=lambda f: f.wage.where(f.index > 9)), missing="protect")
    assert (found["wage"].exact, found["wage"].missing) == ("", 10)
    assert "means" in found["wage"].near


def test_labels_of_the_input_are_in_the_codebook_of_a_frame():
    frame = workers()
    frame.attrs = {"column_labels": {"wage": "Monthly wage"}}
    assert variables(frame)["wage"].label == "Monthly wage"
