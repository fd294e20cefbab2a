"""evaluate() of records in memory and of records on disk.

Oracle: the same call on the same records, read whole. Identical: equal reports, to the last bit and with their notes, and
equal refusals, to the last letter.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import pyfcrm as pf
from pyfcrm.data import open_data

COLUMNS = ("x", "y", "z")
WORDS = ("a", "b", None)


@st.composite
def files(draw):
    """Two files of 2 to 40 records and three numeric columns, ties and gaps among them, a word and a whole number."""
    n, rng = draw(st.integers(2, 40)), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    digits = draw(st.integers(0, 3))
    X = np.round(rng.normal(size=(n, 3)), digits)
    Z = np.round(X + draw(st.sampled_from([0.0, 0.1, 2.0])) * rng.normal(size=X.shape), digits)
    if draw(st.booleans()):
        Z[:, 2] = X[:, 2] = 1.5
    for A in draw(st.sampled_from([(), (X,), (X, Z)])):
        A[rng.random(A.shape) < 0.1] = np.nan
    if draw(st.integers(0, 9)) == 0:
        Z[rng.integers(n), 1] = draw(st.sampled_from([np.inf, 1e200, 1e-200]))
    words = rng.choice(np.array(WORDS, dtype=object), size=n, p=[0.5, 0.4, 0.1])
    before = pd.DataFrame(X, columns=COLUMNS).assign(word=words, whole=rng.integers(0, 3, n))
    after = pd.DataFrame(Z, columns=COLUMNS).assign(word=words, whole=rng.permutation(before["whole"]))
    return before, after.iloc[: n - draw(st.sampled_from([0, 0, 0, 1]))]


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "columns": st.sampled_from([["x"], ["y", "x"], ["x", "word"], ["nothing"]]),
        "measures": st.sampled_from(
            [["pil"], ["score", "cm3"], ["uniques"], ["dbrl", "k_anonymity"], ["prl_tolerance"]]
        ),
        "keys": st.sampled_from([["word"], ["word", "whole"]]),
        "strata": st.sampled_from(["word", "whole"]),
        "independent": st.sampled_from([["z"], ["whole"]]),
        "roles": st.just(pf.Roles(["z"], ["x", "y"])),
    },
)


def answer(both, options):
    """The report, or the sentence that refuses it."""
    try:
        report = pf.evaluate(*both, **options)
    except pf.errors.PyfcrmError as error:
        return str(error)
    return repr(report.rows()), report.notes, report.columns, report.records, dict(report.inference), report.kept


@given(both=files(), options=OPTIONS)
def test_memory_and_disk(both, options):
    with TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("a.parquet", "b.parquet")]
        for frame, path in zip(both, paths, strict=True):
            frame.to_parquet(path, row_group_size=7, index=False)
        known = answer([frame.reset_index(drop=True) for frame in both], options)
        assert answer(paths, options) == known
        assert answer([open_data("evaluate", path, whole=False) for path in paths], options) == known
        assert answer([both[0], open_data("evaluate", paths[1], whole=False)], options) == known
