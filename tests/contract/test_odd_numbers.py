"""Files of odd numbers, judged: heaps of zeros, ties, one value, whole numbers, negatives, 1e-12 to 1e12, 5 to 50 records.

Oracles: ties counted by hand (identical); what was refused is refused in a sentence, and numpy warns of nothing.
"""

import warnings

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import PyfcrmError

COLUMNS = [
    lambda rng, n: np.where(rng.random(n) < 0.8, 0.0, rng.lognormal(3, 2, n)),
    lambda rng, n: rng.integers(0, 3, n).astype(float),
    lambda rng, n: -rng.lognormal(5, 1, n),
    lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-12, 12),
    lambda rng, n: np.arange(n, dtype=float),
    lambda rng, n: np.eye(n)[rng.integers(0, n)] * 1e6,
    lambda rng, n: np.full(n, 7.0),
]
METHODS = [
    pf.RankSwapping(30), pf.Permutation(3), pf.Microaggregation(3), pf.Noise("uncorrelated", 20), pf.Noise("multiplicative", 20),
    pf.IPSO("C"), pf.FCRM(2), pf.FCRM(2, release="draw", donors=3), pf.Hybrid("regression", 0.4), pf.Shuffling(),
]  # fmt: skip
JUDGED = ["pil", "dbrl", "id", "id_rank", "um", "drisk", "dbrl_mahalanobis", "linkage_informed"]


def odd_file(seed):
    """5 to 50 records of 1 to 5 columns; one of two values in a file of two, so that one kind of it is constant."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 51)), int(rng.integers(1, 6))
    values = [COLUMNS[k](rng, n) for k in rng.integers(0, len(COLUMNS), p)]
    frame, s = pd.DataFrame(np.column_stack(values), columns=[f"c{j}" for j in range(p)]), int(rng.integers(0, p))
    return frame, pf.Roles(list(frame.columns[:s]), list(frame.columns[s:]))


@pytest.mark.parametrize("seed", range(12))
def test_odd_files_are_judged_or_refused_in_a_sentence(seed):
    frame, roles = odd_file(seed)
    method = METHODS[seed % len(METHODS)]
    judged = {"columns": roles.dependent, "measures": JUDGED, "method": method, "guesses": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        same = pf.evaluate(frame, frame.copy(), **judged)
        pf.records_at_risk(frame, frame, roles.dependent)
        try:
            released = pf.protect(frame, method, roles, seed=seed).frame
        except PyfcrmError:  # such as a constant column, in one sentence
            return
        found = pf.evaluate(frame, released, **judged)
    ties = frame[list(roles.dependent)].value_counts()
    assert same["dbrl"] == pytest.approx(100 * len(ties) / len(frame))
    assert same["linkage_informed"] >= same["dbrl"] - 1e-9
    assert (same["pil"], same["id"]) == (0, 100)
    assert found["linkage_informed"] >= found["dbrl"] - 1e-9
    assert all(np.isfinite(found[key]) for key in JUDGED)
