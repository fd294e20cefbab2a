"""missing="protect" and "drop": no incomplete record keeps its confidential values, and gaps stay where they were."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cli import pyfcrm

import pyfcrm as pf
from pyfcrm.methods.gaps import gap_indicators
from pyfcrm.protection.completed import regression_draw

X, Y = ["age", "hours", "size"], ["wage", "rent", "tax"]
ROLES = pf.Roles(X, Y, ["name"])
METHODS = [pf.IPSO("C"), pf.Calibrated(pf.IPSO("C")), pf.FCRM(4, release="model"), pf.Noise("correlated", 100)]


def with_gaps(n=1000):
    """A household survey with ids, an incomplete predictor and two incomplete amounts, one of whole numbers."""
    frame = pf.datasets.survey(n).astype({"hours": float, "rent": float, "wage": "Int64"})
    frame.loc[frame.index[::10], "hours"] = np.nan
    frame.loc[frame.index[5::7], "rent"] = np.nan
    frame.loc[frame.index[3::11], "wage"] = pd.NA
    return frame


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_incomplete_records_are_protected(method):
    """A fixed defect: all incomplete records were released unchanged. Of amounts above 0 none is; gaps are where they were."""
    frame = with_gaps()
    released = pf.protect(frame, method, ROLES, seed=1, missing="protect").frame
    assert released.isna().equals(frame.drop(columns="name").isna())
    assert released.dtypes.equals(frame.drop(columns="name").dtypes)
    pd.testing.assert_frame_equal(released[X], frame[X])
    incomplete = frame[[*X, *Y]].isna().any(axis=1)
    positive = incomplete & (frame[Y].fillna(1) > 0).all(axis=1)
    same = ((released[Y] == frame[Y]) | frame[Y].isna()).all(axis=1)
    assert positive.sum() > 100
    assert not same[positive].any()


def test_the_completed_file_is_what_is_protected():
    """Oracle: the regression draw and the method by hand, from one stream. Identical."""
    frame = with_gaps().astype({"wage": float, "tax": float})
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=5, missing="protect", variables="numbers")
    stream, A = pf.RStream(5), frame[[*X, *Y]].to_numpy(dtype=float)
    B = regression_draw(A, stream)
    # Gaps of 2 per cent and more are predictors.
    gaps = np.isnan(A[:, [3, 4]])
    Z = pf.IPSO("C").protect(np.column_stack([B[:, :3], gap_indicators(gaps)]), B[:, 3:], stream)
    np.testing.assert_array_equal(released.frame[Y], np.where(np.isnan(A[:, 3:]), np.nan, Z))
    kinds = [note.kind for note in released.notes]
    assert kinds.count("missing") == 3
    observed = ~np.isnan(A[:, 4])
    gap = abs(Z[observed, 1].mean() - A[observed, 4].mean()) / A[observed, 4].std()
    assert next(note.facts["mean"] for note in released.notes if "mean" in note.facts) >= gap * (1 - 1e-12)


def test_a_regression_draw():
    """Observed values stay; a filled value is an observed one of its column; the relation of two columns stays near."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=4000)
    A = np.column_stack([x, np.where(rng.random(4000) < 0.3, 0, np.round(np.exp(x + 0.3 * rng.normal(size=4000)), 2))])
    full, gap = A.copy(), rng.random(4000) < 0.4
    A[gap, 1] = np.nan
    B = regression_draw(A, pf.RStream(1))
    np.testing.assert_array_equal(B[~gap], full[~gap])
    assert np.isin(B[gap, 1], full[~gap, 1]).all()
    assert (B[gap, 1] == 0).mean() == pytest.approx(0.3, abs=0.05)  # standard error 0.011
    ranks = [pd.DataFrame(part).corr("spearman").iloc[0, 1] for part in (full, B)]
    assert ranks[1] == pytest.approx(ranks[0], abs=0.05)  # standard error 0.02


@pytest.mark.slow
@given(
    gaps=st.lists(st.tuples(st.integers(0, 59), st.integers(0, 3)), max_size=60),
    library=st.sampled_from(["pandas", "polars", "arrow"]),
    seed=st.integers(0, 3),
)
def test_missing_cells_are_those_of_the_original(gaps, library, seed):
    frame = pd.DataFrame(np.random.default_rng(seed).normal(size=(60, 4)), columns=list("abcd"))
    frame["d"] = pd.array(np.arange(60) % 23, dtype="Int64")
    for row, column in gaps:
        frame.iloc[row, column] = np.nan if column < 3 else pd.NA
    convert = {"pandas": lambda f: f, "polars": pl.from_pandas, "arrow": lambda f: pl.from_pandas(f).to_arrow()}[
        library
    ]
    roles = pf.Roles(["a", "b"], ["c", "d"])
    options = {"missing": "protect", "allow_unprotected": True, "shuffle": False}
    released = pf.protect(convert(frame), pf.IPSO("A"), roles, seed, **options).frame
    back = released if library == "pandas" else pl.DataFrame(released).to_pandas()
    np.testing.assert_array_equal(back.isna().to_numpy(), frame.isna().to_numpy())
    np.testing.assert_array_equal(back[["a", "b"]].to_numpy(float), frame[["a", "b"]].to_numpy(float))


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["protect", "drop"])
def test_files_strata_and_the_command_line(missing, tmp_path, monkeypatch):
    """The same release as of the frame; made again from its manifest; a missing stratum value is a stratum. Identical."""
    monkeypatch.chdir(tmp_path)
    frame = with_gaps()
    frame.to_csv("in.csv", index=False, na_rep="NA")
    words = [f"--independent={','.join(X)}", f"--dependent={','.join(Y)}", "--identifiers=name", "--seed=1"]
    ran = pyfcrm(
        "protect", "in.csv", "-o", "out.csv", "--method=ipso", *words, f"--missing={missing}", "--strata=region",
        "--manifest=m.json",
    )  # fmt: skip
    assert ran.status == 0, ran
    frame = pf.read_table("in.csv")
    expected = pf.protect(frame, pf.IPSO(), ROLES, seed=1, missing=missing, strata="region").frame
    found = pd.read_csv("out.csv")
    np.testing.assert_array_equal(found[Y].to_numpy(float), expected[Y].to_numpy(float))
    assert found[Y].isna().to_numpy().any() == (missing == "protect")
    assert pf.verify("m.json", original="in.csv", release="out.csv").ok


@pytest.mark.slow
def test_a_plan_takes_both_words(tmp_path):
    with_gaps().to_csv(tmp_path / "in.csv", index=False)
    text = (
        f'[input]\nfile = "in.csv"\n[roles]\nindependent = {X}\ndependent = {Y}\nidentifiers = ["name"]\n'
        '[method]\nname = "ipso"\n[keep]\nmissing = "protect"\nallow_unprotected = true\n'
        "[limits]\nsample_uniques = 100\nedits = 100000\n"
        '[output]\nrelease = "out.csv"\nmanifest = "m.json"\n[random]\nseed = 1\n'
    )
    (tmp_path / "plan.toml").write_text(text)
    result = pf.run(tmp_path / "plan.toml")
    assert result.ok, result
    assert [note.severity for note in result.notes] == sorted((note.severity for note in result.notes), reverse=True)
    assert pf.verify(tmp_path / "m.json", original=tmp_path / "in.csv", release=tmp_path / "out.csv").ok
