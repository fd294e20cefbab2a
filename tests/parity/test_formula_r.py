"""Formulas of analyse() against R's lm with the same formula: names, estimates and standard errors. Close: 1e-8, two QRs."""

import numpy as np
import pandas as pd
import pytest
from support.r import requires_r, run_r

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r]
FORMULAS = [
    "wage ~ sex + region + age", "log(wage) ~ sex * age + union:region", "wage ~ sex:region", "sqrt(wage) ~ log(age) + union",
    "wage ~ sex * region * age", "wage ~ age:sex + age",
]  # fmt: skip


def people():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({
        "sex": rng.choice(["Male", "Female"], 300), "region": rng.choice(["N", "S", "E"], 300),
        "age": rng.integers(18, 80, 300), "union": rng.random(300) < 0.3,
    })  # fmt: skip
    return frame.assign(wage=10 + 3 * (frame.sex == "Male") + 0.1 * frame.age + rng.normal(size=300))


@pytest.mark.parametrize("formula", FORMULAS)
def test_terms_and_estimates_are_those_of_lm(formula, tmp_path):
    frame, path = people(), tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    [estimates] = run_r(
        "f <- read.csv(arguments[1], stringsAsFactors = TRUE); f$union <- f$union == 'True'; "
        "fit <- summary(lm(as.formula(arguments[2]), f))$coefficients; emit(fit[, 1:2]); writeLines(rownames(fit), arguments[3])",
        path, formula, tmp_path / "terms",
    )  # fmt: skip
    ours = pf.analyse(frame, frame, formula).to_frame().dropna(subset="original")
    assert list(ours.term) == (tmp_path / "terms").read_text().splitlines()
    np.testing.assert_allclose(ours[["original", "original_se"]].to_numpy().T.ravel(), estimates, rtol=1e-8, atol=1e-10)
