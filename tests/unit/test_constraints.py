"""Keeping constraints in a release. Oracles: worked by hand; scipy.optimize; brute force over whole numbers."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.optimize import minimize

import pyfcrm as pf
from pyfcrm.constraints import ConstraintEnforcer, parsed
from pyfcrm.constraints.projection import Polyhedron, nearest
from pyfcrm.data import open_frame
from pyfcrm.data.encoded import EncodedFrame
from pyfcrm.data.encoding import encodings
from pyfcrm.errors import InvalidInput, InvalidParameter

EVERY = "PTOTVAL == POTHVAL + PEARNVAL; FEDTAX >= 0; TAXINC <= AGI; 0 <= POTHVAL; PEARNVAL >= 0; FEDTAX <= TAXINC"
ROLES = pf.Roles(["AGI", "INTVAL"], ["PTOTVAL", "POTHVAL", "PEARNVAL", "FEDTAX", "TAXINC", "FICA"])
IDENTITY = "PTOTVAL == POTHVAL + PEARNVAL"


def broken(frame):
    """How often EVERY is broken, as a user would count it: sums to 1e-9 of their size, which is 0 for whole numbers."""
    total = frame.POTHVAL + frame.PEARNVAL
    wrong = (
        (frame.PTOTVAL - total).abs() > 1e-9 * total.abs(), frame.FEDTAX < 0, frame.TAXINC > frame.AGI,
        frame.POTHVAL < 0, frame.PEARNVAL < 0, frame.FEDTAX > frame.TAXINC,
    )  # fmt: skip
    return sum(int(each.sum()) for each in wrong)


def kept(frame, Z, text, dependent, floats=False):
    opened = open_frame("t", frame)
    if floats:
        opened = EncodedFrame(opened, encodings("t", opened, "numbers"))
    keep = ConstraintEnforcer(parsed("t", text), opened, dependent, [], dependent)
    return keep.kept(opened, Z, np.ones(len(frame), dtype=bool))


def test_an_equality_shares_what_is_missing_by_variance():
    """By hand: A == B + C is short by 6; sd 1, 1, 2, so A, B, C take 1/6, 1/6, 4/6 of it. Close: one division."""
    frame = pd.DataFrame({"A": [-1.0, 1.0], "B": [1.0, -1.0], "C": [-2.0, 2.0]})
    V = kept(frame, np.array([[10.0, 8.0, 8.0], [3.0, 1.0, 2.0]]), "A == B + C", ["A", "B", "C"])
    np.testing.assert_allclose(V[0], [11, 7, 4], rtol=1e-14)
    np.testing.assert_array_equal(V[1], [3, 1, 2])


def test_bounds_are_met_exactly_and_nothing_else_moves():
    """By hand: clipping. Identical, for bounds that no grid holds too."""
    frame = pd.DataFrame({"A": [0.1, 0.7, 0.3, 0.2], "X": [1 / 3, 2 / 3, 0.1, 5.0]})
    Z = np.array([[0.5], [0.9], [-0.4], [0.25]])
    np.testing.assert_array_equal(kept(frame, Z, "0.1 <= A; A <= X", ["A"])[:, 0], [1 / 3, 2 / 3, 0.1, 0.25])


def test_whole_numbers_by_hand():
    """By hand: B goes to 3, and A - C == 3 is 1.2 short, of which A and C take half each. Identical."""
    frame = pd.DataFrame({"A": [0, 2], "B": [0, 2], "C": [0, 2]})
    V = kept(frame, np.array([[7.6, 3.4, 3.4], [7.6, 3.4, 3.4]]), "A == B + C; B <= 3", ["A", "B", "C"])
    np.testing.assert_array_equal(V, [[7, 3, 4], [7, 3, 4]])


@pytest.mark.parametrize("seed", range(12))
def test_the_projection_is_the_nearest_point(seed):
    """scipy's SLSQP on the same problem, started at a feasible point. Close, 1e-6: what SLSQP itself is good for."""
    rng = np.random.default_rng(seed)
    q, e, g, k = int(rng.integers(2, 6)), int(rng.integers(0, 2)), int(rng.integers(1, 6)), 4
    E, G = rng.integers(-2, 3, (e, q)).astype(float), rng.integers(-2, 3, (g, q)).astype(float)
    inside, sd, Z = rng.normal(size=(k, q)), np.exp(rng.normal(size=q)), 5 * rng.normal(size=(k, q))
    b, h = inside @ E.T, inside @ G.T + rng.random((k, g)) * rng.integers(0, 2, (1, g))
    V, against = nearest(Z, sd, Polyhedron(np.vstack([E, G]), np.hstack([b, h]), e))
    assert not against.any()
    assert np.abs(V @ E.T - b).max(initial=0) < 1e-12
    assert (V @ G.T - h).max() < 1e-12
    for i in range(k):
        equal = [{"type": "eq", "fun": lambda v, i=i: E @ v - b[i]}] if e else []
        best = minimize(
            lambda v, i=i: (((v - Z[i]) / sd) ** 2).sum(),
            inside[i],
            constraints=[*equal, {"type": "ineq", "fun": lambda v, i=i: h[i] - G @ v}],
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 500},
        )
        assert (((V[i] - Z[i]) / sd) ** 2).sum() <= best.fun * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_whole_numbers_against_all_there_are(seed):
    """Brute force over 0..12 in three columns: the constraints hold, and no feasible point is nearer by more than 2
    units in all (the projection is rounded, and then repaired by the least moves, which is not the same)."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 13, (30, 3)), columns=list("ABC"))
    Z = rng.normal(6, 6, size=(30, 3))
    text = "A + B >= C; 2*A <= 3*C; A <= 12; B <= 12; C <= 12; A >= 0; B >= 0; C >= 1"
    V = kept(frame, Z, text, list("ABC"))
    points = np.array(list(itertools.product(range(13), repeat=3)), dtype=float)
    points = points[(points[:, 0] + points[:, 1] >= points[:, 2]) & (2 * points[:, 0] <= 3 * points[:, 2])]
    points = points[points[:, 2] >= 1]
    feasible = {tuple(p) for p in points}
    sd = frame.to_numpy(dtype=float).std(axis=0)
    for z, v in zip(Z, V, strict=True):
        assert tuple(v) in feasible
        best = np.sqrt((((points - z) / sd) ** 2).sum(axis=1).min())
        assert np.sqrt((((v - z) / sd) ** 2).sum()) <= best + 2 / sd.min()


METHODS = [
    pf.IPSO("A"), pf.IPSO("C"), pf.FCRM(c=4), pf.Noise("uncorrelated", amount=60), pf.RankSwapping(p=15),
    pf.Microaggregation(k=7), pf.TopBottomCoding(top="90%", bottom="5%"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["whole", "float", "odd float"])
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_no_constraint_is_broken_in_any_release(method, kind):
    """Bounds and orders are identical, and sums of whole numbers. Without constraints some are broken."""
    frame = pf.datasets.census_like(300)
    frame = {"whole": frame, "float": frame.astype(float), "odd float": frame * 0.3701234567}[
        kind
    ]  # without a number of decimals
    released = pf.protect(frame, method, ROLES, seed=3, constraints=EVERY)
    assert broken(pf.protect(frame, method, ROLES, seed=3).frame) > 0
    assert broken(released.frame) == 0
    assert (released.frame.dtypes == frame.dtypes).all()
    assert any(note.startswith("constraints: all are kept, and moved ") for note in released.notes)


def test_what_is_kept_already_is_left_alone():
    """Identical: with constraints that the method's release keeps, it is that release to the last bit."""
    frame = pf.datasets.census_like(200).astype(float)
    plain = pf.protect(frame, pf.IPSO("A"), ROLES, seed=1)
    released = pf.protect(frame, pf.IPSO("A"), ROLES, seed=1, constraints="FICA <= 1e9; TAXINC + 0.5*FICA >= -1e9")
    pd.testing.assert_frame_equal(released.frame, plain.frame)
    assert "constraints: all are kept, and moved none of 200 records" in released.notes
    for nothing in (None, [], ()):
        same = pf.protect(frame, pf.IPSO("A"), ROLES, seed=1, constraints=nothing)
        assert same.notes == plain.notes


