"""Answers that a release gives as its original does: by weights, within levels; what is refused, and what is said.

Oracle: normal equations solved by numpy here. Close: 1e-10 relative, as both solve the same equations by other factorisations.
"""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.data.levels import Levels
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.numerics.least_squares import least_squares

ROLES = pf.Roles(["a", "b"], ["y", "z"])
EXACT = [
    pf.IPSO("A"),
    pf.IPSO("B"),
    pf.IPSO("C"),
    pf.EGADP(),
    pf.Hybrid("regression", 0.4),
    pf.Calibrated(pf.RankSwapping(5), margins=None),
]


def survey(n=240, seed=1):
    """Informative weights, three regions of which one is small, and a column without a role."""
    rng = np.random.default_rng(seed)
    a, b, h = rng.gamma(3.0, size=n), rng.normal(size=n), rng.normal(size=n)
    y = 2 + a - b + rng.gamma(2.0, size=n)
    z = 10 - 0.3 * y - 0.5 * a + 2 * rng.normal(size=n)
    region = np.array(["north", "south", "east"])[(rng.uniform(size=n) * 3).astype(int)]
    frame = {
        "a": a,
        "b": b,
        "h": h,
        "y": y,
        "z": z,
        "w": np.sqrt(1 + np.abs(y)) * np.exp(0.2 * rng.normal(size=n)),
        "region": region,
    }
    return pd.DataFrame(frame)


def fitted(frame, terms, weights, rows):
    """Coefficients of the first of the terms on the others, by the normal equations."""
    part = frame[rows]
    A = np.column_stack([np.ones(len(part)), *(part[name] for name in terms[1:])])
    w = part[weights].to_numpy() if weights else np.ones(len(part))
    return np.linalg.solve(A.T @ (w[:, None] * A), A.T @ (w * part[terms[0]].to_numpy()))


@pytest.mark.parametrize("method", EXACT, ids=str)
def test_weighted_totals_and_fits_are_the_originals_within_each_level(method):
    """Levels of ten records for each sum: 12 with weights of two columns."""
    df = survey(600)
    out = pf.protect(df, method, ROLES, seed=1, weights="w", preserve=["region"]).frame
    assert not np.allclose(out["y"], df["y"], rtol=0.01)
    for rows in (df["w"] > 0, *(df["region"] == level for level in ("north", "south", "east"))):
        for weights in (None, "w"):
            w = df["w"] if weights else 1.0
            for name in ("y", "z"):
                assert (w * out[name])[rows].sum() == pytest.approx((w * df[name])[rows].sum(), rel=1e-10)
            for terms in (("y", "a", "b"), ("z", "b")):
                new, old = fitted(out, terms, weights, rows), fitted(df, terms, weights, rows)
                np.testing.assert_allclose(new, old, rtol=1e-10, atol=1e-10)


@pytest.mark.slow
def test_swaps_bring_weighted_and_domain_sums_home():
    """Every column a permutation of the original's; fits of Y on X and on Y, weighted and by level, to 0.01 standard errors."""
    df = survey(2000)
    release = pf.protect(
        df, pf.Calibrated(pf.IPSO("C"), margins="original"), ROLES, seed=1, weights="w", preserve="region"
    )
    out = release.frame
    for name in ("y", "z"):
        np.testing.assert_array_equal(np.sort(out[name]), np.sort(df[name]))
        assert (out[name] != df[name]).mean() > 0.9
    for rows in (df["w"] > 0, *(df["region"] == level for level in ("north", "south", "east"))):
        for terms in (["y", "a", "b"], ["z", "b"], ["y", "z", "a"], ["z", "y"]):
            for weights in (None, "w"):
                w = None if weights is None else df["w"][rows].to_numpy()
                old, new = (
                    least_squares("", d[rows][terms[1:]].to_numpy(), d[rows][terms[0]].to_numpy(), w) for d in (df, out)
                )
                assert (np.abs(new.coef - old.coef) < 0.01 * old.se).all()
                np.testing.assert_allclose(new.se, old.se, rtol=0.01)


@pytest.mark.parametrize("missing", ["refuse", "drop"])
def test_records_left_out_have_no_part(missing):
    df = survey()
    if missing == "drop":
        df.loc[[3, 8], "y"] = np.nan
        df.loc[3, "w"] = np.nan
    out = pf.protect(df, pf.IPSO("C"), ROLES, seed=1, weights="w", missing=missing).frame
    rows = df["y"].notna()  # the release numbers them from 0
    assert len(out) == rows.sum()
    np.testing.assert_allclose(
        fitted(out, ("z", "a"), "w", np.ones(len(out), dtype=bool)), fitted(df, ("z", "a"), "w", rows), rtol=1e-10
    )


