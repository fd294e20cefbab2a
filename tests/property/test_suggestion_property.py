"""Whatever the file, no nearly unique measurement is suggested to be kept, or left to leave as it came.

Oracle: the definition, counted by pandas: more than half of its values distinct, or more than 5 per cent of the records
unique on it. Grade: identical.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import pyfcrm as pf

KINDS = ("float", "rounded", "whole", "few", "heap", "money", "nullable", "text", "date", "flag", "weight", "copy")


def column(kind: str, n: int, rng: np.random.Generator) -> pd.Series:
    x = rng.normal(size=n)
    values = {
        "float": x * 10.0 ** rng.integers(-8, 9),
        "rounded": np.round(x, int(rng.integers(0, 3))),
        "whole": rng.integers(0, int(rng.choice([3, 12, 60, 10_000])), n),
        "few": rng.integers(1, 6, n) * 10,
        "heap": np.where(rng.random(n) < rng.random(), 0.0, np.round(1000 * np.abs(x))),
        "money": np.round(np.exp(8 + x), 2),
        "nullable": pd.array(rng.integers(0, 500, n), dtype="Int64"),
        "text": rng.choice(["a", "b", "c", *map(str, range(int(rng.integers(1, 900))))], n),
        "date": pd.Timestamp("1990-01-01") + pd.to_timedelta(rng.integers(0, 9000, n), "D"),
        "flag": x > 0,
        "weight": rng.choice(rng.uniform(1, 9, int(rng.integers(1, 2 * n + 1))), n),
        "copy": np.arange(n) // max(1, int(rng.integers(1, 4))),
    }[kind]
    series = pd.Series(values)
    missing = rng.random(n) < rng.choice([0.0, 0.0, 0.1, 0.9])
    return series.mask(missing) if kind not in ("flag",) else series


def nearly_unique(series: pd.Series) -> bool:
    counts = series.value_counts(dropna=False)
    return bool(series.nunique() > series.notna().sum() / 2) or int((counts == 1).sum()) > 0.05 * len(series)


@given(st.lists(st.sampled_from(KINDS), min_size=1, max_size=9), st.integers(1, 160), st.integers(0, 10_000))
def test_nothing_that_tells_records_apart_is_kept(kinds: list[str], n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({f"{kind}_v{k}": column(kind, n, rng) for k, kind in enumerate(kinds)})
    found = pf.suggest_roles(frame)
    leaving = [name for name in frame if found.role_of(name) in ("leave", "independent")]
    assert set(found.reasons) == set(frame.columns)
    assert bool(found.choice) == (not found.independent)
    leaving = [name for name in leaving if not name.startswith("weight")]  # a second weight, which is doubtful
    for name in leaving:
        assert frame[name].nunique() < 2 or not nearly_unique(frame[name]), name  # one value distinguishes no records
    if found.independent:
        groups = frame[leaving].groupby(leaving, dropna=False, observed=True).size()
        assert int((groups == 1).sum()) <= 0.05 * n