def test_decimals_keep_their_cents():
    """Identical in exact decimals: sums of two-decimal columns hold in the column's own type."""
    rng = np.random.default_rng(0)
    cents = rng.integers(1, 10_000, (80, 3))
    cents[:, 0] = cents[:, 1] + cents[:, 2]
    money = pl.Decimal(12, 2)
    frame = pl.DataFrame({n: pl.Series(cents[:, j] / 100).cast(money) for j, n in enumerate("ABC")})
    frame = frame.with_columns(pl.Series("X", rng.normal(size=80)))
    roles = pf.Roles(["X"], list("ABC"))
    released = pf.protect(frame, pf.IPSO("A"), roles, seed=1, constraints="A == B + C; C >= 0.01").frame
    assert released.schema["A"] == money
    assert all(a == b + c and c * 100 >= 1 for a, b, c in released.select("A", "B", "C").iter_rows())


def test_short_types_hold_what_they_are_given():
    """uint8 columns: the limits of the type are constraints too. float32: sums exact in float32."""
    rng = np.random.default_rng(1)
    b, c = rng.integers(0, 100, 90), rng.integers(0, 100, 90)
    frame = pd.DataFrame({"X": rng.normal(size=90), "A": (b + c), "B": b, "C": c}).astype(dict.fromkeys("ABC", "uint8"))
    roles, much = pf.Roles(["X"], list("ABC")), pf.Noise("uncorrelated", amount=300)
    released = pf.protect(frame, much, roles, seed=1, constraints="A == B + C").frame
    assert (released.A.astype(int) == released.B.astype(int) + released.C.astype(int)).all()
    assert (released.dtypes == frame.dtypes).all()
    short = frame.astype(dict.fromkeys("ABC", "float32"))
    released = pf.protect(short, much, roles, seed=1, constraints="A == B + C; B >= 0").frame
    assert (released.A == released.B + released.C).all()
    assert (released.B >= 0).all()


