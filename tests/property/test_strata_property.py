"""Strata of any columns. Oracle: pandas, groupby(sort=False, dropna=False).ngroup(). Grade: identical."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import pyfcrm as pf
from pyfcrm.data import open_frame
from pyfcrm.data.strata import Strata, strata_codes

CELLS = st.tuples(
    st.sampled_from(["x", "y", "", "NA", None]),
    st.sampled_from([0, 1, 2, -7]),
    st.sampled_from([0.5, -0.0, 0.0, np.nan]),
)


@given(st.lists(CELLS, min_size=1, max_size=40))
def test_numbers_are_those_of_pandas(cells):
    frame = pd.DataFrame(cells, columns=["a", "b", "c"])
    codes = strata_codes("test", open_frame("test", frame), ["a", "b", "c"], "complete")
    known = frame.groupby(["a", "b", "c"], sort=False, dropna=False).ngroup().to_numpy()
    assert codes.tolist() == known.tolist()
    strata = Strata.of(["a"], codes)
    assert [int(codes[rows[0]]) for rows in strata.rows] == list(range(len(strata)))
    assert sorted(np.concatenate(strata.rows).tolist()) == list(range(len(frame)))


@given(st.lists(st.sampled_from("abc"), min_size=12, max_size=40), st.integers(0, 2**31 - 1))
def test_rank_swapping_keeps_every_strata_margin(groups, seed):
    """What swapping inside strata promises, whatever the strata: each one's values stay its own."""
    frame = pd.DataFrame(
        {"g": groups, "y": np.arange(len(groups), dtype=float) ** 2, "z": np.arange(len(groups)) % 5 + 0.5}
    )
    released = pf.protect(
        frame, pf.RankSwapping(30), pf.Roles([], ["y", "z"]), seed, strata="g", allow_unprotected=True
    ).frame
    for column in ("y", "z"):
        before, after = (one.groupby("g")[column].apply(sorted).to_dict() for one in (frame, released))
        assert before == after
