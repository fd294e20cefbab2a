"""A simulated file of businesses, on which releases are attacked: two predictors and two amounts."""

import numpy as np
import pandas as pd


def business_columns(n, rng):
    """The columns by name, drawn from `rng` in their order."""
    return {
        "region": rng.choice(list("ABCD"), n),
        "size": rng.integers(1, 6, n).astype(float),
        "wage": np.round(np.exp(7 + 0.5 * rng.standard_normal(n))),
        "debt": np.round(np.exp(8 + rng.standard_normal(n))),
    }


def business_file(n, seed=5):
    """The file of n records."""
    return pd.DataFrame(business_columns(n, np.random.default_rng(seed)))