def test_constraints_and_missing_values():
    """By hand: they hold wherever all of their columns are observed; "drop" releases complete records only, and a
    bystander's gap frees its record of that constraint, noted."""
    frame = pf.datasets.census_like(150).astype(float)
    frame.loc[3, "PTOTVAL"], frame.loc[7, "ERNVAL"] = np.nan, np.nan
    text = IDENTITY + "; PEARNVAL <= ERNVAL"
    for missing in ("protect", "drop"):
        released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1, missing=missing, constraints=text)
        places = np.arange(150) if missing == "protect" else released.rows[0]  # the release is numbered from 0
        inside = released.frame.set_axis(places, axis=0).drop(index=3, errors="ignore")
        assert (3 in places) == (missing == "protect")
        assert np.isnan(released.frame.PTOTVAL).sum() == (missing == "protect")
        assert (inside.PTOTVAL == inside.POTHVAL + inside.PEARNVAL).all()
        assert (inside.drop(index=7).PEARNVAL <= inside.drop(index=7).ERNVAL).all()
        assert "`PEARNVAL <= ERNVAL` could not be checked for 1 record, where ERNVAL is missing" in released.notes
        assert not any(f"breaks `{IDENTITY}`" in note for note in released.notes)
    with pytest.raises(InvalidInput, match="values are missing"):
        pf.protect(frame.dropna(subset="PTOTVAL"), pf.IPSO("C"), ROLES, seed=1, constraints=text)


@pytest.mark.parametrize(("broken", "refused"), [(50, False), (51, True)])
def test_a_constraint_that_most_of_the_original_breaks_is_refused(broken, refused):
    """By hand: 100 complete records and 20 without the value; so many of the complete ones are below 10."""
    frame = pd.DataFrame({"x": np.arange(120.0), "wage": np.where(np.arange(120) < broken, 1.0, 20.0)})
    frame.loc[100:, "wage"] = np.nan
    ask = {"roles": pf.Roles(["x"], ["wage"]), "seed": 1, "missing": "drop", "constraints": "wage >= 10; x >= 0"}
    if not refused:
        pf.protect(frame, pf.IPSO("A"), **ask)
        return
    with pytest.raises(InvalidInput, match=r"`wage >= 10` must hold in at least half .* got 51 of 100 that break it"):
        pf.protect(frame, pf.IPSO("A"), **ask)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("FEDTX >= 0", InvalidInput, "no column is called `FEDTX`; did you mean `FEDTAX`"),
        ("word == 1", InvalidInput, "column `word` must hold numbers"),
        ("id >= 1", InvalidParameter, "must not name an identifier"),
        ("FEDTAX >= {high}; FEDTAX <= {low}", InvalidInput, "FEDTAX <= {low}`; got record 1, the first such"),
        ("FEDTAX == AGI; FEDTAX == 2*AGI + 1", InvalidInput, "`FEDTAX == AGI` must hold in at least half"),
        ("FEDTAX >= {low} + 0.2; FEDTAX <= {low} + 0.8", InvalidInput, "(in what its type can hold)"),
        ("FEDTAX*FICA >= 1", InvalidParameter, "must be linear"),
    ],
)  # fmt: skip
def test_one_sentence_for_what_cannot_be_kept(text, error, message):
    frame = pf.datasets.census_like(60).assign(id=range(60), word="a")
    roles = pf.Roles(["AGI", "INTVAL"], ["FEDTAX", "FICA"], ["id"])
    middle = dict(zip(("low", "high"), sorted(frame.FEDTAX)[29:31], strict=True))  # each half breaks one of two bounds
    with pytest.raises(error) as caught:
        pf.protect(frame, pf.IPSO("A"), roles, seed=1, constraints=text.format(**middle))
    assert message.format(**middle) in str(caught.value)
    assert "\n" not in str(caught.value)
