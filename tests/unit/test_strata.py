"""protect() and evaluate() by strata.

Oracle: each stratum protected or judged as a frame of its own, with one stream continued. Grade: identical for releases;
for averages close, 1e-12 (a weighted mean of the same numbers). The Parquet way: identical to the frame's.
"""

import numpy as np
import pandas as pd
import pytest
from support.blocks import by_blocks

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter

ROLES = pf.Roles(["AGI", "POTHVAL"], ["FEDTAX", "TAXINC"])
BY = ["region", "sex"]
METHODS = [
    pf.RankSwapping(10),
    pf.RankSwapping(10, "sdcmicro"),
    pf.Microaggregation(4),
    pf.FCRM(2, max_iter=5),
    pf.IPSO("C"),
    pf.Noise("linear", 20),
    pf.Sampling(0.4),
    pf.Recoding([1000, 5000]),
    pf.Recoding(3, labels=False),
    pf.TopBottomCoding("90%"),
    pf.LocalSuppression(3, keys=["sex"]),
]
OF_NUMBERS = [METHODS[0], METHODS[2], METHODS[4], pf.Calibrated(pf.IPSO("C")), pf.FCRM(2, max_iter=5, release="draw")]


def simulated(n=240):
    """A file with a text column and a whole-numbered one to stratify by, records of the strata mixed."""
    frame = pf.datasets.census_like(n=n, seed=1)
    frame["region"] = [("east", "west", "north")[(k * k + k // 5) % 3] for k in range(n)]
    frame["sex"] = [k // 3 % 2 for k in range(n)]
    return frame


def by_hand(frame, method, stream):
    """Every stratum as a frame of its own, its records in their order; pandas gives the groups in order of first appearance."""
    parts = []
    for _, part in frame.groupby(BY, sort=False):
        released = pf.protect(part.reset_index(drop=True), method, ROLES, stream, shuffle=False)
        [rows] = released.rows or (None,)
        parts.append(released.frame.set_axis(part.index if rows is None else part.index[rows]))
    return pd.concat(parts).sort_index().reset_index(drop=True)


def after_seed(seed):
    return pf.RStream.from_r_state(pf.RStream(seed).to_r_state())


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_each_stratum_by_itself_with_one_stream(method):
    frame = simulated()
    released = pf.protect(frame, method, ROLES, 3, strata=BY, shuffle=False)
    levels = released.frame.dtypes[released.frame.dtypes == "category"]  # a stratum may lack some
    expected = by_hand(frame, method, after_seed(3)).astype(levels.to_dict())
    pd.testing.assert_frame_equal(released.frame, expected, check_exact=True)
    sizes = frame.groupby(BY).size()
    assert f"protected by strata of region, sex: 6 strata of {sizes.min()} to {sizes.max()} records" in released.notes
    assert len(released.notes) == len(set(released.notes)) < 10
    assert released.seed == 3


@pytest.mark.slow
@pytest.mark.parametrize("method", OF_NUMBERS, ids=str)
def test_a_file_gives_what_its_frame_gives(method, tmp_path, monkeypatch):
    """Blocks of 50 records, so that strata lie across them; the same bits, in the file's own order, and the same notes."""
    from pyfcrm.files import parquet

    monkeypatch.setattr(parquet, "RECORDS_AT_ONCE", 50)
    frame = simulated()
    frame["TAXINC"] = frame["TAXINC"].astype(float)
    frame.loc[[0, 77], "TAXINC"] = np.nan
    frame.to_parquet(tmp_path / "in.parquet")
    output = tmp_path / "out.parquet"
    release = pf.protect(by_blocks(tmp_path / "in.parquet"), method, ROLES, 3, strata=BY, output=output, missing="drop")
    known = pf.protect(frame, method, ROLES, 3, strata=BY, missing="drop")
    pd.testing.assert_frame_equal(pd.read_parquet(output), known.frame.reset_index(drop=True), check_exact=True)
    assert release.notes == known.notes
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.parquet", "out.parquet"]


@pytest.mark.parametrize(
    ("method", "size", "message"),
    [
        (pf.Microaggregation(5), 4, "`k` must be at most the number of records, 4; got 5"),
        (pf.FCRM(3), 2, "`c` must be at most the number of records, 2; got 3"),
        (pf.LocalSuppression(3, keys=["AGI"]), 2, "needs at least k = 3 records"),
        (pf.Noise("uncorrelated", 20), 1, None),
    ],
    ids=str,
)
def test_a_stratum_too_small_is_named_by_number_and_size(method, size, message):
    frame = simulated(100)
    frame["group"] = "many"
    frame.loc[100 - size :, "group"] = "secret"
    if message is None:  # one record: whatever the method does, it is one clear error or a whole release
        assert len(pf.protect(frame, method, ROLES, 1, strata="group", allow_unprotected=True).frame) == 100
        return
    with pytest.raises(InvalidInput) as caught:
        pf.protect(frame, method, ROLES, 1, strata="group", allow_unprotected=True)
    number = f"{size} record{'s' if size > 1 else ''}"
    assert str(caught.value).startswith(f"protect: stratum 2 of 2 ({number}) cannot be processed alone: ")
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


KEYS = ["pil", "dbrl", "prl", "id", "dr", "score", "um", "drisk"]


def pairs():
    frame = simulated()
    frame.loc[frame.index[:31], "sex"] = 0  # strata of different sizes
    return frame, pf.protect(frame, pf.Noise("uncorrelated", 30), ROLES, 1).frame


@pytest.mark.slow
def test_a_report_is_the_average_of_the_strata():
    before, after = pairs()
    report = pf.evaluate(before, after, ROLES.dependent, KEYS, strata=BY)
    groups = [part.index for _, part in before.groupby(BY, sort=False)]
    parts = [[frame.loc[rows].drop(columns=BY) for frame in (before, after)] for rows in groups]
    data = [pf.evaluate(*part, ROLES.dependent, KEYS).to_frame() for part in parts]
    weights = [len(rows) for rows in groups]
    table = report.to_frame()
    for column in ("value", "baseline"):
        mean = np.average([one[column] for one in data], axis=0, weights=weights)
        np.testing.assert_allclose(table[column], mean, rtol=1e-12)
    assert table[["measure", "part", "better"]].equals(data[0][["measure", "part", "better"]])
    assert report.records == len(before)
    assert any("judged by strata of region, sex: 6 strata" in note for note in report.notes)
    assert any("weighted by records" in note for note in report.notes)


def test_key_measures_by_strata():
    before, after = pairs()
    keys = ["sex", "EMCONTRB"]
    report = pf.evaluate(before, after, measures=["uniques"], keys=keys, strata="region")
    parts = [part for _, part in before.groupby("region", sort=False)]
    shares = [pf.evaluate(p, after.loc[p.index], measures=["uniques"], keys=keys)["uniques"] for p in parts]
    assert report["uniques"] == pytest.approx(np.average(shares, weights=[len(p) for p in parts]), rel=1e-12)
    with pytest.raises(InvalidParameter, match="name the strata among the keys"):
        pf.evaluate(before, after, measures=["k_anonymity"], keys=keys, strata="region")
