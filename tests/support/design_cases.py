"""Estimates under sampling designs as R's survey has them, from tests/golden/make_designs.R, beside ours."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

import pyfcrm as pf
from pyfcrm.data import open_data
from pyfcrm.evaluation.utility.sampling import sampling_design
from pyfcrm.numerics.sampling_variance.estimates import means, ratios, totals

CLOSE = 1e-8  # relative: one sum or one factorisation in another order; iterations of both go to 1e-10 and less


def cases(path: Path) -> list:
    """The cases of a file of that script."""
    return json.loads(path.read_text(encoding="utf-8"))


def design_of(case):
    """The frame and the sampling design of a case."""
    frame = pd.DataFrame(case["data"])
    rows = np.ones(len(frame), dtype=bool)
    opened = open_data("test", frame, whole=True)
    return frame, sampling_design("test", opened, pf.Roles(**case["roles"]), rows)


def ours(case, estimate) -> dict:
    """What the package makes of one estimate: value, se, and low, high, df where R has them."""
    frame, design = design_of(case)
    if estimate["kind"] in ("regression", "quantiles"):
        return _analysis(frame, pf.Roles(**case["roles"]), estimate)
    y = frame[estimate["y"]].to_numpy(dtype=float)
    if estimate["kind"] == "total":
        known = np.isfinite(y)
        found = totals(design.taken(known), y[known][:, None])
    elif estimate["kind"] == "ratio":
        x = frame[estimate["x"]].to_numpy(dtype=float)
        known = np.isfinite(y) & np.isfinite(x)
        found = ratios(design.taken(known), y[known][:, None], x[known][:, None])
    else:
        of_level = frame[estimate["by"]].astype(str)
        found = means(design, y, [(of_level == level).to_numpy() for level in estimate["levels"]])
    return {"value": found.values, "se": found.se}


def _analysis(frame, roles, estimate) -> dict:
    if estimate["kind"] == "regression":
        analysis = pf.analyse(frame, frame, estimate["formula"], family=estimate["family"], roles=roles)
        assert list(analysis.terms) == estimate["terms"]
    else:
        formula = f"{estimate['y']} ~ {estimate['by']}"
        analysis = pf.analyse(frame, frame, formula, quantile=estimate["p"], roles=roles)
        assert [term.split("=")[1] for term in analysis.terms] == estimate["terms"]
    fit = analysis.original
    return {"value": fit.coef, "se": fit.se, "low": fit.low, "high": fit.high, "df": fit.freedom}


def differences(case, estimate) -> list:
    """Where ours differs from R's by more than the tolerance. R has no interval where a share leaves 0 to 1."""
    found = ours(case, estimate)
    different = []
    in_r = {name: np.array(estimate[name], dtype=float) for name in found}
    ends = ~np.isnan(in_r["se"])
    for name, value in found.items():
        expected = in_r[name]
        least = CLOSE * np.nanmax(np.abs(in_r["se"])) if ends.any() else 0.0
        same = np.isclose(value, expected, rtol=CLOSE, atol=least)
        known = ends & ~np.isnan(expected) if name in ("se", "low", "high") else True
        if not np.all(same | ~np.asarray(known)):
            different.append((name, np.asarray(value).tolist(), expected.tolist()))
    return different
