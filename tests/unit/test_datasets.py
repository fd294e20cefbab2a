"""The data sets. Oracles: the facts each docstring states, checked by counting."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pyfcrm.datasets import CENSUS_COLUMNS, census, census_like, example
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.rstream import RStream

NAMES = [
    "AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC",
    "POTHVAL", "INTVAL", "PEARNVAL", "FICA", "WSALVAL", "ERNVAL",
]  # fmt: skip


def test_example_is_five_lines_of_fifty_points() -> None:
    """Grade: statistical. Fitted line by line, the noise is 1.5 (50 points: standard error 0.15, so 0.5 is 3 of them)
    and far below what one line leaves."""
    frame = example()
    assert list(frame.columns) == ["x", "y"]
    assert frame.shape == (250, 2)
    assert set(map(str, frame.dtypes)) == {"float64"}
    slopes = []
    for _, group in frame.groupby(np.repeat(range(5), 50)):
        slope, intercept = np.polyfit(group.x, group.y, 1)
        slopes.append(slope)
        assert abs(np.std(group.y - intercept - slope * group.x, ddof=2) - 1.5) < 0.5
    assert np.ptp(slopes) > 1
    together = np.polyfit(frame.x, frame.y, 1)
    assert np.std(frame.y - np.polyval(together, frame.x)) > 15


@pytest.mark.parametrize("make", [example, lambda seed=1: census_like(200, seed)])
def test_one_seed_one_frame(make) -> None:  # type: ignore[no-untyped-def]
    """Grade: identical."""
    stream = RStream(1)
    first = make(stream)
    pd.testing.assert_frame_equal(make(), first, check_exact=True)
    pd.testing.assert_frame_equal(make(1), first, check_exact=True)
    assert not make(stream).equals(first)  # the stream moved on
    assert not make(2).equals(first)


@pytest.mark.parametrize("n", [1, 5, 17, 1080, 50_000])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_census_like_keeps_the_files_promises(n: int, seed: int) -> None:
    """Grade: identical."""
    frame = census_like(n, seed)
    assert list(frame.columns) == NAMES == list(CENSUS_COLUMNS)
    assert frame.shape == (n, 13)
    assert set(map(str, frame.dtypes)) == {"int64"}
    assert (frame >= 1).all(axis=None)
    assert (frame.PTOTVAL == frame.POTHVAL + frame.PEARNVAL).all()
    assert (frame.INTVAL <= frame.POTHVAL).all()
    assert (frame.WSALVAL <= frame.PEARNVAL).all()
    assert (frame.TAXINC < frame.AGI).all()
    assert frame.AGI.max() < 100_000
    assert frame.index.equals(pd.RangeIndex(n))


@pytest.mark.slow
def test_census_like_has_no_constant_column_even_when_small() -> None:
    assert all((census_like(5, seed).nunique() > 1).all() for seed in range(200))


def test_census_like_has_the_manners_of_income_data() -> None:
    """Grade: statistical. The bounds are those of the Census file, give or take 0.15 in a rank correlation;
    at n = 20 000 the sampling error is below 0.01."""
    frame = census_like(20_000, 3)
    skew, ranks = frame.skew(), frame.corr(method="spearman")
    assert skew.INTVAL > 4
    assert skew.POTHVAL > 3
    assert abs(skew.AGI) < 0.5
    expected = {
        ("TAXINC", "AGI"): 0.98, ("FEDTAX", "TAXINC"): 0.99, ("STATETAX", "TAXINC"): 0.85, ("FICA", "PEARNVAL"): 0.98,
        ("WSALVAL", "PEARNVAL"): 0.98, ("ERNVAL", "PEARNVAL"): 0.96, ("AGI", "PEARNVAL"): 0.72, ("AFNLWGT", "AGI"): 0.0,
        ("EMCONTRB", "PEARNVAL"): 0.56, ("INTVAL", "POTHVAL"): 0.44, ("POTHVAL", "PEARNVAL"): -0.08,
    }  # fmt: skip
    for (one, other), value in expected.items():
        assert abs(ranks.loc[one, other] - value) < 0.15, (one, other)
    assert 0.9 < (frame.WSALVAL == frame.PEARNVAL).mean() < 1
    assert 0.8 < (frame.ERNVAL == frame.WSALVAL).mean() < 1
    assert abs((frame.FICA / frame.PEARNVAL).median() - 0.0765) < 0.0005
    assert np.linalg.matrix_rank((frame - frame.mean()) / frame.std()) == 12


@pytest.mark.parametrize("n", [0, -1, 2.5, "10", True])
def test_census_like_refuses_other_sizes(n: object) -> None:
    with pytest.raises(InvalidParameter, match="`n` must be a whole number"):
        census_like(n)  # type: ignore[arg-type]


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without the variable and without R; the folder is its PATH."""
    monkeypatch.delenv("PYFCRM_CENSUS", raising=False)
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_census_from_a_path_or_the_variable(nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns come back in file order, others are left out; a path goes before the variable. Grade: identical."""
    made = census_like(20)
    path = tmp_path / "c.csv"
    made[made.columns[::-1]].assign(extra=1).astype(float).to_csv(path, index=False)
    pd.testing.assert_frame_equal(census(path), made, check_exact=True)
    monkeypatch.setenv("PYFCRM_CENSUS", str(path))
    pd.testing.assert_frame_equal(census(), made, check_exact=True)
    with pytest.raises(InvalidInput, match="exists"):
        census(tmp_path / "other.csv")


def test_census_from_sdcmicro(nowhere: Path, tmp_path: Path) -> None:
    """An Rscript that does what R with sdcMicro would: write the file it is asked for."""
    made = census_like(20)
    made.to_csv(tmp_path / "c.csv", index=False)
    program = nowhere / "Rscript"
    program.write_text(f'#!/bin/sh\nfor target; do :; done\n/bin/cat "{tmp_path / "c.csv"}" > "$target"\n')
    program.chmod(0o755)
    pd.testing.assert_frame_equal(census(), made, check_exact=True)
    program.write_text("#!/bin/sh\nexit 3\n")  # R without sdcMicro
    with pytest.raises(InvalidInput, match="PYFCRM_CENSUS"):
        census()


def test_census_from_nowhere_names_the_three_ways(nowhere: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        census()
    message = str(caught.value)
    assert "\n" not in message
    assert all(way in message for way in ["its path", "PYFCRM_CENSUS", "sdcMicro"])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"AFNLWGT,AGI\n1,2\n", "without EMCONTRB"),
        (b"", "readable as CSV"),
        (b"\x00\xff\xfe\x81", "readable as CSV|13 columns"),
        ((",".join(NAMES) + "\n" + ",".join(["1"] * 12 + ["2.5"]) + "\n").encode(), r"2\.5.* in ERNVAL, record 1"),
        ((",".join(NAMES) + "\n" + ",".join(["x"] + ["1"] * 12) + "\n").encode(), "in AFNLWGT, record 1"),
    ],
)
def test_census_refuses_another_file(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "c.csv").write_bytes(content)
    with pytest.raises(InvalidInput, match=said):
        census(tmp_path / "c.csv")


def test_census_never_downloads() -> None:
    with pytest.raises(InvalidInput, match="exists"):
        census("https://example.org/census.csv")


@pytest.mark.census
@pytest.mark.skipif(not os.environ.get("PYFCRM_CENSUS"), reason="$PYFCRM_CENSUS does not name the Census file")
def test_the_census_file_itself() -> None:
    """Its published size, and the identity. Grade: identical. Its records are nowhere in the simulated file."""
    frame = census()
    assert frame.shape == (1080, 13)
    assert (frame.PTOTVAL == frame.POTHVAL + frame.PEARNVAL).all()
    simulated = census_like(100_000)
    assert len(simulated.merge(frame, on=NAMES)) == 0
