"""A file of students as public-use files are judged on: a sum of two scores, grades with few decimals, sex."""

import numpy as np
import pandas as pd


def school_file(records: int = 1000, seed: int = 1) -> pd.DataFrame:
    """Simulated records with sex, sat_v, sat_m, sat_sum = sat_v + sat_m, hs_gpa and fy_gpa, like the file SATGPA."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(1, 3, records)
    ability = rng.normal(size=records)
    verbal = np.rint(48.9 + 8.2 * (0.75 * ability + 0.66 * rng.normal(size=records)))
    maths = np.rint(54.4 + 8.4 * (0.75 * ability + 0.66 * rng.normal(size=records)) + 2.5 * (sex == 1) - 1.2)
    sat_v = np.clip(verbal, 24, 76).astype(int)
    sat_m = np.clip(maths, 29, 77).astype(int)
    school = np.clip(np.round(3.2 + 0.54 * (0.5 * ability + 0.87 * rng.normal(size=records)), 1), 1.8, 4.5)
    hs_gpa = np.where(rng.random(records) < 0.1, 4.0, school)
    first_year = 0.45 * ability + 0.4 * (hs_gpa - 3.2) / 0.54 + 0.8 * rng.normal(size=records)
    fy_gpa = np.clip(np.round(2.47 + 0.74 * first_year, 2), 0, 4)
    columns = {"sex": sex, "sat_v": sat_v, "sat_m": sat_m, "sat_sum": sat_v + sat_m, "hs_gpa": hs_gpa, "fy_gpa": fy_gpa}
    return pd.DataFrame(columns)
