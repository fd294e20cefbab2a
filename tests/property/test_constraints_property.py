"""Constraints that some point keeps are kept by every release, whatever the numbers.

Oracle: the constraints themselves, added up here. Identical for whole numbers, and for bounds of floats; sums of floats are
close: 1e-9 of the size of the terms, which is what is promised.
"""

from fractions import Fraction

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyfcrm.constraints import ConstraintEnforcer, parsed
from pyfcrm.data import open_frame

NAMES = list("abcde")
whole = st.integers(-3, 3)
calm = settings(suppress_health_check=[HealthCheck.too_slow])


@st.composite
def systems(draw):
    """A frame that keeps what `texts` says, a perturbation of it, and whether its columns are whole."""
    q, n = draw(st.integers(1, 5)), draw(st.integers(2, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(-50, 200, (n, q))
    columns = {name: X[:, j] for j, name in enumerate(NAMES[:q])}
    texts = []
    equalities = draw(st.lists(st.lists(whole, min_size=q, max_size=q).filter(any), max_size=min(q - 1, 2)))
    inequalities = draw(st.lists(st.lists(whole, min_size=q, max_size=q).filter(any), max_size=4))
    for number, a in enumerate(equalities + inequalities):
        sign = "==" if number < len(equalities) else "<="
        columns[f"k{number}"] = X @ a + (rng.integers(0, 2) * rng.integers(0, 40, n) if sign == "<=" else 0)
        texts.append(" + ".join(f"{c}*{name}" for c, name in zip(a, NAMES, strict=False)) + f" {sign} k{number}")
    for name in NAMES[: draw(st.integers(0, q))]:
        texts.append(f"{name} <= {int(columns[name].max())}")
    Z = X + rng.normal(size=(n, q)) * draw(st.sampled_from([0.01, 1.0, 50.0, 1e4]))
    return pd.DataFrame(columns), texts, Z, draw(st.booleans())


@calm
@given(systems())
def test_what_can_be_kept_is_kept(system):
    frame, texts, Z, integer = system
    dependent = [name for name in NAMES if name in frame]
    if not texts:
        return
    frame = frame if integer else frame.astype(dict.fromkeys(dependent, float))
    constraints = parsed("t", texts)
    opened = open_frame("t", frame)
    keep = ConstraintEnforcer(constraints, opened, dependent, [], dependent)
    V = keep.kept(opened, Z, np.ones(len(frame), dtype=bool))
    about = {name for one in constraints for name in one.columns}
    for j, name in enumerate(dependent):
        assert np.isfinite(V[:, j]).all()
        assert name not in about or not integer or (V[:, j] % 1 == 0).all()
        assert name in about or (V[:, j] == Z[:, j]).all()
    values = {name: frame[name].to_numpy() for name in frame} | {n: V[:, j] for j, n in enumerate(dependent)}
    for one in constraints:
        for i in range(len(frame)):  # in exact fractions
            terms = [c * Fraction(float(values[name][i])) for name, c in one.terms]
            off, size = sum(terms) - one.bound, sum(map(abs, terms)) + abs(one.bound)
            allowed = 0 if integer or len(one.terms) == 1 else Fraction(1, 10**9) * size
            assert (abs(off) if one.equality else off) <= allowed, (one.text, i, float(off))


@calm
@given(
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([1e-6, 0.37, 1.0, 1e6]),
    spread=st.sampled_from([0.1, 3.0, 1e4]),
)
def test_totals_and_orders_of_floats(seed, scale, spread):
    """A total of totals, to 1e-12 of its size, with bounds and an order, which hold without tolerance."""
    rng = np.random.default_rng(seed)
    n = 40
    b, c, d = rng.lognormal(size=(3, n)) * scale
    frame = pd.DataFrame({"b": b, "c": c, "d": d})
    frame["t"] = frame.b + frame.c
    frame["u"] = frame.t + frame.d
    names = list(frame.columns)
    Z = frame.to_numpy() + rng.normal(size=(n, 5)) * spread * scale
    text = "t == b + c; u == t + d; b >= 0; c >= 0; d >= 0; c <= u"
    opened = open_frame("t", frame)
    keep = ConstraintEnforcer(parsed("t", text), opened, names, [], names)
    v = dict(zip(names, keep.kept(opened, Z, np.ones(n, dtype=bool)).T, strict=True))
    close = {"rtol": 1e-12, "atol": 1e-12 * scale * spread}
    np.testing.assert_allclose(v["t"], v["b"] + v["c"], **close)
    np.testing.assert_allclose(v["u"], v["t"] + v["d"], **close)
    assert min(v["b"].min(), v["c"].min(), v["d"].min()) >= 0
    assert (v["c"] <= v["u"]).all()
