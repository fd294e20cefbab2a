"""A simulated survey of employment: codes that classes nearly decide, and amounts that codes decide."""

import numpy as np
import pandas as pd

# Shares of seven codes in six ages: 4 is a student, 5 retired.
SHARES = np.array([
    [0.48, 0.03, 0.03, 0.41, 0.00, 0.02, 0.03],
    [0.58, 0.12, 0.07, 0.05, 0.01, 0.01, 0.16],
    [0.63, 0.18, 0.05, 0.01, 0.02, 0.01, 0.10],
    [0.61, 0.17, 0.05, 0.00, 0.07, 0.01, 0.09],
    [0.24, 0.04, 0.05, 0.00, 0.56, 0.02, 0.09],
    [0.01, 0.00, 0.00, 0.00, 0.87, 0.01, 0.11],
])  # fmt: skip


def employment(n: int, seed: int) -> pd.DataFrame:
    """n people: region, sex, age, weight, code of employment, pay of those at work and pension of the retired."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 6, n)
    shares = SHARES / SHARES.sum(axis=1, keepdims=True)
    status = np.array([1 + rng.choice(7, p=shares[a]) for a in age])
    return pd.DataFrame({
        "region": rng.choice(list("ABCDEFGHI"), n),
        "sex": rng.choice(["f", "m"], n),
        "age": np.array(["16", "25", "35", "45", "55", "65"])[age],
        "weight": rng.uniform(300, 1000, n).round(1),
        "status": status,
        "pay": np.where(status < 3, rng.gamma(4, 3000, n), 0).round(2),
        "pension": np.where(status == 5, rng.gamma(6, 2000, n), 0).round(2),
    })  # fmt: skip