def test_how_near_a_method_came_is_told():
    df = survey()
    note = next(
        n
        for n in pf.protect(df, pf.Noise("uncorrelated", 50), ROLES, seed=1, weights="w").notes
        if "gap" in getattr(n, "facts", {})
    )
    out = pf.protect(df, pf.Noise("uncorrelated", 50), ROLES, seed=1).frame
    every, largest = df["w"] > 0, 0.0
    for name in ("y", "z"):
        for w in (None, df["w"].to_numpy()):
            fit = least_squares("", df[["a", "b"]].to_numpy(), df[name].to_numpy(), w)
            moved = fitted(out, (name, "a", "b"), None if w is None else "w", every) - fit.coef
            largest = max(largest, float(np.abs(moved / fit.se)[1:].max()))
    assert note.facts["gap"] >= largest * (1 - 1e-9)
    assert largest > 0.01
    assert note.count == 2 * 2 * (3 + 1)


def test_small_levels_are_joined_with_the_next_larger():
    levels = Levels("r", np.repeat(np.arange(4), [50, 3, 20, 40]), ("p", "q", "r", "s"))
    assert levels.joined(3) is levels
    result = levels.joined(15)
    assert result.labels == ("p", "s", "q or r")
    assert result.indicators.sum(axis=0).tolist() == [50, 40, 23]


def test_totals_of_levels_that_give_a_contribution_away_are_named():
    df = survey()
    row = int(np.flatnonzero(df["region"] == "east")[0])
    df.loc[row, "y"] = 10_000.0
    with pytest.raises(InvalidInput, match=r"y of region=east .*p% rule"):
        pf.protect(df, pf.IPSO("C"), ROLES, seed=1, preserve="region", strict_totals=True)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ({"weights": "y"}, InvalidParameter, "`weights` must not name a dependent column"),
        ({"weights": ["w"]}, InvalidParameter, "`weights` must be the name of one column"),
        ({"weights": "v"}, InvalidInput, "no column is called `v`"),
        ({"weights": "b"}, InvalidInput, "the weights in column `b` must be above 0"),
        ({"weights": "region"}, InvalidInput, "region"),
        ({"preserve": "z"}, InvalidParameter, "`preserve` must not name a dependent column"),
        ({"preserve": "a"}, InvalidInput, "at most 100 levels"),
        ({"preserve": "rare"}, InvalidInput, "must have 9 records, which its own design needs"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(value, error, message):
    df = survey()
    df["rare"] = ["x"] * (len(df) - 3) + ["p", "q", "r"]
    with pytest.raises(error, match=message.replace("(", r"\(")):
        pf.protect(df, pf.IPSO("C"), ROLES, seed=1, **value)


def test_analyse_says_whether_the_release_gives_a_formula():
    """Oracle: the two fits. Close: 1e-8 standard errors where the sentence is "exactly"."""
    df = survey()
    release = pf.protect(df, pf.IPSO("C"), ROLES, seed=1, weights="w")
    exact = pf.analyse(df, release, "y ~ a + b", weights="w")
    assert exact.distance.max() < 1e-9
    assert exact.describe() == "The release gives these coefficients exactly."
    off = pf.analyse(df, release, "y ~ z", weights="w")
    assert off.distance.max() > 0.01
    assert off.describe() == f"The release gives these coefficients to {off.distance.max():.2g} standard errors."
    np.testing.assert_allclose(exact.original.coef, fitted(df, ("y", "a", "b"), "w", df["w"] > 0), rtol=1e-10)


@pytest.mark.slow
def test_sweep_and_recommend_keep_them_in_every_release():
    df = survey()
    swept = pf.sweep(df, ROLES, [pf.IPSO("C"), pf.GADP()], seed=1, weights="w", preserve="region")
    for one in swept.candidates:
        assert any(note.startswith("totals and regressions of dependent columns are kept") for note in one.notes)
    found = pf.recommend(df, ROLES, seed=1, candidates=pf.IPSO("C"), weights="w")
    assert any(
        note.startswith("totals and regressions of dependent columns are kept") for note in found.candidates[0].notes
    )


def test_weights_that_few_records_cannot_keep_are_a_note():
    """Defect: groups of EU-SILC's households were refused after minutes, for its weights alone."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(20, 7)), columns=list("xabcdew")).assign(w=lambda f: f["w"] ** 2 + 1)
    roles = pf.Roles("x", list("abcde"))
    notes = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), roles, 1, weights="w").notes
    assert any("too many to keep" in note for note in notes)
